package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Doris's partitions: which rows they take, their changes, reads of one of them. */
final class PartitionsTest extends FreshDatabase {
    private static final String REST = " DISTRIBUTED BY HASH(a) BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")";

    private void refused(String sql, String message) {
        assertThatThrownBy(() -> run(connection, sql))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining(message);
    }

    @Test
    void rangeOverTwoColumns_isComparedColumnByColumn() throws SQLException {
        run(
                connection,
                "CREATE TABLE t (a INT, b INT, v INT) UNIQUE KEY(a, b) PARTITION BY RANGE(a, b) ("
                        + "PARTITION p1 VALUES LESS THAN (\"10\", \"5\"), PARTITION p2 VALUES LESS THAN (\"20\"),"
                        + " PARTITION p3 VALUES [(\"30\", \"3\"), (\"40\", MAXVALUE)))" + REST);
        run(
                connection,
                "INSERT INTO t VALUES (NULL, NULL, 1), (9, 99, 2), (10, 4, 3), (10, 5, 4), (19, 9, 5), (30, 3, 6),"
                        + " (40, 99, 7)");
        refused("INSERT INTO t VALUES (20, NULL, 0)", "");
        refused("INSERT INTO t VALUES (30, 2, 0)", "");
        refused("INSERT INTO t VALUES (41, 0, 0)", "");
        assertThat(rows(connection, "SELECT v FROM t PARTITION (p1) ORDER BY v"))
                .containsExactly("1", "2", "3");
        assertThat(rows(connection, "SELECT x.v FROM t PARTITION (p2, p3) AS x WHERE x.v > 4 ORDER BY v"))
                .containsExactly("5", "6", "7");
        refused("SELECT v FROM t PARTITION (nosuch)", "Unknown partition 'nosuch'");
        refused("DELETE FROM t PARTITION (p1) WHERE v = 1", "doesn't support");
        assertThat(rows(connection, "SELECT COUNT(*) FROM t")).containsExactly("7");
    }

    @Test
    void listOverTwoColumns_takesItsRows() throws SQLException {
        run(
                connection,
                "CREATE TABLE t (a INT, b VARCHAR(9), v INT) UNIQUE KEY(a, b) PARTITION BY LIST(a, b) (PARTITION p1"
                        + " VALUES IN ((\"1\", \"x\"), (\"2\", NULL)), PARTITION p2 VALUES IN ((\"1\", \"y\")))"
                        + REST);
        run(connection, "INSERT INTO t VALUES (1, 'x', 1), (2, NULL, 2), (1, 'y', 3)");
        refused("INSERT INTO t VALUES (2, 'x', 0)", "");
        assertThat(rows(connection, "SELECT v FROM t PARTITION (p1) ORDER BY v"))
                .containsExactly("1", "2");
        run(connection, "ALTER TABLE t ADD PARTITION p3 VALUES IN ((\"2\", \"x\"))");
        run(connection, "INSERT INTO t VALUES (2, 'x', 4)");
        refused("ALTER TABLE t ADD PARTITION p4 VALUES IN ((\"1\", \"y\"))", "p2");
    }

    @Test
    void partitions_areAddedAndDropped_withTheirRows() throws SQLException {
        run(
                connection,
                "CREATE TABLE t (a INT, v INT) UNIQUE KEY(a) PARTITION BY RANGE(a) ("
                        + "PARTITION p1 VALUES LESS THAN (\"10\"), PARTITION p2 VALUES LESS THAN (\"20\"),"
                        + " PARTITION p3 VALUES LESS THAN (\"30\"))" + REST);
        run(connection, "INSERT INTO t VALUES (1, 1), (15, 2), (25, 3)");
        run(connection, "ALTER TABLE t DROP PARTITION p2");
        assertThat(rows(connection, "SELECT a FROM t ORDER BY a")).containsExactly("1", "25");
        refused("INSERT INTO t VALUES (15, 2)", "");
        run(connection, "ALTER TABLE t ADD PARTITION p4 VALUES LESS THAN (\"40\") DISTRIBUTED BY HASH(a) BUCKETS 2");
        run(connection, "ALTER TABLE t ADD PARTITION IF NOT EXISTS p4 VALUES LESS THAN (\"50\")");
        run(connection, "INSERT INTO t VALUES (35, 4)");
        refused("ALTER TABLE t ADD PARTITION p5 VALUES [(\"5\"), (\"12\"))", "intersected");
        refused("ALTER TABLE t ADD PARTITION p4 VALUES LESS THAN (\"60\")", "already exists");
        run(connection, "ALTER TABLE t ADD PARTITION p2 VALUES [(\"10\"), (\"20\"))");
        run(connection, "INSERT INTO t VALUES (15, 5)");
        run(connection, "ALTER TABLE t DROP PARTITION IF EXISTS nosuch");
        assertThat(rows(connection, "SHOW PARTITIONS FROM t").stream().map(row -> row.split("\\|", -1)[1]))
                .containsExactly("p1", "p2", "p3", "p4");
        String ddl = rows(connection, "SHOW CREATE TABLE t").get(0).split("\\|", -1)[1];
        run(connection, ddl.replace("`t`", "`u`"));
        run(connection, "INSERT INTO u SELECT * FROM t");
        refused("INSERT INTO u VALUES (40, 0)", "");
        assertThat(rows(connection, "SELECT a FROM u ORDER BY a")).containsExactly("1", "15", "25", "35");
    }
}
