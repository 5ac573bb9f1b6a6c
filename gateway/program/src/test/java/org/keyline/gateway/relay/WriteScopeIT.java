package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.soon;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/**
 * Effects that statements do not have: lines of tables that they do not name remain, and so do
 * later hits of their own sessions. Lines live for an hour here, so a missing one was dropped.
 * Written rows are read as in the store.
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
            twins.run("DROP DATABASE IF EXISTS scope");
            twins.run("CREATE DATABASE scope CHARACTER SET utf8mb4");
            for (String table : new String[] {"named", "other", "branch", "log"}) {
                twins.run("CREATE TABLE scope." + table + " (k INT PRIMARY KEY, v TEXT)");
                twins.run("INSERT INTO scope." + table + " VALUES (1, 'one'), (2, 'two')");
            }
            twins.run("CREATE TABLE scope.set_new (k INT PRIMARY KEY, v TEXT)");
            twins.run("CREATE TABLE scope.logged (k INT PRIMARY KEY, v TEXT)");
            twins.run("CREATE TRIGGER scope.sets BEFORE INSERT ON scope.set_new FOR EACH ROW SET NEW.v = UPPER(NEW.v)");
            twins.run("CREATE TRIGGER scope.logs AFTER INSERT ON scope.logged FOR EACH ROW BEGIN IF NEW.k > 0 THEN"
                    + " UPDATE log SET v = NEW.v WHERE k = 1; END IF; END");
            // Until the catalog is read after the last definition, a write may write anything.
            soon("the catalog").untilAsserted(() -> {
                assertThat(twins.readable("KEYLINE EXPLAIN DELETE FROM scope.logged"))
                        .contains("all lines of scope.logged, scope.log");
                assertThat(twins.readable("KEYLINE EXPLAIN DELETE FROM scope.named WHERE k = 9"))
                        .contains("whose keys the statement names");
            });
        }
    }

    /** With triggers, the gateway restricts the hits of other sessions of the server. */
    @AfterAll
    static void drop() throws Exception {
        try (Twins twins = SESSIONS.open()) {
            twins.run("DROP DATABASE scope");
        }
    }

    private static void fromALine(Twins twins, String sql) throws Exception {
        soon(sql).untilAsserted(() -> {
            twins.query(sql);
            assertThat(twins.readable("KEYLINE LAST")).contains("source line");
        });
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "WriteScopeIT.statement_closesWhatItNames_andItsSessionHitsAgain.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void statement_closesWhatItNames_andItsSessionHitsAgain(String statements) throws Exception {
        try (Twins session = SESSIONS.open();
                Twins neighbour = SESSIONS.open()) {
            fromALine(session, NAMED);
            fromALine(neighbour, NAMED);
            fromALine(neighbour, OTHER);
            for (String sql : statements.split("\\|", -1)) {
                session.run(sql.replace("LONG", "long ".repeat(400)));
            }
            neighbour.query(NAMED);
            neighbour.query(OTHER);
            assertThat(neighbour.readable("KEYLINE LAST")).as(statements).contains("source line");
            // The replies may depend on its settings.
            soon(statements).untilAsserted(() -> {
                session.run(NAMED);
                assertThat(session.readable("KEYLINE LAST")).contains("source line");
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
                session.run(insert);
                neighbour.query(OTHER);
                assertThat(neighbour.readable("KEYLINE LAST")).as(insert).contains("source line");
                neighbour.query(log);
                neighbour.query("SELECT v FROM scope.set_new WHERE k = 1");
            }
            neighbour.query("SELECT v FROM scope.set_new WHERE k = 2");
            assertThat(neighbour.readable("KEYLINE LAST")).contains("source line");
            assertThat(session.readable("KEYLINE EXPLAIN REPLACE INTO scope.logged VALUES (2, 'b')"))
                    .contains("all lines of scope.logged, scope.log");
        }
    }

    @Test
    void xa_readsAreTheStoresUntilItsEnd_whichClosesAllThatIsNamed() throws Exception {
        try (Twins session = SESSIONS.open();
                Twins neighbour = SESSIONS.open()) {
            fromALine(session, OTHER);
            fromALine(neighbour, BRANCH);
            session.run("XA START 'ends'");
            session.run("UPDATE scope.branch SET v = 'by XA' WHERE k = 1");
            session.run("SELECT v FROM scope.other WHERE k = 1");
            assertThat(session.readable("KEYLINE LAST")).contains("source store");
            session.run("XA END 'ends'");
            session.run("XA PREPARE 'ends'");
            // The store refuses a read that a line could answer.
            assertThat(session.throughOnly(OTHER).isError()).isTrue();
            assertThat(session.readable("SELECT because FROM keyline.clients WHERE because IS NOT NULL"))
                    .contains("XA transaction");
            neighbour.query(BRANCH);
            session.run("XA COMMIT 'ends'");
            neighbour.query(BRANCH);
            fromALine(session, OTHER);
            fromALine(neighbour, BRANCH);
        }
    }
}
