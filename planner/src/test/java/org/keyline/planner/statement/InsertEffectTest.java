package org.keyline.planner.statement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.Plans;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.TestCatalog;
import org.keyline.planner.WriteScope;

/** The INSERTs that are known to add one row of their own values, and to have no other effect. */
final class InsertEffectTest {
    private static ColumnSchema column(String name, boolean nullable, @Nullable String byDefault) {
        return new ColumnSchema(
                name, ColumnType.of(ColumnType.Kind.BIGINT), nullable, byDefault, name.equals("number"), "");
    }

    /**
     * Returns a table with a key {@code k}, a column {@code v} without default, {@code n} that may
     * be NULL, and further columns.
     */
    private static TableSchema table(WriteScope reach, ColumnSchema... more) {
        List<ColumnSchema> columns =
                new ArrayList<>(List.of(column("k", false, null), column("v", false, null), column("n", true, null)));
        columns.addAll(List.of(more));
        return new TableSchema(
                new TableName("d", "plain"), 7, TableModel.UNIQUE, columns, List.of(0), List.of(), "", Map.of(), reach);
    }

    /** Returns column and slot of each cell. */
    private static String inserted(String sql, TableSchema table) {
        TestCatalog catalog = TestCatalog.shared();
        catalog.add(table);
        Forward forward =
                (Forward) Plans.PLANNER.plan(Plans.digest(sql), "d", catalog).plan();
        return forward.effect() instanceof Effect.Rows rows && rows.adds() == Effect.Rows.Adds.PLAIN_ROW
                ? rows.added().get(0).stream()
                        .map(cell -> table.columns().get(cell.column()).name() + "="
                                + (cell.value().negated() ? "-" : "")
                                + cell.value().slot())
                        .collect(Collectors.joining(" "))
                : "";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            INSERT INTO plain VALUES (1, 2, 3)                         | k=0 v=1 n=2
            INSERT INTO plain (v, k) VALUES ('a', -2)                  | v=0 k=-1
            INSERT plain VALUE (1, 2, 3)                               | k=0 v=1 n=2
            INSERT INTO d.plain (`V`, k, n) VALUES (?, ?, ?);          | v=0 k=1 n=2
            INSERT INTO plain SET n = 1, k = 2, v = 3                  | n=0 k=1 v=2
            """)
    void rowOfValues_isKnown(String sql, String cells) {
        assertThat(inserted(sql, table(WriteScope.CELLS))).isEqualTo(cells);
    }

    @ParameterizedTest
    @CsvFileSource(resources = "InsertEffectTest.anythingElse_isNot.txt", delimiter = '\t', quoteCharacter = '~')
    void anythingElse_isNot(String sql) {
        assertThat(inserted(sql, table(WriteScope.CELLS))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ROWS", "TABLE", "ANYWHERE"})
    void tableWhoseStoreMayDoMore_isNot(WriteScope reach) {
        assertThat(inserted("INSERT INTO plain VALUES (1, 2, 3)", table(reach))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"NULL", "5", "-1.25", "'none'", "current_timestamp()", "CURRENT_TIMESTAMP(6)"})
    void defaultOfTheDefinition_isTheSameForAll(String byDefault) {
        TableSchema table = table(WriteScope.CELLS, column("more", false, byDefault));
        assertThat(inserted("INSERT INTO plain (k, v) VALUES (1, 2)", table)).isEqualTo("k=0 v=1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"uuid()", "user()", "(1 + 1)", "connection_id()", "nextval(s)", "'a' + 'b'"})
    void defaultThatIsComputed_mayNotBe(String byDefault) {
        TableSchema table = table(WriteScope.CELLS, column("more", false, byDefault));
        assertThat(inserted("INSERT INTO plain (k, v) VALUES (1, 2)", table)).isEmpty();
        assertThat(inserted("INSERT INTO plain VALUES (1, 2, 3, 4)", table)).isNotEmpty();
    }

    @Test
    void numberedRow_isNot() {
        TableSchema table = table(WriteScope.CELLS, column("number", false, null));
        assertThat(inserted("INSERT INTO plain VALUES (1, 2, 3, 4)", table)).isEmpty();
    }
}
