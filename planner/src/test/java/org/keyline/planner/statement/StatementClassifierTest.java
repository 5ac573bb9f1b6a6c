package org.keyline.planner.statement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.Plans;
import org.keyline.planner.TestCatalog;

final class StatementClassifierTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            INSERT INTO t VALUES (1,2,3)                              | INSERT t (0)
            INSERT INTO t (v,k) VALUES (1,2),(3,-4)                   | INSERT t (1) (-3)
            INSERT INTO t (v,k) VALUES ([1, 2, 3], 4)                 | INSERT t (3)
            INSERT INTO t (v,k) VALUES ({'a': 2, 'b': [5]}, 4)        | INSERT t (4)
            INSERT INTO d.t (v) VALUES (1)                            | INSERT d.t
            INSERT t VALUES (NULL,2,3)                                | INSERT d.t
            INSERT INTO t VALUES (1+1,2,3)                            | INSERT d.t
            INSERT INTO t VALUES (1,NOW(),CONCAT('a',','))            | INSERT t (0)
            INSERT INTO t VALUES (1,f(2),3)                           | INSERT everything
            INSERT INTO t SET k=1, v=2                                | INSERT t (0)
            INSERT INTO t SET v=2                                     | INSERT d.t
            INSERT INTO c (k1,k2,k3,v) VALUES (1,2,UUID(),4),(5,6,7,8)| INSERT c (0,1) (3,4)
            INSERT INTO c (k2,k1) VALUES (1,2)                        | INSERT c (1,0)
            REPLACE INTO t VALUES (1,2,3)                             | INSERT t (0)
            INSERT IGNORE INTO t VALUES (1,2,3)                       | INSERT t (0)
            INSERT INTO t VALUES (1,2,3) ON DUPLICATE KEY UPDATE v=VALUES(v)   | INSERT t (0)
            INSERT INTO t VALUES (1,2,3) ON DUPLICATE KEY UPDATE v=1, t.w=w+1  | INSERT t (0)
            INSERT INTO t VALUES (1,2,3) ON DUPLICATE KEY UPDATE k=k+1         | INSERT d.t
            INSERT INTO t VALUES (1,2,3) AS n ON DUPLICATE KEY UPDATE v=n.v    | INSERT t (0)
            INSERT INTO t VALUES (1,2,3) RETURNING k                  | INSERT t (0)
            INSERT INTO t SELECT * FROM c                             | INSERT d.t
            INSERT INTO t (k) SELECT 1                                | INSERT d.t
            INSERT INTO t (SELECT 1)                                  | INSERT d.t
            INSERT INTO t SELECT g() FROM c                           | INSERT everything
            INSERT OVERWRITE TABLE t VALUES (1,2,3)                   | INSERT d.t
            INSERT INTO t PARTITION (p) VALUES (1,2,3)                | INSERT t (0)
            INSERT INTO t WITH LABEL l VALUES (1,2,3)                 | INSERT d.t
            INSERT INTO t VALUES ROW(1,2,3)                           | INSERT d.t
            INSERT INTO c VALUES (1,2,3,4,5),(6,UUID(),7,8,9)         | INSERT c (0) (5)
            INSERT INTO t SET k=1                                     | INSERT t (0)
            INSERT INTO t SET 5=1                                     | INSERT d.t
            INSERT INTO t SET v=1, k:=2 ON DUPLICATE KEY UPDATE v=3   | INSERT t (1)
            INSERT INTO t SET k=1+1                                   | INSERT d.t
            INSERT INTO t SET k                                       | INSERT d.t
            INSERT INTO t () VALUES ()                                | INSERT d.t
            INSERT INTO t (v,) VALUES (1)                             | INSERT d.t
            INSERT INTO t (k VALUES (1)                               | INSERT d.t
            INSERT INTO t VALUES (1,2,3                               | INSERT d.t
            INSERT INTO t VALUES (1,2,3) x                            | INSERT d.t
            INSERT INTO t VALUES (1 2,3)                              | INSERT d.t
            INSERT INTO t VALUES ((1),2,3)                            | INSERT d.t
            INSERT INTO t VALUES (DEFAULT,2,3)                        | INSERT d.t
            INSERT INTO t VALUES (@a,2,3)                             | INSERT d.t
            INSERT INTO t VALUES (?,?,?),(-?,?,?)                     | INSERT t (0) (-3)
            INSERT INTO t (SELECT g() FROM c)                         | INSERT everything
            INSERT INTO t PARTITION (p) (k,v) VALUES (1,f(2))         | INSERT everything
            INSERT INTO t PARTITION p VALUES (1,2,3)                  | INSERT d.t
            INSERT INTO t TABLE c                                     | INSERT d.t
            INSERT DELAYED INTO t VALUES (1,2,3)                      | INSERT t (0)
            REPLACE INTO t SELECT * FROM c                            | INSERT d.t
            INSERT INTO t VALUES (1,2,3) ON DUPLICATE KEY UPDATE v=f(1)        | INSERT everything
            INSERT INTO t VALUES (1,2,3) ON DUPLICATE KEY UPDATE t.k=1         | INSERT d.t
            INSERT INTO dup VALUES (1,2)                              | INSERT d.dup
            INSERT INTO trig VALUES (1,2)                             | INSERT everything
            INSERT INTO twokeys VALUES (1,2)                          | INSERT d.twokeys
            INSERT INTO auto VALUES (1,2)                             | INSERT auto (0)
            INSERT INTO auto VALUES (NULL,2)                          | INSERT auto ()
            INSERT INTO auto VALUES (DEFAULT,2), (5,6)                | INSERT auto () ()
            INSERT IGNORE INTO auto SET v=2                           | INSERT auto ()
            INSERT INTO auto () VALUES () RETURNING k                 | INSERT auto ()
            INSERT INTO auto VALUES (1+1,2)                           | INSERT d.auto
            INSERT INTO auto VALUES (UUID(),2)                        | INSERT d.auto
            INSERT INTO auto VALUES (1,2) ON DUPLICATE KEY UPDATE v=2 | INSERT d.auto
            REPLACE INTO auto VALUES (1,2)                            | INSERT d.auto
            INSERT INTO auto SELECT 1,2                               | INSERT d.auto
            INSERT INTO nowhere VALUES (1,2)                          | INSERT everything
            INSERT INTO a.b.c VALUES (1,2)                            | INSERT everything
            UPDATE t SET v=1 WHERE k=2                                | UPDATE t (1)
            UPDATE t SET v=v+1, w=CASE WHEN k=1 THEN 2 END WHERE k=2  | UPDATE t (3)
            UPDATE d.t AS x SET x.v=1 WHERE x.k IN (2,3) AND v>5      | UPDATE t (1) (2)
            UPDATE t SET v=1 WHERE t.k=2 AND (v=1 OR v=2) ORDER BY v LIMIT 1 | UPDATE t (1)
            UPDATE t SET v=1 WHERE v BETWEEN 1 AND k AND k=3          | UPDATE t (2)
            UPDATE t SET v=1 WHERE v BETWEEN 1 AND k=3                | UPDATE d.t
            UPDATE t SET v=1 WHERE k=2 OR v=1                         | UPDATE d.t
            UPDATE t SET v=1 WHERE NOT k=2                            | UPDATE d.t
            UPDATE t SET v=1 WHERE k=2 IS NULL                        | UPDATE d.t
            UPDATE t SET v=1 WHERE k=2+1                              | UPDATE d.t
            UPDATE t SET v=1 WHERE (k=2)=0                            | UPDATE d.t
            UPDATE t SET v=1 WHERE CASE WHEN v AND k=2 AND v THEN 1 END | UPDATE d.t
            UPDATE t SET v=1 WHERE (k = 2) AND 3 = v                  | UPDATE t (1)
            UPDATE t SET k=1 WHERE k=2                                | UPDATE d.t
            UPDATE t SET t.k=1 WHERE k=2                              | UPDATE d.t
            UPDATE t SET c.v=1 WHERE k=2                              | UPDATE d.t
            UPDATE t SET z=1 WHERE k=2                                | UPDATE d.t
            UPDATE t SET v:=1, w=DEFAULT WHERE k=2                    | UPDATE t (1)
            UPDATE t SET v=1, WHERE k=2                               | UPDATE d.t
            UPDATE LOW_PRIORITY IGNORE t SET v=1 WHERE k=2            | UPDATE t (1)
            UPDATE t PARTITION (p) SET v=1 WHERE k=2                  | UPDATE t (1)
            UPDATE t FOR PORTION OF p FROM 1 TO 2 SET v=1 WHERE k=3   | UPDATE everything
            UPDATE dup SET v=1 WHERE k=2                              | UPDATE d.dup
            UPDATE twokeys SET v=1 WHERE k=2                          | UPDATE twokeys (1)
            UPDATE t SET v=1 WHERE k=2 OR v=3                         | UPDATE d.t
            UPDATE t SET v=1 WHERE k=2 AND v=3 OR w=4                 | UPDATE d.t
            UPDATE t SET v=1 WHERE k=2 AND v=3 XOR w=4                | UPDATE d.t
            UPDATE t SET v=1 WHERE k=2 AND (@a := 3)                  | UPDATE t (1)
            UPDATE t SET v=1 WHERE @a := k=2 AND v=3                  | UPDATE d.t
            UPDATE t SET v=1 WHERE NOT k=2                            | UPDATE d.t
            UPDATE t SET v=1 WHERE ! k=2                              | UPDATE d.t
            UPDATE t SET v=1 WHERE k=2 IS FALSE                       | UPDATE d.t
            UPDATE t SET v=1 WHERE k=2=0 AND v=1                      | UPDATE d.t
            UPDATE t SET v=1 WHERE (k=2)=0                            | UPDATE d.t
            UPDATE t SET v=1 WHERE k IN (2)=0                         | UPDATE d.t
            UPDATE t SET v=1 WHERE k IN (2,v)                         | UPDATE d.t
            UPDATE t SET v=1 WHERE k NOT IN (2)                       | UPDATE d.t
            UPDATE t SET v=1 WHERE k=2 COLLATE utf8mb4_bin            | UPDATE d.t
            UPDATE t SET v=1 WHERE BINARY k=2                         | UPDATE d.t
            UPDATE t SET v=1 WHERE k=2+1                              | UPDATE d.t
            UPDATE t SET v=1 WHERE 2=k+1                              | UPDATE d.t
            UPDATE t SET v=1 WHERE v BETWEEN 0 AND k=2                | UPDATE d.t
            UPDATE t SET v=1 WHERE v BETWEEN 0 AND 1 AND k=2          | UPDATE t (3)
            UPDATE t SET v=1 WHERE v BETWEEN 0 AND w BETWEEN 1 AND k=2 | UPDATE d.t
            UPDATE t SET v=1 WHERE v LIKE 'a' ESCAPE 'b' && k=2       | UPDATE t (3)
            UPDATE t SET v=1 WHERE (v=1 OR w=2) AND ((k=3))           | UPDATE t (3)
            UPDATE t SET v=1 WHERE (k=2 AND v=1)                      | UPDATE d.t
            UPDATE t SET v=1 WHERE k=2 AND k=3                        | UPDATE t (1)
            UPDATE t SET v=1 WHERE EXISTS(SELECT 1 FROM c WHERE k1=t.k) AND k=2 | UPDATE t (2)
            UPDATE t SET v=1 WHERE k=2) AND (v=1                      | UPDATE d.t
            UPDATE t SET v=1 WHERE k=(2                               | UPDATE d.t
            UPDATE t SET v=1 WHERE k=2 ORDER BY v LIMIT 1             | UPDATE t (1)
            UPDATE t SET v=1 WHERE k=2 RETURNING v                    | UPDATE t (1)
            UPDATE t SET v=1 WHERE c.k=2                              | UPDATE d.t
            UPDATE t AS x SET v=1 WHERE t.k=2                         | UPDATE d.t
            UPDATE t SET v=1 WHERE d.t.k=2                            | UPDATE t (1)
            UPDATE c SET v=1 WHERE k2 IN (1,2) AND k1 IN (3,4) AND k3=5 | UPDATE c (3,1,5) (3,2,5) (4,1,5) (4,2,5)
            DELETE QUICK FROM t WHERE k=1                             | DELETE t (0)
            DELETE FROM t x WHERE k=1                                 | DELETE t (0)
            DELETE FROM t PARTITION (p) WHERE k=1                     | DELETE t (0)
            DELETE FROM t WHERE f(k) AND k=1                          | DELETE everything
            DELETE FROM t FOR PORTION OF p FROM 1 TO 2 WHERE k=3      | DELETE everything
            DELETE FROM                                               | DELETE everything
            UPDATE t SET v=1                                          | UPDATE d.t
            UPDATE t SET v=(SELECT MAX(v) FROM c) WHERE k=2           | UPDATE t (0)
            UPDATE t SET v=f(1) WHERE k=2                             | UPDATE everything
            UPDATE t SET v=1 FROM c WHERE k=2                         | UPDATE d.t
            UPDATE t, c SET v=1 WHERE k=2                             | UPDATE everything
            UPDATE t JOIN c ON k=k1 SET v=1 WHERE k=2                 | UPDATE everything
            UPDATE t x JOIN c ON k=k1 SET v=1 WHERE k=2               | UPDATE everything
            UPDATE trig SET v=1 WHERE k=2                             | UPDATE everything
            UPDATE c SET v=1 WHERE k1=2 AND k3=3                      | UPDATE c (1)
            UPDATE c SET v=1 WHERE k1=2 AND k2 IN (3,4)               | UPDATE c (1,2) (1,3)
            UPDATE c SET v=1 WHERE k2=3                               | UPDATE d.c
            DELETE FROM t WHERE k=1                                   | DELETE t (0)
            DELETE FROM t AS x WHERE x.k=-1 LIMIT 1                   | DELETE t (-0)
            DELETE FROM t                                             | DELETE d.t
            DELETE FROM t WHERE k>1                                   | DELETE d.t
            DELETE FROM t WHERE other.t.k=1                           | DELETE d.t
            DELETE FROM words WHERE current_role=1                    | DELETE d.words
            DELETE FROM words WHERE 1=current_role                    | DELETE d.words
            DELETE FROM words WHERE `current_role`=1                  | DELETE words (0)
            DELETE FROM words WHERE words.current_role=1              | DELETE words (0)
            DELETE FROM t USING c WHERE k=1                           | DELETE everything
            DELETE t FROM t JOIN c WHERE k=1                          | DELETE everything
            DELETE FROM t, c USING t JOIN c WHERE k=1                 | DELETE everything
            WITH x AS (SELECT 1) DELETE FROM t WHERE k=1              | UNKNOWN everything
            WITH x AS (SELECT REPLACE('a','b','c')) SELECT 1          | SELECT nothing
            TRUNCATE TABLE t                                          | DDL d.t
            TRUNCATE t                                                | DDL d.t
            TRUNCATE nowhere                                          | DDL d.nowhere
            TRUNCATE tä                                               | DDL everything
            CREATE TABLE n (a INT DEFAULT 1, KEY i (a))               | DDL d.n
            CREATE TABLE IF NOT EXISTS x.n LIKE t                     | DDL x.n
            CREATE TABLE n AS SELECT f(1)                             | DDL everything
            CREATE TABLE n AS VALUES (f(1))                           | DDL everything
            CREATE TEMPORARY TABLE t (a INT)                          | TEMPORARY_TABLE d.t
            CREATE OR REPLACE TEMPORARY TABLE t (a INT)               | TEMPORARY_TABLE d.t
            CREATE INDEX i ON t (v)                                   | DDL d.t
            CREATE DATABASE x                                         | DDL everything
            CREATE VIEW x AS SELECT 1                                 | DDL code
            CREATE OR REPLACE VIEW x AS SELECT 1                      | DDL code
            CREATE MATERIALIZED VIEW x AS SELECT 1                    | DDL everything
            CREATE DEFINER = table VIEW x AS SELECT 1                 | DDL everything
            DROP VIEW x                                               | DDL code
            DROP TRIGGER x                                            | DDL code
            ALTER VIEW x AS SELECT 1                                  | DDL code
            CREATE FUNCTION f() RETURNS INT RETURN 1                  | DDL code
            CREATE FUNCTION f() RETURNS INT RETURN 1; DELETE FROM t   | MULTI d.t
            CREATE DEFINER = view@localhost TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET @a = 1 | DDL everything
            CREATE TRIGGER view BEFORE INSERT ON t FOR EACH ROW SET @a = 1 | DDL code
            CREATE PROCEDURE p() SELECT 1                             | DDL nothing
            DROP PROCEDURE p                                          | DDL nothing
            DROP EVENT e                                              | DDL nothing
            ALTER PROCEDURE p COMMENT 'x'                             | DDL nothing
            CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET @a=1 | DDL code
            CREATE USER x IDENTIFIED BY 'y'                           | PRIVILEGE nothing
            CREATE ROW POLICY p ON t AS RESTRICTIVE TO u USING (k=1)  | PRIVILEGE nothing
            DROP TABLE IF EXISTS t, d.c                               | DDL d.t+d.c
            DROP DATABASE d                                           | DDL everything
            DROP PREPARE s                                            | PREPARE nothing
            ALTER TABLE t ADD COLUMN z INT, RENAME COLUMN v TO y      | DDL d.t
            ALTER TABLE t RENAME TO z                                 | DDL d.t+d.z
            ALTER TABLE t RENAME z                                    | DDL d.t+d.z
            ALTER TABLE t REPLACE WITH TABLE c PROPERTIES('swap'='true') | DDL d.t+d.c
            ALTER TABLE t EXCHANGE PARTITION p WITH TABLE c           | DDL d.t+d.c
            ALTER TABLE t CONVERT TABLE c TO PARTITION p VALUES LESS THAN (9) | DDL d.t+d.c
            ALTER TABLE t CONVERT PARTITION p TO TABLE c              | DDL d.t+d.c
            ALTER DATABASE d CHARACTER SET utf8                       | DDL everything
            RENAME TABLE t TO z, c TO other.c                         | DDL d.t+d.z+d.c+other.c
            BEGIN                                                     | BEGIN nothing
            BEGIN WORK                                                | BEGIN nothing
            BEGIN NOT ATOMIC                                          | UNKNOWN everything
            START TRANSACTION READ ONLY, WITH CONSISTENT SNAPSHOT     | BEGIN nothing
            START SLAVE                                               | UNKNOWN everything
            COMMIT AND CHAIN                                          | COMMIT nothing
            ROLLBACK                                                  | ROLLBACK nothing
            ROLLBACK WORK TO SAVEPOINT s                              | SAVEPOINT nothing
            RELEASE SAVEPOINT s                                       | SAVEPOINT nothing
            SET autocommit=0                                          | SET nothing
            SET @x = f(1)                                             | SET everything
            SET STATEMENT max_statement_time=1 FOR DELETE FROM t      | DELETE d.t
            SET STATEMENT max_statement_time=1 FOR DELETE FROM t WHERE k=1 | DELETE t (0)
            SET STATEMENT max_statement_time=1, sql_mode='' FOR DELETE FROM t WHERE k=1 | DELETE d.t
            SET STATEMENT sql_mode=CONCAT(@@sql_mode, ',x') FOR INSERT INTO t VALUES (1,2,3) | INSERT d.t
            SET STATEMENT sql_mode=f() FOR INSERT INTO t VALUES (1,2,3) | UNKNOWN everything
            SET STATEMENT sql_mode='a\\' FOR INSERT INTO t VALUES (1,2,3) | UNKNOWN everything diagnostics
            SET STATEMENT max_statement_time=? FOR DELETE FROM t      | UNKNOWN everything
            SET STATEMENT max_statement_time=1 FOR USE d              | UNKNOWN everything
            SET STATEMENT max_statement_time=1                        | UNKNOWN everything
            SET STATEMENT = 1                                         | UNKNOWN everything
            SET ROLE admin                                            | ROLE nothing
            SELECT 1; GRANT SELECT ON d.* TO u                        | MULTI_PRIVILEGE nothing
            REVOKE SELECT ON d.* FROM u; SELECT 1                     | MULTI_PRIVILEGE nothing
            SET PASSWORD = 'x'                                        | PRIVILEGE nothing
            USE d                                                     | USE nothing
            SHOW TABLES                                               | SHOW nothing
            SHOW GLOBAL STATUS LIKE 'x'                               | SHOW_STATUS nothing
            SHOW WARNINGS                                             | SHOW nothing diagnostics
            SHOW COUNT(*) ERRORS                                      | SHOW nothing diagnostics
            GET DIAGNOSTICS @n = NUMBER                               | OTHER nothing diagnostics
            EXPLAIN SELECT 1                                          | EXPLAIN nothing
            EXPLAIN SELECT f(1)                                       | EXPLAIN everything
            EXPLAIN DELETE FROM t                                     | EXPLAIN nothing
            EXPLAIN ANALYZE DELETE FROM t                             | UNKNOWN everything
            ANALYZE FORMAT=JSON UPDATE t SET v=1                      | UNKNOWN everything
            ANALYZE TABLE t                                           | OTHER nothing
            DESC t                                                    | EXPLAIN nothing
            CALL p(1)                                                 | CALL everything
            PREPARE s FROM 'DELETE FROM t'                            | PREPARE nothing
            EXECUTE s                                                 | EXECUTE everything
            XA COMMIT 'x'                                             | XA everything
            XA START 'x'                                              | XA nothing
            UPDATE 'd'.t SET v=1                                      | UPDATE nothing
            INSERT INTO 't' VALUES (1)                                | INSERT nothing
            DELETE FROM "t" WHERE k=1                                 | DELETE nothing
            UPDATE d.'t' SET v=1                                      | UPDATE everything
            XA ROLLBACK 'x'                                           | XA nothing
            LOAD DATA LOCAL INFILE 'x' INTO TABLE t FIELDS TERMINATED BY ',' (k, v) | LOAD d.t
            LOAD LABEL d.l (DATA INFILE('x') INTO TABLE t)            | LOAD everything
            LOCK TABLES t READ                                        | LOCK nothing
            FLUSH TABLES WITH READ LOCK                               | LOCK nothing
            FLUSH LOCAL PRIVILEGES                                    | PRIVILEGE nothing
            FLUSH STATUS                                              | OTHER nothing
            UNLOCK TABLES                                             | UNLOCK nothing
            KILL QUERY 5                                              | KILL nothing
            GRANT SELECT ON d.* TO u                                  | PRIVILEGE nothing
            DO SLEEP(1)                                               | OTHER nothing
            DO f(1)                                                   | OTHER everything
            KEYLINE LAST                                              | KEYLINE nothing
            FROBNICATE t                                              | UNKNOWN everything
            'x'                                                       | UNKNOWN everything
            SELECT f(1)                                               | SELECT everything
            SELECT d.abs(1)                                           | SELECT everything
            SELECT ABS(1), COUNT(*), GET_LOCK('x',1)                  | SELECT nothing
            SELECT FOUND_ROWS()                                       | SELECT nothing diagnostics
            SELECT ROW_COUNT(), 1                                     | SELECT nothing diagnostics
            SELECT LAST_INSERT_ID()                                   | SELECT nothing diagnostics
            SELECT @@session.warning_count                            | SELECT nothing diagnostics
            SELECT @@error_count                                      | SELECT nothing diagnostics
            SELECT 1; DELETE FROM t WHERE k=1                         | MULTI t (1)
            INSERT INTO t VALUES (1,2,3); UPDATE c SET v=1            | MULTI d.t+d.c
            BEGIN; COMMIT                                             | MULTI nothing
            USE other; DELETE FROM t                                  | MULTI other.t
            USE `other`; DELETE FROM d.t; USE d; DELETE FROM c        | MULTI d.t+d.c
            USE other x; DELETE FROM t WHERE k=1                      | MULTI everything
            DELETE FROM t WHERE k=1; USE other                        | MULTI t (0)
            USE other; TRUNCATE t                                     | MULTI other.t
            USE other; DELETE FROM c WHERE k1=1                       | MULTI everything
            SELECT 1;;                                                | MULTI nothing
            SELECT 1; SHOW WARNINGS                                   | MULTI nothing diagnostics
            SELECT 1, 2, 3; DELETE FROM t WHERE k=4                   | MULTI t (3)
            SELECT v FROM t; DELETE FROM t WHERE k=1                  | MULTI t (0)
            DELETE FROM t WHERE k=1; DELETE FROM t WHERE k=2          | MULTI d.t
            DELETE FROM t WHERE k=1; CALL p()                         | MULTI everything
            SET DEFAULT ROLE r TO u                                   | PRIVILEGE nothing
            SET PASSWORD FOR u = 'x'                                  | PRIVILEGE nothing
            LOAD DATA INFILE 'x' INTO TABLE t (k, @a) SET v = f(@a)   | LOAD everything
            LOAD XML INFILE 'x' INTO TABLE t                          | LOAD d.t
            LOAD DATA INFILE 'x'                                      | LOAD everything
            LOAD DATA INFILE 'x' INTO TABLE nowhere                   | LOAD everything
            LOAD INDEX INTO CACHE t                                   | LOAD everything
            DROP INDEX i ON t                                         | DDL d.t
            DROP INDEX i                                              | DDL everything
            DROP TEMPORARY TABLE t                                    | DDL d.t
            DROP FUNCTION f                                           | DDL code
            CREATE UNIQUE INDEX i ON t (v)                            | DDL d.t
            CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t   | DDL nothing
            CREATE TABLE                                              | DDL everything
            ALTER TABLE IF EXISTS t ADD x INT                         | DDL d.t
            ALTER TABLE t RENAME INDEX i TO j                         | DDL d.t
            ALTER TABLE t RENAME                                      | DDL everything
            ALTER TABLE t RENAME AS z, ADD x INT                      | DDL d.t+d.z
            RENAME TABLE IF EXISTS t TO z                             | DDL d.t+d.z
            RENAME TABLE t                                            | DDL everything
            RENAME USER a TO b                                        | PRIVILEGE nothing
            TRUNCATE TABLE t, c                                       | DDL d.t+d.c
            TRUNCATE a.b.c                                            | DDL everything
            INSERT INTO t VALUES (1,2,3) /*! , (4,5,6) */             | INSERT d.t
            INSERT /*!40000 DELAYED */ INTO t VALUES (1,2,3)          | INSERT d.t
            DELETE FROM t /*!50100 PARTITION (p) */ WHERE k=1         | DELETE d.t
            DELETE FROM /*! c -- */ t                                 | UNKNOWN everything diagnostics
            DELETE FROM t /*! WHERE v='*/ WHERE k=1                   | UNKNOWN everything diagnostics
            UPDATE /*! c, */ t SET v=1                                | UPDATE everything
            SELECT /*! STRAIGHT_JOIN */ v FROM t WHERE k=1            | SELECT nothing
            SELECT v FROM t WHERE k=1 /*!40000 OR k=FOUND_ROWS() */   | SELECT nothing diagnostics
            SELECT v FROM t /*! ; DELETE FROM t */                    | UNKNOWN everything diagnostics
            /*!40101 SET NAMES utf8 */                                | UNKNOWN everything diagnostics
            SELECT 1 /*! a */ /*! b */ /*! c */ /*! d */              | UNKNOWN everything diagnostics
            SELECT 5--3                                               | UNKNOWN everything diagnostics
            SELECT 'x                                                 | UNKNOWN everything diagnostics
            """)
    void match_statement_hasKindAndEffect(String sql, String forward) {
        assertThat(Plans.text(Plans.plan(sql))).isEqualTo(forward);
    }

    @Test
    void match_emptyText_isEmpty() {
        assertThat(Plans.text(Plans.plan(" -- nothing\n /* here */ "))).isEqualTo("EMPTY nothing");
    }

    @Test
    void match_noDatabase_closesEverythingForUnqualifiedNames() {
        Forward forward = (Forward) Plans.PLANNER
                .plan(Plans.digest("DELETE FROM t"), "", TestCatalog.shared())
                .plan();
        assertThat(Plans.text(forward)).isEqualTo("DELETE everything");
    }

    @Test
    void match_storeWithoutStoredFunctions_readsWithAnyFunction() {
        TestCatalog catalog = TestCatalog.shared().withoutStoredFunctions();
        assertThat(Plans.text(Plans.PLANNER
                        .plan(Plans.digest("SELECT f(1)"), "d", catalog)
                        .plan()))
                .isEqualTo("SELECT nothing");
        assertThat(Plans.text(Plans.PLANNER
                        .plan(Plans.digest("UPDATE t SET v=f(1) WHERE k=2"), "d", catalog)
                        .plan()))
                .isEqualTo("UPDATE t (1)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELEC 1 | UNKNOWN nothing",
                "x | UNKNOWN nothing",
                "DROP TABEL t | UNKNOWN nothing",
                "CREATE TABEL t (a INT) | UNKNOWN nothing",
                "ALTER TABEL t ADD a INT | UNKNOWN nothing",
                "SELEC 1; DELETE FROM t WHERE k=1 | MULTI t (1)",
                "x := 1 | UNKNOWN everything",
                "x.y := 1 | UNKNOWN everything",
                "x() | UNKNOWN everything",
                "SELEC * FROM t | UNKNOWN nothing",
                "x: BEGIN NOT ATOMIC DELETE FROM t | UNKNOWN everything",
                "FROBNICATE t | UNKNOWN everything",
                "TRUNCATE t | DDL d.t",
                "DROP 'x' | DDL everything",
                "/*! DELETE */ x | UNKNOWN everything diagnostics",
                "KEYLINE LAST | KEYLINE nothing",
            })
    void match_wordThatTheStoreHasNot_writesNothing(String sql, String forward) {
        TestCatalog catalog = TestCatalog.shared()
                .withKeywords("SELECT", "DELETE", "DROP", "CREATE", "ALTER", "TABLE", "TRUNCATE", "FROBNICATE");
        assertThat(Plans.text(
                        Plans.PLANNER.plan(Plans.digest(sql), "d", catalog).plan()))
                .isEqualTo(forward);
    }

    /** Drivers ask so when they connect, perhaps while nobody knows which names are views. */
    @Test
    void match_selectWithoutFrom_namesNoView() {
        assertThat(Plans.text(Plans.plan("SELECT @@sql_mode AS calling_mode"))).isEqualTo("SELECT nothing");
        assertThat(Plans.text(Plans.plan("SELECT 1 AS calling_mode FROM calling_view")))
                .isEqualTo("SELECT everything");
        assertThat(Plans.text(Plans.plan("SELECT (SELECT a FROM calling_view) AS b")))
                .isEqualTo("SELECT everything");
    }

    @Test
    void match_severalStatements_eachNamesItsViews() {
        assertThat(Plans.text(Plans.plan("SET @a = 1; UPDATE c, calling_view SET v = 1")))
                .isEqualTo("MULTI everything");
        assertThat(Plans.text(Plans.plan("UPDATE c SET v = 1; SET @a = calling_view")))
                .isEqualTo("MULTI d.c");
        assertThat(Plans.text(Plans.plan("SET STATEMENT max_statement_time = 1 FOR UPDATE c, calling_view SET v = 1")))
                .isEqualTo("UPDATE everything");
    }

    /** By ordinal, the slots of the cells; only where it adds rows that are known. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', nullValues = "-", textBlock = """
            INSERT INTO cells VALUES (1,2)                            | 0=0 1=1
            INSERT INTO cells VALUES (1,-2)                           | 0=0 1=-1
            INSERT INTO cells (v,k) VALUES (1,2)                      | 1=0 0=1
            INSERT INTO cells (k) VALUES (1)                          | 0=0
            INSERT INTO cells SET v=1, k=2                            | 1=0 0=1
            INSERT INTO cells VALUES (1,2+3)                          | 0=0
            INSERT INTO cells VALUES (1,DEFAULT)                      | 0=0
            INSERT IGNORE INTO cells VALUES (1,2)                     | 0=0 1=1
            INSERT INTO cells VALUES (1,2) RETURNING k                | 0=0 1=1
            INSERT INTO cells VALUES (1,2),(3,4)                      | 0=0 1=1 0=2 1=3
            INSERT INTO cells VALUES (1,2) ON DUPLICATE KEY UPDATE v=3 | 0=0 1=1
            INSERT INTO cells VALUES (1,2,3)                          | -
            REPLACE INTO cells VALUES (1,2)                           | 0=0 1=1
            INSERT INTO t VALUES (1,2,3)                              | -
            UPDATE cells SET v=1 WHERE k=2                            | -
            DELETE FROM cells WHERE k=2                               | -
            """)
    void match_insert_hasTheCellsOfItsRows(String sql, @Nullable String cells) {
        Forward plan = (Forward) Plans.plan(sql);
        String told = ((Effect.Rows) plan.effect())
                .added().stream()
                        .flatMap(List::stream)
                        .map(cell -> cell.column() + "="
                                + (cell.value().negated() ? "-" : "")
                                + cell.value().slot())
                        .collect(Collectors.joining(" "));
        assertThat(told).isEqualTo(cells == null ? "" : cells);
    }

    @Test
    void match_longInsert_closesItsTable() {
        String rows = ("(1,'" + "x".repeat(100) + "',NULL),").repeat(20_000);
        assertThat(Plans.text(Plans.plan("INSERT INTO t VALUES " + rows + "(1,2,3)")))
                .isEqualTo("INSERT d.t");
        assertThat(Plans.text(Plans.plan("INSERT INTO t VALUES " + rows + "(1,f(2),3)")))
                .isEqualTo("INSERT everything");
        assertThat(Plans.text(Plans.plan("INSERT INTO t VALUES " + rows + "(1,2,3); DROP TABLE c")))
                .isEqualTo("UNKNOWN everything diagnostics");
        assertThat(Plans.text(Plans.plan("SELECT v FROM t WHERE k = '" + "x".repeat(70_000) + "'")))
                .isEqualTo("SELECT nothing");
    }
}
