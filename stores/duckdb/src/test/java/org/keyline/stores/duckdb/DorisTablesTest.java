package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Statements that only Doris's users write: aggregate tables, hidden columns, statements about the
 * cluster.
 */
final class DorisTablesTest extends FreshDatabase {
    private static final String REST = " DISTRIBUTED BY HASH(k) BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")";

    @ParameterizedTest
    @CsvSource(
            delimiter = ':',
            value = {
                "k INT, s BIGINT SUM) AGGREGATE KEY(k)         : AGGREGATE KEY tables",
                "k INT, a ARRAY<ARRAY<INT>>) DUPLICATE KEY(k)  : the type array<array<int>> (column 'a')",
                "k INT, m MAP<INT, INT>) DUPLICATE KEY(k)      : the type map<int",
                "k INT, v VARIANT) DUPLICATE KEY(k)            : the type variant (column 'v')",
                "k INT, b BITMAP) DUPLICATE KEY(k)             : the type bitmap (column 'b')"
            })
    void table_thatTheStoreHasNot_isRefusedByName(String definition, String what) {
        assertThatThrownBy(() -> run(connection, "CREATE TABLE t (" + definition + REST))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("doesn't support " + what);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "DorisTablesTest.array_isShownAsDorisShowsIt_orRefused.txt",
            delimiter = ';',
            quoteCharacter = '`')
    void array_isShownAsDorisShowsIt_orRefused(String type, String literal, String shown) throws SQLException {
        run(connection, "CREATE TABLE t (k INT, v ARRAY<" + type + ">) UNIQUE KEY(k)" + REST);
        String insert = "INSERT INTO t VALUES (1, " + literal + ")";
        if (!shown.startsWith("[")) {
            assertThatThrownBy(() -> run(connection, insert)).hasMessageContaining(shown);
            return;
        }
        run(connection, insert);
        run(connection, "INSERT INTO t SELECT k + 1, v FROM t");
        int size = shown.equals("[]") ? 0 : shown.replace("b, c", "").split(",", -1).length;
        assertThat(rows(connection, "SELECT k, v, size(v) FROM t ORDER BY k"))
                .containsExactly("1|" + shown + "|" + size, "2|" + shown + "|" + size);
    }

    @Test
    void columnThatAClauseNames_isNeitherDroppedNorRenamed() throws SQLException {
        String rest = " DISTRIBUTED BY HASH(k) BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\"%s)";
        run(
                connection,
                "CREATE TABLE t (k INT, d DATE NOT NULL, v INT) DUPLICATE KEY(k) PARTITION BY RANGE(d)"
                        + " (PARTITION p VALUES LESS THAN ('2030-01-01'))" + rest.formatted(""));
        run(
                connection,
                "CREATE TABLE a (k INT, d DATE NOT NULL, v INT) DUPLICATE KEY(k)"
                        + " AUTO PARTITION BY RANGE (date_trunc(d, 'month')) ()" + rest.formatted(""));
        run(
                connection,
                "CREATE TABLE s (k INT, d INT, v INT) UNIQUE KEY(k)"
                        + rest.formatted(", \"function_column.sequence_col\" = \"d\""));
        for (String table : List.of("t", "a", "s")) {
            String what = " the " + (table.equals("s") ? "sequence" : "partition") + " column";
            assertThatThrownBy(() -> run(connection, "ALTER TABLE " + table + " DROP COLUMN D"))
                    .hasMessageContaining("dropping" + what);
            assertThatThrownBy(() -> run(connection, "ALTER TABLE " + table + " RENAME COLUMN d e"))
                    .hasMessageContaining("renaming" + what);
            run(connection, "ALTER TABLE " + table + " RENAME COLUMN v w");
            run(connection, "ALTER TABLE " + table + " DROP COLUMN w");
        }
    }

    @Test
    void tableWithTheNameOfACopy_doesNotKeepOthersFromChanging() throws SQLException {
        run(connection, "CREATE TABLE __keyline_new (k INT PRIMARY KEY)");
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY)");
        run(connection, "INSERT INTO __keyline_new VALUES (1)");
        run(connection, "INSERT INTO t VALUES (2)");
        run(connection, "ALTER TABLE t ADD COLUMN v INT DEFAULT 7");
        run(connection, "ALTER TABLE __keyline_new ADD COLUMN v INT DEFAULT 8");
        assertThat(rows(connection, "SELECT * FROM t UNION ALL SELECT * FROM __keyline_new ORDER BY k"))
                .containsExactly("1|8", "2|7");
    }

    @Test
    void sequenceColumn_decides_andHiddenColumnsAreRefused() throws SQLException {
        run(
                connection,
                "CREATE TABLE t (k INT, v INT) UNIQUE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1"
                        + " PROPERTIES (\"function_column.sequence_col\" = \"v\")");
        run(connection, "INSERT INTO t VALUES (1, 7)");
        run(connection, "INSERT INTO t VALUES (1, 6)");
        run(connection, "INSERT INTO t VALUES (1, 5), (1, 4)");
        assertThat(rows(connection, "SELECT * FROM t")).containsExactly("1|7");
        assertThatThrownBy(() -> rows(connection, "SELECT `__DORIS_DELETE_SIGN__` FROM t"))
                .hasMessageContaining("__DORIS_DELETE_SIGN__");
        assertThatThrownBy(() -> rows(connection, "SELECT __DORIS_ROW_STORE_COL__ FROM t"))
                .hasMessageContaining("__DORIS_ROW_STORE_COL__");
        assertThatThrownBy(() -> run(connection, "INSERT INTO t (k, __DORIS_DELETE_SIGN__) VALUES (1, 1)"))
                .hasMessageContaining("__DORIS_DELETE_SIGN__");
    }

    @Test
    void nullsInAKey_areEqual() throws SQLException {
        run(connection, "CREATE TABLE t (k INT, v INT) UNIQUE KEY(k)");
        run(connection, "INSERT INTO t VALUES (1, 1), (NULL, 2)");
        run(connection, "INSERT INTO t VALUES (NULLIF(1, 1), 3)");
        assertThat(rows(connection, "SELECT * FROM t ORDER BY k")).containsExactly("null|3", "1|1");
    }

    @Test
    void divisionByZero_isNull() throws SQLException {
        run(connection, "CREATE TABLE t (k INT, v INT) UNIQUE KEY(k)" + REST);
        run(connection, "INSERT INTO t VALUES (1, 1 / 0), (2, 2)");
        run(connection, "UPDATE t SET v = v % 0 WHERE k = 2");
        assertThat(rows(connection, "SELECT * FROM t ORDER BY k")).containsExactly("1|null", "2|null");
    }

    @Test
    void select_withoutTables_mayHaveACondition() throws SQLException {
        assertThat(rows(connection, "SELECT 1 WHERE 1 = 1")).containsExactly("1");
        assertThat(rows(connection, "SELECT 1 WHERE FALSE UNION ALL SELECT 2 WHERE TRUE"))
                .containsExactly("2");
    }

    @Test
    void statement_thatEndsInANulByte_isNoError() throws SQLException {
        assertThat(rows(connection, "SELECT 1\0")).containsExactly("1");
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "DorisTablesTest.dorisStatement_withoutAMeaningHere_isRefusedByName.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void dorisStatement_withoutAMeaningHere_isRefusedByName(String sql) {
        assertThatThrownBy(() -> run(connection, sql))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("doesn't support");
    }

    @Test
    void dateTrunc_cutsTheMoment() throws SQLException {
        assertThat(rows(
                        connection,
                        "SELECT date_trunc('2025-08-15 11:22:33', 'day'), date_trunc('2025-08-15', 'MONTH')"))
                .containsExactly("2025-08-15 00:00:00|2025-08-01");
    }

    /** Correct statements of Doris about features that this store does not have. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "DorisTablesTest.statementOfDorisThatHasNoMeaningHere_isRefusedByName.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void statementOfDorisThatHasNoMeaningHere_isRefusedByName(String sql) throws SQLException {
        run(connection, "CREATE TABLE t (k INT, s INT) UNIQUE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1");
        assertThatThrownBy(() -> run(connection, sql))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        e -> assertThat(e.getErrorCode()).as(e.getMessage()).isEqualTo(1235));
    }

    @Test
    void catalog_isShownAsItIs() throws SQLException {
        assertThat(rows(connection, "SHOW FULL TABLES FROM information_schema LIKE 'TABLES'"))
                .containsExactly("TABLES|SYSTEM VIEW");
        assertThat(rows(connection, "SHOW DATABASES FROM internal LIKE 'd'")).containsExactly("d");
    }
}
