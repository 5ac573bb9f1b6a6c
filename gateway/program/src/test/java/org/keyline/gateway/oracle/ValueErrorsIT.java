package org.keyline.gateway.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.TextLines;

/**
 * The embedded store's errors for values that do not fit have the number, column and row of
 * MariaDB's message.
 */
final class ValueErrorsIT {
    private static final String TABLE =
            "CREATE TABLE t (k INT NOT NULL PRIMARY KEY, i TINYINT, u INT UNSIGNED NOT NULL DEFAULT 1,"
                    + " b BIGINT, d DECIMAL(5,2), f DOUBLE, s VARCHAR(3), c CHAR(2), n VARCHAR(5) NOT NULL DEFAULT 'x', y DATE,"
                    + " m DATETIME(3), x VARBINARY(2))";

    private static final List<String> WRITES = TextLines.of(ValueErrorsIT.class, "ValueErrorsIT.WRITES.txt");

    private static BothServers servers;

    @BeforeAll
    static void start() throws Exception {
        servers = new BothServers();
        servers.run(TABLE);
        servers.run("CREATE TABLE src (k INT NOT NULL PRIMARY KEY, v INT, w VARCHAR(9))");
        servers.run("INSERT INTO src VALUES (1, 1, 'a'), (2, 300, 'long'), (3, 400, 'longer')");
    }

    @AfterAll
    static void stop() throws Exception {
        servers.close();
    }

    /** Returns the error or the warnings, without MariaDB's own additions about a column. */
    private static List<String> outcome(Connection connection, String sql) throws SQLException {
        List<String> outcome = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
            for (SQLWarning w = statement.getWarnings(); w != null; w = w.getNextWarning()) {
                outcome.add(w.getErrorCode() + " " + normal(String.valueOf(w.getMessage())));
            }
        } catch (SQLException e) {
            String message = normal(String.valueOf(e.getMessage())).replaceFirst("^Data truncation: ", "");
            outcome.add("error " + e.getErrorCode() + " " + message);
        }
        return outcome;
    }

    private static String normal(String message) {
        return message.replaceAll("`d`\\.`t`\\.`(\\w+)`", "'$1'").replaceFirst("^\\(conn=\\d+\\) ", "");
    }

    private static void assertSame(List<String> writes) throws SQLException {
        List<String> different = new ArrayList<>();
        for (String sql : writes) {
            servers.run("DELETE FROM t");
            servers.run("INSERT INTO t (k, u, b, d, s) VALUES (7, 7, 7, 7, '7'), (8, 8, 8, 8, '8')");
            List<String> theirs = outcome(servers.mariaDb(), sql);
            List<String> ours = outcome(servers.store(), sql);
            if (!ours.equals(theirs)) {
                different.add(sql + "\n  MariaDB " + theirs + "\n  store   " + ours);
            }
        }
        assertThat(String.join("\n", different)).isEmpty();
    }

    @Test
    void error_namesTheColumnAndTheRow() throws SQLException {
        assertSame(WRITES);
    }
}
