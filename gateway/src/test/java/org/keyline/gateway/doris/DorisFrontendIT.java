package org.keyline.gateway.doris;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.Gateway;
import org.keyline.gateway.config.ConfigLoader;

/**
 * The gateway in front of a real Doris frontend, which {@code -Dkeyline.doris=HOST:PORT} names. It must let {@code root} in without a
 * password, and nobody else may use it. {@code -Dkeyline.doris.drivers=JAR,JAR} names drivers beside those of the build.
 */
@EnabledIfSystemProperty(named = "keyline.doris", matches = ".+")
final class DorisFrontendIT {
    private static final String FRONTEND = System.getProperty("keyline.doris", "");
    private static final String PROPERTIES = " PROPERTIES('replication_num'='1','store_row_column'='true',"
            + "'enable_unique_key_merge_on_write'='true')";
    private static final Duration SOON = Duration.ofSeconds(10);

    private static Gateway gateway;
    private static Connection straight;

    @BeforeAll
    static void start() throws Exception {
        straight = DriverManager.getConnection("jdbc:mysql://" + FRONTEND + "/?user=root");
        run(straight, "CREATE DATABASE IF NOT EXISTS keyline");
        run(straight, "USE keyline");
        run(straight, "DROP USER IF EXISTS 'keyline_app'@'%'");
        run(straight, "CREATE USER 'keyline_app'@'%' IDENTIFIED BY 'pw'");
        run(straight, "GRANT SELECT_PRIV, LOAD_PRIV ON keyline.* TO 'keyline_app'@'%'");
        table("items", "one");
        gateway = Gateway.start(new ConfigLoader(Map.of())
                .set("listen=127.0.0.1:0")
                .set("http=off")
                .set("store.url=mysql://" + FRONTEND)
                .set("store.user=root")
                .set("store.signal=versions")
                .set("store.refresh=1s")
                .set("cache.ttl=5s")
                .load());
    }

    @AfterAll
    static void stop() throws Exception {
        gateway.close();
        straight.close();
    }

    private static void table(String name, String value) throws SQLException {
        run(straight, "DROP TABLE IF EXISTS " + name + " FORCE");
        run(
                straight,
                "CREATE TABLE " + name + " (k INT NOT NULL, v VARCHAR(20), d DECIMAL(9,2), t DATETIME) UNIQUE KEY(k)"
                        + " PARTITION BY RANGE(k) (PARTITION low VALUES LESS THAN ('100'), PARTITION high VALUES LESS THAN ('1000'))"
                        + " DISTRIBUTED BY HASH(k) BUCKETS 1" + PROPERTIES);
        run(
                straight,
                "INSERT INTO " + name + " VALUES (1, '" + value
                        + "', 1.5, '2026-01-02 03:04:05'), (200, 'high', 2, NULL)");
    }

    private static Connection through() throws SQLException {
        return DriverManager.getConnection(url("mysql") + "&useServerPrepStmts=true&cachePrepStmts=true");
    }

    private static String url(String scheme) {
        return "jdbc:" + scheme + "://127.0.0.1:" + gateway.listening().port()
                + "/keyline?user=keyline_app&password=pw";
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> rows(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute(sql) ? rows(statement.getResultSet()) : List.of();
        }
    }

    private static List<String> prepared(Connection connection, int key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT k, v, d, t FROM items WHERE k = ?")) {
            statement.setInt(1, key);
            return rows(statement.executeQuery());
        }
    }

    private static List<String> rows(ResultSet result) throws SQLException {
        List<String> rows = new ArrayList<>();
        int columns = result.getMetaData().getColumnCount();
        while (result.next()) {
            StringBuilder row = new StringBuilder();
            for (int i = 1; i <= columns; i++) {
                row.append(i > 1 ? "|" : "").append(result.getObject(i));
            }
            rows.add(row.toString());
        }
        return rows;
    }

    private static String source(Connection connection) throws SQLException {
        return rows(connection, "KEYLINE LAST").get(0).replace("source|", "");
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
        run(straight, "INSERT INTO items VALUES (1, 'one', 1.5, '2026-01-02 03:04:05')");
        String scheme = driver.getClass().getName().contains("mariadb") ? "mariadb" : "mysql";
        String plain = scheme.equals("mysql") ? "DISABLED" : "disable";
        String url = url(scheme) + "&useServerPrepStmts=true&cachePrepStmts=true&sslMode=" + plain;
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
                "SELECT * FROM items WHERE v = 'one'"
            })
    void explain_whatIsAShortCircuitOnOneKey_isAgreedOn(String sql) throws Exception {
        boolean doris = String.join("\n", rows(straight, "EXPLAIN " + sql)).contains("SHORT-CIRCUIT");
        try (Connection client = through()) {
            boolean here = rows(client, "KEYLINE EXPLAIN " + sql).get(0).contains("SHORT-CIRCUIT");
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
        table("items", "one");
        try (Connection client = through();
                Connection other = DriverManager.getConnection("jdbc:mysql://" + FRONTEND + "/keyline?user=root")) {
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(prepared(client, 1)).first().asString().startsWith("1|one|");
                assertThat(source(client)).isEqualTo("line");
            });
            switch (change) {
                case "SWAP" -> {
                    table("others", "swapped");
                    run(other, "ALTER TABLE items REPLACE WITH TABLE others PROPERTIES('swap'='true')");
                }
                case "RECREATE" -> table("items", "again");
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
        table("items", "one");
        try (Connection client = through()) {
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(rows(client, "SELECT * FROM items WHERE k = 1")).hasSize(1);
                assertThat(source(client)).isEqualTo("line");
            });
            run(straight, "REVOKE SELECT_PRIV ON keyline.* FROM 'keyline_app'@'%'");
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
                run(straight, "GRANT SELECT_PRIV ON keyline.* TO 'keyline_app'@'%'");
            }
        }
    }
}
