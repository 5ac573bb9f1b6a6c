package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** CREATE TABLE … AS SELECT. */
final class CreateTableAsTest extends FreshDatabase {
    @BeforeEach
    void twoRows() throws SQLException {
        run(connection, "CREATE TABLE s (k INT PRIMARY KEY, v VARCHAR(9) NOT NULL, d DECIMAL(7,2), t DATETIME(3))");
        run(connection, "INSERT INTO s VALUES (1, 'one', 1.5, '2026-01-02 03:04:05.678'), (2, 'two', NULL, NULL)");
    }

    @Test
    void columns_haveTheTypesOfTheirTables_andExpressionsTheWidest() throws SQLException {
        try (Statement create = connection.createStatement()) {
            assertThat(
                            create.executeUpdate(
                                    "CREATE TABLE c AS SELECT k, v AS name, d, t, k + 1 AS n, CONCAT(v, '!') AS s, d * 2 e FROM s"))
                    .isEqualTo(2);
        }
        assertThat(rows(connection, "SELECT * FROM c ORDER BY k"))
                .containsExactly("1|one|1.50|2026-01-02 03:04:05.678|2|one!|3.00", "2|two|null|null|3|two!|null");
        assertThat(
                        rows(
                                connection,
                                "SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE FROM information_schema.COLUMNS WHERE"
                                        + " TABLE_SCHEMA = 'd' AND TABLE_NAME = 'c' AND ORDINAL_POSITION < 6 ORDER BY ORDINAL_POSITION"))
                .containsExactly(
                        "k|int|NO", "name|varchar(9)|NO", "d|decimal(7,2)|YES", "t|datetime(3)|YES", "n|bigint|YES");
    }

    @Test
    void clausesOfDoris_areThoseOfTheTable() throws SQLException {
        run(
                connection,
                "CREATE TABLE IF NOT EXISTS d.u UNIQUE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1"
                        + " PROPERTIES (\"replication_num\" = \"1\") AS WITH w AS (SELECT * FROM s) SELECT k, v FROM w");
        run(connection, "INSERT INTO u VALUES (1, 'new')");
        assertThat(rows(connection, "SELECT * FROM u ORDER BY k")).containsExactly("1|new", "2|two");
        run(connection, "CREATE TABLE IF NOT EXISTS u AS SELECT 9 AS k");
        assertThat(rows(connection, "SHOW WARNINGS")).containsExactly("Note|1050|Table 'u' already exists");
        assertThat(rows(connection, "SELECT COUNT(*) FROM u")).containsExactly("2");
        run(connection, "CREATE TABLE p PROPERTIES('replication_num' = '1') SELECT v, k FROM u");
        assertThat(rows(connection, "SELECT COUNT(*) FROM p")).containsExactly("2");
    }

    @Test
    void placeholder_isBound() throws SQLException {
        try (Connection prepared = server.connect("d", "&useServerPrepStmts=true");
                PreparedStatement create = prepared.prepareStatement("CREATE TABLE c AS SELECT * FROM s WHERE k = ?")) {
            create.setInt(1, 2);
            create.executeUpdate();
        }
        assertThat(rows(connection, "SELECT k FROM c")).containsExactly("2");
    }

    @Test
    void tableThatCannotBeFilled_isNotThere() throws SQLException {
        assertThatThrownBy(() -> run(connection, "CREATE TABLE c AS SELECT (SELECT k FROM s) AS x"))
                .hasMessageContaining("more than 1 row");
        assertThat(rows(connection, "SHOW TABLES")).containsExactly("s");
        assertThatThrownBy(() -> run(connection, "CREATE TABLE s AS SELECT 1 AS a"))
                .hasMessageContaining("already exists");
        assertThat(rows(connection, "SELECT COUNT(*) FROM s")).containsExactly("2");
        assertThatThrownBy(() -> run(connection, "CREATE TABLE c AS SELECT nosuch FROM s"))
                .hasMessageContaining("nosuch");
        assertThatThrownBy(() -> run(connection, "CREATE TABLE c (a INT) AS SELECT 1 AS a"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1235));
        assertThatThrownBy(() -> run(connection, "CREATE TABLE c AS SELECT 1 AS a, 2 AS a"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1060));
    }
}
