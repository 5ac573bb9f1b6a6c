package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What Doris's users write and MySQL's do not: aggregate tables, hidden columns, statements about the cluster. */
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
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "int; [1, null, 3]; [1, null, 3]",
                "int; []; []",
                "int; '[ 7,8 ]'; [7, 8]",
                "decimalv3(9, 3); [1.1, -2]; [1.100, -2.000]",
                "boolean; [true, false, null]; [1, 0, null]",
                "double; [1.5, 2]; [1.5, 2]",
                "text; [\"a\", 'b, c']; [\"a\", \"b, c\"]",
                "datetime; '[2022-01-01 11:30:38, 2022-01-02]'; [\"2022-01-01 11:30:38\", \"2022-01-02 00:00:00\"]",
                "datetimev2(3); ['2022-01-01 11:30:38.12']; [\"2022-01-01 11:30:38.120\"]",
                "int; ['x']; Incorrect integer value",
                "int; 'no array'; Incorrect array value",
                "int; '[1,]'; Incorrect array value",
                "tinyint; [300]; Out of range",
                "int; [1 + 1]; doesn't support",
                "int; CONCAT('[', 1, ']'); doesn't support",
                "text; ['a\"b']; doesn't support"
            })
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
    void hiddenColumns_areReadByName_andNotWritten() throws SQLException {
        run(
                connection,
                "CREATE TABLE t (k INT, v INT) UNIQUE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1"
                        + " PROPERTIES (\"function_column.sequence_col\" = \"v\")");
        run(connection, "INSERT INTO t VALUES (1, 7)");
        assertThat(rows(connection, "SELECT `__DORIS_DELETE_SIGN__`, __DORIS_SEQUENCE_COL__, t.* FROM t"))
                .containsExactly("0|7|1|7");
        assertThatThrownBy(() -> rows(connection, "SELECT __DORIS_ROW_STORE_COL__ FROM t"))
                .hasMessageContaining("__DORIS_ROW_STORE_COL__");
        assertThatThrownBy(() -> run(connection, "INSERT INTO t (k, __DORIS_DELETE_SIGN__) VALUES (1, 1)"))
                .hasMessageContaining("__DORIS_DELETE_SIGN__");
    }

    @Test
    void select_withoutTables_mayHaveACondition() throws SQLException {
        assertThat(rows(connection, "SELECT 1 WHERE 1 = 1")).containsExactly("1");
        assertThat(rows(connection, "SELECT 1 WHERE FALSE UNION ALL SELECT 2 WHERE TRUE"))
                .containsExactly("2");
    }

    @Test
    void severalStatements_withoutTheCapability_answerTheLast() throws SQLException {
        run(connection, "CREATE TABLE t (k INT, v INT) UNIQUE KEY(k)" + REST);
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO t VALUES (1, 1); INSERT INTO t VALUES (2, 2); SELECT 9; SELECT k FROM t");
            assertThat(rows(statement.getResultSet())).containsExactlyInAnyOrder("1", "2");
            assertThat(statement.getMoreResults()).isFalse();
        }
        assertThatThrownBy(() ->
                        run(connection, "INSERT INTO t VALUES (3, 3); SELECT nothing; INSERT INTO t VALUES (4, 4)"))
                .hasMessageContaining("nothing");
        assertThat(rows(connection, "SELECT COUNT(*) FROM t")).containsExactly("3");
        run(connection, "set enable_profile = true; set parallel_pipeline_task_num = 2;");
        assertThat(rows(connection, "SELECT @@enable_profile, @@parallel_pipeline_task_num"))
                .containsExactly("1|2");
    }

    @Test
    void statement_thatEndsInANulByte_isNoError() throws SQLException {
        assertThat(rows(connection, "SELECT 1\0")).containsExactly("1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET skip_delete_sign = true",
                "SET show_hidden_columns = true",
                "SET enable_unique_key_partial_update = true",
                "SHOW TABLETS BELONG 1",
                "SHOW ROUTINE LOAD",
                "SHOW FRONTENDS",
                "SHOW BACKENDS",
                "SHOW PROC '/'",
                "SHOW CATALOGS",
                "SHOW LOAD",
                "SHOW TABLETS FROM t",
                "ADMIN SHOW REPLICA STATUS FROM t",
                "ADMIN SET FRONTEND CONFIG (\"qe_max_connection\" = \"9\")",
                "ADMIN CHECK TABLET (1)"
            })
    void dorisStatement_withoutAMeaningHere_isRefusedByName(String sql) {
        assertThatThrownBy(() -> run(connection, sql))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("doesn't support");
    }

    @Test
    void dateTrunc_cutsTheMoment() throws SQLException {
        assertThat(rows(
                        connection,
                        "SELECT date_trunc('2025-08-15 11:22:33', 'day'), date_trunc('2025-08-15', 'month')"))
                .containsExactly("2025-08-15 00:00:00|2025-08-01");
    }

    /** Correct statements of Doris about what this store has not. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SHOW TABLETS FROM t PARTITION (p)",
                "SHOW PARTITIONS FROM t",
                "SHOW ALTER TABLE COLUMN",
                "SHOW VIEWS",
                "ADMIN SHOW FRONTEND CONFIG LIKE 'enable_decimal%'",
                "ALTER TABLE t ADD PARTITION p VALUES LESS THAN ('1')",
                "ALTER TABLE t DROP PARTITION p",
                "INSERT INTO t WITH LABEL l VALUES (1, 1)",
                "SELECT * FROM t PARTITION (p)",
                "SHOW TABLET 10010",
                "SHOW DATA FROM t",
                "SHOW CREATE MATERIALIZED VIEW m ON t",
                "SHOW PARTITION 10",
                "SHOW AUTHORS",
                "SHOW BRIEF RESTORE",
                "SHOW INDEX STATS t i",
                "SHOW DATABASE 1",
                "SHOW DATABASES FROM hive",
                "SHOW COMPUTE GROUPS",
                "SHOW CONVERT_LSC",
                "SHOW WHITELIST",
                "SHOW AUTO ANALYZE",
                "SHOW GLOBAL FULL FUNCTIONS",
                "SHOW BUILTIN FUNCTIONS",
                "SHOW COPY",
                "SHOW JOBS",
                "SHOW ALL ROUTINE LOAD",
                "SHOW WORKLOAD GROUPS",
                "ADMIN SHOW REPLICA STATUS FROM t",
                "ADMIN SET FRONTEND CONFIG ('max_running_txn_num' = '1')",
                "ADMIN SET REPLICA STATUS PROPERTIES('a' = 'b')",
                "ADMIN CHECK TABLET (1) PROPERTIES('type' = 'consistency')",
                "ADMIN REPAIR TABLE t",
                "ADMIN CLEAN TRASH",
                "ALTER TABLE t ENABLE FEATURE 'BATCH_DELETE'",
                "ALTER TABLE t ADD ROLLUP r (k)",
                "ALTER SYSTEM ADD BACKEND 'h:1'",
                "BACKUP SNAPSHOT d.s TO r",
                "BUILD INDEX i ON t",
                "CANCEL LOAD FROM d WHERE LABEL = 'x'",
                "CLEAN LABEL FROM d",
                "COPY INTO t FROM @s",
                "EXPORT TABLE t TO 's3://x'",
                "KILL ANALYZE 1",
                "KILL TRANSACTION 1",
                "PAUSE ROUTINE LOAD FOR x",
                "RESUME ROUTINE LOAD FOR x",
                "STOP ROUTINE LOAD FOR x",
                "RECOVER TABLE x",
                "REFRESH TABLE t",
                "RESTORE SNAPSHOT d.s FROM r",
                "SET PROPERTY FOR 'root' 'max_user_connections' = '10'",
                "SET DEFAULT STORAGE VAULT",
                "SET v AS DEFAULT STORAGE VAULT",
                "SHOW BACKEND CONFIG",
                "SWITCH hive",
                "UNSET VARIABLE ALL",
                "USE @compute",
                "WARM UP CLUSTER a WITH CLUSTER b",
                "DESC t ALL",
                "DESC t PARTITION p",
                "PLAN REPLAYER DUMP SELECT 1",
                "SELECT * FROM t TABLET(1)",
                "SELECT * FROM t TABLESAMPLE(10 ROWS)",
                "SELECT * EXCEPT(s) FROM t",
                "SELECT * REPLACE(k + 1 AS k) FROM t",
                "SELECT k FROM t LATERAL VIEW explode(s) l AS e",
                "SELECT k FROM t QUALIFY row_number() OVER (ORDER BY k) = 1",
                "SELECT 1 MINUS SELECT 1",
                "DELETE FROM t PARTITION p WHERE k = 1",
                "BEGIN WITH LABEL l",
                "CREATE MATERIALIZED VIEW m AS SELECT k FROM t",
                "INSERT OVERWRITE TABLE t SELECT 1, 2",
                "LOAD LABEL d.l (DATA INFILE('x') INTO TABLE t) WITH S3 ('a' = 'b')"
            })
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
