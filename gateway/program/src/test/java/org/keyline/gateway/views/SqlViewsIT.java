package org.keyline.gateway.views;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/** The views of the gateway in front of MariaDB, as drivers read them. */
final class SqlViewsIT {
    private static final MariaDb STORE = MariaDb.get("second");
    private static final String CURIOUS = "onlooker";
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        STORE.run(
                "CREATE DATABASE IF NOT EXISTS insight",
                "CREATE TABLE IF NOT EXISTS insight.orders (id INT PRIMARY KEY, v VARCHAR(20))",
                "REPLACE INTO insight.orders VALUES (1, 'one'), (2, 'two')",
                "CREATE USER IF NOT EXISTS " + CURIOUS + "@'127.0.0.1' IDENTIFIED BY '" + MariaDb.PASSWORD + "'",
                "GRANT SELECT ON insight.* TO " + CURIOUS + "@'127.0.0.1'");
        // This gateway never sees the database that a test creates.
        gateway = RelayGateway.start(STORE, "store.refresh=1h");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    /** Returns URLs of both drivers, with statements prepared by the client and by the server. */
    static List<String> urls() {
        String mysql = gateway.jdbc("insight");
        String mariadb = mysql.replace("jdbc:mysql:", "jdbc:mariadb:") + "&sslMode=disable";
        return List.of(mysql, mysql + "&useServerPrepStmts=true", mariadb, mariadb + "&useServerPrepStmts=true");
    }

    @ParameterizedTest
    @MethodSource("urls")
    void views_areReadWithConditions(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement sql = connection.createStatement()) {
            for (int i = 0; i < 5; i++) {
                sql.executeQuery("SELECT v FROM orders WHERE id = 1").close();
            }
            assertThat(rows(connection, "SELECT * FROM keyline.last")).hasSize(1);
            assertThat(rows(connection, "SELECT source, reason FROM keyline.last"))
                    .containsExactly(List.of("line", "null"));
            assertThat(rows(
                            connection,
                            "SELECT t.table_name FROM keyline.tables t WHERE t.schema_name = ? AND t.table_name LIKE ?"
                                    + " AND t.hits > ? AND t.forward_p50_us < ?",
                            "insight",
                            "ord%",
                            0,
                            1e9))
                    .containsExactly(List.of("orders"));
            assertThat(rows(
                            connection,
                            "SELECT kind FROM keyline.reasons WHERE count > 0 ORDER BY kind DESC, count LIMIT ?",
                            1))
                    .containsExactly(List.of("miss"));
            assertThat(rows(
                            connection,
                            "SELECT COUNT(*) FROM keyline.statements WHERE last_seen > ? AND first_seen < ?",
                            Timestamp.valueOf("2026-01-01 00:00:00"),
                            "2100-01-01"))
                    .isNotEqualTo(List.of(List.of("0")));
            assertThat(rows(connection, "SELECT COUNT(*) FROM keyline.clients WHERE user = ?", MariaDb.USER))
                    .isNotEqualTo(List.of(List.of("0")));
            assertThat(rows(connection, "SELECT row_count FROM keyline.`lines` WHERE table_name = 'orders' LIMIT 1"))
                    .containsExactly(List.of("1"));
            assertThat(rows(connection, "SELECT live FROM keyline.signals")).containsExactly(List.of("0"));
        }
    }

    /**
     * The metadata calls of drivers query information_schema, which is the store's and does not
     * contain the views.
     */
    @ParameterizedTest
    @MethodSource("urls")
    void definitions_areTold(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            try (ResultSet tables = connection.getMetaData().getTables("keyline", null, "%", null)) {
                assertThat(tables.next()).isFalse();
            }
            assertThat(rows(connection, "SHOW FULL TABLES FROM `keyline`"))
                    .contains(List.of("clients", "VIEW"), List.of("last", "VIEW"), List.of("statements", "VIEW"));
            assertThat(rows(connection, "SHOW COLUMNS FROM keyline.last"))
                    .containsExactly(
                            List.of("source", "varchar(8192)", "YES", "", "null", ""),
                            List.of("age_ms", "bigint", "YES", "", "null", ""),
                            List.of("reason", "varchar(8192)", "YES", "", "null", ""),
                            List.of("because", "varchar(8192)", "YES", "", "null", ""),
                            List.of("catalog", "varchar(8192)", "YES", "", "null", ""));
            assertThat(rows(connection, "SHOW TABLES FROM keyline LIKE 'la%'")).containsExactly(List.of("last"));
            assertThat(rows(connection, "DESCRIBE keyline.signals")).hasSize(7);
            assertThat(rows(connection, "SHOW FULL COLUMNS FROM `signals` FROM `keyline`"))
                    .hasSize(7);
            assertThatThrownBy(() -> connection.setCatalog("keyline")).hasMessageContaining("keyline");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void others_seeTheirOwnLastAnswerOnly(boolean prepared) throws SQLException {
        String url = gateway.jdbc("insight").replace("user=" + MariaDb.USER, "user=" + CURIOUS)
                + (prepared ? "&useServerPrepStmts=true" : "");
        try (Connection connection = DriverManager.getConnection(url)) {
            assertThat(rows(connection, "SELECT source FROM keyline.last WHERE source IN ('none', 'store')"))
                    .hasSize(1);
            for (String read : List.of(
                    "SELECT * FROM keyline.clients",
                    "SELECT * FROM keyline.last JOIN keyline.clients",
                    "SELECT * FROM keyline.last WHERE source IN (SELECT user FROM keyline. /* */ `clients`)")) {
                assertThatThrownBy(() -> rows(connection, read)).as(read).hasMessageContaining("Access denied");
            }
            try (Statement sql = connection.createStatement()) {
                for (String change : List.of("KEYLINE FLUSH ALL", "KEYLINE FLUSH TABLE orders")) {
                    assertThatThrownBy(() -> sql.execute(change)).as(change).hasMessageContaining("access.changes");
                }
            }
            assertThat(rows(connection, "SELECT v FROM orders WHERE id = 2")).containsExactly(List.of("two"));
        }
    }

    @Test
    void commandLine_readsViewsAndTheirDefinitions() throws Exception {
        String statements =
                "SELECT COUNT(*) FROM keyline.last; SHOW TABLES FROM keyline LIKE 'la%'; DESCRIBE keyline.last;";
        byte[] received = ClientProcess.mysql(
                gateway.port(), MariaDb.USER, MariaDb.PASSWORD, statements.getBytes(UTF_8), "-N", "insight");
        assertThat(new String(received, UTF_8))
                .startsWith("1\nlast\nsource\tvarchar(8192)")
                .contains("\nage_ms\tbigint");
    }

    @Test
    void whatIsNoRead_isRefused() throws SQLException {
        try (Connection connection = gateway.connect("insight");
                Statement sql = connection.createStatement()) {
            assertThatThrownBy(() -> sql.execute("DELETE FROM keyline.last")).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> sql.executeQuery("SELECT * FROM keyline.nothing"))
                    .hasMessageContaining("keyline.nothing");
            assertThatThrownBy(() -> sql.executeQuery("SELECT * FROM keyline.last JOIN insight.orders"))
                    .hasMessageContaining("orders");
            assertThatThrownBy(() -> sql.executeQuery("SELECT nothing FROM keyline.last"))
                    .hasMessageContaining("nothing");
            for (String copy : List.of(
                    "INSERT INTO orders SELECT 9, source FROM keyline.last",
                    "CREATE TABLE copied AS SELECT * FROM keyline.last",
                    "DELETE FROM orders WHERE v IN (SELECT source FROM keyline.last)",
                    "SELECT * FROM orders, keyline.last",
                    "SELECT source FROM keyline.last INTO @kept")) {
                assertThatThrownBy(() -> sql.execute(copy)).hasMessageContaining("export the rows");
            }
            assertThat(rows(connection, "SELECT COUNT(*) FROM orders")).containsExactly(List.of("2"));
        }
    }

    @Test
    void statements_areToldWithoutTheirValues() throws SQLException {
        try (Connection connection = gateway.connect("insight");
                Statement sql = connection.createStatement()) {
            for (int i = 0; i < 20; i++) {
                sql.executeQuery("SELECT v AS told FROM orders WHERE id = 1").close();
            }
            assertThatThrownBy(() -> sql.executeQuery("SELECT nothing AS told FROM orders WHERE v = 'hidden'"))
                    .isInstanceOf(SQLException.class);
            String figures = "SELECT text, count, errors, hits, loads, forwards FROM keyline.statements"
                    + " WHERE schema_name = 'insight' AND text LIKE '%told%' ORDER BY count DESC";
            List<List<String>> received = rows(connection, figures);
            assertThat(received).hasSize(2);
            assertThat(received.get(0)).startsWith("SELECT v AS told FROM orders WHERE id = ?", "20", "0");
            assertThat(Integer.parseInt(received.get(0).get(3))).isBetween(15, 18);
            assertThat(Integer.parseInt(received.get(0).get(4))
                            + Integer.parseInt(received.get(0).get(5)))
                    .isGreaterThanOrEqualTo(2);
            assertThat(received.get(1))
                    .isEqualTo(List.of("SELECT nothing AS told FROM orders WHERE v = ?", "1", "1", "0", "0", "1"));
            assertThat(rows(
                            connection,
                            "SELECT COUNT(*) FROM keyline.statements WHERE p99_us > 0 AND max_us > 0 AND reasons LIKE"
                                    + " '%NO_TEMPLATE=1%' AND text LIKE '%told%'"))
                    .containsExactly(List.of("1"));
        }
    }

    /**
     * An answer that the store has not given must not show a transaction as ended, nor another
     * session state.
     */
    @Test
    void openTransaction_goesOn() throws SQLException {
        try (Connection connection = gateway.connect("insight");
                Statement sql = connection.createStatement()) {
            connection.setAutoCommit(false);
            sql.executeUpdate("UPDATE orders SET v = 'changed' WHERE id = 2");
            assertThat(rows(connection, "SELECT COUNT(*) FROM keyline.tables")).hasSize(1);
            connection.rollback();
            assertThat(rows(connection, "SELECT v FROM orders WHERE id = 2")).containsExactly(List.of("two"));
        }
    }

    @Test
    void storeWithSuchADatabase_keepsIt() throws Exception {
        try (Connection straight = STORE.connect("");
                Statement sql = straight.createStatement()) {
            sql.execute("CREATE DATABASE keyline");
            try {
                sql.execute("CREATE TABLE keyline.last (id INT PRIMARY KEY)");
                sql.execute("INSERT INTO keyline.last VALUES (42)");
                try (RelayGateway other = RelayGateway.start(STORE);
                        Connection connection = other.connect("insight")) {
                    assertThat(rows(connection, "SELECT * FROM keyline.last")).containsExactly(List.of("42"));
                    assertThat(rows(connection, "SHOW TABLES FROM keyline")).containsExactly(List.of("last"));
                }
            } finally {
                sql.execute("DROP DATABASE keyline");
            }
        }
    }

    private static List<List<String>> rows(Connection connection, String text, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            List<List<String>> rows = new ArrayList<>();
            try (ResultSet received = statement.executeQuery()) {
                while (received.next()) {
                    List<String> row = new ArrayList<>();
                    for (int i = 1; i <= received.getMetaData().getColumnCount(); i++) {
                        row.add(String.valueOf(received.getString(i)));
                    }
                    rows.add(row);
                }
            }
            return rows;
        }
    }
}
