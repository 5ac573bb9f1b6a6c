package org.keyline.planner.statement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.Plans;
import org.keyline.planner.TestCatalog;

final class StatementClassifierTest {
    @ParameterizedTest
    @CsvFileSource(
            resources = "StatementClassifierTest.match_statement_hasKindAndEffect.txt",
            delimiter = '|',
            quoteCharacter = '~')
    void match_statement_hasKindAndEffect(String sql, String forward) {
        assertThat(Plans.text(Plans.plan(sql))).isEqualTo(forward);
    }

    @Test
    void match_emptyText_isEmpty() {
        assertThat(Plans.text(Plans.plan(" -- nothing\n /* here */ "))).isEqualTo("EMPTY nothing");
    }

    @Test
    void match_noDatabase_closesEverythingForUnqualifiedNames() {
        Forward forward = (Forward) Plans.PLANNER
                .plan(Plans.digest("DELETE FROM t"), "", TestCatalog.shared())
                .plan();
        assertThat(Plans.text(forward)).isEqualTo("DELETE everything");
    }

    @Test
    void match_storeWithoutStoredFunctions_readsWithAnyFunction() {
        TestCatalog catalog = TestCatalog.shared().withoutStoredFunctions();
        assertThat(Plans.text(Plans.PLANNER
                        .plan(Plans.digest("SELECT f(1)"), "d", catalog)
                        .plan()))
                .isEqualTo("SELECT nothing");
        assertThat(Plans.text(Plans.PLANNER
                        .plan(Plans.digest("UPDATE t SET v=f(1) WHERE k=2"), "d", catalog)
                        .plan()))
                .isEqualTo("UPDATE t (1)");
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "StatementClassifierTest.match_wordThatTheStoreHasNot_writesNothing.txt",
            delimiter = '|',
            quoteCharacter = '\'')
    void match_wordThatTheStoreHasNot_writesNothing(String sql, String forward) {
        TestCatalog catalog = TestCatalog.shared()
                .withKeywords("SELECT", "DELETE", "DROP", "CREATE", "ALTER", "TABLE", "TRUNCATE", "FROBNICATE");
        assertThat(Plans.text(
                        Plans.PLANNER.plan(Plans.digest(sql), "d", catalog).plan()))
                .isEqualTo(forward);
    }

    /**
     * Drivers send such a SELECT when they connect, possibly before the names of views are known.
     */
    @Test
    void match_selectWithoutFrom_namesNoView() {
        assertThat(Plans.text(Plans.plan("SELECT @@sql_mode AS calling_mode"))).isEqualTo("SELECT nothing");
        assertThat(Plans.text(Plans.plan("SELECT 1 AS calling_mode FROM calling_view")))
                .isEqualTo("SELECT everything");
        assertThat(Plans.text(Plans.plan("SELECT (SELECT a FROM calling_view) AS b")))
                .isEqualTo("SELECT everything");
    }

    @Test
    void match_severalStatements_eachNamesItsViews() {
        assertThat(Plans.text(Plans.plan("SET @a = 1; UPDATE c, calling_view SET v = 1")))
                .isEqualTo("MULTI everything");
        assertThat(Plans.text(Plans.plan("UPDATE c SET v = 1; SET @a = calling_view")))
                .isEqualTo("MULTI d.c");
        assertThat(Plans.text(Plans.plan("SET STATEMENT max_statement_time = 1 FOR UPDATE c, calling_view SET v = 1")))
                .isEqualTo("UPDATE everything");
    }

    /** The slots of the cells by ordinal, only if the added rows are known. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "StatementClassifierTest.match_insert_hasTheCellsOfItsRows.txt",
            delimiter = '|',
            quoteCharacter = '~',
            nullValues = "-")
    void match_insert_hasTheCellsOfItsRows(String sql, @Nullable String cells) {
        Forward plan = (Forward) Plans.plan(sql);
        String actual = ((Effect.Rows) plan.effect())
                .added().stream()
                        .flatMap(List::stream)
                        .map(cell -> cell.column() + "="
                                + (cell.value().negated() ? "-" : "")
                                + cell.value().slot())
                        .collect(Collectors.joining(" "));
        assertThat(actual).isEqualTo(cells == null ? "" : cells);
    }

    @Test
    void match_longInsert_closesItsTable() {
        String rows = ("(1,'" + "x".repeat(100) + "',NULL),").repeat(20_000);
        assertThat(Plans.text(Plans.plan("INSERT INTO t VALUES " + rows + "(1,2,3)")))
                .isEqualTo("INSERT d.t");
        assertThat(Plans.text(Plans.plan("INSERT INTO t VALUES " + rows + "(1,f(2),3)")))
                .isEqualTo("INSERT everything");
        assertThat(Plans.text(Plans.plan("INSERT INTO t VALUES " + rows + "(1,2,3); DROP TABLE c")))
                .isEqualTo("UNKNOWN everything diagnostics");
        assertThat(Plans.text(Plans.plan("SELECT v FROM t WHERE k = '" + "x".repeat(70_000) + "'")))
                .isEqualTo("SELECT nothing");
    }
}
