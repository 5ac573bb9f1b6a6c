package org.keyline.stores.ddl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableSchema;
import org.keyline.planner.digest.SqlMode;
import org.keyline.stores.ddl.DdlStatement.CreateTable;

/** CREATE TABLE with its columns, keys, indexes and clauses. */
final class CreateTableReaderTest {
    /**
     * The definitions as MariaDB 11.4.5 prints them in SHOW CREATE TABLE, except for its spelling
     * of current_timestamp().
     */
    @ParameterizedTest
    @CsvFileSource(
            resources = "CreateTableReaderTest.column_hasItsAttributes.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void column_hasItsAttributes(String definition, String expected) {
        TableDefinition table = DdlTexts.table("CREATE TABLE t (" + definition + ")");
        assertThat(DdlTexts.column(table.columns().get(0))).isEqualTo(expected);
        assertThat(table.model()).isEqualTo(TableModel.NONE);
    }

    /** Keys and their names as MariaDB 11.4.5 has them. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "CreateTableReaderTest.keys_areRead_withTheNamesThatTheServerGives.txt",
            delimiter = '|',
            quoteCharacter = '~',
            nullValues = "-")
    void keys_areRead_withTheNamesThatTheServerGives(String elements, String key, String indexes) {
        TableDefinition table = DdlTexts.table("CREATE TABLE t (" + elements + ")");
        String keys = table.keyColumns().stream()
                .map(ordinal -> table.columns().get(ordinal).name())
                .collect(Collectors.joining(","));
        assertThat(keys).isEqualTo(key == null ? "" : key);
        assertThat(table.model()).isEqualTo(key == null ? TableModel.NONE : TableModel.UNIQUE);
        assertThat(table.indexes().stream().map(DdlTexts::index).collect(Collectors.joining(" ")))
                .isEqualTo(indexes == null ? "" : indexes);
        table.keyColumns()
                .forEach(ordinal -> assertThat(
                                table.columns().get(ordinal).schema().nullable())
                        .as("columns of a primary key have no NULL")
                        .isFalse());
    }

    /**
     * Numbers and SQLSTATEs of MariaDB 11.4.5, except 1235, for features that the embedded store
     * does not have.
     */
    @ParameterizedTest
    @CsvFileSource(
            resources = "CreateTableReaderTest.tableThatIsNone_isRefused.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void tableThatIsNone_isRefused(String rest, int code, String state) {
        StatementRefusedException refused =
                DdlTexts.refusal("CREATE TABLE t " + java.util.Objects.requireNonNullElse(rest, ""));
        assertThat(refused.code()).as(refused.getMessage()).isEqualTo(code);
        assertThat(refused.sqlState()).isEqualTo(state);
    }

    /** As plain digits, such a number would take gigabytes. */
    @Test
    void number_withAHugeExponent_isRefusedHoweverLongItIs() {
        String zeros = "0".repeat(40);
        for (String number : List.of("1e401", "1E-401", "1" + zeros + "e999999999", "1.5e99999999999")) {
            assertThat(DdlTexts.refusal("CREATE TABLE t (a DOUBLE DEFAULT " + number + ")"))
                    .as(number)
                    .hasMessageContaining("a default value");
        }
        for (String number : List.of("1e308", "1" + zeros + "E+0300", "0." + zeros + "1e-7")) {
            assertThat(DdlTexts.text(DdlTexts.table("CREATE TABLE t (a DOUBLE DEFAULT " + number + ")")))
                    .contains(number);
        }
    }

    @Test
    void options_areStoredInOrder_andTheCommentIsTheTables() {
        TableDefinition table = DdlTexts.table("CREATE TABLE IF NOT EXISTS t (a INT) ENGINE = InnoDB AUTO_INCREMENT 7,"
                + " DEFAULT CHARSET=utf8mb4 COLLATE=UTF8MB4_bin COMMENT='it''s' ROW_FORMAT=DYNAMIC");
        assertThat(DdlTexts.text(table))
                .isEqualTo("MYSQL NONE[] a int ; comment it's ; ENGINE=InnoDB AUTO_INCREMENT=7 CHARSET=utf8mb4"
                        + " COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC");
        assertThat(DdlTexts.table("CREATE TABLE t (a INT) DEFAULT CHARACTER SET utf8mb4")
                        .properties())
                .containsEntry("CHARSET", "utf8mb4");
    }

    /** As in Doris's documentation of CREATE TABLE and of its table models. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "CreateTableReaderTest.dorisTable_hasItsModelAndClauses.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void dorisTable_hasItsModelAndClauses(String definition, String expected) {
        assertThat(DdlTexts.text(DdlTexts.table("CREATE TABLE t " + definition)))
                .isEqualTo(expected);
    }

    /** Doris's rules of key columns; StarRocks spells UNIQUE KEY as PRIMARY KEY. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "CreateTableReaderTest.dorisTableThatIsNone_isRefused.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void dorisTableThatIsNone_isRefused(String definition, String message) {
        assertThat(DdlTexts.refusal("CREATE TABLE t " + definition).getMessage())
                .contains(message);
    }

    @Test
    void names_areOfTheSessionsDatabase_unlessTheySayOtherwise() {
        assertThat(DdlTexts.table("CREATE TABLE x.y (a INT)").name()).hasToString("x.y");
        assertThat(DdlTexts.table("CREATE TABLE internal.x.y (a INT)").name()).hasToString("x.y");
        assertThat(DdlTexts.refusal("CREATE TABLE hive.x.y (a INT)").code()).isEqualTo(1235);
        DdlReader reader = new DdlReader(SqlMode.DEFAULT);
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> reader.read("CREATE TABLE y (a INT)", ""))
                .hasMessage("No database selected");
    }

    @Test
    void quotes_followTheSqlMode() {
        DdlReader ansi = new DdlReader(new SqlMode(true, true, true));
        TableDefinition table =
                ((CreateTable) ansi.read("CREATE TABLE \"a b\" (c VARCHAR(9) DEFAULT 'x\\')", "d")).definition();
        assertThat(table.name()).hasToString("d.a b");
        assertThat(DdlTexts.column(table.columns().get(0))).isEqualTo("c varchar(9) DEFAULT 'x\\\\'");
    }

    @Test
    void toSchema_isWhatPlansAreMadeOf() {
        TableSchema schema = DdlTexts.table(
                        "CREATE TABLE t (k BIGINT NOT NULL, v STRING) UNIQUE KEY(k) COMMENT 'c' DISTRIBUTED BY HASH(k)"
                                + " PROPERTIES('a' = 'b')")
                .toSchema(7);
        assertThat(schema.id()).isEqualTo(7);
        assertThat(schema.model()).isEqualTo(TableModel.UNIQUE);
        assertThat(schema.keyColumns()).containsExactly(0);
        assertThat(schema.columns()).extracting(ColumnSchema::name).containsExactly("k", "v");
        assertThat(schema.columns()).extracting(ColumnSchema::nullable).containsExactly(false, true);
        assertThat(schema.comment()).isEqualTo("c");
        assertThat(schema.properties()).containsEntry("a", "b");
    }

    @Test
    void renamed_changesTheNameAlone() {
        TableDefinition table = DdlTexts.table("CREATE TABLE t (k INT PRIMARY KEY, v INT) COMMENT 'c'");
        TableDefinition other = table.renamed(new org.keyline.planner.TableName("x", "y"));
        assertThat(other.name()).hasToString("x.y");
        assertThat(DdlTexts.text(other)).isEqualTo(DdlTexts.text(table));
        assertThat(other.ordinal("V")).isEqualTo(1);
        assertThat(other.ordinal("w")).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(ints = {4_097, 5_000})
    void tooManyColumns_areRefused(int columns) {
        String list =
                IntStream.range(0, columns).mapToObj(i -> "c" + i + " INT").collect(Collectors.joining(","));
        StatementRefusedException refused = DdlTexts.refusal("CREATE TABLE t (" + list + ")");
        assertThat(refused.code()).isEqualTo(1117);
    }

    @Test
    void tooManyIndexes_areRefused() {
        String list =
                IntStream.range(0, 1_025).mapToObj(i -> ", KEY k" + i + " (a)").collect(Collectors.joining());
        assertThat(DdlTexts.refusal("CREATE TABLE t (a INT" + list + ")").code())
                .isEqualTo(1069);
    }
}
