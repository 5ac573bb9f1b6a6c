package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

/** Statements through Connector/J, text and server-side prepared. */
final class StatementsTest extends FreshDatabase {
    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static int update(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    /** Rows as text, cells joined by a bar. */
    static List<String> rows(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows(rows);
        }
    }

    static List<String> rows(ResultSet rows) throws SQLException {
        List<String> all = new ArrayList<>();
        int columns = rows.getMetaData().getColumnCount();
        while (rows.next()) {
            List<String> cells = new ArrayList<>();
            for (int i = 1; i <= columns; i++) {
                cells.add(String.valueOf(rows.getString(i)));
            }
            all.add(String.join("|", cells));
        }
        return all;
    }

    private static final String USERTABLE = """
            CREATE TABLE `usertable` (
              `YCSB_KEY` varchar(255) NULL,
              `FIELD0` text NULL,
              `FIELD1` text NULL,
              `FIELD2` text NULL,
              `FIELD3` text NULL,
              `FIELD4` text NULL,
              `FIELD5` text NULL,
              `FIELD6` text NULL,
              `FIELD7` text NULL,
              `FIELD8` text NULL,
              `FIELD9` text NULL
            ) ENGINE=OLAP
            UNIQUE KEY(`YCSB_KEY`)
            COMMENT 'OLAP'
            DISTRIBUTED BY HASH(`YCSB_KEY`) BUCKETS 16
            PROPERTIES (
            "replication_allocation" = "tag.location.default: 1",
            "in_memory" = "false",
            "persistent" = "false",
            "storage_format" = "V2",
            "enable_unique_key_merge_on_write" = "true",
            "light_schema_change" = "true",
            "store_row_column" = "true",
            "disable_auto_compaction" = "false"
            );
            """;

    @Test
    void createTable_asDorisPublishesIt_keepsItsDefinition() throws SQLException {
        try (Connection connection = server.connect("d")) {
            run(connection, USERTABLE);
            run(connection, """
                    CREATE TABLE `tbl_point_query` (
                        `USER_KEY` BIGINT NOT NULL,
                        `v1` decimal(27, 9) NULL,
                        `v2` varchar(30) NULL,
                        `v3` datetime NULL
                    ) ENGINE=OLAP
                    UNIQUE KEY(USER_KEY)
                    COMMENT 'OLAP'
                    DISTRIBUTED BY HASH(USER_KEY) BUCKETS 1
                    PROPERTIES (
                    "replication_allocation" = "tag.location.default: 1",
                    "enable_unique_key_merge_on_write" = "true",
                    "light_schema_change" = "true",
                    "store_row_column" = "true",
                    );
                    """);
            assertThat(rows(connection, "SHOW CREATE TABLE usertable").get(0))
                    .contains("UNIQUE KEY(`YCSB_KEY`)", "BUCKETS 16", "\"store_row_column\" = \"true\"");
            assertThat(update(
                            connection,
                            "INSERT INTO tbl_point_query VALUES (1, 119291.11, 'ddd', '2020-01-01 12:36:38')"))
                    .isEqualTo(1);
            assertThat(rows(connection, "SELECT * FROM tbl_point_query WHERE USER_KEY = 1"))
                    .containsExactly("1|119291.110000000|ddd|2020-01-01 12:36:38");
            assertThat(Objects.requireNonNull(server.store().catalog().table("d", "usertable"))
                            .keyColumns())
                    .containsExactly(0);
        }
    }

    @Test
    void insert_intoUniqueTable_replacesTheRow() throws SQLException {
        try (Connection connection = server.connect("d")) {
            run(
                    connection,
                    "CREATE TABLE t (a INT, b VARCHAR(10), v INT) UNIQUE KEY(a, b) DISTRIBUTED BY HASH(a) BUCKETS 1");
            assertThat(update(connection, "INSERT INTO t VALUES (1, 'x', 1), (1, 'y', 2)"))
                    .isEqualTo(2);
            assertThat(update(connection, "INSERT INTO t VALUES (1, 'x', 3)")).isEqualTo(1);
            assertThat(update(connection, "INSERT INTO t VALUES (2, 'z', 1), (2, 'z', 2), (2, 'z', 3)"))
                    .isEqualTo(3);
            assertThat(update(connection, "INSERT INTO t (v, b, a) VALUES (9, 'part', 9)"))
                    .isEqualTo(1);
            assertThat(update(connection, "INSERT INTO t (b, a) VALUES ('part', 9)"))
                    .isEqualTo(1);
            assertThat(rows(connection, "SELECT v FROM t WHERE a = 9")).containsExactly("null");
            assertThat(update(connection, "DELETE FROM t WHERE a = 9 AND b = 'part'"))
                    .isEqualTo(1);
            assertThat(rows(connection, "SELECT * FROM t ORDER BY a, b")).containsExactly("1|x|3", "1|y|2", "2|z|3");
            assertThat(update(connection, "UPDATE t SET v = v + 1 WHERE a = 1")).isEqualTo(2);
            assertThat(update(connection, "DELETE FROM t WHERE a = 1 AND b = 'x'"))
                    .isEqualTo(1);
            assertThat(update(connection, "DELETE FROM t WHERE a = 1 AND b = 'x'"))
                    .isZero();
            assertThat(rows(connection, "SELECT * FROM t ORDER BY a")).containsExactly("1|y|3", "2|z|3");
        }
    }

    @Test
    void insert_deleteAndInsertOfOneKeyInATransaction_commits() throws SQLException {
        try (Connection connection = server.connect("d")) {
            run(connection, "CREATE TABLE t (k INT PRIMARY KEY, v INT)");
            run(connection, "INSERT INTO t VALUES (1, 1)");
            connection.setAutoCommit(false);
            run(connection, "DELETE FROM t WHERE k = 1");
            run(connection, "INSERT INTO t VALUES (1, 2)");
            run(connection, "UPDATE t SET v = 3 WHERE k = 1");
            connection.commit();
            assertThat(rows(connection, "SELECT * FROM t")).containsExactly("1|3");
        }
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "StatementsTest.statement_thatFails_givesMySqlsError.txt",
            delimiter = ';',
            quoteCharacter = '\'')
    void statement_thatFails_givesMySqlsError(String sql, int code, String state) throws SQLException {
        try (Connection connection = server.connect("d", "&jdbcCompliantTruncation=true")) {
            run(connection, "CREATE TABLE t (k INT PRIMARY KEY, s VARCHAR(3), v INT)");
            run(connection, "INSERT INTO t VALUES (1, 'x', 1)");
            assertThatThrownBy(() -> run(connection, sql)).isInstanceOfSatisfying(SQLException.class, e -> {
                assertThat(e.getErrorCode()).as(e.getMessage()).isEqualTo(code);
                // Connector/J itself replaces the SQLSTATE of truncations, class 22, by 22001.
                assertThat(e.getSQLState()).isIn(state, "22001");
            });
            assertThat(rows(connection, "SELECT * FROM t")).containsExactly("1|x|1");
        }
    }

    /**
     * Queries that fail while DuckDB runs them, at their first row, at a late one, and in a
     * transaction with changes.
     */
    @ParameterizedTest
    @CsvSource({"1, false", "400000, false", "1, true", "400000, true"})
    void select_thatFailsWhileItRuns_tellsWhatWasWrong(int failing, boolean transaction) throws SQLException {
        try (Connection connection = server.connect("d", "&useServerPrepStmts=true")) {
            run(connection, "CREATE TABLE t (k INT PRIMARY KEY, v BIGINT)");
            run(connection, "INSERT INTO t VALUES (1, 1)");
            while (rows(connection, "SELECT COUNT(*) < 500000 FROM t").contains("1")) {
                run(connection, "INSERT INTO t SELECT k + (SELECT MAX(k) FROM t), 1 FROM t");
            }
            run(connection, "UPDATE t SET v = 9223372036854775807 WHERE k = " + failing);
            connection.setAutoCommit(!transaction);
            run(connection, "UPDATE t SET v = 2 WHERE k = 2");
            try (PreparedStatement select = connection.prepareStatement("SELECT v * ? FROM t")) {
                select.setLong(1, 4);
                assertThatThrownBy(select::executeQuery).isInstanceOfSatisfying(SQLException.class, e -> {
                    assertThat(e.getErrorCode()).as(e.getMessage()).isEqualTo(1690);
                    assertThat(e.getMessage()).contains("9223372036854775807 * 4");
                });
            }
        }
    }

    @Test
    void alterTable_underAPreparedStatement_isSeenByTheNextExecution() throws SQLException {
        try (Connection connection = server.connect("d", "&useServerPrepStmts=true")) {
            run(connection, "CREATE TABLE t (k INT PRIMARY KEY, v INT)");
            run(connection, "INSERT INTO t VALUES (1, 10)");
            try (PreparedStatement select = connection.prepareStatement("SELECT v FROM t WHERE k = ?")) {
                select.setInt(1, 1);
                try (ResultSet rows = select.executeQuery()) {
                    assertThat(rows(rows)).containsExactly("10");
                }
                run(connection, "ALTER TABLE t ADD COLUMN w VARCHAR(5) NOT NULL DEFAULT 'new' AFTER k");
                run(connection, "ALTER TABLE t MODIFY COLUMN v BIGINT");
                run(connection, "UPDATE t SET v = 5000000000 WHERE k = 1");
                try (ResultSet rows = select.executeQuery()) {
                    assertThat(rows(rows)).containsExactly("5000000000");
                }
            }
            assertThat(rows(connection, "SELECT * FROM t")).containsExactly("1|new|5000000000");
            run(connection, "ALTER TABLE t DROP COLUMN w");
            run(connection, "ALTER TABLE t RENAME COLUMN v TO u");
            run(connection, "RENAME TABLE t TO t2");
            assertThat(rows(connection, "SELECT u FROM t2")).containsExactly("5000000000");
            assertThat(rows(connection, "SHOW COLUMNS FROM t2 LIKE 'u'").get(0)).startsWith("u|bigint|YES");
        }
    }

    @Test
    void columnDefinitions_ofBaseColumns_sayTableKeyAndNullability() throws SQLException {
        try (Connection connection = server.connect("d")) {
            run(
                    connection,
                    "CREATE TABLE t (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, s VARCHAR(7) NOT NULL, d DECIMAL(7,2))");
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT id AS i, s, d, s + 1 AS e FROM t AS x")) {
                ResultSetMetaData metadata = rows.getMetaData();
                assertThat(metadata.getColumnLabel(1)).isEqualTo("i");
                assertThat(metadata.getColumnName(1)).isEqualTo("id");
                assertThat(metadata.getTableName(1)).isEqualTo("t");
                assertThat(metadata.getCatalogName(1)).isEqualTo("d");
                assertThat(metadata.isAutoIncrement(1)).isTrue();
                assertThat(metadata.isSigned(1)).isFalse();
                assertThat(metadata.isNullable(2)).isEqualTo(ResultSetMetaData.columnNoNulls);
                assertThat(metadata.getColumnDisplaySize(2)).isEqualTo(7);
                assertThat(metadata.getPrecision(3)).isEqualTo(7);
                assertThat(metadata.getScale(3)).isEqualTo(2);
                assertThat(metadata.getTableName(4)).isEmpty();
            }
        }
    }

    @Test
    void autoIncrement_isToldToTheClient() throws SQLException {
        try (Connection connection = server.connect("d")) {
            run(connection, "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT)");
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("INSERT INTO t (v) VALUES (7), (8)", Statement.RETURN_GENERATED_KEYS);
                try (ResultSet keys = statement.getGeneratedKeys()) {
                    assertThat(rows(keys)).containsExactly("1", "2");
                }
            }
            run(connection, "INSERT INTO t VALUES (10, 1)");
            run(connection, "INSERT INTO t (v) VALUES (9)");
            assertThat(rows(connection, "SELECT LAST_INSERT_ID()")).containsExactly("11");
        }
    }

    @Test
    void text_ofAnyKind_comesBackAsItWasSent() throws SQLException {
        String text = "a'b\"c\\d\n\r\0\u001aé漢😀%_";
        for (String mode : List.of("&useServerPrepStmts=true", "")) {
            try (Connection connection = server.connect("d", mode)) {
                run(connection, "CREATE TABLE IF NOT EXISTS t (k VARCHAR(50) PRIMARY KEY, b BLOB)");
                try (PreparedStatement insert = connection.prepareStatement("REPLACE INTO t VALUES (?, ?)")) {
                    insert.setString(1, text);
                    insert.setBytes(2, new byte[] {0, (byte) 0xFF, 39, 92, 10});
                    insert.executeUpdate();
                }
                try (PreparedStatement select = connection.prepareStatement("SELECT k, b FROM t WHERE k = ?")) {
                    select.setString(1, text);
                    try (ResultSet rows = select.executeQuery()) {
                        assertThat(rows.next()).as("mode %s", mode).isTrue();
                        assertThat(rows.getString(1)).isEqualTo(text);
                        assertThat(rows.getBytes(2)).containsExactly(0, 0xFF, 39, 92, 10);
                    }
                }
            }
        }
    }
}
