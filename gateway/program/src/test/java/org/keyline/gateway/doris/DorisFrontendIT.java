package org.keyline.gateway.doris;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.doris.LiveDoris.prepared;
import static org.keyline.gateway.doris.LiveDoris.rows;
import static org.keyline.gateway.doris.LiveDoris.run;
import static org.keyline.gateway.doris.LiveDoris.source;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.differential.RawClient;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.stores.mysql.catalog.Dialect;

/**
 * The gateway in front of a real Doris frontend, which {@code -Dkeyline.doris=HOST:PORT} names.
 * {@code -Dkeyline.doris.drivers=JAR,JAR} names drivers beside those of the build.
 */
@EnabledIfSystemProperty(named = "keyline.doris", matches = ".+")
final class DorisFrontendIT {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final HexFormat HEX = HexFormat.of();

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
    @CsvFileSource(
            resources = "DorisFrontendIT.explain_whatIsAShortCircuitOnOneKey_isAgreedOn.txt",
            delimiter = '\t',
            quoteCharacter = '~')
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
            // The rows remain so, for loads as well.
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

    /** PyMySQL substitutes parameters itself: text statements in a session with other settings. */
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

    /**
     * Go's driver prepares each statement with parameters again, and its users begin transactions.
     */
    @ParameterizedTest
    @ValueSource(strings = {"sql", "sql_tx", "sqlx"})
    void go_hits(String client) throws Exception {
        run(live.straight(), "CREATE DATABASE IF NOT EXISTS frameworks");
        run(live.straight(), "GRANT SELECT_PRIV ON frameworks.* TO 'keyline_app'@'%'");
        run(live.straight(), "DROP TABLE IF EXISTS frameworks.item FORCE");
        run(
                live.straight(),
                "CREATE TABLE frameworks.item (id INT NOT NULL, name VARCHAR(40), price DECIMAL(10, 2)) UNIQUE KEY(id)"
                        + " DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES('replication_num'='1','store_row_column'='true')");
        run(live.straight(), "INSERT INTO frameworks.item VALUES (5, 'item 5', 5.5)");
        try (Connection counting = live.through()) {
            int before = hits(counting);
            Path errors = Files.createTempFile("keyline", ".txt");
            try {
                ProcessBuilder go = new ProcessBuilder("go", "run", ".", client)
                        .directory(Path.of("src/test/frameworks/go").toFile())
                        .redirectError(errors.toFile());
                go.environment()
                        .putAll(Map.of(
                                "FRAMEWORKS_PORT", Integer.toString(live.port()),
                                "FRAMEWORKS_USER", "keyline_app",
                                "FRAMEWORKS_PASSWORD", "pw",
                                "FRAMEWORKS_READS", "20"));
                Process run;
                try {
                    run = go.start();
                } catch (IOException none) {
                    assumeTrue(false, "Go is not installed");
                    return;
                }
                assertThat(run.waitFor(5, TimeUnit.MINUTES)).isTrue();
                assertThat(run.exitValue()).as(Files.readString(errors)).isZero();
            } finally {
                Files.delete(errors);
            }
            // The first reads load the line.
            assertThat(hits(counting) - before).isGreaterThanOrEqualTo(10);
        }
    }

    private static int hits(Connection client) throws SQLException {
        return Integer.parseInt(
                rows(client, "SHOW STATUS LIKE 'Keyline_hits'").get(0).replace("Keyline_hits|", ""));
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void driver_withoutAutocommit_hits(Driver driver) throws Exception {
        live.table("items", "one");
        boolean mysql = !driver.getClass().getName().contains("mariadb");
        String url = live.url(mysql ? "mysql" : "mariadb") + "&useServerPrepStmts=true&sslMode="
                + (mysql ? "DISABLED" : "disable");
        try (Connection client = requireNonNull(driver.connect(url, new Properties()))) {
            client.setAutoCommit(false);
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(prepared(client, 1)).hasSize(1);
                assertThat(source(client)).isEqualTo("line");
            });
            client.commit();
            assertThat(rows(client, "SELECT v FROM items WHERE k = 1")).containsExactly("one");
            client.rollback();
            assertThat(prepared(client, 1)).hasSize(1);
        }
    }

    /**
     * Variables and hints that change no answer leave hits on. One that changes answers turns them
     * off, and has the same effect as directly.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SET enable_short_circuit_query = true | SELECT v FROM items WHERE k = 1 | line",
                "SET enable_short_circuit_query = false | SELECT v FROM items WHERE k = 1 | line",
                "SET query_timeout = 60 | SELECT v FROM items WHERE k = 1 | line",
                "SET parallel_pipeline_task_num = 2 | SELECT v FROM items WHERE k = 1 | line",
                "SET enable_profile = false | SELECT /*+ SET_VAR(enable_nereids_planner=true) */ v FROM items WHERE k = 1 | line",
                "SET enable_profile = false | SELECT /*+ SET_VAR(query_timeout=9) */ v FROM items WHERE k = 1 | line",
                "SET skip_delete_sign = true | SELECT v FROM items WHERE k = 1 | store",
                "SET show_hidden_columns = true | SELECT v FROM items WHERE k = 1 | store"
            })
    void variable_ofDoris_turnsHitsOffOnlyWhereItMatters(String set, String read, String expected) throws Exception {
        live.table("items", "one");
        try (Connection client = live.through()) {
            run(client, set);
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(rows(client, read)).containsExactly("one");
                assertThat(source(client)).isEqualTo(expected);
            });
            for (int i = 0; i < 5; i++) {
                assertThat(rows(client, read)).containsExactly("one");
            }
            assertThat(source(client)).isEqualTo(expected);
        }
    }

    /**
     * The stored password belongs to one plugin; a client that begins with another plugin is asked
     * to switch.
     */
    @ParameterizedTest
    @ValueSource(strings = {"mysql_native_password", "caching_sha2_password", "sha256_password"})
    void login_thatBeginsWithAnyMethod_isAnsweredAsStraight(String plugin) throws Exception {
        run(live.straight(), "DROP USER IF EXISTS 'keyline_open'@'%'");
        run(live.straight(), "CREATE USER 'keyline_open'@'%'");
        run(live.straight(), "GRANT SELECT_PRIV ON keyline.* TO 'keyline_open'@'%'");
        String through = "127.0.0.1:" + live.port();
        for (String login : new String[] {
            "keyline_app&password=pw", "keyline_app&password=wrong", "keyline_app", "keyline_open", "nobody&password=pw"
        }) {
            assertThat(login(through, plugin, login)).as(login).isEqualTo(login(LiveDoris.ADDRESS, plugin, login));
        }
        assertThat(login(through, plugin, "keyline_app&password=pw")).isEqualTo("1");
        assertThat(login(through, plugin, "keyline_app&password=wrong")).contains("denied");
    }

    /** Returns the rows or the error that a client gets with this login. */
    private static String login(String address, String plugin, String user) throws SQLException {
        String url = "jdbc:mysql://" + address + "/keyline?sslMode=DISABLED&allowPublicKeyRetrieval=true"
                + "&connectTimeout=60000&socketTimeout=120000&defaultAuthenticationPlugin=" + plugin + "&user=" + user;
        try (Connection client = DriverManager.getConnection(url)) {
            return String.join(",", rows(client, "SELECT k FROM items WHERE k = 1"));
        } catch (SQLException refused) {
            return refused.getErrorCode() + " " + refused.getMessage();
        }
    }

    /**
     * With the flag, which Doris honours but does not offer, the client gets every result; without
     * it, the last one. No session ends.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, Capabilities.CLIENT_MULTI_STATEMENTS})
    void severalStatementsInOneText_areAnsweredAsStraight(int flag) throws Exception {
        try (RawClient straight = raw(LiveDoris.ADDRESS, "keyline", flag);
                RawClient through = raw("127.0.0.1:" + live.port(), "keyline", flag)) {
            for (int i = 0; i < 3; i++) {
                for (String text : new String[] {
                    "SELECT 1; SELECT 2",
                    "SET query_timeout = 60; SELECT 3",
                    "SELECT 4;",
                    "SELECT 5; SELECT * FROM missing"
                }) {
                    List<String> expected = new ArrayList<>(straight.query(text).packets());
                    // Directly, the ids continue from results that are not sent; through the
                    // gateway, they begin with 1.
                    for (int at = 0; at < expected.size(); at++) {
                        String packet = expected.get(at);
                        expected.set(
                                at, packet.substring(0, 6) + HEX.toHexDigits((byte) (at + 1)) + packet.substring(8));
                    }
                    assertThat(through.query(text).packets()).as(text).isEqualTo(expected);
                }
            }
        }
    }

    /**
     * The reason why loads of binary rows are prepared again each time: a plan continues to read
     * the table for which it was made. Prints the cost.
     */
    @Test
    void planThatIsReused_readsTheOldTableAfterASwap() throws Exception {
        live.table("items", "one");
        live.table("others", "swapped");
        String url = "jdbc:mysql://" + LiveDoris.ADDRESS + "/keyline?user=root&useServerPrepStmts=true";
        String read = "SELECT v FROM items WHERE k = ?";
        try (Connection client = DriverManager.getConnection(url);
                PreparedStatement kept = client.prepareStatement(read)) {
            long[] nanos = new long[3];
            for (int i = 0; i < 300; i++) {
                long began = System.nanoTime();
                assertThat(value(kept)).isEqualTo("one");
                long reused = System.nanoTime();
                try (PreparedStatement anew = client.prepareStatement(read)) {
                    assertThat(value(anew)).isEqualTo("one");
                }
                long prepared = System.nanoTime();
                assertThat(rows(client, "SELECT v FROM items WHERE k = 1")).containsExactly("one");
                if (i >= 100) {
                    nanos[0] += reused - began;
                    nanos[1] += prepared - reused;
                    nanos[2] += System.nanoTime() - prepared;
                }
            }
            System.getLogger("doris")
                    .log(
                            System.Logger.Level.INFO,
                            "microseconds of a read: " + nanos[0] / 200_000 + " by a plan that is reused, "
                                    + nanos[1] / 200_000 + " prepared anew, " + nanos[2] / 200_000 + " as text");
            run(live.straight(), "ALTER TABLE items REPLACE WITH TABLE others PROPERTIES('swap'='true')");
            assertThat(rows(client, "SELECT v FROM items WHERE k = 1")).containsExactly("swapped");
            assertThat(value(kept)).isEqualTo("one");
        }
    }

    private static String value(PreparedStatement read) throws SQLException {
        read.setInt(1, 1);
        try (ResultSet result = read.executeQuery()) {
            return result.next() ? result.getString(1) : "none";
        }
    }

    /**
     * All recorded statements of a frontend whose answers do not change between two executions: the
     * same bytes, also from lines.
     */
    @Test
    void recordedStatements_straightAndThrough_haveTheSameBytes() throws Exception {
        boolean there = rows(live.straight(), "SHOW DATABASES").contains("pq");
        assumeTrue(there, "the database of which the statements were recorded is not there");
        run(live.straight(), "GRANT SELECT_PRIV ON pq.* TO 'keyline_app'@'%'");
        try (ReplayedFrontend recorded = new ReplayedFrontend();
                RawClient straight = raw(LiveDoris.ADDRESS, "pq", 0);
                RawClient through = raw("127.0.0.1:" + live.port(), "pq", 0)) {
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
        }
    }

    /**
     * Returns a client without CLIENT_DEPRECATE_EOF, with CLIENT_MULTI_STATEMENTS if {@code flag}
     * is that.
     */
    private static RawClient raw(String address, String database, int flag) throws Exception {
        String[] parts = address.split(":", 2);
        ClientOptions options = ClientOptions.of(parts[0], Integer.parseInt(parts[1]), "keyline_app")
                .password("pw")
                .database(database)
                .capabilities((ClientOptions.DEFAULT_CAPABILITIES
                                & ~(Capabilities.CLIENT_DEPRECATE_EOF | Capabilities.CLIENT_MULTI_STATEMENTS))
                        | flag)
                .traits(Dialect.DORIS.traits())
                .build();
        return new RawClient(options);
    }
}
