package org.keyline.planner;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.planner.Condition.Comparison;
import org.keyline.planner.Condition.Operator;
import org.keyline.planner.PointRead.Answer;
import org.keyline.planner.PointRead.Function;

/** The types of plans and effects: invalid ones cannot be created, and they are immutable. */
final class VocabularyTest {
    private static final TableSchema C = requireNonNull(TestCatalog.shared().table("d", "c"));
    private static final KeyPart ZERO = KeyPart.of(0);
    private static final Condition V = new Condition(3, List.of(List.of(new Comparison(Operator.EQUAL, ZERO))));

    private static PointRead read(List<KeyRange> ranges, List<Condition> conditions, Order order, Answer answer) {
        List<Function> functions = answer == Answer.AGGREGATES ? List.of(Function.ROWS) : List.of();
        return new PointRead(
                C,
                ranges,
                conditions,
                List.of(3),
                order,
                null,
                null,
                answer,
                functions,
                List.of(),
                List.of(),
                List.of());
    }

    private static KeyRange tuple(int columns) {
        return KeyRange.of(java.util.Collections.nCopies(columns, ZERO));
    }

    private static void refused(String message, org.assertj.core.api.ThrowableAssert.ThrowingCallable made) {
        assertThatThrownBy(made).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
    }

    @Test
    void values_haveASlot() {
        refused("slot: -1", () -> new KeyPart(-1, false));
        refused("position: -1", () -> new KeyBound(-1, true, true, ZERO));
        refused("condition: on -1", () -> new Condition(-1, V.alternatives()));
        refused("condition: on 3, []", () -> new Condition(3, List.of()));
    }

    @Test
    void comparisons_haveAValueWhereTheirOperatorHasOne() {
        for (Operator operator : Operator.values()) {
            boolean valued = operator != Operator.NULL && operator != Operator.NOT_NULL;
            assertThat(operator.hasValue()).isEqualTo(valued);
            @Nullable KeyPart wrong = valued ? null : ZERO;
            refused("as " + operator + " has it", () -> new Comparison(operator, wrong));
        }
        assertThat(V.equates()).isTrue();
        assertThat(V.byOrder()).isFalse();
        Condition below = new Condition(
                3,
                List.of(
                        List.of(new Comparison(Operator.EQUAL, ZERO)),
                        List.of(new Comparison(Operator.BELOW, ZERO), new Comparison(Operator.NOT_NULL, null))));
        assertThat(below.equates()).isFalse();
        assertThat(below.byOrder()).isTrue();
    }

    @Test
    void bounds_areOnTheTupleOrTheColumnBehindIt() {
        KeyBound third = new KeyBound(2, true, false, ZERO);
        refused("on one of the first 2 key columns", () -> new KeyRange(List.of(ZERO), List.of(third)));
        assertThat(new KeyRange(List.of(ZERO, ZERO), List.of(third)).bounds()).containsExactly(third);
        KeyBound fourth = new KeyBound(3, true, false, ZERO);
        refused(
                "on a key column",
                () -> read(
                        List.of(new KeyRange(List.of(ZERO, ZERO, ZERO), List.of(fourth))),
                        List.of(),
                        Order.NONE,
                        Answer.ROWS));
    }

    @Test
    void reads_bindTheKeyOrHaveConditions() {
        refused("ranges: none", () -> read(List.of(), List.of(), Order.NONE, Answer.ROWS));
        refused("bound columns: 4", () -> read(List.of(tuple(4)), List.of(), Order.NONE, Answer.ROWS));
        refused(
                "bound columns: 0",
                () -> read(List.of(KeyRange.EVERYTHING, tuple(1)), List.of(V), Order.NONE, Answer.ROWS));
        assertThat(read(List.of(KeyRange.EVERYTHING), List.of(V), Order.NONE, Answer.ROWS)
                        .isFilter())
                .isTrue();
        assertThat(read(List.of(tuple(1)), List.of(V), Order.NONE, Answer.ROWS).isFilter())
                .isFalse();
        PointRead all = read(List.of(KeyRange.EVERYTHING), List.of(), Order.ASC, Answer.ROWS);
        assertThat(all.isFilter()).isFalse();
        assertThat(all.isOfAllRows()).isTrue();
        assertThat(read(List.of(KeyRange.EVERYTHING), List.of(V), Order.ASC, Answer.ROWS)
                        .isOfAllRows())
                .isFalse();
    }

    @Test
    void reads_haveAsManyFunctionsAsItems_andAnOffsetOnlyBehindALimit() {
        refused(
                "functions: []",
                () -> new PointRead(
                        C,
                        List.of(tuple(1)),
                        List.of(),
                        List.of(1, 2),
                        Order.NONE,
                        null,
                        null,
                        Answer.AGGREGATES,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of()));
        refused("offset", () -> new PointRead(C, List.of(List.of(ZERO)), List.of(3), Order.NONE, null, ZERO));
        refused("projection: none", () -> new PointRead(C, List.of(List.of(ZERO)), List.of(), Order.NONE, null, null));
    }

    /**
     * A limit is exact with an order, with at most one row, or if rows are only counted or tested
     * for existence.
     */
    @Test
    void reads_mayBeLimited_whereTheFirstRowsAreCertain() {
        assertThat(read(List.of(tuple(1)), List.of(), Order.ASC, Answer.ROWS).mayBeLimited())
                .isTrue();
        assertThat(read(List.of(tuple(1)), List.of(), Order.NONE, Answer.ROWS).mayBeLimited())
                .isFalse();
        assertThat(read(List.of(tuple(3)), List.of(), Order.NONE, Answer.ROWS).mayBeLimited())
                .isTrue();
        assertThat(read(List.of(tuple(3), tuple(3)), List.of(), Order.NONE, Answer.ROWS)
                        .mayBeLimited())
                .isFalse();
        assertThat(read(List.of(tuple(1)), List.of(), Order.NONE, Answer.EXISTS).mayBeLimited())
                .isTrue();
        assertThat(read(List.of(tuple(1)), List.of(V), Order.NONE, Answer.ROWS).needsSingleRow())
                .isTrue();
        assertThat(read(List.of(tuple(1)), List.of(V), Order.DESC, Answer.ROWS).needsSingleRow())
                .isFalse();
        assertThat(read(List.of(tuple(1)), List.of(), Order.NONE, Answer.ROWS).needsSingleRow())
                .isFalse();
    }

    @Test
    void reads_haveBounds_whereTheirRangesAreNoPlainTuplesOfOneLength() {
        assertThat(read(List.of(tuple(1), tuple(1)), List.of(), Order.NONE, Answer.ROWS)
                        .hasBounds())
                .isFalse();
        assertThat(read(List.of(tuple(1), tuple(2)), List.of(), Order.ASC, Answer.ROWS)
                        .hasBounds())
                .isTrue();
        KeyRange above = new KeyRange(List.of(ZERO), List.of(new KeyBound(1, true, false, ZERO)));
        PointRead bounded = read(List.of(above), List.of(), Order.ASC, Answer.ROWS);
        assertThat(bounded.hasBounds()).isTrue();
        assertThat(bounded.boundColumns()).isEqualTo(1);
        assertThat(bounded.fullKey()).isFalse();
        assertThat(read(List.of(tuple(3)), List.of(), Order.NONE, Answer.ROWS).fullKey())
                .isTrue();
    }

    /**
     * An effect is never narrower than its parts: rows of one table remain rows; rows of several
     * tables become whole tables.
     */
    @Test
    void union_closesWhatBothClose() {
        Effect one = new Effect.Rows(C, List.of(List.of(ZERO)));
        TableSchema t = requireNonNull(TestCatalog.shared().table("d", "t"));
        Effect other = new Effect.Rows(t, List.of(List.of(ZERO)));
        assertThat(Effect.union(Effect.NONE, one)).isEqualTo(one);
        assertThat(Effect.union(one, Effect.NONE)).isEqualTo(one);
        assertThat(Plans.text(Effect.union(one, other))).isEqualTo("d.c+d.t");
        assertThat(Effect.union(one, Effect.EVERYTHING)).isEqualTo(Effect.EVERYTHING);
        assertThat(Effect.union(Effect.EVERYTHING, one)).isEqualTo(Effect.EVERYTHING);
        assertThat(Effect.union(Effect.NONE, Effect.NONE)).isEqualTo(Effect.NONE);
    }

    @Test
    void rows_bindEquallyManyColumns() {
        refused("tuples: none", () -> new Effect.Rows(C, List.of()));
        refused("expected: 1 parts", () -> new Effect.Rows(C, List.of(List.of(ZERO), List.of(ZERO, ZERO))));
        refused("bound columns: 0", () -> new Effect.Rows(C, List.of(List.of())));
    }

    @Test
    void types_haveNoNegativeSizes() {
        refused("length: -1", () -> new ColumnType(ColumnType.Kind.CHAR, false, -1, 0, null));
        refused("scale: -1", () -> new ColumnType(ColumnType.Kind.DECIMAL, false, 1, -1, null));
        assertThat(ColumnType.of(ColumnType.Kind.VARIANT).nested()).isTrue();
        assertThat(ColumnType.of(ColumnType.Kind.JSON).nested()).isFalse();
    }

    @Test
    void tables_findTheirColumnsInAnyLetterCase() {
        assertThat(C.ordinal("K2")).isEqualTo(1);
        assertThat(C.ordinal("nope")).isEqualTo(-1);
        assertThat(C.keyPosition(2)).isEqualTo(2);
        assertThat(C.keyPosition(3)).isEqualTo(-1);
        refused(
                "",
                () -> new TableSchema(
                        C.name(), 1, TableModel.UNIQUE, C.columns(), List.of(9), List.of(), "", Map.of()));
    }
}
