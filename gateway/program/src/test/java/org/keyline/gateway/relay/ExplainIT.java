package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.TestClient;

/** {@code KEYLINE EXPLAIN}, in the form that a driver's executeQuery expects. */
final class ExplainIT extends Scenarios {
    private Connection connect(String options) throws SQLException {
        return DriverManager.getConnection(gateway().jdbc("explained") + options);
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

    /** The next execution does not hit either, so EXPLAIN must not promise hits after it. */
    @Test
    void settingThatLinesDoNotServe_forwards() throws Exception {
        String explain = "EXPLAIN KEYLINE SELECT n FROM explained.items WHERE id = 3";
        try (TestClient client = client()) {
            assertThat(client.query("SET NAMES latin1").error()).isNull();
            assertThat(client.query(explain).rows())
                    .contains(List.of("answer", "FORWARD"), List.of("reason", "SESSION"))
                    .anySatisfy(row -> assertThat(row.get(1)).startsWith("FORWARD: SESSION; "));
            assertThat(client.query("SET NAMES utf8mb4").error()).isNull();
            assertThat(client.query(explain).rows()).doesNotContain(List.of("answer", "FORWARD"));
        }
    }

    private TestClient client() throws Exception {
        return gateway().client("explained");
    }
}
