package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.source;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * CALLs of procedures whose texts the gateway can analyse: their writes are seen, and lines without
 * their writes remain.
 */
class KnownProceduresIT {
    private static final String READ = "SELECT v FROM t WHERE id = 1";
    private static final String OTHER = "SELECT v FROM u WHERE id = 1";
    private static final String WAIT = "SELECT GET_LOCK('known', 60)";
    private static final String WRITE = "UPDATE t SET v = v + 1 WHERE id = 1";

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("second");
        store.run(
                "DROP DATABASE IF EXISTS known",
                "CREATE DATABASE known",
                "CREATE TABLE known.t (id INT PRIMARY KEY, v INT)",
                "CREATE TABLE known.u (id INT PRIMARY KEY, v INT)",
                "INSERT INTO known.t VALUES (1, 10), (2, 20)",
                "INSERT INTO known.u VALUES (1, 10), (2, 20)");
        gateway = RelayGateway.start(store, "cache.ttl=1h", "privilegeTtl=1h");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void forget() throws SQLException {
        try (Connection straight = straight()) {
            run(straight, "DROP PROCEDURE IF EXISTS p");
        }
    }

    private static Connection straight() throws SQLException {
        return DriverManager.getConnection(store.jdbc("known"));
    }

    private static Connection through() throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("known"));
    }

    /**
     * Reads until a line answers after a write to the other table too, so that both definitions are
     * known.
     */
    private static void warm(Connection reader, String select) {
        soon("a write to the other table leaves lines").until(() -> {
            run(reader, "UPDATE u SET v = v WHERE id = 0");
            one(reader, select);
            return source(reader).equals("line");
        });
    }

    @Test
    void calls_doNotAskForGrants() throws SQLException {
        run(straight(), "CREATE PROCEDURE p() UPDATE t SET v = v + 1 WHERE id = 1");
        try (Connection caller = through();
                Connection straight = straight()) {
            run(caller, "CALL p()");
            String grants = "SHOW GLOBAL STATUS LIKE 'Com_show_grants'";
            long before = Long.parseLong(one(straight, grants, 2));
            for (int i = 0; i < 50; i++) {
                run(caller, "CALL p()");
            }
            assertThat(Long.parseLong(one(straight, grants, 2)) - before).isLessThan(10);
        }
    }

    /** A CALL of p, which waits for a lock in its middle; {@link #end} releases it. */
    private static final class Held implements AutoCloseable {
        private final ExecutorService threads = Executors.newSingleThreadExecutor();
        private final Connection holder = straight();
        private final Connection caller = through();
        private final Future<String> call;

        Held(String body, String call, String... before) throws SQLException {
            run(caller, before);
            run(holder, "CREATE PROCEDURE p() " + body, "DO GET_LOCK('known', 0)");
            this.call = threads.submit(() -> one(caller, call));
            try (Connection straight = straight()) {
                soon("the lock is waited for")
                        .until(() -> !one(
                                        straight,
                                        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID()"
                                                + " AND STATE LIKE 'User lock'")
                                .equals("0"));
            }
        }

        void end() throws Exception {
            run(holder, "DO RELEASE_LOCK('known')");
            assertThat(call.get(1, TimeUnit.MINUTES)).isEqualTo("1");
            run(caller, "DO RELEASE_LOCK('known')");
        }

        @Override
        public void close() throws SQLException {
            threads.shutdownNow();
            holder.close();
            caller.close();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                WAIT,
                "BEGIN " + WAIT + "; SELECT v FROM t; END",
                "BEGIN UPDATE u SET v = v + 1; IF TRUE THEN " + WAIT + "; END IF; DELETE FROM u WHERE id = 2; END",
                "BEGIN CREATE TEMPORARY TABLE t (id INT); INSERT INTO t VALUES (1); " + WAIT + "; END"
            })
    void whileAProcedureRuns_linesOfWhatItDoesNotWriteAnswer(String body) throws Exception {
        try (Connection reader = through()) {
            warm(reader, READ);
            try (Held held = new Held(body, "CALL known.p()")) {
                assertThat(one(reader, READ)).isNotEqualTo("no row");
                assertThat(source(reader)).isEqualTo("line");
                held.end();
            }
            assertThat(one(reader, READ)).isNotEqualTo("no row");
            assertThat(source(reader)).isEqualTo("line");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                WRITE,
                "BEGIN " + WRITE + "; SELECT 1; END",
                "BEGIN IF EXISTS (SELECT 1 FROM t) THEN SELECT 1; " + WRITE + "; END IF; END",
                "BEGIN CREATE TEMPORARY TABLE s (a INT); INSERT INTO s VALUES (1); UPDATE t, s SET v = v + 1 WHERE id = a;"
                        + " DROP TEMPORARY TABLE s; END",
                "BEGIN DECLARE EXIT HANDLER FOR NOT FOUND " + WRITE + "; SIGNAL SQLSTATE '02000'; END",
                "BEGIN PREPARE s FROM '" + WRITE + "'; EXECUTE s; END"
            })
    void whatAProcedureWrites_isSeen(String body) throws SQLException {
        try (Connection straight = straight();
                Connection reader = through();
                Connection caller = through()) {
            run(straight, "CREATE PROCEDURE p() " + body);
            for (String call : new String[] {"CALL known.p()", "CALL p", "call `known` . p ( ) ;"}) {
                warm(reader, READ);
                int before = Integer.parseInt(one(straight, READ));
                run(caller, call);
                assertThat(one(straight, READ)).isEqualTo(Integer.toString(before + 1));
                assertThat(one(reader, READ)).as(call).isEqualTo(Integer.toString(before + 1));
            }
        }
    }

    @Test
    void aTransaction_keepsClosedWhatItsProcedureWrote() throws SQLException {
        try (Connection straight = straight();
                Connection reader = through();
                Connection caller = through()) {
            run(straight, "CREATE PROCEDURE p() " + WRITE);
            warm(reader, READ);
            warm(reader, OTHER);
            String before = one(straight, READ);
            run(caller, "BEGIN", "CALL known.p()");
            assertThat(one(reader, READ)).isEqualTo(before);
            assertThat(source(reader)).isEqualTo("store");
            assertThat(one(reader, OTHER)).isNotEqualTo("no row");
            assertThat(source(reader)).isEqualTo("line");
            run(caller, "COMMIT");
            assertThat(one(reader, READ)).isEqualTo(one(straight, READ)).isNotEqualTo(before);
        }
    }

    @Test
    void aProcedureThatWasChangedPastTheGateway_isTheNewOne() throws SQLException {
        try (Connection straight = straight();
                Connection reader = through();
                Connection caller = through()) {
            run(straight, "CREATE PROCEDURE p() SELECT 1");
            run(caller, "CALL known.p()");
            run(straight, "DROP PROCEDURE p", "CREATE PROCEDURE p() " + WRITE);
            warm(reader, READ);
            run(caller, "CALL known.p()");
            assertThat(one(reader, READ)).isEqualTo(one(straight, READ));
        }
    }

    /** The CALL may run another text, or write rows that the catalog does not know of yet. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE PROCEDURE q() SELECT 1",
                "CREATE VIEW q AS SELECT 1",
                "ALTER TABLE u COMMENT = 'of what it writes'",
                "CREATE OR REPLACE TABLE child (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES u (id) ON DELETE CASCADE)",
                "RENAME TABLE spare TO child",
                "ALTER TABLE spare RENAME child",
                "ALTER TABLE mysql.servers COMMENT = ''"
            })
    void whileACallIsUnderWay_whatMayChangeItsWritesClosesEverything(String definition) throws Exception {
        try (Connection reader = through();
                Connection definer = through()) {
            run(definer, "CREATE OR REPLACE TABLE spare (id INT PRIMARY KEY)");
            try (Held held = heldBesideLines(reader)) {
                run(definer, definition);
                assertThat(one(reader, READ)).isNotEqualTo("no row");
                assertThat(source(reader)).isEqualTo("store");
                held.end();
            }
            warm(reader, READ);
            run(definer, "DROP PROCEDURE IF EXISTS q", "DROP VIEW IF EXISTS q", "DROP TABLE IF EXISTS child, spare");
        }
    }

    /**
     * Starts a CALL that leaves lines. Until the catalog has been read again, a dropped table may
     * still be among those that it writes.
     */
    private static Held heldBesideLines(Connection reader) throws Exception {
        long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (true) {
            warm(reader, READ);
            Held held = new Held("BEGIN " + WAIT + "; UPDATE u SET v = v + 1; END", "CALL known.p()");
            assertThat(one(reader, READ)).isNotEqualTo("no row");
            if (source(reader).equals("line")) {
                return held;
            }
            held.end();
            held.close();
            try (Connection straight = straight()) {
                run(straight, "DROP PROCEDURE p");
            }
            assertThat(System.nanoTime()).as("no CALL leaves lines").isLessThan(until);
        }
    }

    @Test
    void whileACallIsUnderWay_definitionsOfOtherTablesLeaveLines() throws Exception {
        try (Connection reader = through();
                Connection definer = through()) {
            warm(reader, READ);
            try (Held held = new Held("BEGIN " + WAIT + "; UPDATE u SET v = v + 1; END", "CALL known.p()")) {
                for (String definition : new String[] {
                    "CREATE TABLE other (id INT PRIMARY KEY)",
                    "ALTER TABLE other ADD COLUMN v INT",
                    "TRUNCATE TABLE other",
                    "DROP TABLE other"
                }) {
                    run(definer, definition);
                    assertThat(one(reader, READ)).isNotEqualTo("no row");
                    assertThat(source(reader)).as(definition).isEqualTo("line");
                }
                held.end();
            }
            assertThat(one(reader, OTHER)).isEqualTo(one(definer, OTHER + " FOR UPDATE"));
        }
    }

    /** It waits for a reader of the table, like a definition that takes minutes. */
    @Test
    void whileAnotherTableIsBeingDefined_aCallLeavesLines() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Connection reader = through();
                Connection definer = through();
                Connection holder = straight();
                Connection straight = straight()) {
            run(definer, "CREATE OR REPLACE TABLE other (id INT PRIMARY KEY)");
            run(holder, "BEGIN", "SELECT * FROM other");
            Future<?> definition = thread.submit(() -> {
                run(definer, "ALTER TABLE other ADD COLUMN v INT");
                return null;
            });
            soon("the table is waited for")
                    .until(() -> one(
                                    straight,
                                    "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'ALTER TABLE other%'")
                            .equals("1"));
            warm(reader, READ);
            try (Held held = new Held(WAIT, "CALL known.p()")) {
                assertThat(one(reader, READ)).isNotEqualTo("no row");
                assertThat(source(reader)).isEqualTo("line");
                held.end();
            }
            run(holder, "COMMIT");
            definition.get(1, TimeUnit.MINUTES);
            run(definer, "DROP TABLE other");
        } finally {
            thread.shutdownNow();
        }
    }

    /**
     * Rows that the store deletes together with those of the CALL, in a table that was created
     * while it ran.
     */
    @Test
    void whileACallIsUnderWay_aCascadeOfItsWritesIsSeen() throws Exception {
        String child = "SELECT id FROM child WHERE id = 2";
        try (Connection reader = through();
                Connection definer = through()) {
            run(definer, "REPLACE INTO u VALUES (2, 20)");
            try (Held held = new Held("BEGIN " + WAIT + "; DELETE FROM u WHERE id = 2; END", "CALL known.p()")) {
                run(
                        definer,
                        "CREATE TABLE child (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES u (id) ON DELETE CASCADE)",
                        "INSERT INTO child VALUES (2)");
                // Reads until a line would exist, if one may.
                for (int i = 0; i < 300; i++) {
                    assertThat(one(reader, child)).isEqualTo("2");
                }
                held.end();
            }
            assertThat(one(reader, child)).isEqualTo("no row");
            run(definer, "DROP TABLE child");
        }
    }

    /** The same within a transaction, until it ends. */
    @Test
    void whileProceduresAreDefined_aCallInATransactionClosesEverythingUntilItsEnd() throws Exception {
        try (Connection reader = through();
                Connection definer = through()) {
            warm(reader, READ);
            try (Held held = new Held(WAIT, "CALL known.p()", "BEGIN")) {
                run(definer, "CREATE PROCEDURE q() SELECT 1");
                held.end();
                assertThat(one(reader, READ)).isNotEqualTo("no row");
                assertThat(source(reader)).isEqualTo("store");
            }
            warm(reader, READ);
            run(definer, "DROP PROCEDURE q");
        }
    }

    /** A change that the gateway does not see before the reply drops lines soon after it. */
    @Test
    void aProcedureThatIsChangedPastTheGatewayWhileItRuns_dropsLines() throws Exception {
        if (MariaDb.isMySql()) {
            return;
        }
        try (Connection reader = through();
                Connection straight = straight()) {
            warm(reader, READ);
            try (Held held = new Held(WAIT, "CALL known.p()")) {
                run(
                        straight,
                        "UPDATE mysql.proc SET modified = modified + INTERVAL 1 HOUR WHERE db = 'known' AND name = 'p'");
                assertThat(one(reader, READ)).isNotEqualTo("no row");
                assertThat(source(reader)).isEqualTo("line");
                held.end();
            }
            soon("lines are dropped").until(() -> {
                one(reader, READ);
                return !source(reader).equals("line");
            });
        }
    }
}
