package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a user may do who may only read. */
final class ReadersTest {
    private static StoreServer server;
    private static Connection root;
    private static Connection reader;

    @BeforeAll
    static void start() throws SQLException {
        server = StoreServer.inMemory();
        root = server.connect(null);
        run(root, "CREATE DATABASE d");
        run(root, "CREATE TABLE d.t (k INT PRIMARY KEY, v INT)");
        run(root, "INSERT INTO d.t VALUES (1, 10)");
        reader = server.connect(StoreServer.READER, "d", "&useServerPrepStmts=true");
    }

    @AfterAll
    static void stop() throws SQLException {
        root.close();
        reader.close();
        server.close();
    }

    private static void refused(int code, String state, String message, String sql) throws SQLException {
        assertThatThrownBy(() -> run(reader, sql)).as(sql).isInstanceOfSatisfying(SQLException.class, e -> {
            assertThat(e.getErrorCode()).isEqualTo(code);
            assertThat(e.getSQLState()).isEqualTo(state);
            assertThat(e.getMessage()).contains(message);
        });
        assertThat(rows(root, "SELECT * FROM d.t")).containsExactly("1|10");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t VALUES (2, 2)",
                "INSERT INTO t SELECT k + 1, v FROM t",
                "UPDATE d.t SET v = 2 WHERE k = 1",
                "UPDATE d.t SET v = 2",
                "DELETE FROM t WHERE k = 1",
                "DELETE FROM t"
            })
    void write_isDeniedForItsTable(String sql) throws SQLException {
        String command = sql.substring(0, sql.indexOf(' '));
        refused(1142, "42000", command + " command denied to user 'reader'@'127.0.0.1' for table 't'", sql);
    }

    @ParameterizedTest
    @CsvFileSource(resources = "ReadersTest.whatOthersWouldNotice_isDenied.txt", delimiter = '\t', quoteCharacter = '~')
    void whatOthersWouldNotice_isDenied(String sql) throws SQLException {
        refused(1227, "42000", "Access denied; you need (at least one of) the SUPER privilege(s)", sql);
    }

    @Test
    void readsAndItsOwnSession_areTheReaders() throws SQLException {
        run(reader, "USE d");
        run(reader, "SET sql_select_limit = 5");
        run(reader, "SET @a = 1");
        run(reader, "BEGIN");
        assertThat(rows(reader, "SELECT v FROM t WHERE k = 1")).containsExactly("10");
        run(reader, "COMMIT");
        assertThat(rows(reader, "WITH x AS (SELECT v FROM t) SELECT * FROM x")).containsExactly("10");
        assertThat(rows(reader, "SHOW TABLES")).containsExactly("t");
        assertThat(rows(reader, "DESCRIBE t")).hasSize(2);
        assertThat(rows(reader, "SHOW GRANTS")).containsExactly("GRANT SELECT ON *.* TO `reader`@`%`");
    }

    @Test
    void preparedWrite_isDeniedWhenItRuns() throws SQLException {
        try (PreparedStatement insert = reader.prepareStatement("INSERT INTO t VALUES (?, ?)")) {
            insert.setInt(1, 3);
            insert.setInt(2, 3);
            assertThatThrownBy(insert::executeUpdate)
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(1142));
        }
        assertThat(rows(root, "SELECT * FROM d.t")).containsExactly("1|10");
    }

    @Test
    void sessionsOfOthers_areNeitherSeenNorEnded() throws SQLException {
        String others = rows(root, "SELECT CONNECTION_ID()").get(0);
        assertThat(rows(reader, "SHOW PROCESSLIST")).isNotEmpty().allMatch(row -> row.contains("|reader|"));
        assertThat(rows(root, "SHOW PROCESSLIST")).anyMatch(row -> row.contains("|reader|"));
        refused(1095, "HY000", "You are not owner of thread " + others, "KILL " + others);
        try (Connection second = server.connect(StoreServer.READER, "d", "")) {
            String own = rows(second, "SELECT CONNECTION_ID()").get(0);
            run(reader, "KILL " + own);
            assertThatThrownBy(() -> {
                        while (true) {
                            run(second, "SELECT 1");
                        }
                    })
                    .isInstanceOf(SQLException.class);
        }
    }
}
