package org.keyline.planner.statement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.planner.Effect;
import org.keyline.planner.Plans;
import org.keyline.planner.TableSchema;
import org.keyline.planner.TestCatalog;
import org.keyline.planner.TriggerText;
import org.keyline.planner.WriteScope;

final class ProcedureBodyTest {
    /** What a write to a table does that has a trigger. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            SET NEW.v = UPPER(NEW.v)                       | UPDATE watched SET v=1 WHERE k=1     | UPDATE watched (1)
            SET NEW.v = 1, NEW.w = (NEW.v + 2)             | INSERT INTO watched VALUES (1,2,3)   | INSERT watched (0)
            SET NEW.k = 5                                  | UPDATE watched SET v=1 WHERE k=1     | UPDATE d.watched
            SET NEW.k = 5                                  | INSERT INTO watched VALUES (1,2,3)   | INSERT d.watched
            BEGIN DECLARE n INT; SET n = 1; SET NEW.`w` = n; SET @n = n; END | DELETE FROM watched WHERE k=1 | DELETE watched (0)
            SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'| DELETE FROM watched WHERE k=1        | DELETE watched (0)
            INSERT INTO c VALUES (NEW.k, 1, NOW(), 1, 1)   | DELETE FROM watched WHERE k=1        | DELETE d.watched+d.c
            BEGIN IF NEW.v <> OLD.v THEN UPDATE c SET v = NEW.v WHERE k1 = NEW.k; END IF; END | UPDATE watched SET v=1 WHERE k=1 | UPDATE d.watched+d.c
            INSERT INTO watched VALUES (9, 9, 9)           | DELETE FROM watched WHERE k=1        | DELETE d.watched
            SET sql_mode = ''                              | DELETE FROM watched WHERE k=1        | DELETE everything
            SET NEW.v = 1, sql_mode = ''                   | DELETE FROM watched WHERE k=1        | DELETE everything
            SET OLD.v = 1                                  | DELETE FROM watched WHERE k=1        | DELETE everything
            SET NEW.v = f(NEW.v)                           | DELETE FROM watched WHERE k=1        | DELETE everything
            CALL p(NEW.k)                                  | DELETE FROM watched WHERE k=1        | DELETE everything
            INSERT INTO nowhere VALUES (1)                 | INSERT INTO watched VALUES (1,2,3)   | INSERT everything
            ~~                                             | DELETE FROM watched WHERE k=1        | DELETE everything
            """)
    void effect_ofAWriteThatATriggerFollows_hasWhatTheTriggerWrites(String body, String sql, String plan) {
        TestCatalog catalog = TestCatalog.shared();
        TableSchema t = TestCatalog.table("d", "watched", 1, "k", "v", "w");
        catalog.add(new TableSchema(
                t.name(),
                99,
                t.model(),
                t.columns(),
                t.keyColumns(),
                List.of(),
                "",
                Map.of(),
                WriteScope.ROWS,
                List.of(new TriggerText("b", body, "ANSI"))));
        assertThat(Plans.text(
                        Plans.PLANNER.plan(Plans.digest(sql), "d", catalog).plan()))
                .isEqualTo(plan);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            SELECT v FROM t WHERE k = 1                                            | nothing
            BEGIN SELECT v FROM t; SELECT COUNT(*) INTO @n FROM other.t; END       | nothing
            UPDATE t SET v = given WHERE k = 5                                     | d.t
            BEGIN UPDATE t SET v = 1 WHERE k = 1; INSERT INTO other.t VALUES (1, 2); END    | d.t other.t
            BEGIN DECLARE n INT DEFAULT 0; SET n = n + 1; DELETE FROM c WHERE k1 = n; END   | d.c
            BEGIN IF a > (SELECT MAX(k) FROM t) THEN UPDATE t SET v = 1; ELSEIF b THEN SELECT 1; ELSE DELETE FROM c; END IF; END | d.t d.c
            BEGIN DECLARE i INT; WHILE i < 9 DO BEGIN INSERT INTO t VALUES (i, 1, 1); SET i = i + 1; END; END WHILE; END | d.t
            BEGIN CREATE TEMPORARY TABLE s (a INT); INSERT INTO s VALUES (1); UPDATE s SET a = 2; DELETE FROM s WHERE a = 1; DROP TEMPORARY TABLE s; END | nothing
            BEGIN CREATE TEMPORARY TABLE s SELECT * FROM t; INSERT INTO c SELECT * FROM s; END | d.c
            SELECT CASE WHEN v THEN 1 ELSE 2 END FROM t                            | nothing
            UPDATE trig SET v = 1                                                  | everything
            UPDATE nowhere SET v = 1                                               | everything
            UPDATE t, c SET t.v = 1                                                | everything
            SELECT f(1)                                                            | everything
            BEGIN DECLARE n INT DEFAULT f(); SELECT n; END                         | everything
            BEGIN DECLARE n INT; SET n = f(); END                                  | everything
            BEGIN IF f() THEN SELECT 1; END IF; END                                | everything
            BEGIN IF CASE WHEN a THEN b END THEN SELECT 1; END IF; END             | everything
            BEGIN SET autocommit = 0; UPDATE t SET v = 1; END                      | everything
            BEGIN DECLARE n INT; SET n = 1, sql_mode = ''; END                     | everything
            BEGIN SET @@sql_mode = ''; SELECT 1; END                               | everything
            BEGIN START TRANSACTION; UPDATE t SET v = 1; COMMIT; END               | everything
            BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION DELETE FROM c; SELECT 1; END        | everything
            BEGIN PREPARE s FROM 'DELETE FROM t'; EXECUTE s; END                   | everything
            BEGIN EXECUTE IMMEDIATE 'DELETE FROM t'; END                           | everything
            CALL other()                                                           | everything
            TRUNCATE TABLE t                                                       | everything
            BEGIN CREATE TABLE s (a INT); INSERT INTO s VALUES (1); END            | everything
            BEGIN INSERT INTO s VALUES (1); CREATE TEMPORARY TABLE s (a INT); END  | everything
            BEGIN CREATE TEMPORARY TABLE s (a INT); DROP TEMPORARY TABLE s; INSERT INTO s VALUES (1); END | everything
            BEGIN CREATE TEMPORARY TABLE s (a INT); DROP TABLE t; END              | everything
            BEGIN CREATE TEMPORARY TABLE s (a INT); INSERT INTO s SELECT f(); END  | everything
            BEGIN CREATE TEMPORARY TABLE s (a INT); INSERT INTO s (a) SELECT f(); END | everything
            BEGIN CREATE TEMPORARY TABLE s (a INT); UPDATE s SET a = f(); END      | everything
            BEGIN CREATE TEMPORARY TABLE s (a INT); DELETE FROM s WHERE f(a); END  | everything
            BEGIN CREATE TEMPORARY TABLE s (a INT); DELETE FROM s USING s JOIN t; END | everything
            BEGIN CREATE TEMPORARY TABLE s (a INT); DROP TEMPORARY TABLE s, t; END | everything
            BEGIN CREATE TEMPORARY TABLE IF NOT EXISTS s (a INT); REPLACE IGNORE INTO s VALUES (1); DELETE FROM s; END | nothing
            BEGIN DECLARE c CURSOR FOR SELECT 1; SELECT 1; END                     | everything
            BEGIN DECLARE 5 INT; SELECT 1; END                                     | everything
            BEGIN DECLARE a, b INT; SET b = 1; SET a := b; SELECT a; END           | nothing
            BEGIN SET n = 1; SELECT 1; END                                         | everything
            BEGIN SET @n = (1, 2); SELECT 1; END                                   | nothing
            BEGIN CREATE TEMPORARY TABLE s (a INT); UPDATE s, t SET t.v = 1; END   | everything
            BEGIN CREATE TEMPORARY TABLE s (a INT); INSERT INTO d.s VALUES (1); END         | everything
            BEGIN IF a THEN CREATE TEMPORARY TABLE s (a INT); END IF; INSERT INTO s VALUES (1); END | everything
            BEGIN CREATE TEMPORARY TABLE s SELECT f(); END                         | everything
            BEGIN REPEAT UPDATE t SET v = 1; UNTIL a END REPEAT; END               | everything
            l: BEGIN UPDATE t SET v = 1; END                                       | everything
            /*!40000 UPDATE t SET v = 1 */                                         | everything
            UPDATE t SET v = 'unfinished                                           | everything
            WITH x AS (SELECT 1) DELETE FROM t                                     | everything
            """)
    void body_closesWhatItNames_orEverything(String body, String expected) {
        assertThat(effect(body, "")).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            UPDATE t SET v = 1 WHERE w = '\\'; DELETE FROM c WHERE w = '\\' | NO_BACKSLASH_ESCAPES | d.t d.c
            UPDATE t SET v = 1 WHERE w = '\\'; DELETE FROM c WHERE w = '\\' | NO_ZERO_DATE         | everything
            UPDATE "t" SET v = 1                                          | ANSI_QUOTES          | d.t
            UPDATE "t" SET v = 1                                          | NO_ZERO_DATE         | everything
            UPDATE t SET v = 1                                            | ORACLE               | everything
            """)
    void body_isReadUnderItsOwnMode(String body, String mode, String expected) {
        assertThat(effect(body, mode)).isEqualTo(expected);
    }

    private static String effect(String body, String mode) {
        Effect effect = ProcedureBody.effect(body, mode, "d", TestCatalog.shared());
        if (effect instanceof Effect.Tables tables) {
            return tables.tables().stream()
                    .map(name -> name.schema() + "." + name.table())
                    .collect(Collectors.joining(" "));
        }
        return effect instanceof Effect.None ? "nothing" : effect instanceof Effect.Everything ? "everything" : "other";
    }
}
