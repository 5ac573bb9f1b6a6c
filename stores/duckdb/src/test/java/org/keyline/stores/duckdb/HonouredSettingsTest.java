package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** The settings of a session or a definition have their effect. */
final class HonouredSettingsTest extends FreshDatabase {
    private static final String DORIS = " DISTRIBUTED BY HASH(k) BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")";

    HonouredSettingsTest() {
        super("&jdbcCompliantTruncation=false");
    }

    @Test
    void maxRows_boundSelectsWithoutALimitOfTheirOwn() throws SQLException {
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY)");
        run(connection, "INSERT INTO t VALUES (1), (2), (3), (4)");
        try (Statement statement = connection.createStatement()) {
            statement.setMaxRows(2);
            try (ResultSet rows = statement.executeQuery("SELECT k FROM t ORDER BY k DESC")) {
                assertThat(rows(rows)).containsExactly("4", "3");
            }
        }
        run(connection, "SET sql_select_limit = 1");
        assertThat(rows(connection, "SELECT k FROM t ORDER BY k")).containsExactly("1");
        assertThat(rows(connection, "SELECT k FROM t ORDER BY k LIMIT 3")).containsExactly("1", "2", "3");
        assertThat(rows(connection, "SHOW DATABASES").size()).isGreaterThan(1);
        run(connection, "INSERT INTO t SELECT k + 10 FROM t");
        run(connection, "SET sql_select_limit = DEFAULT");
        assertThat(rows(connection, "SELECT COUNT(*) FROM t")).containsExactly("8");
    }

    @Test
    void maxRows_boundACursor() throws SQLException {
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY)");
        run(connection, "INSERT INTO t VALUES (1), (2), (3), (4)");
        try (Connection cursors = server.connect("d", "&useServerPrepStmts=true&useCursorFetch=true")) {
            run(cursors, "SET sql_select_limit = 3");
            try (PreparedStatement select = cursors.prepareStatement("SELECT k FROM t ORDER BY k")) {
                select.setFetchSize(2);
                try (ResultSet rows = select.executeQuery()) {
                    assertThat(rows(rows)).containsExactly("1", "2", "3");
                }
            }
        }
    }

    @Test
    void valueThatDoesNotFit_isAnErrorInEveryMode() throws SQLException {
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR(3))");
        run(connection, "SET sql_mode = ''");
        assertThatThrownBy(() -> run(connection, "INSERT INTO t VALUES (1, 'abcd')"))
                .hasMessageContaining("Data too long");
        assertThatThrownBy(() -> run(connection, "INSERT INTO t VALUES (1 / 0, 'a')"))
                .hasMessageContaining("Division by 0");
        assertThatThrownBy(() -> run(connection, "SET enable_insert_strict = false"))
                .hasMessageContaining("enable_insert_strict");
        assertThat(rows(connection, "SELECT * FROM t")).isEmpty();
    }

    @Test
    void autoIncrement_beginsWhereTheTableSays() throws SQLException {
        run(connection, "CREATE TABLE t (k INT AUTO_INCREMENT PRIMARY KEY, v INT) AUTO_INCREMENT = 100");
        run(connection, "INSERT INTO t (v) VALUES (1)");
        run(connection, "ALTER TABLE t AUTO_INCREMENT = 500");
        run(connection, "INSERT INTO t (v) VALUES (2)");
        run(connection, "ALTER TABLE t AUTO_INCREMENT = 5");
        run(connection, "INSERT INTO t (v) VALUES (3)");
        assertThat(rows(connection, "SELECT k FROM t ORDER BY v")).containsExactly("100", "500", "501");
        assertThatThrownBy(() ->
                        run(connection, "CREATE TABLE u (k BIGINT NOT NULL AUTO_INCREMENT(7)) UNIQUE KEY(k)" + DORIS))
                .hasMessageContaining("AUTO_INCREMENT(7)");
    }

    @Test
    void columnNamesOfATableAlias_areASyntaxError() throws SQLException {
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY)");
        assertThatThrownBy(() -> rows(connection, "SELECT x FROM t AS a(x)"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1064));
    }

    @Test
    void groupByAConstant_isOneGroup() throws SQLException {
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY, v INT)");
        run(connection, "INSERT INTO t VALUES (1, 1), (2, 1), (3, 2)");
        assertThat(rows(connection, "SELECT COUNT(*) FROM t GROUP BY '1'")).containsExactly("3");
        assertThat(rows(connection, "SELECT v, COUNT(*) FROM t GROUP BY 'x', v ORDER BY v"))
                .containsExactly("1|2", "2|1");
        assertThat(rows(connection, "SELECT COUNT(*) FROM t WHERE k > 5 GROUP BY 'x'"))
                .isEmpty();
    }

    @Test
    void inList_comesInTheOrderOfTheKey() throws SQLException {
        run(connection, "CREATE TABLE t (k INT, j INT, v INT) UNIQUE KEY(k, j)" + DORIS);
        run(connection, "INSERT INTO t VALUES (3, 1, 1), (1, 2, 2), (2, 9, 3), (1, 1, 4)");
        assertThat(rows(connection, "SELECT k, j FROM t WHERE k IN (2, 3, 1)"))
                .containsExactly("1|1", "1|2", "2|9", "3|1");
        assertThat(rows(connection, "SELECT v AS k FROM t AS x WHERE v > 0 AND k IN (3, 1) LIMIT 2"))
                .containsExactly("4", "2");
        assertThat(rows(connection, "SELECT COUNT(*) FROM t WHERE k IN (3, 1)")).containsExactly("3");
    }
}
