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

/** What the embedded store says of values that do not fit: number, column and row are those of MariaDB's message. */
final class ValueErrorsIT {
    private static final String TABLE =
            "CREATE TABLE t (k INT NOT NULL PRIMARY KEY, i TINYINT, u INT UNSIGNED NOT NULL DEFAULT 1,"
                    + " b BIGINT, d DECIMAL(5,2), f DOUBLE, s VARCHAR(3), c CHAR(2), n VARCHAR(5) NOT NULL DEFAULT 'x', y DATE,"
                    + " m DATETIME(3), h TIME, x VARBINARY(2))";

    private static final List<String> WRITES = List.of(
            "INSERT INTO t (k, i) VALUES (1, 300)",
            "INSERT INTO t (k, i) VALUES (1, 1), (2, 2), (3, -129)",
            "INSERT INTO t (k, i) VALUES (1, 'abc')",
            "INSERT INTO t (k, i) VALUES (1, '12abc')",
            "INSERT INTO t (k, u) VALUES (1, 1), (2, -1)",
            "INSERT INTO t (k, u) VALUES (1, NULL)",
            "INSERT INTO t (k, n) VALUES (1, 'a'), (2, NULL)",
            "INSERT INTO t (k, b) VALUES (1, 99999999999999999999)",
            "INSERT INTO t (k, b) VALUES (1, 'x')",
            "INSERT INTO t (k, d) VALUES (1, 1000)",
            "INSERT INTO t (k, d) VALUES (1, 'x1')",
            "INSERT INTO t (k, f) VALUES (1, 'x1')",
            "INSERT INTO t (k, s) VALUES (1, 'abc'), (2, 'abcd')",
            "INSERT INTO t (k, c) VALUES (1, 'abc')",
            "INSERT INTO t (k, s) VALUES (1, 12345)",
            "INSERT INTO t (k, y) VALUES (1, '2024-02-30')",
            "INSERT INTO t (k, y) VALUES (1, 'monday')",
            "INSERT INTO t (k, m) VALUES (1, '2024-01-01 25:00:00')",
            "INSERT INTO t (k, m) VALUES (1, 'x')",
            "INSERT INTO t (k, h) VALUES (1, '25:61:00')",
            "INSERT INTO t (k, h) VALUES (1, 'x')",
            "INSERT INTO t (k, x) VALUES (1, x'010203')",
            "INSERT INTO t (i) VALUES (1)",
            "INSERT INTO t (k, i) VALUES (1)",
            "INSERT INTO t (k, i) VALUES (1, 1), (2)",
            "INSERT INTO t (k, s) VALUES (1, CONCAT('ab', 'cd'))",
            "INSERT INTO t (k, n) SELECT k, NULL FROM src",
            "INSERT INTO t SET k = 1, i = 300",
            "INSERT INTO t (k, i, s) VALUES (1, 1, 'a'), (1 + 1, NULL, 'b'), (3, DEFAULT, ('c')), (4, 300, 'd')",
            "INSERT INTO t (k, i) VALUES (1, 1), (8, 2) ON DUPLICATE KEY UPDATE i = 1",
            "INSERT INTO t VALUE (1, 1, 1, 1, 1, 1, 'a', 'a', 'a', NULL, NULL, NULL, NULL), (2, 1, 1, '9 apples', 1, 1, 'a', 'a',"
                    + " 'a', NULL, NULL, NULL, NULL)",
            "INSERT INTO t (k, d) VALUES (1, '1.5x')",
            "INSERT INTO t (k, f) VALUES (1, '1e2x')",
            "INSERT INTO t (k, i) VALUES (1, '')",
            "REPLACE INTO t (k, i) VALUES (1, 300)",
            "INSERT INTO t (k, i) VALUES (7, 1) ON DUPLICATE KEY UPDATE i = 300",
            "UPDATE t SET i = 300",
            "UPDATE t SET i = 300 WHERE k = 8",
            "UPDATE t SET i = i + 200 WHERE k = 7",
            "UPDATE t SET i = 'abc' WHERE k = 7",
            "UPDATE t SET s = 'abcd' WHERE k = 7",
            "UPDATE t SET s = CONCAT(s, 'abcd') WHERE k >= 7",
            "UPDATE t SET n = NULL WHERE k = 7",
            "UPDATE t SET y = 'monday' WHERE k = 7",
            "UPDATE t SET k = 8 WHERE k = 7",
            "INSERT INTO t (k) VALUES (9), (7)",
            "INSERT INTO t (k) VALUES (9), (9)");

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

    /** The error, or the warnings, without what only MariaDB says of a column. */
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
