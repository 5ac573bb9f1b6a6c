package org.keyline.gateway.relay;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.ErrPacket;

/** Limits that change while the gateway runs, as clients see them before and after. */
final class LiveLimitsIT {
    private static final MariaDb STORE = MariaDb.get("second");
    private static final String READ = "SELECT v FROM items WHERE id = 1";

    private Connection straight;
    private Statement store;
    private RelayGateway gateway;
    private Connection connection;
    private Statement sql;

    @BeforeEach
    void start() throws Exception {
        straight = STORE.connect("");
        store = straight.createStatement();
        store.execute("CREATE OR REPLACE DATABASE live_limits");
        store.execute("CREATE TABLE live_limits.items (id INT PRIMARY KEY, v INT)");
        store.execute("INSERT INTO live_limits.items VALUES (1, 10), (2, 20)");
        gateway = RelayGateway.start(STORE, "http=127.0.0.1:0", "privilegeTtl=1h", "cache.auditOneIn=0");
        connection = gateway.connect("live_limits");
        sql = connection.createStatement();
    }

    @AfterEach
    void stop() throws Exception {
        connection.close();
        gateway.close();
        straight.close();
    }

    private void set(String path, String value) throws SQLException {
        sql.execute("KEYLINE SET " + path + " = " + (value.equals("DEFAULT") ? value : "'" + value + "'"));
    }

    private TestClient client() throws Exception {
        return gateway.client("live_limits");
    }

    /** Returns the error of a statement with this length; null without an error. */
    private static @Nullable Integer error(TestClient client, int bytes) throws Exception {
        @Nullable
        ErrPacket error =
                client.query("SELECT LENGTH('" + "x".repeat(bytes) + "')").error();
        return error == null ? null : error.code();
    }

    private double metric(String name) throws IOException, InterruptedException {
        String metrics = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.http() + "/metrics"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
        return metrics.lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void memory_ofOpenConnectionsToo_isThatOfNow() throws Exception {
        try (TestClient client = client()) {
            // It is in memory three times.
            assertThat(error(client, 3 << 20)).isNull();
            set("limits.memory", "16MiB");
            assertThat(error(client, 3 << 20))
                    .as("half of it is for one connection")
                    .isEqualTo(1038);
            assertThat(error(client, 1 << 20)).isNull();
            assertThat(metric("keyline_memory_limit_bytes")).isEqualTo(16 << 20);
            set("limits.memory", "DEFAULT");
            assertThat(error(client, 3 << 20)).isNull();
        }
    }

    @Test
    void packetSize_onTheEmbeddedStore_isThatOfTheLogin() throws Exception {
        // In front of a server, commands are forwarded as they arrive, and the server's own limit
        // applies.
        try (DemoGateway demo = DemoGateway.start();
                Connection root = DriverManager.getConnection(demo.jdbc("mysql", "demo", "user=root"));
                Statement change = root.createStatement();
                TestClient before = TestClient.connect(demo.address(), "demo")) {
            change.execute("KEYLINE SET limits.maxAllowedPacket = '64KiB'");
            try (TestClient after = TestClient.connect(demo.address(), "demo")) {
                assertThat(error(after, 32 << 10)).isNull();
                assertThat(error(after, 128 << 10)).isEqualTo(1153);
            }
            assertThat(error(before, 128 << 10)).isNull();
            change.execute("KEYLINE SET limits.maxAllowedPacket = DEFAULT");
            try (TestClient after = TestClient.connect(demo.address(), "demo")) {
                assertThat(error(after, 128 << 10)).isNull();
            }
        }
    }

    @Test
    void planCache_thatShrinks_evictsPlans_andThatGrows_keepsThemAgain() throws Exception {
        plans(0);
        assertThat(metric("keyline_plans")).isGreaterThan(1_500);
        set("limits.planCache", "1MiB");
        // A plan occupies more than a kibibyte.
        Lines.soon("evictions").until(() -> metric("keyline_plans") < 1_024);
        plans(1_500);
        assertThat(metric("keyline_plans")).isLessThan(1_024);
        set("limits.planCache", "DEFAULT");
        Lines.soon("room again").until(() -> {
            plans(3_000);
            return metric("keyline_plans") > 1_500;
        });
    }

    /** Makes the gateway plan 1,500 statements. */
    private void plans(int from) throws SQLException {
        for (int i = from; i < from + 1_500; i++) {
            assertThat(Lines.one(connection, "SELECT v AS c" + i + " FROM items WHERE id = 1"))
                    .isEqualTo("10");
        }
    }

    @Test
    void preparedStatementsOfAllSessions_areThoseOfNow() throws Exception {
        try (TestClient client = client()) {
            set("limits.preparedStatements", "1");
            assertThat(client.prepare("SELECT v FROM items WHERE id = ?").id()).isPositive();
            assertThat(requireNonNull(client.prepareRefused("SELECT v FROM items WHERE v = ?")
                                    .error())
                            .code())
                    .isEqualTo(1461);
            set("limits.preparedStatements", "2");
            assertThat(client.prepare("SELECT v FROM items WHERE v = ?").id()).isPositive();
        }
    }

    @Test
    void loginTimeout_isThatOfTheConnectionsBegin() throws Exception {
        set("limits.loginTimeout", "100ms");
        try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            // With the limit of the start, it would take 10 s.
            silent.setSoTimeout((int) TimeUnit.SECONDS.toMillis(8));
            InputStream in = silent.getInputStream();
            while (in.read() >= 0) {
                // the greeting, and the error at the end
            }
        }
        assertThat(Lines.one(connection, READ)).as("of who is logged in").isEqualTo("10");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void peerTimeout_isThatOfTheConnectionsBegin() throws Exception {
        set("limits.peerTimeout", "1h");
        try (Socket peer = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            assertThat(peer.getInputStream().read()).isNotNegative();
            // The first probe of a silent peer comes after half of the time; with the limit of the
            // start, after 30 s.
            assertThat(keepAliveSeconds(gateway.port(), peer.getLocalPort())).isBetween(1_000L, 1_800L);
        }
    }

    /** Returns when the system next probes the peer of a connection. */
    private static long keepAliveSeconds(int local, int remote) throws IOException {
        for (String family : new String[] {"tcp", "tcp6"}) {
            for (String line : Files.readAllLines(Path.of("/proc/net", family))) {
                String[] field = line.strip().split(" +", -1);
                if (field[1].endsWith(":%04X".formatted(local)) && field[2].endsWith(":%04X".formatted(remote))) {
                    // tr:tm->when, in hundredths of a second; 2 is keepalive.
                    assertThat(field[5]).startsWith("02:");
                    return Long.parseLong(field[5].substring(3), 16) / 100;
                }
            }
        }
        throw new AssertionError("no such connection");
    }

    @Test
    void privilegeTtl_thatIsShorter_endsWhatWasAllowedBefore_andHoldsFromThenOn() throws Exception {
        store.execute("CREATE OR REPLACE USER clerk@'127.0.0.1' IDENTIFIED BY 'secret'");
        store.execute("GRANT SELECT ON live_limits.items TO clerk@'127.0.0.1'");
        try (Connection clerk = DriverManager.getConnection(
                gateway.jdbc("live_limits").replace("user=" + MariaDb.USER, "user=clerk"))) {
            Lines.warm(clerk, READ);
            store.execute("REVOKE SELECT ON live_limits.items FROM clerk@'127.0.0.1'");
            assertThat(Lines.one(clerk, READ)).as("within an hour").isEqualTo("10");
            set("privilegeTtl", "100ms");
            denied(clerk);
            store.execute("GRANT SELECT ON live_limits.items TO clerk@'127.0.0.1'");
            Lines.warm(clerk, READ);
            store.execute("REVOKE SELECT ON live_limits.items FROM clerk@'127.0.0.1'");
            Lines.soon("the end of what was allowed").until(() -> {
                try {
                    return Lines.one(clerk, READ).isEmpty();
                } catch (SQLException e) {
                    return e.getErrorCode() == 1142;
                }
            });
        } finally {
            store.execute("DROP USER clerk@'127.0.0.1'");
        }
    }

    private static void denied(Connection clerk) {
        assertThatThrownBy(() -> Lines.one(clerk, READ))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1142));
    }

    @Test
    void audits_areAsManyAsNow() throws Exception {
        Lines.warm(connection, READ);
        String audits = "SHOW STATUS LIKE 'keyline_audits'";
        assertThat(Lines.one(connection, audits, 2)).isEqualTo("0");
        set("cache.auditOneIn", "1");
        Lines.soon("an audit").until(() -> {
            assertThat(Lines.one(connection, READ)).isEqualTo("10");
            return !Lines.one(connection, audits, 2).equals("0");
        });
    }

    @Test
    void timeOfStatements_onTheEmbeddedStore_isThatOfNow() throws Exception {
        try (DemoGateway demo = DemoGateway.start();
                Connection root = DriverManager.getConnection(demo.jdbc("mysql", "demo", "user=root"));
                Statement endless = root.createStatement()) {
            endless.execute("KEYLINE SET store.duckdb.maxExecutionTime = '100ms'");
            assertThatThrownBy(
                            () -> endless.execute(
                                    "SELECT COUNT(*) FROM users a, users b, users c, users d, users e, users f, users g WHERE a.name <> b.name"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(3024));
            assertThat(Lines.one(root, "SELECT COUNT(*) > 0 FROM users")).isEqualTo("1");
        }
    }
}
