package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Views that clients make. What MariaDB answers as well is compared with it elsewhere. */
final class ViewsTest extends FreshDatabase {
    @BeforeEach
    void twoRows() throws SQLException {
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR(9) NOT NULL, d DECIMAL(7,2))");
        run(connection, "INSERT INTO t VALUES (1, 'one', 1.5), (2, 'two', NULL)");
    }

    private static void refused(int code, String sql, Connection connection) {
        assertThatThrownBy(() -> run(connection, sql))
                .as(sql)
                .isInstanceOfSatisfying(
                        SQLException.class,
                        e -> assertThat(e.getErrorCode()).as("%s: %s", sql, e).isEqualTo(code));
    }

    @Test
    void starAndNames_meanWhatTheyMeantWhenTheViewWasMade() throws SQLException {
        run(connection, "CREATE VIEW w AS SELECT s.*, t.* , k + 1 AS n FROM t JOIN (SELECT 7 AS x) AS s WHERE k < 3");
        try (Connection other = server.connect(null)) {
            run(other, "CREATE DATABASE IF NOT EXISTS e");
            run(other, "USE e");
            run(other, "CREATE TABLE t (k INT PRIMARY KEY)");
            run(other, "CREATE VIEW d.far AS SELECT k, (SELECT COUNT(*) FROM t) AS c FROM d.t");
            assertThat(rows(other, "SELECT x, k, v FROM d.w ORDER BY k")).containsExactly("7|1|one", "7|2|two");
            assertThat(rows(other, "SELECT * FROM d.far ORDER BY k")).containsExactly("1|0", "2|0");
            assertThat(rows(other, "SHOW CREATE VIEW d.far"))
                    .containsExactly(
                            "far|CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`%` SQL SECURITY DEFINER VIEW `far` AS"
                                    + " SELECT k, (SELECT COUNT(*) FROM `e`.t) AS c FROM d.t|utf8mb4|utf8mb4_general_ci");
            run(other, "DROP DATABASE e");
            refused(1356, "SELECT * FROM d.far", other);
        }
        run(connection, "ALTER TABLE t ADD COLUMN z INT FIRST");
        assertThat(rows(connection, "SELECT * FROM w ORDER BY k")).containsExactly("7|1|one|1.50|2", "7|2|two|null|3");
        assertThat(rows(connection, "SHOW CREATE TABLE w").get(0))
                .contains("SELECT `s`.`x`, `t`.`k`, `t`.`v`, `t`.`d` , k + 1 AS n FROM t JOIN (SELECT 7 AS x) AS s");
        assertThat(rows(connection, "SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_NAME = 'w'"))
                .containsExactly(
                        "SELECT `s`.`x`, `t`.`k`, `t`.`v`, `t`.`d` , k + 1 AS n FROM `d`.t JOIN (SELECT 7 AS x) AS s"
                                + " WHERE k < 3");
    }

    @Test
    void values_areThoseOfTheViewAndOfTheStatement() throws SQLException {
        run(connection, "CREATE VIEW w AS SELECT k, CONCAT(v, '!') AS s FROM t WHERE k > 0");
        run(connection, "CREATE VIEW x (a, b) AS SELECT s, 10 * k FROM w WHERE s LIKE 't%' OR k IN (1, 9) LIMIT 5");
        try (Connection prepared = server.connect("d", "&useServerPrepStmts=true");
                PreparedStatement select =
                        prepared.prepareStatement("SELECT ?, x.b, t.v FROM x JOIN t ON t.k = x.b / 10 WHERE a = ?")) {
            for (int i = 0; i < 3; i++) {
                select.setString(1, "p" + i);
                select.setString(2, i == 1 ? "one!" : "two!");
                try (ResultSet result = select.executeQuery()) {
                    assertThat(result.next()).isTrue();
                    assertThat(result.getString(1)).isEqualTo("p" + i);
                    assertThat(result.getInt(2)).isEqualTo(i == 1 ? 10 : 20);
                    assertThat(result.getString(3)).isEqualTo(i == 1 ? "one" : "two");
                }
            }
        }
        run(connection, "CREATE VIEW y AS SELECT USER() AS u, DATABASE() AS d, CURDATE() <= NOW() AS n");
        try (Connection other = server.connect(null)) {
            assertThat(rows(other, "SELECT n, d FROM d.y")).containsExactly("1|null");
        }
        refused(1351, "CREATE VIEW z AS SELECT @a", connection);
        refused(1351, "CREATE VIEW z AS SELECT @@max_execution_time", connection);
        refused(1351, "CREATE VIEW z AS SELECT ?", connection);
    }

    @Test
    void change_ofItsTables_isSeenByTheView() throws SQLException {
        run(connection, "CREATE VIEW w AS SELECT v, k FROM t");
        run(connection, "CREATE VIEW x AS SELECT v FROM w");
        run(connection, "ALTER TABLE t MODIFY COLUMN v VARCHAR(200) NULL");
        assertThat(rows(connection, "SHOW COLUMNS FROM x")).containsExactly("v|varchar(200)|YES||null|");
        run(connection, "RENAME TABLE t TO u");
        refused(1356, "SELECT * FROM w", connection);
        refused(1356, "SELECT v FROM x", connection);
        refused(1356, "DESCRIBE x", connection);
        assertThat(rows(connection, "SHOW FULL TABLES")).containsExactly("u|BASE TABLE", "w|VIEW", "x|VIEW");
        run(connection, "CREATE VIEW t AS SELECT 'nine' AS v, 9 AS k FROM u");
        assertThat(rows(connection, "SELECT * FROM x")).containsExactly("nine", "nine");
        run(connection, "DROP VIEW w");
        refused(1462, "CREATE OR REPLACE VIEW t AS SELECT * FROM t", connection);
        run(connection, "CREATE VIEW w AS SELECT v FROM t");
        refused(1462, "ALTER VIEW t AS SELECT v FROM w", connection);
        assertThat(rows(connection, "SELECT * FROM w")).containsExactly("nine", "nine");
    }

    @Test
    void metadata_namesTheViewAndTheBaseTable() throws SQLException {
        run(connection, "CREATE VIEW w (a, b) AS SELECT k, UPPER(v) FROM t");
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT a, b FROM w AS q")) {
            ResultSetMetaData meta = result.getMetaData();
            assertThat(meta.getColumnName(1)).isEqualTo("k");
            assertThat(meta.getColumnLabel(1)).isEqualTo("a");
            assertThat(meta.getColumnTypeName(1)).isEqualTo("INT");
        }
        run(connection, "CREATE TABLE c AS SELECT * FROM w");
        assertThat(rows(connection, "SHOW COLUMNS FROM c")).containsExactly("a|int|NO||null|", "b|text|YES||null|");
    }

    @Test
    void writesThroughAView_areRefused() throws SQLException {
        run(connection, "CREATE VIEW w AS SELECT * FROM t");
        refused(1471, "INSERT INTO w VALUES (3, 'three', 1)", connection);
        refused(1471, "REPLACE INTO w VALUES (3, 'three', 1)", connection);
        refused(1288, "UPDATE w SET v = 'x'", connection);
        refused(1288, "DELETE FROM w", connection);
        refused(1288, "UPDATE w JOIN t ON t.k = w.k SET w.v = 'x'", connection);
        refused(1347, "ALTER TABLE w ADD COLUMN x INT", connection);
        refused(1347, "TRUNCATE TABLE w", connection);
        refused(1347, "CREATE TABLE x LIKE w", connection);
        refused(1051, "DROP TABLE w", connection);
        refused(1347, "DROP VIEW t", connection);
        refused(1747, "SELECT * FROM w PARTITION (p)", connection);
        run(connection, "UPDATE t JOIN w ON t.k = w.k SET t.v = CONCAT(w.v, '+') WHERE w.k = 2");
        run(connection, "DELETE t FROM t JOIN w ON t.k = w.k WHERE w.k = 1");
        run(connection, "INSERT INTO t SELECT k + 1, v, d FROM w");
        assertThat(rows(connection, "SELECT k, v FROM w ORDER BY k")).containsExactly("2|two+", "3|two+");
    }

    @Test
    void lockOfAView_isThatOfItsTables() throws SQLException {
        run(connection, "CREATE VIEW w AS SELECT * FROM t");
        run(connection, "CREATE VIEW x AS SELECT * FROM w");
        run(connection, "LOCK TABLES x READ");
        assertThat(rows(connection, "SELECT COUNT(*) FROM x")).containsExactly("2");
        try (Connection other = server.connect("d")) {
            refused(1205, "INSERT INTO t VALUES (3, 'x', 1)", other);
        }
        run(connection, "UNLOCK TABLES");
        run(connection, "LOCK TABLES w READ LOCAL, t READ LOCAL");
        assertThat(rows(connection, "SELECT COUNT(*) FROM w")).containsExactly("2");
        run(connection, "UNLOCK TABLES");
    }

    @Test
    void view_outlivesARestart(@TempDir Path directory) throws SQLException {
        Path file = directory.resolve("views.db");
        try (StoreServer first = StoreServer.onFile(file);
                Connection client = first.connect(null)) {
            run(client, "CREATE DATABASE d");
            run(client, "USE d");
            run(client, "CREATE VIEW a (`x ``y`, z) AS SELECT 'it''s \\\\ ☃', 1.50 WITH CHECK OPTION");
            run(client, "CREATE TABLE t (k INT PRIMARY KEY)");
            run(client, "CREATE VIEW b AS SELECT * FROM t");
            run(client, "DROP TABLE t");
        }
        try (StoreServer second = StoreServer.onFile(file);
                Connection client = second.connect("d")) {
            assertThat(rows(client, "SELECT * FROM a")).containsExactly("it's \\ ☃|1.50");
            assertThat(rows(client, "DESCRIBE a").get(0)).startsWith("x `y|");
            refused(1356, "SELECT * FROM b", client);
            run(client, "CREATE TABLE t (k INT PRIMARY KEY)");
            assertThat(rows(client, "SELECT * FROM b")).isEmpty();
            assertThat(rows(client, "DESCRIBE b")).containsExactly("k|int|NO||null|");
            run(client, "DROP DATABASE d");
            assertThat(rows(client, "SELECT COUNT(*) FROM information_schema.VIEWS"))
                    .containsExactly("0");
        }
    }

    @Test
    void whatIsNotOffered_isRefusedByName() throws SQLException {
        run(connection, "CREATE VIEW w AS SELECT * FROM t");
        refused(1235, "CREATE VIEW y COMMENT 'c' AS SELECT 1", connection);
        refused(1235, "CREATE VIEW y (a COMMENT 'c') AS SELECT 1", connection);
        run(connection, "SET sql_mode = 'ANSI_QUOTES'");
        refused(1235, "CREATE VIEW y AS SELECT 1", connection);
        assertThat(rows(connection, "SELECT \"k\" FROM w ORDER BY 1")).containsExactly("1", "2");
    }
}
