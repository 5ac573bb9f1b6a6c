package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;
import static org.keyline.stores.duckdb.StatementsTest.update;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.stores.duckdb.engine.EngineOptions;

/**
 * Transactions, variables, cursors, KILL, several statements: the state of one client's session.
 */
final class SessionsTest {
    private static final String ENDLESS = "SELECT COUNT(*) FROM a x, a y, a z WHERE CONCAT(x.k, y.k, z.k) = 'x'";

    private static StoreServer server;

    @BeforeAll
    static void start() {
        server = StoreServer.start(
                EngineOptions.of(null, EngineOptions.of(null).memoryBytes(), () -> 20, () -> Duration.ZERO));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void freshDatabase() throws SQLException {
        try (Connection connection = server.connect(null)) {
            run(connection, "DROP DATABASE IF EXISTS d");
            run(connection, "CREATE DATABASE d");
            run(connection, "CREATE TABLE d.t (k INT PRIMARY KEY, v INT)");
            run(connection, "CREATE TABLE d.a (k INT PRIMARY KEY)");
        }
    }

    private static void fill(Connection connection, int rows) throws SQLException {
        run(connection, "INSERT INTO a VALUES (0)");
        for (int size = 1; size < rows; size *= 2) {
            run(connection, "INSERT INTO a SELECT k + " + size + " FROM a");
        }
    }

    @Test
    void transaction_isSeenByItsSessionOnly_untilItCommits() throws SQLException {
        try (Connection one = server.connect("d");
                Connection two = server.connect("d")) {
            one.setAutoCommit(false);
            assertThat(update(one, "INSERT INTO t VALUES (1, 1)")).isEqualTo(1);
            assertThat(rows(one, "SELECT COUNT(*) FROM t")).containsExactly("1");
            assertThat(rows(two, "SELECT COUNT(*) FROM t")).containsExactly("0");
            one.rollback();
            assertThat(rows(one, "SELECT COUNT(*) FROM t")).containsExactly("0");
            update(one, "INSERT INTO t VALUES (1, 1)");
            one.commit();
            assertThat(rows(two, "SELECT COUNT(*) FROM t")).containsExactly("1");
        }
    }

    @Test
    void kill_namesASessionByItsUnsignedId() throws SQLException {
        try (StoreServer wrapped = StoreServer.start(EngineOptions.of(null), Integer.MIN_VALUE);
                Connection one = wrapped.connect(null);
                Connection two = wrapped.connect(null)) {
            String id = rows(one, "SELECT CONNECTION_ID()").get(0);
            assertThat(Long.parseLong(id)).isGreaterThan(Integer.MAX_VALUE);
            assertThat(rows(two, "SELECT ID FROM information_schema.PROCESSLIST"))
                    .contains(id);
            run(two, "KILL " + id);
            fails(two, "KILL " + id, 1094);
            fails(two, "KILL " + (1L << 32), 1094);
            fails(two, "KILL 99999999999999999999", 1064);
            fails(two, "KILL QUERY CONNECTION_ID()", 1317);
        }
    }

    @Test
    void transaction_thatMeetsAnother_failsWithDeadlock() throws SQLException {
        try (Connection one = server.connect("d");
                Connection two = server.connect("d")) {
            run(one, "INSERT INTO t VALUES (1, 1)");
            run(one, "BEGIN");
            run(two, "BEGIN");
            run(one, "UPDATE t SET v = 2 WHERE k = 1");
            assertThatThrownBy(() -> run(two, "UPDATE t SET v = 3 WHERE k = 1"))
                    .isInstanceOfSatisfying(SQLException.class, e -> {
                        assertThat(e.getErrorCode()).isEqualTo(1213);
                        assertThat(e.getSQLState()).isEqualTo("40001");
                    });
            run(one, "COMMIT");
            assertThat(rows(two, "SELECT v FROM t")).containsExactly("2");
        }
    }

    private static void fails(Connection connection, String sql, int code) {
        assertThatThrownBy(() -> run(connection, sql))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(code));
    }

    @Test
    void selectForUpdate_holdsUpWritesOfOtherSessions_untilItsTransactionEnds() throws SQLException {
        try (Connection connection = server.connect("d");
                Connection other = server.connect("d")) {
            run(connection, "INSERT INTO t VALUES (1, 1), (2, 2)");
            run(other, "SET innodb_lock_wait_timeout = 1");
            run(connection, "BEGIN");
            assertThat(rows(connection, "SELECT k FROM t WHERE k = 1 FOR UPDATE"))
                    .containsExactly("1");
            fails(other, "DELETE FROM t WHERE k = 1", 1205);
            fails(other, "TRUNCATE TABLE t", 1205);
            run(other, "BEGIN");
            fails(other, "SELECT k FROM t FOR UPDATE", 1205);
            assertThat(rows(other, "SELECT k FROM t WHERE k = 1")).containsExactly("1");
            run(connection, "UPDATE t SET v = 7 WHERE k = 1");
            run(connection, "COMMIT");
            // The snapshot is older than the write.
            fails(other, "SELECT v FROM t WHERE k = 1 FOR UPDATE", 1213);
            run(connection, "UPDATE t SET v = 8 WHERE k = 1");
            assertThat(rows(other, "SELECT v FROM t WHERE k = 1 FOR UPDATE")).containsExactly("8");
            run(other, "BEGIN");
            run(connection, "UPDATE t SET v = 9 WHERE k = 1");
            assertThat(rows(other, "SELECT v FROM t WHERE k = 1 FOR UPDATE")).containsExactly("9");
            run(other, "DELETE FROM t WHERE k = 1");
        }
    }

    @Test
    void selectForUpdate_whileAnotherTransactionWrites_waits() throws SQLException {
        try (Connection connection = server.connect("d");
                Connection other = server.connect("d")) {
            run(connection, "INSERT INTO t VALUES (1, 1), (2, 2)");
            run(connection, "SET innodb_lock_wait_timeout = 1");
            run(other, "BEGIN");
            run(other, "UPDATE t SET v = 8 WHERE k = 1");
            run(connection, "BEGIN");
            fails(connection, "SELECT v FROM t FOR UPDATE", 1205);
            run(other, "UPDATE t SET v = 9 WHERE k = 1");
            run(connection, "INSERT INTO t VALUES (9, 9)");
            // Each of the two would wait for the other.
            fails(other, "SELECT v FROM t FOR UPDATE", 1213);
            run(connection, "COMMIT");
            try (Connection leaves = server.connect("d")) {
                run(leaves, "BEGIN");
                assertThat(rows(leaves, "SELECT v FROM t WHERE k = 9 FOR UPDATE"))
                        .containsExactly("9");
            }
            run(other, "UPDATE t SET v = 8 WHERE k = 1");
        }
    }

    @Test
    void transaction_afterAFailedStatement_canOnlyRollBack() throws SQLException {
        try (Connection connection = server.connect("d")) {
            run(connection, "INSERT INTO t VALUES (1, 1)");
            run(connection, "BEGIN");
            run(connection, "INSERT INTO t VALUES (2, 2)");
            assertThatThrownBy(() -> run(connection, "SELECT nosuch FROM t")).hasMessageContaining("nosuch");
            run(connection, "INSERT INTO t VALUES (3, 3)");
            assertThatThrownBy(() -> run(connection, "INSERT INTO t VALUES (1, 1)"))
                    .hasMessageContaining("Duplicate");
            assertThatThrownBy(() -> run(connection, "SELECT 1 FROM t"))
                    .hasMessageContaining("can only be rolled back");
            assertThatThrownBy(() -> run(connection, "COMMIT"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(1180));
            assertThat(rows(connection, "SELECT k FROM t")).containsExactly("1");
        }
    }

    /**
     * The tables behind these statements are created on demand, here in a transaction that is
     * rolled back.
     */
    @Test
    void whatASessionTellsOfItself_isToldBehindARollback() throws SQLException {
        try (Connection connection = server.connect("d")) {
            for (String end : List.of("ROLLBACK", "COMMIT", "ROLLBACK")) {
                run(connection, "BEGIN");
                run(connection, "INSERT INTO t VALUES (9, 1)");
                assertThat(rows(connection, "SHOW WARNINGS")).isEmpty();
                assertThat(rows(connection, "SHOW VARIABLES LIKE 'autocommit'")).hasSize(1);
                run(connection, end);
                assertThat(rows(connection, "SHOW WARNINGS")).isEmpty();
                assertThat(rows(connection, "SHOW STATUS LIKE 'Uptime'")).hasSize(1);
                run(connection, "DELETE FROM t WHERE k = 9");
            }
        }
    }

    @Test
    void dataDefinition_insideATransaction_commitsIt() throws SQLException {
        try (Connection connection = server.connect("d")) {
            run(connection, "BEGIN");
            run(connection, "INSERT INTO t VALUES (1, 1)");
            run(connection, "CREATE TABLE other (k INT PRIMARY KEY)");
            run(connection, "ROLLBACK");
            assertThat(rows(connection, "SELECT COUNT(*) FROM t")).containsExactly("1");
        }
    }

    @Test
    void readOnlyTransaction_refusesWrites() throws SQLException {
        try (Connection connection = server.connect("d")) {
            run(connection, "START TRANSACTION READ ONLY");
            assertThatThrownBy(() -> run(connection, "INSERT INTO t VALUES (1, 1)"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(1792));
            run(connection, "COMMIT");
        }
    }

    @Test
    void statements_inOneText_eachHaveTheirResult() throws SQLException {
        try (Connection connection = server.connect("d", "&allowMultiQueries=true");
                Statement statement = connection.createStatement()) {
            assertThat(statement.execute(
                            "INSERT INTO t VALUES (1, 1); SELECT v FROM t; ; SELECT 'a;b' -- c;d\n; DELETE FROM t"))
                    .isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(1);
            assertThat(statement.getMoreResults()).isTrue();
            assertThat(rows(statement.getResultSet())).containsExactly("1");
            assertThat(statement.getMoreResults()).isTrue();
            assertThat(rows(statement.getResultSet())).containsExactly("a;b");
            assertThat(statement.getMoreResults()).isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(1);
            assertThat(statement.getMoreResults()).isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(-1);
        }
    }

    @Test
    void cursor_fetchesInPieces_whileOtherStatementsRun() throws SQLException {
        try (Connection connection = server.connect("d", "&useServerPrepStmts=true&useCursorFetch=true")) {
            fill(connection, 1024);
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT k, k AS rowid FROM a WHERE k >= ? ORDER BY k DESC")) {
                select.setFetchSize(100);
                select.setInt(1, 24);
                try (ResultSet rows = select.executeQuery()) {
                    for (int k = 1023; k >= 24; k--) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getInt(1)).isEqualTo(k);
                        if (k % 300 == 0) {
                            assertThat(rows(connection, "SELECT COUNT(*) FROM a"))
                                    .containsExactly("1024");
                        }
                    }
                    assertThat(rows.next()).isFalse();
                }
                select.setInt(1, 5000);
                try (ResultSet rows = select.executeQuery()) {
                    assertThat(rows.next()).isFalse();
                }
            }
        }
    }

    @Test
    void kill_ofAQuery_endsItAndLeavesTheSession() throws Exception {
        try (Connection one = server.connect("d");
                Connection two = server.connect("d")) {
            fill(one, 4096);
            long id = Long.parseLong(rows(one, "SELECT CONNECTION_ID()").get(0));
            CompletableFuture<SQLException> ended = new CompletableFuture<>();
            Thread query = new Thread(() -> {
                try {
                    run(one, ENDLESS);
                    ended.completeExceptionally(new AssertionError("the query ended by itself"));
                } catch (SQLException e) {
                    ended.complete(e);
                }
            });
            query.start();
            while (rows(
                            two,
                            "SELECT ID FROM information_schema.PROCESSLIST WHERE ID = " + id
                                    + " AND INFO LIKE 'SELECT COUNT%'")
                    .isEmpty()) {
                assertThat(ended).isNotDone();
            }
            while (!ended.isDone()) {
                run(two, "KILL QUERY " + id);
            }
            assertThat(ended.get(1, TimeUnit.MINUTES).getErrorCode()).isEqualTo(1317);
            query.join();
            assertThat(rows(one, "SELECT 1")).containsExactly("1");
            run(two, "KILL " + id);
            assertThatThrownBy(() -> {
                        while (true) {
                            rows(one, "SELECT 1");
                        }
                    })
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void select_longerThanItsLimit_isInterrupted() throws SQLException {
        try (Connection connection = server.connect("d")) {
            fill(connection, 4096);
            run(connection, "SET max_execution_time = 100");
            assertThatThrownBy(() -> run(connection, ENDLESS))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(3024));
            assertThat(rows(connection, "SELECT 1")).containsExactly("1");
        }
    }

    @Test
    void preparedStatements_overTheLimit_areRefused() throws SQLException {
        try (Connection connection = server.connect("d", "&useServerPrepStmts=true&emulateUnsupportedPstmts=false")) {
            for (int i = 0; i < 20; i++) {
                connection.prepareStatement("SELECT " + i + " + ?");
            }
            assertThatThrownBy(() -> connection.prepareStatement("SELECT 20 + ?"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(1461));
        }
    }

    @Test
    void variables_areTheSessionsOwn() throws SQLException {
        try (Connection one = server.connect("d");
                Connection two = server.connect("d")) {
            run(one, "SET @a = 1 + 1, @b := 'x', time_zone = '+00:00', sql_mode = 'ANSI_QUOTES'");
            assertThat(rows(one, "SELECT @a, @b, @@time_zone, @@sql_mode")).containsExactly("2|x|+00:00|ANSI_QUOTES");
            assertThat(rows(one, "SELECT k AS \"quoted name\" FROM t")).isEmpty();
            assertThat(rows(two, "SELECT @a, @@time_zone")).containsExactly("null|SYSTEM");
            assertThat(rows(two, "SHOW VARIABLES LIKE 'version_comment'").get(0))
                    .contains("Keyline");
            assertThat(rows(two, "SHOW VARIABLES WHERE Variable_name IN ('autocommit', 'lower_case_table_names')"))
                    .isEqualTo(List.of("autocommit|ON", "lower_case_table_names|2"));
        }
    }

    @Test
    void warnings_tellOfTheLastStatement() throws SQLException {
        try (Connection connection = server.connect("d")) {
            run(connection, "DROP TABLE IF EXISTS nosuch");
            assertThat(rows(connection, "SHOW WARNINGS")).containsExactly("Note|1051|Unknown table 'd.nosuch'");
            assertThat(rows(connection, "SHOW COUNT(*) WARNINGS")).containsExactly("1");
            assertThatThrownBy(() -> run(connection, "SELECT nosuch FROM t")).isInstanceOf(SQLException.class);
            assertThat(rows(connection, "SHOW ERRORS").get(0)).startsWith("Error|1054|");
            run(connection, "SELECT 1");
            assertThat(rows(connection, "SHOW WARNINGS")).isEmpty();
        }
    }

    @Test
    void text_inAnotherCharacterSetThanUtf8_isAsciiOrRefused() throws SQLException {
        try (Connection utf8 = server.connect("d");
                Connection latin1 = server.connect("d", "&characterEncoding=Cp1252&useServerPrepStmts=true")) {
            run(utf8, "CREATE TABLE s (k INT PRIMARY KEY, s VARCHAR(9), b VARBINARY(9))");
            run(utf8, "INSERT INTO s VALUES (1, 'é', x'E9'), (2, 'plain', x'00FF')");
            fails(latin1, "INSERT INTO s VALUES (3, 'é', NULL)", 1235);
            try (PreparedStatement insert = latin1.prepareStatement("INSERT INTO s VALUES (?, ?, NULL)")) {
                insert.setInt(1, 3);
                insert.setString(2, "é");
                assertThatThrownBy(insert::execute).hasMessageContaining("text outside ASCII (a value)");
                insert.setString(2, "e");
                assertThat(insert.executeUpdate()).isEqualTo(1);
            }
            fails(utf8, "SELECT _latin1'a'", 1235);
            fails(utf8, "SET character_set_results = utf16", 1235);
            assertThat(rows(utf8, "SELECT _utf8mb4'é', HEX(_binary'é'), N'a'")).containsExactly("é|C3A9|a");
            run(utf8, "SET character_set_results = latin1");
            assertThatThrownBy(() -> rows(utf8, "SELECT s FROM s WHERE k = 1"))
                    .hasMessageContaining("text outside ASCII (column 's')");
            assertThat(rows(utf8, "SELECT k, s, HEX(b) FROM s WHERE k > 1 ORDER BY k"))
                    .containsExactly("2|plain|00FF", "3|e|null");
        }
    }

    @Test
    void executableComments_areExecuted() throws SQLException {
        try (Connection connection = server.connect("d")) {
            assertThat(rows(connection, "SELECT /*! 1 + */ 1, /*!99999 2 + */ 2 /*M! + 5 */"))
                    .containsExactly("2|2");
            run(connection, "/*!40101 SET NAMES utf8mb4 */");
        }
    }
}
