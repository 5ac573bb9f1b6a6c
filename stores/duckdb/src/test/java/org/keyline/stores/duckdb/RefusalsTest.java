package org.keyline.stores.duckdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import com.mysql.cj.jdbc.JdbcStatement;
import java.io.ByteArrayInputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/**
 * The store refuses by name everything that it does not honour, and stores no dates that MySQL does
 * not have.
 */
final class RefusalsTest extends FreshDatabase {
    RefusalsTest() {
        super("&allowLoadLocalInfile=true&useServerPrepStmts=true");
    }

    private void refused(int code, String statement, String named) {
        assertThatThrownBy(() -> run(connection, statement))
                .as(statement)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(code))
                .hasMessageContaining(named);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "RefusalsTest.statement_thatWouldNotBeHonoured_isRefusedByName.txt",
            delimiter = '|',
            quoteCharacter = '\'')
    void statement_thatWouldNotBeHonoured_isRefusedByName(String statement, String named) throws SQLException {
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY, c VARCHAR(9))");
        refused(1235, statement, named);
    }

    @Test
    void collation_ofATable_isShown_andTextComparesByItsBytes() throws SQLException {
        run(
                connection,
                "CREATE TABLE e (k INT PRIMARY KEY, c VARCHAR(9) COLLATE utf8mb4_bin)"
                        + " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci");
        run(connection, "INSERT INTO e VALUES (1, 'a'), (2, 'A')");
        assertThat(rows(connection, "SELECT k FROM e WHERE c = 'A'")).containsExactly("2");
        assertThat(rows(connection, "SHOW CREATE TABLE e").get(0)).contains("COLLATE=utf8mb4_general_ci");
    }

    @Test
    void duplicateEntry_namesItsKey_orAllKeysIfTwoRowsShareIt() throws SQLException {
        run(
                connection,
                "CREATE TABLE e (k INT PRIMARY KEY, a INT, b VARCHAR(9), UNIQUE KEY u (a, b), UNIQUE KEY w (b))");
        refused(
                1062,
                "INSERT INTO e VALUES (1, 1, 'x'), (1, 2, 'y')",
                "Duplicate entry '1' for key 'PRIMARY' or 'u' or 'w'");
        refused(
                1062,
                "INSERT INTO e SELECT 7, x, y FROM (SELECT 1 AS x, 'x' AS y UNION SELECT 2, 'z') AS q",
                "Duplicate entry '7' for key 'PRIMARY' or 'u' or 'w'");
        run(connection, "DROP INDEX w ON e");
        run(connection, "INSERT INTO e VALUES (1, 1, 'x')");
        refused(1062, "INSERT INTO e VALUES (2, 1, 'x')", "Duplicate entry '1-x' for key 'u'");
    }

    /**
     * The store opens no cursor: the rows follow at once, also inside a transaction that has
     * written some of them.
     */
    @Test
    void cursorThatAClientOffers_isNotOpened_andEveryRowComes() throws SQLException {
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY)");
        run(connection, "INSERT INTO t VALUES (1), (2), (3)");
        try (Connection cursors =
                        server.connect("d", "&useServerPrepStmts=true&useCursorFetch=true&defaultFetchSize=2");
                PreparedStatement read = cursors.prepareStatement("SELECT k FROM t ORDER BY k")) {
            assertThat(rows(read.executeQuery())).containsExactly("1", "2", "3");
            cursors.setAutoCommit(false);
            run(cursors, "UPDATE t SET k = 4 WHERE k = 1");
            assertThat(rows(read.executeQuery())).containsExactly("2", "3", "4");
            assertThat(rows(read.executeQuery())).containsExactly("2", "3", "4");
            cursors.rollback();
        }
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "RefusalsTest.date_beyond9999_isAnError_andNotStored.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void date_beyond9999_isAnError_andNotStored(String statement) throws SQLException {
        table();
        assertThatThrownBy(() -> run(connection, statement))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isIn(1292, 1441, 1067));
        assertThat(rows(connection, "SELECT * FROM t")).containsExactly("0|9999-12-31|9999-12-31 23:59:59");
    }

    @Test
    void date_beyond9999_asAParameterOrInAFile_isAnErrorAndNotStored() throws SQLException {
        table();
        for (Object at : new Object[] {
            LocalDateTime.of(10_000, 1, 1, 0, 0),
            "9999-12-31 23:59:59.6",
            LocalDateTime.of(9_999, 12, 31, 23, 59, 59, 600_000_000)
        }) {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO t VALUES (1, '2000-01-01', ?)")) {
                insert.setObject(1, at);
                assertThatThrownBy(insert::execute)
                        .as("%s", at)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getErrorCode()).isEqualTo(1292));
            }
        }
        try (Statement load = connection.createStatement()) {
            load.unwrap(JdbcStatement.class)
                    .setLocalInfileInputStream(
                            new ByteArrayInputStream("1\t2000-01-01\t9999-12-31 23:59:59.6\n".getBytes(UTF_8)));
            assertThatThrownBy(() -> load.execute("LOAD DATA LOCAL INFILE 'file' INTO TABLE t"))
                    .isInstanceOf(SQLException.class);
        }
        assertThat(rows(connection, "SELECT * FROM t")).containsExactly("0|9999-12-31|9999-12-31 23:59:59");
    }

    @Test
    void date_thatRoundsUpWhenAColumnIsNarrowed_isAnError() throws SQLException {
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY, at DATETIME(6))");
        run(connection, "INSERT INTO t VALUES (0, '9999-12-31 23:59:59.9')");
        try {
            run(connection, "ALTER TABLE t MODIFY COLUMN at DATETIME");
        } catch (SQLException e) {
            assertThat(e.getErrorCode()).isIn(1292, 1441);
        }
        assertThat(rows(connection, "SELECT YEAR(at) FROM t")).containsExactly("9999");
    }

    private void table() throws SQLException {
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY, day DATE, at DATETIME)");
        run(connection, "INSERT INTO t VALUES (0, '9999-12-31', '9999-12-31 23:59:59')");
    }
}
