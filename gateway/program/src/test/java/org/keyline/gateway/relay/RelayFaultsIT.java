package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.rows;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.source;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.Counters;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * A store that is paused, killed and restarted while clients read and write through the gateway.
 */
class RelayFaultsIT {
    private static final int CLIENTS = 4;

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("faulty");
        gateway = RelayGateway.start(store, "cache.loadTimeout=500ms", "cache.ttl=200ms", "store.refresh=200ms");
        try (Connection straight = store.connect("");
                Statement sql = straight.createStatement()) {
            sql.execute("CREATE DATABASE IF NOT EXISTS f");
            sql.execute("USE f");
            Counters.create(sql, "(id INT PRIMARY KEY, n INT NOT NULL)");
        }
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static void signal(long pid, String signal) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                        .start()
                        .waitFor())
                .isZero();
    }

    private static Connection through() throws SQLException {
        return gateway.connect("f");
    }

    /** Returns whether the connection is closed, by a statement that needs no store. */
    private static boolean hasEnded(Connection connection) {
        try {
            return rows(connection, "KEYLINE LAST").isEmpty();
        } catch (SQLException ended) {
            return true;
        }
    }

    @Test
    void storeStopped_idleClientsAskTheGateway_untilTheyNeedTheStoreOrItIsBack() throws Exception {
        String read = "SELECT n FROM counters WHERE id = 1";
        try (Connection asks = through();
                Connection waits = through();
                Connection silent = through();
                Connection writes = through();
                Connection reads = through()) {
            rows(asks, read);
            rows(waits, read);
            writes.setAutoCommit(false);
            rows(writes, read + " FOR UPDATE");
            reads.setAutoCommit(false);
            // A read from lines has begun a transaction that the store does not know.
            soon("the end of the connection").until(() -> {
                reads.rollback();
                rows(reads, read);
                return List.of("line", "load").contains(source(reads));
            });

            ProcessHandle server = ProcessHandle.of(store.pid()).orElseThrow();
            signal(server.pid(), "TERM");
            server.onExit().get(60, TimeUnit.SECONDS);

            // The open transaction is rolled back, so its client must get an error.
            soon("the end of the connection").until(() -> hasEnded(writes));
            soon("the end of the connection").until(() -> hasEnded(reads));
            for (Connection connection : List.of(asks, waits)) {
                assertThat(rows(connection, "SHOW STATUS LIKE 'keyline%'")).isNotEmpty();
                assertThat(rows(connection, "KEYLINE LAST")).isNotEmpty();
            }
            // The right to read the views is known since the login; no later statement has asked
            // the store for it.
            assertThat(rows(silent, "SELECT table_name FROM keyline.tables WHERE schema_name = 'f'"))
                    .contains("counters");
            // Rows are 200 ms old at most.
            soon("the end of the connection")
                    .untilAsserted(() -> assertThatThrownBy(() -> rows(asks, read))
                            .isInstanceOfSatisfying(SQLException.class, gone -> {
                                assertThat(gone.getErrorCode()).isEqualTo(1927);
                                assertThat(gone.getSQLState()).isEqualTo("08S01");
                            }));
            assertThat(hasEnded(asks)).isTrue();
            assertThat(hasEnded(waits)).isFalse();

            store.startAgain();
            soon("the end of the connection").until(() -> hasEnded(waits));
        }
    }

    /** Pools depend on it: their test of a killed connection waits half a second. */
    @Test
    void killedPastTheGateway_theIdleClientNoticesWithin100Ms() throws Exception {
        long soonest = Long.MAX_VALUE;
        try (Connection straight = store.connect("");
                Statement kill = straight.createStatement()) {
            for (int round = 0; round < 8; round++) {
                try (Connection victim = through()) {
                    // In front of this store, the client's session id is the store's own.
                    String id = one(victim, "SELECT CONNECTION_ID()");
                    long killed = System.nanoTime();
                    kill.execute("KILL " + id);
                    soon("the end of the connection").until(() -> hasEnded(victim));
                    soonest = Math.min(soonest, System.nanoTime() - killed);
                }
            }
        }
        assertThat(Duration.ofNanos(soonest)).isLessThan(Duration.ofMillis(100));
    }

    @Test
    void storePausedKilledAndStartedAgain_nobodyReadsAWrongRow() throws Exception {
        String url = gateway.jdbc("f") + "&useServerPrepStmts=true&socketTimeout=20000&connectTimeout=5000";
        try (Counters load = new Counters(url).begin()) {
            load.awaitReads(2_000);

            long pid = store.pid();
            signal(pid, "STOP");
            // Logins fail while the store does not answer, and clients get no wrong error
            // meanwhile.
            assertThatThrownBy(() -> DriverManager.getConnection(
                                    gateway.jdbc("f") + "&connectTimeout=1000&socketTimeout=1000")
                            .close())
                    .isInstanceOf(SQLException.class);
            signal(pid, "CONT");
            load.awaitReads(2_000);

            int before = load.failures();
            signal(pid, "KILL");
            soon("the end of the connection").until(() -> load.failures() >= before + CLIENTS);
            assertThatThrownBy(() -> gateway.connect("f").close())
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("Keyline cannot reach the store at");
            store.startAgain();
            load.awaitReads(2_000);
        }
    }
}
