package org.keyline.planner.calcite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.Plans;

final class PointReadMatcherTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            SELECT * FROM t WHERE k = 1                               | t (0) -> 0,1,2
            SELECT v FROM t WHERE k = ?                               | t (0) -> 1
            select v, w from d.t where 5 = k                          | t (0) -> 1,2
            SELECT `v` FROM `d`.`t` WHERE `k` = 'x';                  | t (0) -> 1
            SELECT t.v, d.t.w FROM t WHERE d.t.k = -5                 | t (-0) -> 1,2
            SELECT a.v AS x, a.* FROM t AS a WHERE a.k = 1            | t (0) -> 1,0,1,2
            SELECT v x, v FROM t a WHERE (k = 1)                      | t (0) -> 1,1
            SELECT V FROM T WHERE K = 1                               | t (0) -> 1
            SELECT v FROM t WHERE k = 1 LIMIT 1                       | t (0) -> 1 limit 1
            SELECT v FROM t WHERE k = 1 ORDER BY k DESC LIMIT 1       | t (0) -> 1 limit 1
            SELECT v FROM t WHERE k = 1 LIMIT 2, 3                    | t (0) -> 1 limit 2 offset 1
            SELECT v FROM other.t WHERE k = 1                         | t (0) -> 1
            SELECT id, value, `order`, date FROM kv WHERE id = 3      | kv (0) -> 0,1,2,3
            SELECT kv.order FROM kv WHERE id = 3                      | kv (0) -> 2
            SELECT * FROM usertable WHERE YCSB_KEY='user1'            | usertable (0) -> 0,1,2
            SELECT v FROM t WHERE k IN (1)                            | t (0) -> 1
            SELECT v FROM t WHERE k IN (1, ?, -3)                     | t (0) (1) (-2) -> 1
            SELECT v FROM t WHERE k IN (1,2) ORDER BY k               | t (0) (1) -> 1 ASC
            SELECT v FROM t WHERE k IN (1,2) ORDER BY k DESC LIMIT 1  | t (0) (1) -> 1 DESC limit 2
            SELECT v FROM c WHERE k1=1 AND k2=2 AND k3=3              | c (0,1,2) -> 3
            SELECT v FROM c WHERE k3=1 AND 2=k1 AND (k2=3)            | c (1,2,0) -> 3
            SELECT v FROM c WHERE (k1=1 AND k2=2) AND k3=3            | c (0,1,2) -> 3
            SELECT v FROM c WHERE k1=1                                | c (0) -> 3
            SELECT v FROM c WHERE k2=2 AND k1=1                       | c (1,0) -> 3
            SELECT v FROM c WHERE k1=1 ORDER BY k2, k3                | c (0) -> 3 ASC
            SELECT v FROM c WHERE k1=1 ORDER BY k1, k2 DESC, k3 DESC  | c (0) -> 3 DESC
            SELECT v FROM c WHERE k1=1 ORDER BY k1 DESC, k2, k3 ASC LIMIT 10 OFFSET 5 | c (0) -> 3 ASC limit 1 offset 2
            SELECT v FROM c WHERE k1=1 AND k2=2 ORDER BY k3 LIMIT ?   | c (0,1) -> 3 ASC limit 2
            SELECT v FROM c WHERE k1=1 ORDER BY k1                    | c (0) -> 3
            SELECT v k2 FROM c WHERE k1=1 ORDER BY c.k2, c.k3         | c (0) -> 3 ASC
            SELECT k2 k2 FROM c WHERE k1=1 ORDER BY k2, k3            | c (0) -> 1 ASC
            SELECT v FROM c WHERE (k1,k2,k3) IN ((1,2,3),(4,5,-6))    | c (0,1,2) (3,4,-5) -> 3
            SELECT v FROM c WHERE (k2,k1) IN ((1,2),(3,4))            | c (1,0) (3,2) -> 3
            SELECT v FROM c WHERE (k1,k2) = (1,2) AND k3 = 3          | c (0,1,2) -> 3
            SELECT v FROM c WHERE (1,2) = (k1,k2)                     | c (0,1) -> 3
            SELECT v FROM c WHERE k1=1 AND k2 IN (2,3)                | c (0,1) (0,2) -> 3
            SELECT v FROM c WHERE k1 IN (1,2) AND k2 IN (3,4) AND k3=5| c (0,2,4) (0,3,4) (1,2,4) (1,3,4) -> 3
            SELECT v FROM c WHERE k1 IN (1,2) ORDER BY k1,k2,k3 LIMIT 3 | c (0) (1) -> 3 ASC limit 2
            SELECT v FROM c WHERE k1=1 AND (k2,k3) IN ((2,3),(4,5))   | c (0,1,2) (0,3,4) -> 3
            SELECT v FROM t WHERE k<=>1                               | t (0) -> 1
            SELECT SQL_NO_CACHE v FROM t WHERE k=1                    | t (0) -> 1
            SELECT DISTINCT SQL_NO_CACHE v FROM t WHERE k=1           | t (0) -> 1
            SELECT DISTINCT k2 FROM c WHERE k1=1 ORDER BY k2          | c (0) -> 1 ASC DISTINCT
            SELECT DISTINCT k2, k1 FROM c WHERE k1=1 AND k2>2 ORDER BY k1, k2 DESC LIMIT 3 | c (0)[1>1] -> 1,0 DESC limit 2 DISTINCT
            SELECT DISTINCT k2 FROM c WHERE k1=1 AND v=2 ORDER BY k2  | c (0) 3: EQUAL 1 -> 1 ASC DISTINCT
            SELECT DISTINCT k1 FROM c WHERE k1 IN (1,2) ORDER BY k1   | c (0) (1) -> 0 ASC DISTINCT
            SELECT DISTINCT k1 FROM c WHERE k1=1                      | c (0) -> 0 DISTINCT
            SELECT DISTINCT k1 FROM c WHERE k1=1 AND k2>2 LIMIT 1     | c (0)[1>1] -> 0 limit 2 DISTINCT
            SELECT DISTINCT k2, k3, v FROM c WHERE k1=1 ORDER BY k2, k3 | c (0) -> 1,2,3 ASC
            SELECT DISTINCT v, k1, k2, k3 FROM indexed WHERE k1=1 ORDER BY k2, k3 | indexed (0) -> 3,0,1,2 ASC
            SELECT w FROM indexed WHERE k1=1                          | indexed (0) -> 4
            SELECT w FROM indexed WHERE k1=1 AND k2=2                 | indexed (0,1) -> 4
            SELECT * FROM indexed WHERE k1 IN (1,2)                   | indexed (0) (1) -> 0,1,2,3,4
            SELECT v FROM indexed WHERE k1=1 ORDER BY k2,k3           | indexed (0) -> 3 ASC
            SELECT v FROM indexed WHERE k1=1 AND k2=2 AND k3=3        | indexed (0,1,2) -> 3
            SELECT COUNT(*) FROM indexed WHERE k1=1                   | indexed (0) -> 0 COUNT
            SELECT DISTINCT * FROM c WHERE k1=1 ORDER BY k2, k3 LIMIT 2 | c (0) -> 0,1,2,3,4 ASC limit 1
            SELECT v FROM t WHERE 1=1 AND k=5                         | t (2) -> 1 ones [0, 1]
            SELECT v FROM t WHERE k=1 OR k=2                          | t (0) (1) -> 1
            SELECT v FROM t WHERE (k=1 OR k IN (2,3)) OR 4=k          | t (0) (1) (2) (3) -> 1
            SELECT v FROM c WHERE (k1=1 AND k2=2) OR (k2=3 AND k1=4)  | c (0,1) (3,2) -> 3
            SELECT v FROM c WHERE k1=1 AND (k2=2 OR k2=3) AND k3=4    | c (0,1,3) (0,2,3) -> 3
            SELECT 1 FROM t WHERE k=5                                 | t (1) -> -1 constants [0]
            SELECT v, 1 AS one FROM t WHERE k=5 LIMIT 1               | t (1) -> 1,-1 limit 2 constants [0]
            SELECT v FROM t WHERE k=5 ORDER BY 1                      | t (0) -> 1 ones [1]
            SELECT v FROM t WHERE k=5 ORDER BY w, v DESC LIMIT 1      | t (0) -> 1 limit 1
            SELECT k1, k2 FROM c WHERE k1=1 AND k2=2 ORDER BY 1, k3   | c (0,1) -> 0,1 ASC ones [2]
            SELECT COUNT(*) FROM t WHERE k=5                          | t (0) -> 0 COUNT
            SELECT count(*) AS n FROM c WHERE k1=1 OR k1=2            | c (0) (1) -> 0 COUNT
            SELECT COUNT(*) n FROM t a WHERE a.k IN (1,1)             | t (0) (1) -> 0 COUNT
            SELECT COUNT(k) FROM t WHERE k=1                          | t (0) -> 0 COUNT
            SELECT count( v ) AS n FROM t WHERE k=1                   | t (0) -> 0 COUNT
            SELECT COUNT(`v`) n FROM t WHERE k=1                      | t (0) -> 0 COUNT
            SELECT COUNT( 1 ) AS n FROM t WHERE k=5                   | t (1) -> 0 COUNT ones [0]
            SELECT COUNT(1) AS n FROM t WHERE k=5                     | t (0) -> 0 COUNT
            SELECT count(1), MAX(k2) FROM c WHERE k1=5                | c (0) -> -1,1 AGGREGATES [ROWS, MAX]
            SELECT ALL v FROM t WHERE k=1                             | t (0) -> 1
            SELECT HIGH_PRIORITY SQL_CACHE v FROM t WHERE k=1         | t (0) -> 1
            SELECT SQL_CACHE DISTINCT HIGH_PRIORITY v FROM t WHERE k=1 | t (0) -> 1
            SELECT SQL_NO_CACHE COUNT(*) FROM t WHERE k=1             | t (0) -> 0 COUNT
            SELECT /*!40001 SQL_NO_CACHE */ v FROM t WHERE k=1        | t (0) -> 1
            SELECT /*+ MAX_EXECUTION_TIME(1000) */ COUNT(*) FROM t WHERE k=1 | t (0) -> 0 COUNT
            SELECT /*+ NO_ICP(t) */ v FROM c WHERE k1=1 ORDER BY k2, k3 | c (0) -> 3 ASC
            SELECT v FROM t FORCE INDEX(`PRIMARY`) WHERE k=1          | t (0) -> 1
            SELECT v FROM c FORCE INDEX (primary) WHERE k1=1          | c (0) -> 3
            SELECT v FROM c IGNORE KEY (i, j) USE INDEX (PRIMARY) WHERE k1=1 | c (0) -> 3
            SELECT x.v FROM d.c AS x USE INDEX FOR ORDER BY (i) WHERE x.k1=1 ORDER BY x.k2, x.k3 LIMIT 2 | c (0) -> 3 ASC limit 1
            SELECT v FROM t x USE INDEX () IGNORE INDEX FOR JOIN (i) WHERE k=1 | t (0) -> 1
            SELECT v FROM c USE INDEX (i) WHERE k1=1 AND v=2          | c (0) 3: EQUAL 1 -> 3
            SELECT EXISTS(SELECT SQL_CACHE 1 FROM c USE INDEX (i) WHERE k1=5) x | c (1) -> 0 EXISTS ones [0]
            SELECT 'x' AS kind, v, 65534, ? b FROM t WHERE 1=1 AND k=1 | t (5) -> -1,1,-1,-1 ones [3, 4] constants [0, 1, 2]
            SET STATEMENT max_statement_time=5, lock_wait_timeout=1.5 FOR SELECT v FROM t WHERE k=1 | t (0) -> 1
            SELECT v FROM t WHERE TRUE AND k=1                        | t (0) -> 1
            SELECT v FROM t WHERE 1 AND k=2 AND TRUE AND 1=1          | t (1) -> 1 ones [0, 2, 3]
            SELECT COUNT(n) FROM nulls WHERE k=1                      | nulls (0) -> 1 AGGREGATES [COUNT]
            SELECT MAX(k2) FROM c WHERE k1=1                          | c (0) -> 1 AGGREGATES [MAX]
            SELECT min(c.k2), MAX(k2) m, COUNT(*) FROM c WHERE k1=1 AND k2<9 | c (0)[1<1] -> 1,1,-1 AGGREGATES [MIN, MAX, ROWS]
            SELECT MIN(k1), MIN(k3) FROM c WHERE k1=1 AND k2=2        | c (0,1) -> 0,2 AGGREGATES [MIN, MIN]
            SELECT EXISTS(SELECT 1 FROM t WHERE k=5 LIMIT 1) AS x     | t (1) -> 0 limit 2 EXISTS ones [0]
            SELECT EXISTS (SELECT * FROM t WHERE (k=5)) `exists`      | t (0) -> 0 EXISTS
            SELECT v FROM c WHERE k1=1 OR (k1=2 AND k2=3) ORDER BY k1,k2,k3 | c (0) (1,2) -> 3 ASC
            SELECT v FROM c WHERE k1=1 AND k2>2 ORDER BY k2,k3        | c (0)[1>1] -> 3 ASC
            SELECT v FROM c WHERE k2>=? AND ?=k1 ORDER BY k1,k2,k3    | c (1)[1>=0] -> 3 ASC
            SELECT v FROM c WHERE k1=1 AND 2<k2 ORDER BY k2,k3        | c (0)[1>1] -> 3 ASC
            SELECT v FROM c WHERE k1=1 AND -2>=k2 ORDER BY k2,k3      | c (0)[1<=-1] -> 3 ASC
            SELECT v FROM c WHERE k1=1 AND k2>2 AND k2<=9 ORDER BY k2 DESC, k3 DESC LIMIT ? | c (0)[1>1,1<=2] -> 3 DESC limit 3
            SELECT v FROM c WHERE k1=1 AND k2 BETWEEN 2 AND -3 AND k2>7 ORDER BY k2,k3 | c (0)[1>=1,1<=-2,1>3] -> 3 ASC
            SELECT v FROM c WHERE (k2 between 2 and 3) AND k1=1 ORDER BY k2,k3 | c (2)[1>=0,1<=1] -> 3 ASC
            SELECT v FROM c WHERE k1=1 AND k2=2 AND k3<3 ORDER BY k3 LIMIT 5 OFFSET 6 | c (0,1)[2<2] -> 3 ASC limit 3 offset 4
            SELECT v FROM c WHERE k1=1 AND k1>0 AND k2<9 ORDER BY k2,k3 | c (0)[0>1,1<2] -> 3 ASC
            SELECT v FROM c WHERE k1=1 AND k2=2 AND k3=3 AND k3>=3    | c (0,1,2)[2>=3] -> 3
            SELECT v FROM t WHERE k=1 AND k>2                         | t (0)[0>1] -> 1
            SELECT v FROM c WHERE k1 IN (1,2) AND k2>3 ORDER BY k1,k2,k3 | c (0)[1>2] (1)[1>2] -> 3 ASC
            SELECT v FROM c WHERE k1=1 AND (k2<3 OR k2>5 OR k2=4) ORDER BY k2,k3 | c (0)[1<1] (0)[1>2] (0,3) -> 3 ASC
            SELECT v FROM c WHERE k1=1 AND (k2,k3)>(2,3) ORDER BY k2,k3 LIMIT 20 | c (0)[1>1] (0,1)[2>2] -> 3 ASC limit 3
            SELECT v FROM c WHERE k1=1 AND (2,3)>=(k2,k3) ORDER BY k2,k3 | c (0)[1<1] (0,1)[2<=2] -> 3 ASC
            SELECT v FROM c WHERE k1=1 AND (k2)<=(2) ORDER BY k2,k3   | c (0)[1<=1] -> 3 ASC
            SELECT v FROM c WHERE k1=1 AND (k2>2 OR (k2=3 AND k3>4)) ORDER BY k2,k3 | c (0)[1>1] (0,2)[2>3] -> 3 ASC
            SELECT v FROM c WHERE k1=1 AND k2>=2 AND (k2>3 OR (k2=4 AND k3>5)) ORDER BY k2,k3 | c (0)[1>=1,1>2] (0,3)[1>=1,2>4] -> 3 ASC
            SELECT COUNT(*) FROM c WHERE k1=1 AND k2>2                | c (0)[1>1] -> 0 COUNT
            SELECT EXISTS(SELECT 1 FROM c WHERE k1=1 AND k2>2) x      | c (1)[1>2] -> 0 EXISTS ones [0]
            SELECT 1 FROM c WHERE k1=5 AND k2>2 LIMIT 1               | c (1)[1>2] -> -1 limit 3 constants [0]
            SELECT 1 FROM c WHERE k1=5 LIMIT 1                        | c (1) -> -1 limit 2 constants [0]
            SELECT v FROM t WHERE k=1 AND v=2                         | t (0) 1: EQUAL 1 -> 1
            SELECT v FROM t WHERE v=2 AND 1=k                         | t (1) 1: EQUAL 0 -> 1
            SELECT v FROM t WHERE k=1 AND 2<v AND v<=3                | t (0) 1: ABOVE 1 1: AT_MOST 2 -> 1
            SELECT v FROM t WHERE k=1 AND v<>-2 AND v!=3              | t (0) 1: NOT_EQUAL -1 1: NOT_EQUAL 2 -> 1
            SELECT v FROM t WHERE k=1 AND v IN (2,?)                  | t (0) 1: EQUAL 1 or EQUAL 2 -> 1
            SELECT v FROM t WHERE k=1 AND v NOT IN (2,3)              | t (0) 1: NOT_EQUAL 1 and NOT_EQUAL 2 -> 1
            SELECT v FROM t WHERE k=1 AND v BETWEEN 2 AND 3           | t (0) 1: AT_LEAST 1 and AT_MOST 2 -> 1
            SELECT v FROM t WHERE k=1 AND v NOT BETWEEN 2 AND 3       | t (0) 1: BELOW 1 or ABOVE 2 -> 1
            SELECT n FROM nulls WHERE k=1 AND n IS NULL               | nulls (0) 1: NULL -> 1
            SELECT n FROM nulls WHERE k=1 AND (n IS NULL OR n>=2)     | nulls (0) 1: NULL or AT_LEAST 1 -> 1
            SELECT n FROM nulls WHERE k=1 AND n IS NOT NULL           | nulls (0) 1: NOT_NULL -> 1
            SELECT v FROM t WHERE k=1 AND (v=2 OR (v>3 AND v<4)) AND w=7 | t (0) 1: EQUAL 1 or ABOVE 2 and BELOW 3 2: EQUAL 4 -> 1
            SELECT v FROM c WHERE k1=1 AND v>2                        | c (0) 3: ABOVE 1 -> 3
            SELECT v FROM c WHERE k1=1 AND v>2 LIMIT 1                | c (0) 3: ABOVE 1 -> 3 limit 2
            SELECT v FROM c WHERE k1=1 AND k2>2 AND v>3               | c (0)[1>1] 3: ABOVE 2 -> 3
            SELECT v FROM c WHERE w=1 AND k1=2 AND k2>3 ORDER BY k2,k3 LIMIT 4 | c (1)[1>2] 4: EQUAL 0 -> 3 ASC limit 3
            SELECT COUNT(*) FROM c WHERE k1=1 AND v>2                 | c (0) 3: ABOVE 1 -> 0 COUNT
            SELECT MAX(k2) FROM c WHERE k1=1 AND v>2                  | c (0) 3: ABOVE 1 -> 1 AGGREGATES [MAX]
            SELECT EXISTS(SELECT 1 FROM c WHERE k1=1 AND v<2) x       | c (1) 3: BELOW 2 -> 0 EXISTS ones [0]
            SELECT v FROM c WHERE k1=1 AND k3=1                       | c (0) 2: EQUAL 1 -> 3
            SELECT v FROM c WHERE k1=1 AND k3>2 ORDER BY k2,k3        | c (0) 2: ABOVE 1 -> 3 ASC
            SELECT v FROM c WHERE k1=1 AND k2>2 AND k3>3 ORDER BY k2,k3 | c (0)[1>1] 2: ABOVE 2 -> 3 ASC
            SELECT v FROM c WHERE k1=1 AND k2<>3 ORDER BY k2,k3       | c (0) 1: NOT_EQUAL 1 -> 3 ASC
            SELECT v FROM c WHERE k1=1 AND k2 NOT BETWEEN 1 AND 2     | c (0) 1: BELOW 1 or ABOVE 2 -> 3
            SELECT v FROM t WHERE k=1 AND k=2                         | t (0) 0: EQUAL 1 -> 1
            SELECT v FROM t WHERE k IN (1,2) AND k=3                  | t (2) 0: EQUAL 0 or EQUAL 1 -> 1
            """)
    void match_memberOfTheFamily_isPointRead(String sql, String plan) {
        assertThat(Plans.text(Plans.plan(sql))).isEqualTo(plan);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            SELECT v FROM c WHERE k2=1                                | KEY_PREFIX_UNBOUND
            SELECT v FROM t                                           | NO_CONDITION
            SELECT v FROM t WHERE v=2                                 | VALUE_COLUMN_CONDITION
            SELECT v FROM c WHERE (k1,k1) = (1,2)                     | KEY_BOUND_TWICE
            SELECT v FROM t WHERE k=NULL                              | NULL_LITERAL
            SELECT v FROM t WHERE k IN (1,NULL)                       | NULL_LITERAL
            SELECT v FROM t WHERE k IS NULL                           | OTHER_CONDITION
            SELECT v FROM t WHERE k=TRUE                              | VALUE_NOT_LITERAL
            SELECT v FROM t WHERE TRUE                                | NO_CONDITION
            SELECT v FROM t WHERE FALSE AND k=1                       | OTHER_CONDITION
            SELECT v FROM t WHERE TRUE OR k=1                         | OTHER_CONDITION
            SELECT v FROM t WHERE k BETWEEN 1 AND TRUE                | VALUE_NOT_LITERAL
            SELECT v FROM t WHERE k=1 AND v IS NOT TRUE               | OTHER_CONDITION
            SELECT v FROM t WHERE k=1 AND v IS NULL                   | OTHER_CONDITION
            SELECT v FROM t WHERE k=1 AND v IS TRUE                   | OTHER_CONDITION
            SELECT v FROM t WHERE k=1 AND NOT v=2                     | OTHER_CONDITION
            SELECT v FROM t WHERE k=1 AND v=NULL                      | NULL_LITERAL
            SELECT v FROM t WHERE k=1 AND v IN (2,NULL)               | NULL_LITERAL
            SELECT v FROM t WHERE k=1 AND v=w                         | VALUE_COLUMN_CONDITION
            SELECT v FROM t WHERE k=1 AND v=2 IS NOT NULL             | OTHER_CONDITION
            SELECT v FROM t WHERE k=1 AND v BETWEEN 1 AND w IS NULL   | OTHER_CONDITION
            SELECT v FROM t WHERE k=1 AND (v=2 OR w=3)                | VALUE_COLUMN_CONDITION
            SELECT v FROM t WHERE k=1 AND (v,w)=(2,3)                 | VALUE_COLUMN_CONDITION
            SELECT v FROM t WHERE k=1 AND v IN (SELECT 1)             | SUBQUERY
            SELECT v FROM c WHERE k1=1 AND v>2 ORDER BY v             | ORDER_NOT_BY_KEY
            SELECT v FROM t WHERE k<>1 AND v=2                        | VALUE_COLUMN_CONDITION
            SELECT v FROM t WHERE NOT k=1                             | OTHER_CONDITION
            SELECT v FROM t WHERE k LIKE 'a'                          | OTHER_CONDITION
            SELECT v FROM t WHERE k<>1                                | OTHER_CONDITION
            SELECT v FROM t WHERE k>1                                 | RANGE
            SELECT v FROM c WHERE k1>1 AND k2=2 ORDER BY k1,k2,k3     | KEY_PREFIX_UNBOUND
            SELECT v FROM c WHERE k1=1 AND k2>=2 AND (k2>2 OR k3>3) ORDER BY k2,k3 | RANGE
            SELECT v FROM c WHERE (k1,k2)>(1,2) ORDER BY k1,k2,k3     | RANGE
            SELECT v FROM c WHERE k1=1 AND (k2,k3)>(2)                | OTHER_CONDITION
            SELECT v FROM c WHERE k1=1 AND (k2,k3) BETWEEN (1,2) AND (3,4) ORDER BY k2,k3 | OTHER_CONDITION
            SELECT v FROM c WHERE k1=1 AND 5 BETWEEN k2 AND k3        | OTHER_CONDITION
            SELECT v FROM c WHERE k1=1 AND k2 BETWEEN SYMMETRIC 1 AND 2 | UNPARSED
            SELECT v FROM c WHERE k1=1 AND 1<k2<3                     | OTHER_CONDITION
            SELECT v FROM c WHERE k1=1 AND k2 BETWEEN 1 AND 2 = 1     | OTHER_CONDITION
            SELECT v FROM c WHERE k1=1 AND k2>k3                      | VALUE_NOT_LITERAL
            SELECT v FROM c WHERE k1=1 AND k2>NULL                    | NULL_LITERAL
            SELECT v FROM c WHERE k1=1 AND k2 BETWEEN 1 AND NULL      | NULL_LITERAL
            SELECT v FROM c WHERE k1=1 AND k2>2                       | RANGE_WITHOUT_ORDER
            SELECT v FROM c WHERE k1=1 AND k2>2 LIMIT 1               | LIMIT_WITHOUT_ORDER
            SELECT v FROM c WHERE k1=1 AND k2>2 ORDER BY k2           | ORDER_NOT_BY_KEY
            SELECT v FROM c WHERE k1=1 AND k2>2 ORDER BY k1           | RANGE_WITHOUT_ORDER
            SELECT v FROM c WHERE k1=1 AND k2>2 ORDER BY k2,k3 DESC   | ORDER_NOT_BY_KEY
            SELECT 1, v FROM c WHERE k1=1 AND k2>2 LIMIT 1            | LIMIT_WITHOUT_ORDER
            SELECT v FROM c WHERE k1=1 OR (k1=2 AND k2=3)             | RANGE_WITHOUT_ORDER
            SELECT v FROM indexed WHERE k1=1                          | RANGE_WITHOUT_ORDER
            SELECT k2, k1 FROM indexed WHERE k1 IN (1,2)              | RANGE_WITHOUT_ORDER
            SELECT v FROM indexed WHERE k1=1 AND k2=2 AND k3 IN (3,4) | RANGE_WITHOUT_ORDER
            SELECT k>1 FROM t WHERE k=1                               | EXPRESSION
            SELECT v FROM t WHERE k=1 ORDER BY k>1                    | ORDER_NOT_BY_KEY
            SELECT v FROM t WHERE k=1 OR k>2                          | RANGE
            SELECT v FROM t WHERE k BETWEEN 1 AND 2                   | RANGE
            SELECT v FROM t WHERE 1=1                                 | NO_CONDITION
            SELECT v FROM t WHERE k=1 OR 1=1                          | DISJUNCTION
            SELECT v FROM c WHERE k1=1 OR k2=1                        | DISJUNCTION
            SELECT v FROM t WHERE k=1 OR v=2                          | VALUE_COLUMN_CONDITION
            SELECT v FROM t WHERE k=1 XOR k=2                         | DISJUNCTION
            SELECT DISTINCT v FROM t WHERE k IN (1,2)                 | DISTINCT
            SELECT DISTINCT k FROM t WHERE k IN (1,2)                 | DISTINCT
            SELECT DISTINCT k2 FROM c WHERE k1=1                      | DISTINCT
            SELECT DISTINCT v FROM c WHERE k1=1                       | DISTINCT
            SELECT DISTINCT k2, v FROM c WHERE k1=1 ORDER BY k2       | DISTINCT
            SELECT DISTINCT k3 FROM c WHERE k1=1 ORDER BY k3          | DISTINCT
            SELECT DISTINCT k1, k3 FROM c WHERE k1=1 ORDER BY k1, k3  | DISTINCT
            SELECT DISTINCT k2 FROM c WHERE k1 IN (1,2) ORDER BY k2   | DISTINCT
            SELECT DISTINCT k2 FROM c WHERE k1=1 ORDER BY k2, k3      | ORDER_NOT_BY_KEY
            SELECT DISTINCT k2 FROM c WHERE k1=1 ORDER BY k3          | ORDER_NOT_BY_KEY
            SELECT DISTINCT k2, k3 FROM c WHERE k1=1 ORDER BY k2      | ORDER_NOT_BY_KEY
            SELECT DISTINCT k2, k3, v FROM c WHERE k1=1 ORDER BY k2, k3 LIMIT 2 | DISTINCT
            SELECT DISTINCT k2 FROM indexed WHERE k1=1 ORDER BY k2    | DISTINCT
            SELECT DISTINCT k2, k3 FROM indexed WHERE k1=1 ORDER BY k2, k3 | DISTINCT
            SELECT EXISTS(SELECT DISTINCT k2 FROM c WHERE k1=1) x     | DISTINCT
            SELECT DISTINCT k1 FROM c ORDER BY k1                     | NO_CONDITION
            SELECT COUNT( *) FROM t WHERE k=1                         | FUNCTION
            SELECT COUNT (*) FROM t WHERE k=1                         | FUNCTION
            SELECT COUNT(*), v FROM t WHERE k=1                       | FUNCTION
            SELECT COUNT(DISTINCT v) FROM t WHERE k=1                 | FUNCTION
            SELECT COUNT(DISTINCT v) AS n FROM t WHERE k=1            | FUNCTION
            SELECT COUNT(ALL v) AS n FROM t WHERE k=1                 | FUNCTION
            SELECT COUNT( v) FROM t WHERE k=1                         | FUNCTION
            SELECT COUNT (v) AS n FROM t WHERE k=1                    | FUNCTION
            SELECT v, current_role FROM words WHERE `current_role`=1  | FUNCTION
            SELECT v FROM words WHERE current_role=1                  | FUNCTION
            SELECT session_user FROM t WHERE k=1                      | FUNCTION
            SELECT COUNT(`v`) FROM t WHERE k=1                        | FUNCTION
            SELECT COUNT(NULL) AS n FROM t WHERE k=1                  | EXPRESSION
            SELECT COUNT(t.*) AS n FROM t WHERE k=1                   | FUNCTION
            SELECT COUNT(v+1) AS n FROM t WHERE k=1                   | FUNCTION
            SELECT MAX(*) FROM t WHERE k=1                            | FUNCTION
            SELECT MAX(1) AS m FROM t WHERE k=1                       | AGGREGATE
            SELECT MAX(v) FROM t WHERE k=1                            | AGGREGATE
            SELECT MAX(k3) FROM c WHERE k1=1                          | AGGREGATE
            SELECT MAX(k2) FROM c WHERE k1 IN (1,2)                   | AGGREGATE
            SELECT MAX(k2), v FROM c WHERE k1=1                       | FUNCTION
            SELECT MAX(k2) FROM c WHERE k1=1 GROUP BY k2              | GROUPING
            SELECT MAX(k2) FROM c WHERE k1=1 LIMIT 1                  | LIMIT_WITHOUT_ORDER
            SELECT DISTINCT MAX(k2) FROM c WHERE k1=1                 | FUNCTION
            SELECT SUM(v) FROM t WHERE k=1                            | FUNCTION
            SELECT MAX(k2) FROM c                                     | NO_CONDITION
            SELECT COUNT(*) FROM t WHERE k=1 LIMIT 1                  | LIMIT_WITHOUT_ORDER
            SELECT COUNT(*) FROM t WHERE k=1 ORDER BY k               | ORDER_NOT_BY_KEY
            SELECT EXISTS(SELECT 1 FROM t WHERE k=1)                  | EXPRESSION
            SELECT NOT EXISTS(SELECT 1 FROM t WHERE k=1) x            | EXPRESSION
            SELECT EXISTS(SELECT COUNT(*) FROM t WHERE k=1) x         | FUNCTION
            SELECT EXISTS(SELECT 1 FROM t WHERE k=1 LIMIT 1 OFFSET 1) x | LIMIT_WITHOUT_ORDER
            SELECT EXISTS(SELECT 1 FROM t WHERE k=1) x FROM t WHERE k=1 | EXPRESSION
            SELECT 1+1 FROM t WHERE k=1                               | EXPRESSION
            SELECT v FROM t WHERE k=v                                 | VALUE_NOT_LITERAL
            SELECT v FROM t WHERE k=k                                 | VALUE_NOT_LITERAL
            SELECT v FROM t WHERE k=1+1                               | OTHER_CONDITION
            SELECT v FROM t WHERE k=- -1                              | VALUE_NOT_LITERAL
            SELECT v FROM t WHERE k=+1                                | OTHER_CONDITION
            SELECT v FROM t WHERE k=ABS(1)                            | FUNCTION
            SELECT v FROM t WHERE k=@x                                | USER_VARIABLE
            SELECT v, @@version FROM t WHERE k=1                      | SYSTEM_VARIABLE
            SELECT v FROM t WHERE k=_utf8'x'                          | CHARSET_INTRODUCER
            SELECT v FROM t WHERE k=N'x'                              | CHARSET_INTRODUCER
            SELECT v FROM t WHERE k=X'41' COLLATE utf8_bin            | OTHER_CONDITION
            SELECT v FROM t WHERE k='a' 'b'                           | UNPARSED
            SELECT v FROM t WHERE k=DATE '2020-01-01'                 | UNPARSED
            SELECT v FROM t WHERE k={d '2020-01-01'}                  | OTHER_CONDITION
            SELECT v FROM t WHERE k IN (SELECT 1)                     | SUBQUERY
            SELECT v FROM (SELECT 1) x WHERE k=1                      | SUBQUERY
            (SELECT v FROM t WHERE k=1)                               | SUBQUERY
            WITH x AS (SELECT 1) SELECT v FROM t WHERE k=1            | COMMON_TABLE_EXPRESSION
            SELECT v FROM t WHERE k=1 UNION SELECT 1                  | SET_OPERATION
            SELECT v FROM t, c WHERE k=1                              | JOIN
            SELECT v FROM t JOIN c USING(v) WHERE k=1                 | JOIN
            SELECT 1                                                  | NO_TABLE
            SELECT v+1 FROM t WHERE k=1                               | EXPRESSION
            SELECT -v FROM t WHERE k=1                                | EXPRESSION
            SELECT v AS 'x' FROM t WHERE k=1                          | UNPARSED
            SELECT NULL FROM t WHERE k=1                              | EXPRESSION
            SELECT `f`(v) FROM t WHERE k=1                            | FUNCTION
            SELECT d.f(v) FROM t WHERE k=1                            | FUNCTION
            SELECT CURRENT_DATE FROM t WHERE k=1                      | FUNCTION
            SELECT v FROM t WHERE k=1 GROUP BY v                      | GROUPING
            SELECT v FROM t WHERE k=1 HAVING v=1                      | GROUPING
            SELECT v FROM t WHERE k=1 INTO @x                         | INTO
            SELECT v INTO OUTFILE 'x' FROM t WHERE k=1                | INTO
            SELECT v FROM t PARTITION (p) WHERE k=1                   | PARTITION_SELECTION
            SELECT v FROM c USE INDEX (i) WHERE k1=1                  | INDEX_HINT
            SELECT v FROM c FORCE INDEX FOR ORDER BY (PRIMARY) WHERE k1=1 | INDEX_HINT
            SELECT v FROM c IGNORE INDEX (i, PRIMARY) WHERE k1=1      | INDEX_HINT
            SELECT v FROM t USE INDEX (i) WHERE k IN (1, 2)           | INDEX_HINT
            SELECT /*+ INDEX(c i) */ v FROM c WHERE k1=1              | INDEX_HINT
            SELECT DISTINCT k2 FROM c USE INDEX (i) WHERE k1=1 ORDER BY k2 | INDEX_HINT
            SELECT v FROM t USE INDEX (i) WHERE k1=1 FORCE INDEX (j)  | INDEX_HINT
            SELECT v FROM t USE INDEX i WHERE k=1                     | INDEX_HINT
            SELECT v FROM t USE INDEX (?) WHERE k=1                   | INDEX_HINT
            SET STATEMENT sql_mode='' FOR SELECT v FROM t WHERE k=1   | SYSTEM_VARIABLE
            SET STATEMENT max_statement_time=5 FOR SELECT v FROM t    | NO_CONDITION
            SELECT v /*! SQL_NO_CACHE */ FROM t WHERE k=1             | EXECUTABLE_COMMENT
            SELECT v /*+ NO_ICP(t) */ FROM t WHERE k=1                | OPTIMIZER_HINT
            SELECT SQL_CALC_FOUND_ROWS v FROM t WHERE k=1             | SELECT_MODIFIER
            SELECT SQL_NO_CACHE, v FROM t WHERE k=1                   | SELECT_MODIFIER
            SELECT high_priority FROM t WHERE k=1                     | SELECT_MODIFIER
            SELECT high_priority v FROM modifiers WHERE k=1           | SELECT_MODIFIER
            SELECT /*+ NO_CACHE() */ v FROM t WHERE k=1               | OPTIMIZER_HINT
            SELECT v FROM t WHERE k=1 PROCEDURE ANALYSE()             | OTHER_CLAUSE
            SELECT v FROM t (k) WHERE k=1                             | FUNCTION
            SELECT v FROM t AS x (a) WHERE k=1                        | FUNCTION
            SELECT v FROM nowhere WHERE k=1                           | TABLE_UNKNOWN
            SELECT v FROM internal.d.t WHERE k=1                      | TABLE_UNKNOWN
            SELECT v FROM dup WHERE k=1                               | NO_UNIQUE_KEY
            SELECT z FROM t WHERE k=1                                 | COLUMN_UNKNOWN
            SELECT v FROM t WHERE z=1                                 | COLUMN_UNKNOWN
            SELECT x.v FROM t WHERE k=1                               | COLUMN_UNKNOWN
            SELECT t.v FROM t AS x WHERE k=1                          | COLUMN_UNKNOWN
            SELECT x.* FROM t WHERE k=1                               | COLUMN_UNKNOWN
            SELECT other.t.v FROM t WHERE k=1                         | COLUMN_UNKNOWN
            SELECT v FROM c WHERE k1=1 ORDER BY k2                    | ORDER_NOT_BY_KEY
            SELECT v FROM c WHERE k1=1 ORDER BY k3, k2                | ORDER_NOT_BY_KEY
            SELECT v FROM c WHERE k1=1 ORDER BY k2, k3 DESC           | ORDER_NOT_BY_KEY
            SELECT v FROM c WHERE k1=1 ORDER BY k2, k3, v             | ORDER_NOT_BY_KEY
            SELECT v FROM c WHERE k1=1 ORDER BY v                     | ORDER_NOT_BY_KEY
            SELECT v FROM c WHERE k1=1 ORDER BY 1                     | ORDER_NOT_BY_KEY
            SELECT v FROM c WHERE k1=1 ORDER BY -k2, k3               | ORDER_NOT_BY_KEY
            SELECT v k2 FROM c WHERE k1=1 ORDER BY k2, k3             | ORDER_NOT_BY_KEY
            SELECT v FROM c WHERE k1 IN (1,2) ORDER BY k2, k3         | ORDER_NOT_BY_KEY
            SELECT v FROM c WHERE k1=1 LIMIT 1                        | LIMIT_WITHOUT_ORDER
            SELECT v FROM c WHERE k1=1 ORDER BY k1 LIMIT 1            | LIMIT_WITHOUT_ORDER
            SELECT v FROM t WHERE k IN (1,2) LIMIT 1                  | LIMIT_WITHOUT_ORDER
            SELECT v FROM t WHERE k=1 LIMIT x                         | UNPARSED
            SELECT FROM WHERE                                         | UNPARSED
            SELECT v FROM t WHERE (k,v)=(1)                           | VALUE_COLUMN_CONDITION
            SELECT v FROM c WHERE (k1,k2)=(1)                         | OTHER_CONDITION
            """)
    void match_anythingElse_isForwardedWithItsReason(String sql, ForwardReason reason) {
        assertThat(Plans.reason(sql)).isEqualTo(reason);
    }

    @Test
    void match_pipes_isDisjunctionWhateverTheMode() {
        assertThat(Plans.reason("SELECT v FROM t WHERE k=1 || k=2")).isEqualTo(ForwardReason.DISJUNCTION);
    }

    @Test
    void match_manyKeys_isBounded() {
        String most = String.join(",", Collections.nCopies(1000, "?"));
        assertThat(Plans.text(Plans.plan("SELECT v FROM t WHERE k IN (" + most + ")")))
                .startsWith("t (0) (1)");
        assertThat(Plans.reason("SELECT v FROM t WHERE k IN (" + most + ",?)")).isEqualTo(ForwardReason.TOO_MANY_KEYS);
        String some = String.join(",", Collections.nCopies(101, "?"));
        assertThat(Plans.reason("SELECT v FROM c WHERE k1 IN (" + some + ") AND k2 IN (" + some + ")"))
                .isEqualTo(ForwardReason.TOO_MANY_KEYS);
    }

    @Test
    void match_deepNesting_isRefusedBeforeTheParser() {
        for (int depth : List.of(17, 1000, 20_000)) {
            String sql = "SELECT v FROM t WHERE " + "(".repeat(depth) + "k=1" + ")".repeat(depth);
            assertThat(Plans.reason(sql)).isEqualTo(ForwardReason.TOO_COMPLEX);
        }
        String flat = "SELECT v FROM t WHERE k=1" + " AND k=1".repeat(5000);
        assertThat(Plans.reason(flat)).isEqualTo(ForwardReason.TOO_COMPLEX);
        assertThat(Plans.reason("SELECT v FROM t WHERE k=" + "- ".repeat(20_000) + "1"))
                .isEqualTo(ForwardReason.TOO_COMPLEX);
        assertThat(Plans.reason("SELECT v FROM t WHERE k=" + "k=".repeat(20_000) + "1"))
                .isEqualTo(ForwardReason.TOO_COMPLEX);
        String columns = String.join(", ", Collections.nCopies(2000, "v"));
        assertThat(Plans.text(Plans.plan("SELECT " + columns + " FROM t WHERE k=-1")))
                .startsWith("t (-0)");
        assertThat(Plans.reason("SELECT " + columns + ", " + columns + " FROM t WHERE k=1"))
                .isEqualTo(ForwardReason.TOO_COMPLEX);
    }

    /** Of tables with filter lines, conditions may stand alone. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            SELECT v FROM t WHERE v = 1                               | t () 1: EQUAL 0 -> 1
            SELECT v FROM t WHERE v > 1 AND w < 2 ORDER BY k DESC LIMIT 3 | t () 1: ABOVE 0 2: BELOW 1 -> 1 DESC limit 2
            SELECT v FROM t WHERE k > 1                               | t () 0: ABOVE 0 -> 1
            SELECT COUNT(*) FROM c WHERE k2 = 1                       | c () 1: EQUAL 0 -> 0 COUNT
            SELECT COUNT(*) FROM c WHERE v <> 5 AND k3 IN (1, 2)      | c () 3: NOT_EQUAL 0 2: EQUAL 1 or EQUAL 2 -> 0 COUNT
            SELECT MIN(k1) FROM c WHERE v = 5                         | c () 3: EQUAL 0 -> 0 AGGREGATES [MIN]
            SELECT v FROM c WHERE k1 = 1 AND v = 2                    | c (0) 3: EQUAL 1 -> 3
            SELECT v FROM c WHERE k1 > 1 AND k2 = 2                   | c () 0: ABOVE 0 1: EQUAL 1 -> 3
            """)
    void plan_conditionsAlone_areFilters(String sql, String plan) {
        assertThat(Plans.text(Plans.planWithFilters(sql))).isEqualTo(plan);
    }

    /** What only the store can evaluate is kept as one text, whatever is around it, and its values keep their slots. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            SELECT k FROM docs WHERE title LIKE 'a%'                  | docs () {`title` LIKE 0t} -> 0
            SELECT k FROM docs d WHERE (((d.`TITLE` like 'a%')))      | docs () {`title` LIKE 0t} -> 0
            SELECT k FROM docs WHERE year < 5 AND title NOT LIKE ? ESCAPE '!' AND k > 1 | docs () 3: BELOW 0 0: ABOVE 3 {`title` NOT LIKE 1t ESCAPE 2t} -> 0
            SELECT k FROM docs WHERE year BETWEEN 1 AND 2 AND title RLIKE 'x' LIMIT 3 | docs () 3: AT_LEAST 0 and AT_MOST 1 {`title` RLIKE 2t} -> 0 limit 3
            SELECT COUNT(*) FROM docs WHERE MATCH(title) AGAINST('x' IN BOOLEAN MODE) AND year=1 | docs () 3: EQUAL 1 {MATCH( `title` ) AGAINST( 0t IN BOOLEAN MODE )} -> 0 COUNT
            SELECT k FROM docs WHERE MATCH(title) AGAINST('x' IN NATURAL LANGUAGE MODE) | docs () {MATCH( `title` ) AGAINST( 0t IN NATURAL LANGUAGE MODE )} -> 0
            SELECT k FROM docs WHERE MATCH(title) AGAINST('x')        | docs () {MATCH( `title` ) AGAINST( 0t )} -> 0
            SELECT k FROM docs WHERE INSTR(title, 'x') > 0            | docs () {INSTR( `title`, 0t ) > 1n} -> 0
            SELECT k FROM docs WHERE UPPER(title) NOT LIKE 'X%'       | docs () {UPPER( `title` ) NOT LIKE 0t} -> 0
            SELECT k FROM docs WHERE title NOT REGEXP 'x'             | docs () {`title` NOT REGEXP 0t} -> 0
            SELECT k FROM docs WHERE CHAR_LENGTH(title) >= 5          | docs () {CHAR_LENGTH( `title` ) >= 0n} -> 0
            SELECT k FROM docs WHERE title MATCH_PHRASE 'x y' ORDER BY k | docs () {`title` MATCH_PHRASE 0t} -> 0 ASC
            SELECT k FROM docs WHERE YEAR(day) = 2020 AND LOWER(title) <> 'x' | docs () {YEAR( `day` ) = 0n} {LOWER( `title` ) <> 1t} -> 0
            SELECT k FROM docs WHERE LEFT(LTRIM (title), 3) = 'abc'   | docs () {LEFT( LTRIM( `title` ), 0n ) = 1t} -> 0
            SELECT EXISTS(SELECT 1 FROM docs WHERE LOCATE('a', title) > 1) x | docs () {LOCATE( 1t, `title` ) > 2n} -> 0 EXISTS ones [0]
            """)
    void plan_opaqueConditions_areFilters(String sql, String plan) {
        assertThat(Plans.text(Plans.planWithFilters(sql))).isEqualTo(plan);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            SELECT k FROM docs WHERE title LIKE 'a%' AND k = 1        | OTHER_CONDITION
            SELECT k FROM docs WHERE title LIKE 'a%' OR year = 1      | OTHER_CONDITION
            SELECT k FROM docs WHERE year = 1 OR year = 2 AND title LIKE 'a%' | OTHER_CONDITION
            SELECT k FROM docs WHERE NOT title LIKE 'a%'              | OTHER_CONDITION
            SELECT k FROM docs WHERE year BETWEEN 1 AND title LIKE 'a%' | OTHER_CONDITION
            SELECT k FROM docs WHERE title LIKE year                  | OTHER_CONDITION
            SELECT k FROM docs WHERE title LIKE 'a' ESCAPE year       | OTHER_CONDITION
            SELECT k FROM docs WHERE title RLIKE year                 | OTHER_CONDITION
            SELECT k FROM docs WHERE title MATCH_ANY year             | UNPARSED
            SELECT k FROM docs WHERE title NOT MATCH_ANY 'a'          | OTHER_CONDITION
            SELECT k FROM docs WHERE title NOT = 'a'                  | OTHER_CONDITION
            SELECT k FROM docs WHERE LOWER(title) = title             | FUNCTION
            SELECT k FROM docs WHERE LEFT(title, k) = 'a'             | JOIN
            SELECT k FROM docs WHERE LENGTH(title) LIKE '1%'          | FUNCTION
            SELECT k FROM docs WHERE MATCH(title) AGAINST('x' IN BOOLEAN) | OTHER_CONDITION
            SELECT k FROM docs WHERE MATCH(title) AGAINST('x' IN NATURAL MODE) | OTHER_CONDITION
            SELECT k FROM docs WHERE MATCH(title, 5) AGAINST('x')     | OTHER_CONDITION
            SELECT k FROM docs WHERE MATCH(title)                     | OTHER_CONDITION
            SELECT k FROM docs WHERE title LIKE 'a' 'b'               | OTHER_CONDITION
            SELECT k FROM docs WHERE title LIKE _latin1'a'            | OTHER_CONDITION
            SELECT k FROM docs WHERE title LIKE 'a' COLLATE utf8mb4_bin | OTHER_CONDITION
            SELECT k FROM docs WHERE title = year LIKE 'a'            | OTHER_CONDITION
            SELECT k FROM docs WHERE year LIKE '2%'                   | OTHER_CONDITION
            SELECT k FROM docs WHERE YEAR(title) = 1                  | OTHER_CONDITION
            SELECT k FROM docs WHERE CURRENT_USER LIKE 'a%'           | FUNCTION
            SELECT k FROM docs WHERE TRIM (title) = 'a'               | FUNCTION
            SELECT k FROM docs WHERE d.LOWER(title) = 'a'             | FUNCTION
            SELECT k FROM docs WHERE RAND(title) = 'a'                | FUNCTION
            SELECT k FROM docs WHERE DATE_FORMAT(day, '%M') = 'May'   | FUNCTION
            SELECT k FROM docs WHERE MATCH(title) AGAINST('x' WITH QUERY EXPANSION) | OTHER_CONDITION
            SELECT k FROM docs WHERE title LIKE 'a%' GROUP BY k       | OTHER_CONDITION
            SELECT k FROM docs WHERE title LIKE 'a%' FOR UPDATE       | OTHER_CONDITION
            SELECT k FROM docs WHERE title LIKE 'a%' UNION SELECT 1   | OTHER_CONDITION
            SELECT k FROM docs WHERE title LIKE 'a%' AND year = 1 FOR UPDATE | LOCKING_READ
            """)
    void plan_notCertainlyOpaque_isForwarded(String sql, ForwardReason reason) {
        assertThat(Plans.reason(sql, Plans.planWithFilters(sql))).isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            SELECT v FROM t                                           | NO_CONDITION
            SELECT v FROM t WHERE v = 1 ORDER BY v                    | ORDER_NOT_BY_KEY
            SELECT v FROM c WHERE v = 1 ORDER BY k1                   | ORDER_NOT_BY_KEY
            SELECT v FROM t WHERE v = w                               | VALUE_COLUMN_CONDITION
            SELECT v FROM t WHERE v = 1 OR w = 1                      | VALUE_COLUMN_CONDITION
            SELECT v FROM t WHERE v LIKE 'a%'                         | OTHER_CONDITION
            SELECT MIN(v) FROM t WHERE v = 1                          | AGGREGATE
            SELECT v FROM c WHERE (k2, k3) > (1, 2) AND v = 1         | RANGE
            """)
    void plan_moreThanConditions_isForwardedWithFiltersToo(String sql, ForwardReason reason) {
        assertThat(Plans.reason(sql, Plans.planWithFilters(sql))).isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            SELECT v FROM t WHERE k >= 1 ORDER BY k LIMIT 2           | t ()[0>=0] -> 1 ASC limit 1
            SELECT v FROM t WHERE k < ? ORDER BY k DESC LIMIT ?       | t ()[0<0] -> 1 DESC limit 1
            SELECT * FROM t WHERE k BETWEEN 1 AND 2 ORDER BY k        | t ()[0>=0,0<=1] -> 0,1,2 ASC
            SELECT v FROM c WHERE (k1,k2) > (1,2) ORDER BY k1,k2,k3   | c ()[0>0] (0)[1>1] -> 3 ASC
            SELECT v FROM t WHERE k = 1 OR k > 2 ORDER BY k           | t (0) ()[0>1] -> 1 ASC
            SELECT COUNT(*) FROM t WHERE k > 1                        | t ()[0>0] -> 0 COUNT
            SELECT v FROM t WHERE k > 1 AND w = 2 ORDER BY k          | t ()[0>0] 2: EQUAL 1 -> 1 ASC
            SELECT v FROM t ORDER BY k LIMIT 5                        | t () -> 1 ASC limit 0
            SELECT v FROM c ORDER BY k1 DESC, k2 DESC, k3 DESC        | c () -> 3 DESC
            SELECT DISTINCT k1 FROM c ORDER BY k1                     | c () -> 0 ASC DISTINCT
            SELECT COUNT(*) FROM t                                    | t () -> 0 COUNT
            SELECT MAX(k1), COUNT(v) AS n FROM c                      | c () -> 0,-1 AGGREGATES [MAX, ROWS]
            SELECT 1 AS one FROM t LIMIT 1                            | t () -> -1 limit 1 constants [0]
            SELECT EXISTS(SELECT 1 FROM t) x                          | t () -> 0 EXISTS ones [0]
            """)
    void plan_rangesWithoutAKeyPrefix_ofATableKeptAsRanges(String sql, String expected) {
        assertThat(Plans.text(Plans.planOfRanges(sql))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            SELECT v FROM t WHERE k > 1                               | RANGE_WITHOUT_ORDER
            SELECT v FROM c WHERE k1 > 1 ORDER BY k1 LIMIT 5          | ORDER_NOT_BY_KEY
            SELECT v FROM c WHERE k2 > 1 ORDER BY k1, k2, k3          | RANGE
            SELECT v FROM t                                           | RANGE_WITHOUT_ORDER
            SELECT v FROM t LIMIT 5                                   | LIMIT_WITHOUT_ORDER
            SELECT v FROM t ORDER BY v LIMIT 5                        | ORDER_NOT_BY_KEY
            SELECT MAX(k2) FROM c                                     | AGGREGATE
            SELECT DISTINCT k2 FROM c ORDER BY k2                     | DISTINCT
            SELECT v FROM t WHERE 1 = 1                               | NO_CONDITION
            """)
    void plan_otherRangesOfATableKeptAsRanges_areForwarded(String sql, ForwardReason reason) {
        assertThat(Plans.reason(sql, Plans.planOfRanges(sql))).isEqualTo(reason);
    }
}
