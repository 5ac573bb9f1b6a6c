package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/** The gateway's own statements reveal about tables no more than the client's rights allow. */
class KeylineRightsIT {
    private static final MariaDb STORE = MariaDb.get("second");

    private static void prepare() throws SQLException {
        STORE.run(
                "CREATE DATABASE IF NOT EXISTS rights",
                "CREATE TABLE IF NOT EXISTS rights.secret (id INT PRIMARY KEY, v INT)",
                "REPLACE INTO rights.secret VALUES (1, 1)",
                "CREATE TABLE IF NOT EXISTS rights.open (id INT PRIMARY KEY, v INT)",
                "CREATE USER IF NOT EXISTS curious@'127.0.0.1' IDENTIFIED BY '" + MariaDb.PASSWORD + "'",
                "GRANT SELECT ON rights.open TO curious@'127.0.0.1'");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void statementsAboutATable_withoutTheRightToReadIt_areRefusedAsTheReadIs(boolean prepared) throws Exception {
        prepare();
        try (RelayGateway gateway = RelayGateway.start(STORE, "access.changes=" + MariaDb.USER + ", curious");
                Connection owner = gateway.connect("rights");
                Statement own = owner.createStatement();
                Connection other =
                        DriverManager.getConnection(gateway.jdbc("").replace("user=" + MariaDb.USER, "user=curious")
                                + (prepared ? "&useServerPrepStmts=true" : ""))) {
            for (int i = 0; i < 3; i++) {
                own.executeQuery("SELECT v FROM secret WHERE id = 1").close();
            }
            String read = denied(other, "SELECT v FROM rights.secret WHERE id = 1", prepared);
            assertThat(read).contains("denied");
            for (String received : List.of("secret", "nowhere")) {
                String expected = read.replace("secret", received);
                for (String statement : List.of(
                        "KEYLINE EXPLAIN SELECT v FROM rights.%s WHERE id = 1",
                        "KEYLINE EXPLAIN SELECT v FROM rights.%s WHERE v = 1",
                        "KEYLINE FLUSH TABLE rights.%s",
                        "KEYLINE FLUSH ROWS rights.%s WHERE id = 1",
                        "KEYLINE FLUSH ROWS rights.%s WHERE v = 1")) {
                    assertThat(denied(other, String.format(statement, received), prepared))
                            .isEqualTo(expected);
                }
            }
            try (Statement sql = other.createStatement()) {
                sql.execute("KEYLINE FLUSH TABLE rights.open");
                sql.execute("KEYLINE EXPLAIN SELECT v FROM rights.open WHERE id = 1");
                try (ResultSet received = sql.getResultSet()) {
                    assertThat(received.next()).isTrue();
                    assertThat(received.getString(2)).startsWith("SHORT-CIRCUIT");
                }
            }
        }
    }

    private static String denied(Connection connection, String statement, boolean prepared) {
        Throwable[] thrown = new Throwable[1];
        assertThatThrownBy(() -> {
                    if (prepared) {
                        connection.prepareStatement(statement).execute();
                    } else {
                        connection.createStatement().execute(statement);
                    }
                })
                .as(statement)
                .isInstanceOf(SQLException.class)
                .satisfies(e -> thrown[0] = e);
        return String.valueOf(thrown[0].getMessage());
    }

    @Test
    void severalStatementsBehindExplain_runNothing() throws Exception {
        prepare();
        try (RelayGateway gateway = RelayGateway.start(STORE);
                Connection owner = DriverManager.getConnection(gateway.jdbc("rights") + "&allowMultiQueries=true");
                Statement sql = owner.createStatement()) {
            try {
                sql.execute("KEYLINE EXPLAIN SELECT v FROM secret WHERE id = 1; DELETE FROM secret");
            } catch (SQLException refused) {
                assertThat(refused.getErrorCode()).isPositive();
            }
            try (ResultSet rows = sql.executeQuery("SELECT COUNT(*) FROM secret")) {
                rows.next();
                assertThat(rows.getInt(1)).isEqualTo(1);
            }
        }
    }
}
