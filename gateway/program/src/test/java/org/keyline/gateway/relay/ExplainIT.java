package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TestClient;

/** {@code KEYLINE EXPLAIN}, in the form that a driver's executeQuery expects. */
final class ExplainIT {
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        MariaDb store = MariaDb.get("first");
        try (Connection straight = DriverManager.getConnection(store.jdbc(""));
                Statement sql = straight.createStatement()) {
            sql.execute("CREATE OR REPLACE DATABASE explained");
            sql.execute("CREATE TABLE explained.items (id INT PRIMARY KEY, n INT)");
            sql.execute("INSERT INTO explained.items VALUES (1, 10), (2, 20)");
            sql.execute("CREATE TABLE explained.keyline (id INT PRIMARY KEY, selected INT)");
        }
        gateway = RelayGateway.start(store);
    }

    @AfterAll
    static void stop() throws Exception {
        gateway.close();
        try (Connection straight =
                        DriverManager.getConnection(MariaDb.get("first").jdbc(""));
                Statement sql = straight.createStatement()) {
            sql.execute("DROP DATABASE explained");
        }
    }

    private static Connection connect(String options) throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("explained") + options);
    }

    private static Map<String, String> rows(Connection connection, String query) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query);
                ResultSet rows = statement.executeQuery()) {
            Map<String, String> found = new HashMap<>();
            while (rows.next()) {
                found.put(rows.getString(1), rows.getString(2));
            }
            return found;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&useServerPrepStmts=true"})
    void forward_saysWhatToDo(String options) throws SQLException {
        try (Connection connection = connect(options)) {
            assertThat(rows(connection, "EXPLAIN KEYLINE SELECT a.n FROM items a, items b"))
                    .containsEntry("answer", "FORWARD")
                    .containsEntry("reason", "JOIN")
                    .hasEntrySatisfying("to do", advice -> assertThat(advice).contains("by its key"));
        }
    }

    @Test
    void write_saysWhichLinesItCloses() throws SQLException {
        try (Connection connection = connect("")) {
            assertThat(rows(connection, "EXPLAIN KEYLINE UPDATE items SET n = 11 WHERE id = 1"))
                    .containsEntry(
                            "closes",
                            "the lines of explained.items that may have the rows whose keys the statement names");
            assertThat(rows(connection, "EXPLAIN KEYLINE DELETE FROM items"))
                    .containsEntry("closes", "all lines of explained.items");
            assertThat(rows(connection, "EXPLAIN KEYLINE CALL refresh_items()"))
                    .hasEntrySatisfying(
                            "closes", lines -> assertThat(lines).startsWith("the lines of the tables that the"));
            assertThat(rows(connection, "SELECT n, n FROM items WHERE id = 1")).containsEntry("10", "10");
        }
    }

    @Test
    void readThatHitsAsPrepared_isToldApartFromTheSameText() throws SQLException {
        try (Connection connection = connect("&useServerPrepStmts=true");
                PreparedStatement read = connection.prepareStatement("SELECT n FROM items WHERE id = ?")) {
            for (int i = 0; i < 4; i++) {
                read.setInt(1, 2);
                try (ResultSet row = read.executeQuery()) {
                    assertThat(row.next()).isTrue();
                }
            }
            assertThat(rows(connection, "SELECT source, source FROM keyline.last"))
                    .containsOnlyKeys("line");
            assertThat(rows(connection, "EXPLAIN KEYLINE SELECT n FROM items WHERE id = 2"))
                    .hasEntrySatisfying(
                            "as prepared",
                            received -> assertThat(received)
                                    .startsWith("SHORT-CIRCUIT; line for prepared statements in memory"))
                    .hasEntrySatisfying(
                            "so far", received -> assertThat(received).contains("from lines"));
        }
    }

    @Test
    void firstStatementOfAConnection_explainsWhatItsReadThenDoes() throws Exception {
        String read = "SELECT n FROM explained.items WHERE id = 1";
        String explain = "EXPLAIN KEYLINE " + read;
        try (TestClient warm = client()) {
            for (int i = 0; i < 4; i++) {
                assertThat(warm.query(read).rows()).hasSize(1);
            }
        }
        try (TestClient fresh = client()) {
            assertThat(fresh.query(explain).rows())
                    .contains(List.of("answer", "SHORT-CIRCUIT"))
                    .noneMatch(row -> row.contains("reason"))
                    .anySatisfy(row -> assertThat(row.get(1)).startsWith("in memory"))
                    .anySatisfy(row -> assertThat(row.get(1)).endsWith("line for prepared statements not in memory"));
            assertThat(fresh.query(read).rows()).hasSize(1);
            assertThat(fresh.query("SELECT source FROM keyline.last").rows()).containsExactly(List.of("line"));
        }
        try (Connection fresh = connect("&useServerPrepStmts=true")) {
            assertThat(rows(fresh, explain)).doesNotContainEntry("reason", "SESSION");
        }
    }

    @Test
    void transactionThatAutocommitOffBegan_isNamed() throws Exception {
        String read = "SELECT n FROM explained.items WHERE id = 2";
        try (TestClient client = client()) {
            client.query("SET autocommit = 0");
            client.query("SELECT COUNT(*) + 1 FROM explained.items");
            assertThat(client.query("EXPLAIN KEYLINE " + read).rows())
                    .contains(List.of("reason", "TRANSACTION"))
                    .anySatisfy(row -> assertThat(row.get(1)).startsWith("Autocommit is off"))
                    .anySatisfy(row -> assertThat(row.get(1))
                            .startsWith("Read with autocommit on")
                            .contains("READ COMMITTED"));
        }
    }

    private static TestClient client() throws Exception {
        return TestClient.connect(
                new HostPort("127.0.0.1", gateway.port()),
                options -> options.user(MariaDb.USER).password(MariaDb.PASSWORD));
    }

    @Test
    void explainOfATableOfThatName_isTheStores() throws SQLException {
        try (Connection connection = connect("")) {
            assertThat(rows(connection, "EXPLAIN keyline")).containsKeys("id", "selected");
            assertThat(rows(connection, "EXPLAIN keyline selected")).containsOnlyKeys("selected");
        }
    }

    @Test
    void reasons_haveTheAdvice() throws SQLException {
        try (Connection connection = connect("")) {
            assertThat(rows(connection, "SELECT reason, advice FROM keyline.reasons WHERE kind = 'forward'"))
                    .hasEntrySatisfying(
                            "NO_UNIQUE_KEY", advice -> assertThat(advice).contains("PRIMARY KEY"));
        }
    }
}
