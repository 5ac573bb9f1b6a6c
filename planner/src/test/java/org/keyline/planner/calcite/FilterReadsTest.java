package org.keyline.planner.calcite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.planner.FilterReads;
import org.keyline.planner.Forward;
import org.keyline.planner.Order;
import org.keyline.planner.Plan;
import org.keyline.planner.Planner;
import org.keyline.planner.Plans;
import org.keyline.planner.PointRead;
import org.keyline.planner.TableSchema;
import org.keyline.planner.TestCatalog;
import org.keyline.planner.statement.StatementClassifier;

/**
 * The reads by other columns that are point reads by default, and those that have the order of the
 * key.
 */
final class FilterReadsTest {
    private static final Planner BY_DEFAULT = new Planner(
            List.of(new StatementClassifier(), new PointReadMatcher(table -> FilterReads.EQUAL, table -> true)));

    private static Plan plan(String sql, TestCatalog catalog) {
        return BY_DEFAULT.plan(Plans.digest(sql), "d", catalog).plan();
    }

    /** Returns a table (k, l | a, b, c) with these indexes. */
    private static TestCatalog indexed(String indexes) {
        TestCatalog catalog = new TestCatalog();
        TableSchema plain = TestCatalog.table("d", "i", 2, "k", "l", "a", "b", "c");
        catalog.add(new TableSchema(
                plain.name(),
                plain.id(),
                plain.model(),
                plain.columns(),
                plain.keyColumns(),
                List.of(),
                "",
                indexes.isEmpty()
                        ? Map.of(TableSchema.IN_KEY_ORDER, "YES")
                        : Map.of(TableSchema.IN_KEY_ORDER, "YES", TableSchema.OTHER_INDEXES, indexes)));
        return catalog;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT v FROM c WHERE v = 1",
                "SELECT v, w FROM c WHERE v IN (1, 2) AND w = 'x'",
                "SELECT 65534 AS uid, v FROM c WHERE ? = v LIMIT 1",
                "SELECT * FROM c WHERE k2 = 3 AND v <> 4",
                "SELECT COUNT(*) FROM nulls WHERE n = 1",
                "SELECT k FROM nulls WHERE n IS NOT NULL AND k IN (1) AND n = 5 AND 1 = 1",
                "SELECT v FROM c WHERE v = 1 ORDER BY k1 DESC, k2 DESC, k3 DESC LIMIT 3"
            })
    void equality_onOtherColumns_isAFilterRead(String sql) {
        assertThat(plan(sql, TestCatalog.shared()))
                .isInstanceOfSatisfying(
                        PointRead.class,
                        read -> assertThat(read.isFilter() || read.boundColumns() > 0)
                                .isTrue());
    }

    /** If such a read is not possible, its plan is the same as without filter lines. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT v FROM c WHERE v > 1",
                "SELECT v FROM c WHERE v = 1 AND w BETWEEN 1 AND 2",
                "SELECT v FROM c WHERE v <> 1",
                "SELECT title FROM docs WHERE title LIKE 'a%'",
                "SELECT title FROM docs WHERE year = 5 AND title LIKE 'a%'",
                "SELECT k FROM nulls WHERE n IS NULL",
                "SELECT v FROM c WHERE v = 1 OR w = 2"
            })
    void others_areForwardedAsWithoutFilterLines(String sql) {
        Planner without = new Planner(
                List.of(new StatementClassifier(), new PointReadMatcher(table -> FilterReads.OFF, table -> true)));
        Plan plan = plan(sql, TestCatalog.shared());
        assertThat(plan).isInstanceOf(Forward.class);
        assertThat(plan)
                .isEqualTo(without.plan(Plans.digest(sql), "d", TestCatalog.shared())
                        .plan());
    }

    /** {@code k, l} are columns 0 and 1. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "FilterReadsTest.rows_comeInTheOrderOfTheKey_whereEveryIndexThatMayBeReadHasIt.txt",
            delimiter = '|',
            quoteCharacter = '\'')
    void rows_comeInTheOrderOfTheKey_whereEveryIndexThatMayBeReadHasIt(String indexes, String sql, Order order) {
        assertThat(plan(sql, indexed(indexes)))
                .isInstanceOfSatisfying(
                        PointRead.class, read -> assertThat(read.order()).isEqualTo(order));
    }

    @Test
    void rows_ofAStoreWhoseOrderIsNotKnown_comeInNone() {
        assertThat(plan("SELECT * FROM c WHERE v = 1", TestCatalog.shared()))
                .isInstanceOfSatisfying(
                        PointRead.class, read -> assertThat(read.order()).isEqualTo(Order.NONE));
    }
}
