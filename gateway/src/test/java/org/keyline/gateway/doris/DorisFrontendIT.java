package org.keyline.gateway.doris;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.keyline.gateway.doris.LiveDoris.prepared;
import static org.keyline.gateway.doris.LiveDoris.rows;
import static org.keyline.gateway.doris.LiveDoris.run;
import static org.keyline.gateway.doris.LiveDoris.source;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.differential.RawClient;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.client.ClientOptions;

/**
 * The gateway in front of a real Doris frontend, which {@code -Dkeyline.doris=HOST:PORT} names. {@code -Dkeyline.doris.drivers=JAR,JAR}
 * names drivers beside those of the build.
 */
@EnabledIfSystemProperty(named = "keyline.doris", matches = ".+")
final class DorisFrontendIT {
    private static final Duration SOON = Duration.ofSeconds(10);

    private static LiveDoris live;

    @BeforeAll
    static void start() throws Exception {
        live = new LiveDoris();
    }

    @AfterAll
    static void stop() throws Exception {
        live.close();
    }

    static Stream<Driver> drivers() throws Exception {
        List<Driver> drivers = new ArrayList<>(List.of(new com.mysql.cj.jdbc.Driver(), new org.mariadb.jdbc.Driver()));
        for (String jar : System.getProperty("keyline.doris.drivers", "").split(",", -1)) {
            if (!jar.isEmpty()) {
                URL[] url = {Path.of(jar).toUri().toURL()};
                ServiceLoader.load(Driver.class, new URLClassLoader(url, ClassLoader.getPlatformClassLoader()))
                        .forEach(drivers::add);
            }
        }
        return drivers.stream();
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void driver_preparedAndText_readsRowsAndHits(Driver driver) throws Exception {
        run(live.straight(), "INSERT INTO items VALUES (1, 'one', 1.5, '2026-01-02 03:04:05')");
        String scheme = driver.getClass().getName().contains("mariadb") ? "mariadb" : "mysql";
        String plain = scheme.equals("mysql") ? "DISABLED" : "disable";
        String url = live.url(scheme) + "&useServerPrepStmts=true&cachePrepStmts=true&sslMode=" + plain;
        try (Connection client = requireNonNull(driver.connect(url, new Properties()))) {
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(prepared(client, 1)).hasSize(1).first().asString().startsWith("1|one|1.50|2026-01-02");
                assertThat(source(client)).isEqualTo("line");
            });
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(rows(client, "SELECT * FROM items WHERE k = 1")).hasSize(1);
                assertThat(source(client)).isEqualTo("line");
            });
            assertThat(prepared(client, 99)).isEmpty();
            assertThat(prepared(client, 99)).isEmpty();
            assertThat(rows(client, "SHOW TABLES")).contains("items");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM items WHERE k = 1",
                "SELECT v, k FROM items WHERE k = '1'",
                "SELECT * FROM items WHERE 1 = k",
                "SELECT i.v FROM items i WHERE i.k = 1",
                "SELECT * FROM items WHERE k IN (1)",
                "SELECT * FROM items WHERE k = 1 AND v = 'one'",
                "SELECT * FROM items WHERE k = 1 LIMIT 1",
                "SELECT * FROM items WHERE k IN (1, 200)",
                "SELECT * FROM items WHERE k >= 1 AND k < 3",
                "SELECT COUNT(*) FROM items WHERE k = 1",
                "SELECT * FROM items WHERE k = 1 ORDER BY k",
                "SELECT * FROM items WHERE v = 'one'"
            })
    void explain_whatIsAShortCircuitOnOneKey_isAgreedOn(String sql) throws Exception {
        boolean doris =
                String.join("\n", rows(live.straight(), "EXPLAIN " + sql)).contains("SHORT-CIRCUIT");
        try (Connection client = live.through()) {
            boolean here = rows(client, "KEYLINE EXPLAIN " + sql).contains("at the store|SHORT-CIRCUIT");
            assertThat(here).isEqualTo(doris);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO items VALUES (1, 'new', 1, NULL)",
                "UPDATE items SET v = 'new' WHERE k = 1",
                "DELETE FROM items WHERE k = 1",
                "TRUNCATE TABLE items",
                "ALTER TABLE items ADD COLUMN more INT DEFAULT '5'",
                "ALTER TABLE items DROP PARTITION low",
                "SWAP",
                "RECREATE"
            })
    void change_pastTheGateway_isSeenByVersions(String change) throws Exception {
        live.table("items", "one");
        try (Connection client = live.through();
                Connection other = LiveDoris.asRoot()) {
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(prepared(client, 1)).first().asString().startsWith("1|one|");
                assertThat(source(client)).isEqualTo("line");
            });
            run(other, "USE keyline");
            switch (change) {
                case "SWAP" -> {
                    live.table("others", "swapped");
                    run(other, "ALTER TABLE items REPLACE WITH TABLE others PROPERTIES('swap'='true')");
                }
                case "RECREATE" -> live.table("items", "again");
                default -> run(other, change);
            }
            long began = System.nanoTime();
            List<String> expected = rows(other, "SELECT k, v, d, t FROM items WHERE k = 1 LIMIT 1");
            await().atMost(SOON)
                    .pollInterval(Duration.ofMillis(20))
                    .untilAsserted(() -> assertThat(prepared(client, 1)).isEqualTo(expected));
            System.getLogger("doris")
                    .log(
                            System.Logger.Level.INFO,
                            change + ": seen after " + (System.nanoTime() - began) / 1_000_000 + " ms");
            // And so they stay, for loads as well.
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(prepared(client, 1)).isEqualTo(expected);
                assertThat(source(client)).isEqualTo("line");
            });
        }
    }

    @Test
    void right_thatIsRevoked_stopsHits() throws Exception {
        live.table("items", "one");
        try (Connection client = live.through()) {
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(rows(client, "SELECT * FROM items WHERE k = 1")).hasSize(1);
                assertThat(source(client)).isEqualTo("line");
            });
            run(live.straight(), "REVOKE SELECT_PRIV ON keyline.* FROM 'keyline_app'@'%'");
            try {
                await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> {
                    String told = "";
                    try {
                        rows(client, "SELECT * FROM items WHERE k = 1");
                    } catch (SQLException refused) {
                        told = String.valueOf(refused.getMessage());
                    }
                    assertThat(told).contains("denied");
                });
            } finally {
                run(live.straight(), "GRANT SELECT_PRIV ON keyline.* TO 'keyline_app'@'%'");
            }
        }
    }

    @Test
    void rowPolicy_madePastTheGateway_endsHitsAndHolds() throws Exception {
        live.table("items", "one");
        try (Connection client = live.through()) {
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(rows(client, "SELECT * FROM items WHERE k = 1")).hasSize(1);
                assertThat(source(client)).isEqualTo("line");
            });
            run(
                    live.straight(),
                    "CREATE ROW POLICY keyline_test ON keyline.items AS RESTRICTIVE TO keyline_app USING (v = 'other')");
            try {
                await().atMost(SOON)
                        .untilAsserted(() -> assertThat(rows(client, "SELECT * FROM items WHERE k = 1"))
                                .isEmpty());
                for (int i = 0; i < 5; i++) {
                    assertThat(rows(client, "SELECT * FROM items WHERE k = 1")).isEmpty();
                    assertThat(source(client)).isEqualTo("store");
                }
            } finally {
                run(live.straight(), "DROP ROW POLICY keyline_test ON keyline.items FOR keyline_app");
            }
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(rows(client, "SELECT * FROM items WHERE k = 1")).hasSize(1);
                assertThat(source(client)).isEqualTo("line");
            });
        }
    }

    /** PyMySQL substitutes parameters itself: text, under a session of its own kind. */
    @Test
    void pyMySql_hits() throws Exception {
        ClientProcess.assumePython("pymysql");
        live.table("items", "one");
        String script = """
                import pymysql, sys, time
                c = pymysql.connect(host='127.0.0.1', port=int(sys.argv[1]), user='keyline_app', password='pw', database='keyline')
                k = c.cursor()
                end = time.time() + 60
                while True:
                    k.execute('SELECT k, v, d FROM items WHERE k = %s', (1,))
                    rows = k.fetchall()
                    k.execute('KEYLINE LAST')
                    source = k.fetchone()[1]
                    if source == 'line' or time.time() > end:
                        break
                k.execute('SELECT k FROM items WHERE k = %s', (99,))
                print(rows, source, k.fetchall())
                """;
        assertThat(ClientProcess.python(script, Integer.toString(live.port())))
                .isEqualToNormalizingNewlines("((1, 'one', Decimal('1.50')),) line ()\n");
    }

    /** Whatever was recorded of a frontend, and asks for nothing that changes between two questions: the same bytes, also from lines. */
    @Test
    void recordedStatements_straightAndThrough_haveTheSameBytes() throws Exception {
        run(live.straight(), "GRANT SELECT_PRIV ON pq.* TO 'keyline_app'@'%'");
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (ReplayedFrontend recorded = new ReplayedFrontend();
                RawClient straight = raw(LiveDoris.ADDRESS, loops);
                RawClient through = raw("127.0.0.1:" + live.port(), loops)) {
            int compared = 0;
            int changing = 0;
            for (String command : recorded.commands()) {
                boolean text =
                        command.startsWith("query ") && !command.contains("; ") && !command.contains("connection_id");
                if (!text) {
                    continue;
                }
                List<String> before =
                        straight.send(ReplayedFrontend.payload(command)).packets();
                for (int i = 0; i < 3; i++) {
                    List<String> answer =
                            through.send(ReplayedFrontend.payload(command)).packets();
                    List<String> after =
                            straight.send(ReplayedFrontend.payload(command)).packets();
                    if (after.equals(before)) {
                        assertThat(answer).as(command).isEqualTo(before);
                        compared++;
                    } else {
                        before = after;
                        changing++;
                    }
                }
            }
            System.getLogger("doris")
                    .log(
                            System.Logger.Level.INFO,
                            compared + " replies compared, " + changing + " that change by themselves");
            assertThat(compared).isGreaterThan(200);
        } finally {
            loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private static RawClient raw(String address, EventLoopGroup loops) throws Exception {
        String[] parts = address.split(":", 2);
        ClientOptions options = ClientOptions.of(parts[0], Integer.parseInt(parts[1]), "keyline_app")
                .password("pw")
                .database("pq")
                .capabilities(ClientOptions.DEFAULT_CAPABILITIES
                        & ~(Capabilities.CLIENT_DEPRECATE_EOF | Capabilities.CLIENT_MULTI_STATEMENTS))
                .build();
        return new RawClient(options, loops.next());
    }
}
