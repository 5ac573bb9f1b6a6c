package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.soon;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.differential.Answer;

/**
 * What statements leave alone: the lines of tables that they do not name, and the later hits of their own sessions. Lines live for an
 * hour here, so that one that is gone was dropped. What they write is read as the store has it.
 */
class WriteScopeIT {
    @RegisterExtension
    static final TwinSessions SESSIONS =
            new TwinSessions("cache.ttl=1h", "privilegeTtl=1h", "cache.prefix=full", "store.signal=none");

    private static final String NAMED = "SELECT v FROM scope.named WHERE k = 1";
    private static final String BRANCH = "SELECT v FROM scope.branch WHERE k = 1";
    private static final String OTHER = "SELECT v FROM scope.other WHERE k = 1";

    @BeforeAll
    static void create() throws Exception {
        try (Twins twins = SESSIONS.open()) {
            run(twins, "DROP DATABASE IF EXISTS scope");
            run(twins, "CREATE DATABASE scope CHARACTER SET utf8mb4");
            for (String table : new String[] {"named", "other", "branch", "log"}) {
                run(twins, "CREATE TABLE scope." + table + " (k INT PRIMARY KEY, v TEXT)");
                run(twins, "INSERT INTO scope." + table + " VALUES (1, 'one'), (2, 'two')");
            }
            run(twins, "CREATE TABLE scope.set_new (k INT PRIMARY KEY, v TEXT)");
            run(twins, "CREATE TABLE scope.logged (k INT PRIMARY KEY, v TEXT)");
            run(
                    twins,
                    "CREATE TRIGGER scope.sets BEFORE INSERT ON scope.set_new FOR EACH ROW SET NEW.v = UPPER(NEW.v)");
            run(
                    twins,
                    "CREATE TRIGGER scope.logs AFTER INSERT ON scope.logged FOR EACH ROW BEGIN IF NEW.k > 0 THEN"
                            + " UPDATE log SET v = NEW.v WHERE k = 1; END IF; END");
            // Until the catalog is read behind the last definition, a write may write anything.
            soon("the catalog").untilAsserted(() -> {
                assertThat(text(twins.throughOnly("KEYLINE EXPLAIN DELETE FROM scope.logged")))
                        .contains("all lines of scope.logged, scope.log");
                assertThat(text(twins.throughOnly("KEYLINE EXPLAIN DELETE FROM scope.named WHERE k = 9")))
                        .contains("which it names by key");
            });
        }
    }

    /** Triggers make other sessions of the server careful. */
    @AfterAll
    static void drop() throws Exception {
        try (Twins twins = SESSIONS.open()) {
            run(twins, "DROP DATABASE scope");
        }
    }

    private static void run(Twins twins, String sql) throws Exception {
        Answer answer = twins.throughOnly(sql);
        assertThat(answer.isError()).as("%s: %s", sql, text(answer)).isFalse();
    }

    private static String text(Answer answer) {
        byte[] bytes = HexFormat.of().parseHex(String.join("", answer.packets()));
        return new String(bytes, StandardCharsets.ISO_8859_1).replaceAll("[^ -~]+", " ");
    }

    private static void fromALine(Twins twins, String sql) throws Exception {
        soon(sql).untilAsserted(() -> {
            twins.query(sql);
            assertThat(text(twins.throughOnly("KEYLINE LAST"))).contains("source line");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET STATEMENT max_statement_time=50 FOR UPDATE scope.named SET v = UUID() WHERE k = 1",
                "SET STATEMENT sql_mode='' FOR UPDATE scope.named SET v = UUID() WHERE k = 1",
                "SET STATEMENT max_statement_time=50, sql_mode='' FOR SELECT v FROM scope.named",
                "UPDATE /*!40000 LOW_PRIORITY */ scope.named SET v = UUID() WHERE k = 1",
                "UPDATE scope.named SET v = UUID() WHERE k = 2 /*!40000 OR k = 1 */",
                "UPDATE scope.named SET v = UUID() WHERE k = 2 /*!999999 OR k = 1 */",
                "SELECT /*! STRAIGHT_JOIN */ v FROM scope.named",
                "SELECT /*!40001 SQL_CALC_FOUND_ROWS */ v FROM scope.named LIMIT 1",
                "SELECT v FROM scope.named WHERE k=--1",
                "UPDATE scope.named SET v = UUID() WHERE k=--1",
                "SET sql_mode = 'STRICT_TRANS_TABLES'|SELECT v FROM scope.named|UPDATE scope.named SET v = 'it\\'s; \"1\"' WHERE k = 1",
                "SET sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')|SELECT o.v FROM scope.other o, scope.named|UPDATE \"scope\".named SET v = 'caf\u00e9\\'s' WHERE k = 1",
                "SET sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES')|SELECT o.v FROM scope.other o, scope.named|UPDATE scope.named SET v = 'a\\' WHERE k = 1",
                "SET sql_mode = CONCAT(@@sql_mode, ',ANSI')|SELECT o.v FROM scope.other o, scope.named|UPDATE scope.named SET v = 'LONG \\' \\\\' WHERE k = 1",
                "SET sql_mode = ''|SELECT SQL_CALC_FOUND_ROWS v FROM scope.named LIMIT 1|UPDATE scope.named SET v = 'LONG' WHERE k = 1|SELECT FOUND_ROWS()",
                "XA START 'scope'|XA END 'scope'|XA PREPARE 'scope'|XA ROLLBACK 'scope'",
                "XA START 'scope'|UPDATE scope.named SET v = UUID() WHERE k = 1|XA END 'scope'|XA ROLLBACK 'scope'",
            })
    void statement_closesWhatItNames_andItsSessionHitsAgain(String statements) throws Exception {
        try (Twins session = SESSIONS.open();
                Twins neighbour = SESSIONS.open()) {
            fromALine(session, NAMED);
            fromALine(neighbour, NAMED);
            fromALine(neighbour, OTHER);
            for (String sql : statements.split("\\|", -1)) {
                run(session, sql.replace("LONG", "long ".repeat(400)));
            }
            neighbour.query(NAMED);
            neighbour.query(OTHER);
            assertThat(text(neighbour.throughOnly("KEYLINE LAST")))
                    .as(statements)
                    .contains("source line");
            // Its settings may show in its replies.
            soon(statements).untilAsserted(() -> {
                run(session, NAMED);
                assertThat(text(session.throughOnly("KEYLINE LAST"))).contains("source line");
            });
        }
    }

    @Test
    void write_thatTriggersFollow_closesWhatTheyName() throws Exception {
        String log = "SELECT v FROM scope.log WHERE k = 1";
        try (Twins session = SESSIONS.open();
                Twins neighbour = SESSIONS.open()) {
            fromALine(neighbour, "SELECT v FROM scope.set_new WHERE k = 2");
            for (String insert : new String[] {
                "INSERT INTO scope.set_new VALUES (1, 'new')", "REPLACE INTO scope.logged VALUES (1, 'logged')"
            }) {
                fromALine(neighbour, log);
                fromALine(neighbour, OTHER);
                run(session, insert);
                neighbour.query(OTHER);
                assertThat(text(neighbour.throughOnly("KEYLINE LAST")))
                        .as(insert)
                        .contains("source line");
                neighbour.query(log);
                neighbour.query("SELECT v FROM scope.set_new WHERE k = 1");
            }
            neighbour.query("SELECT v FROM scope.set_new WHERE k = 2");
            assertThat(text(neighbour.throughOnly("KEYLINE LAST"))).contains("source line");
            assertThat(text(session.throughOnly("KEYLINE EXPLAIN REPLACE INTO scope.logged VALUES (2, 'b')")))
                    .contains("all lines of scope.logged, scope.log");
        }
    }

    @Test
    void xa_readsAreTheStoresUntilItsEnd_whichClosesAllThatIsNamed() throws Exception {
        try (Twins session = SESSIONS.open();
                Twins neighbour = SESSIONS.open()) {
            fromALine(session, OTHER);
            fromALine(neighbour, BRANCH);
            run(session, "XA START 'ends'");
            run(session, "UPDATE scope.branch SET v = 'by XA' WHERE k = 1");
            run(session, "SELECT v FROM scope.other WHERE k = 1");
            assertThat(text(session.throughOnly("KEYLINE LAST"))).contains("source store");
            run(session, "XA END 'ends'");
            run(session, "XA PREPARE 'ends'");
            // The store refuses what a line could answer.
            assertThat(session.throughOnly(OTHER).isError()).isTrue();
            assertThat(text(session.throughOnly("SELECT because FROM keyline.clients WHERE because IS NOT NULL")))
                    .contains("XA transaction");
            neighbour.query(BRANCH);
            run(session, "XA COMMIT 'ends'");
            neighbour.query(BRANCH);
            fromALine(session, OTHER);
            fromALine(neighbour, BRANCH);
        }
    }
}
