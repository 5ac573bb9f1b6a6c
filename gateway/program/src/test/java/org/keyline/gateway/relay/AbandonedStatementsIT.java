package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.fixtures.TcpProxy;

/** Clients that disconnect while their statements run at the store. */
final class AbandonedStatementsIT {
    /** Counts the statements of clients, and not the gateway's questions about the procedure. */
    private static final String RUNNING = "SELECT COUNT(*) FROM information_schema.processlist"
            + " WHERE info LIKE '%abandoned%' AND info NOT LIKE '%ROUTINES%' AND id <> CONNECTION_ID()";

    private static final long LATE_NANOS = 1_000_000_000;

    private static final MariaDb STORE = MariaDb.get("second");

    @BeforeEach
    void schema() throws SQLException {
        try (Connection admin = STORE.connect("")) {
            Lines.run(
                    admin,
                    "CREATE OR REPLACE DATABASE a",
                    "CREATE TABLE a.t (id INT PRIMARY KEY, v INT)",
                    "USE a",
                    "INSERT INTO t SELECT seq, 1 FROM seq_1_to_2000",
                    "CREATE USER IF NOT EXISTS leaving@'127.0.0.1' IDENTIFIED BY 'secret'",
                    "GRANT SELECT ON *.* TO leaving@'127.0.0.1'");
        }
    }

    private static ConditionFactory soon() {
        return await().atMost(1, TimeUnit.MINUTES).pollDelay(Duration.ZERO).pollInterval(5, TimeUnit.MILLISECONDS);
    }

    private static boolean runs(Connection admin) throws SQLException {
        return !Lines.one(admin, RUNNING).equals("0");
    }

    /** Begins a statement, and closes its client's socket as soon as it runs at the store. */
    private static void leave(RelayGateway gateway, Connection admin, String statement, boolean prepared)
            throws SQLException, IOException {
        leave(
                DriverManager.getConnection(gateway.jdbc("a") + "&useServerPrepStmts=" + prepared),
                admin,
                statement,
                client -> client.abort(Runnable::run));
    }

    private interface Leaving {
        void leave(Connection client) throws SQLException, IOException;
    }

    private static void leave(Connection client, Connection admin, String statement, Leaving leaving)
            throws SQLException, IOException {
        CompletableFuture<Void> received = CompletableFuture.runAsync(() -> {
            try (PreparedStatement sql = client.prepareStatement(statement)) {
                sql.execute();
            } catch (SQLException ended) {
                // The test has closed its socket.
                assertThat(ended.getErrorCode()).isNotEqualTo(1064);
            }
        });
        soon().until(() -> runs(admin));
        leaving.leave(client);
        received.join();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            SELECT GET_LOCK('abandoned', 3600)                                          | false
            SELECT SLEEP(1000) AS abandoned                                             | false
            SELECT SLEEP(1000) AS abandoned                                             | true
            SELECT COUNT(*) AS abandoned FROM t AS x, t AS y, t AS z WHERE x.v+y.v+z.v<0 | false
            """)
    void read_isEndedAtTheStoreWithinASecond(String statement, boolean prepared) throws Exception {
        long soonest = Long.MAX_VALUE;
        try (RelayGateway gateway = RelayGateway.start(STORE);
                Connection admin = STORE.connect("a")) {
            Lines.one(admin, "SELECT GET_LOCK('abandoned', 0)");
            for (int round = 0; round < 3 && soonest >= LATE_NANOS; round++) {
                leave(gateway, admin, statement, prepared);
                long left = System.nanoTime();
                soon().until(() -> !runs(admin));
                soonest = Math.min(soonest, System.nanoTime() - left);
            }
        }
        assertThat(soonest).isLessThan(LATE_NANOS);
    }

    /**
     * The store checks the clients of waiting statements. Unread bytes must not make it believe
     * that the client is still connected.
     */
    @Test
    void read_whereTheAccountMayNotKill_endsAsStraight() throws Exception {
        try (RelayGateway gateway = RelayGateway.start(STORE, "store.user=leaving", "store.password=secret");
                Connection admin = STORE.connect("a")) {
            leave(gateway, admin, "SELECT SLEEP(1000) AS abandoned", false);
            soon().until(() -> !runs(admin));
        }
    }

    /**
     * The session list shows the network's port there, so another server may have a session with
     * this id.
     */
    @Test
    void read_whereTheServerIsUncertain_isNotKilled() throws Exception {
        try (TcpProxy network = new TcpProxy(STORE.address());
                RelayGateway gateway = RelayGateway.start(STORE, "store.url=mysql://127.0.0.1:" + network.port());
                Connection admin = STORE.connect("a")) {
            String kills = Lines.one(admin, "SHOW GLOBAL STATUS LIKE 'Com_kill'", 2);
            leave(gateway, admin, "SELECT SLEEP(1000) AS abandoned", false);
            soon().until(() -> !runs(admin));
            assertThat(Lines.one(admin, "SHOW GLOBAL STATUS LIKE 'Com_kill'", 2))
                    .isEqualTo(kills);
        }
    }

    /**
     * As without the gateway, a write is executed whether or not its client waits for it. A line
     * from before would last for an hour.
     */
    @ParameterizedTest
    @CsvSource({
        "UPDATE t SET v = 2 WHERE id = 1 /* abandoned */, false",
        "UPDATE t SET v = 2 WHERE id = 1 /* abandoned */, true",
        "CALL abandoned(), false",
        "CALL abandoned(), true"
    })
    void write_isDone_andSeen(String write, boolean reset) throws Exception {
        try (RelayGateway gateway = RelayGateway.start(STORE, "store.signal=none");
                Connection admin = STORE.connect("a");
                Connection reader = gateway.connect("a");
                Connection locks = STORE.connect("a")) {
            Lines.run(admin, "CREATE PROCEDURE abandoned() UPDATE t SET v = 2 WHERE id = 1 /* abandoned */");
            Lines.warm(reader, "SELECT v FROM t WHERE id = 1");
            locks.setAutoCommit(false);
            Lines.run(locks, "SELECT v FROM t WHERE id = 1 FOR UPDATE");
            try (TcpProxy network =
                    new TcpProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.port()))) {
                String url = gateway.jdbc("a").replaceFirst(":[0-9]+/", ":" + network.port() + "/");
                Leaving leaving = reset ? left -> network.reset() : left -> left.abort(Runnable::run);
                leave(DriverManager.getConnection(url), admin, write, leaving);
            }
            // Longer than a read would get.
            await().pollDelay(1, TimeUnit.SECONDS).until(() -> {
                assertThat(Lines.one(reader, "SELECT v FROM t WHERE id = 1")).isEqualTo("1");
                return runs(admin);
            });
            locks.commit();
            soon().until(() -> !runs(admin));
            assertThat(Lines.one(admin, "SELECT v FROM t WHERE id = 1")).isEqualTo("2");
            // Sooner than the reply of another execution would replace the line.
            soon().atMost(10, TimeUnit.SECONDS)
                    .until(() ->
                            Lines.one(reader, "SELECT v FROM t WHERE id = 1").equals("2"));
        }
    }
}
