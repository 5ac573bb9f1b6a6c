package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A SELECT that lines can answer: plain columns of the rows under one or several key prefixes, or in ranges below them. Immutable.
 *
 * <p>Which values the slots hold, and of which kind, is known only when the statement runs; whoever binds them forwards the
 * statement where a value does not compare with its column exactly.
 *
 * @param ranges each binds the first key columns, or has bounds on the first one, or there is one, {@link KeyRange#EVERYTHING}. The cross product of IN lists is expanded. Ranges may turn out equal, or overlap:
 *     each row comes once
 * @param conditions that all hold of each row, beside the ranges
 * @param projection ordinals into the table's columns, in output order; a column may come twice. {@link #ONE} is a literal, or what
 *     {@link Function#ROWS} is of
 * @param order by key; {@link Order#NONE} also where at most one row can come
 * @param limit null if there is none; an integer literal or a placeholder
 * @param offset null if there is none; only together with {@code limit}
 * @param answer what becomes of the rows; the projection matters for rows themselves and for aggregates
 * @param functions one for each projected item if the answer is {@link Answer#AGGREGATES}; else none
 * @param opaque conditions that all hold of each row, too, and that only the store can evaluate; only where rows are found by conditions alone
 * @param ones slots that have to hold the literal {@code 1}, written so: whoever binds them forwards the statement where one does not
 * @param constants slots of the literals among the projected columns, in output order
 */
public record PointRead(
        TableSchema table,
        List<KeyRange> ranges,
        List<Condition> conditions,
        List<Integer> projection,
        Order order,
        @Nullable KeyPart limit,
        @Nullable KeyPart offset,
        Answer answer,
        List<Function> functions,
        List<OpaqueCondition> opaque,
        List<Integer> ones,
        List<Integer> constants)
        implements Plan {
    /** In a projection: not a column, but a literal, which is 1 unless it is among {@link #constants}. */
    public static final int ONE = -1;

    /** What becomes of the rows. */
    public enum Answer {
        /** They are the reply. */
        ROWS,
        /**
         * They are the reply, but of those that look alike there is one. They show no columns but the first ones of the key, so that
         * those that look alike are next to each other; and come in the order of these, or all look alike.
         */
        DISTINCT,
        /** How many there are. */
        COUNT,
        /** 1 if there is one, 0 if not. */
        EXISTS,
        /** One row of aggregates over them. */
        AGGREGATES
    }

    /** What is made of one column of all rows. */
    public enum Function {
        /** How many rows there are. */
        ROWS,
        /** How many values there are that are not NULL. */
        COUNT,
        /** The lowest value, of a key column; NULL if there is none. The key columns before it have one value each. */
        MIN,
        /** The highest one. */
        MAX
    }

    public PointRead {
        requireNonNull(table, "table is null");
        ranges = KeyRange.copyOf(table, ranges);
        conditions = List.copyOf(conditions);
        projection = List.copyOf(projection);
        requireNonNull(order, "order is null");
        requireNonNull(answer, "answer is null");
        functions = List.copyOf(functions);
        opaque = List.copyOf(opaque);
        ones = List.copyOf(ones);
        constants = List.copyOf(constants);
        if (functions.size() != (answer == Answer.AGGREGATES ? projection.size() : 0)) {
            throw new IllegalArgumentException(
                    "functions: " + functions + " (expected: as many as " + projection + " for " + answer + ")");
        }
        if (projection.isEmpty()) {
            throw new IllegalArgumentException("projection: none (expected: at least one column)");
        }
        if (!ranges.get(0).isEverything() && !opaque.isEmpty()) {
            throw new IllegalArgumentException("opaque: " + opaque + " (expected: only of all rows)");
        }
        if (offset != null && limit == null) {
            throw new IllegalArgumentException("offset: " + offset + " (expected: only with a limit)");
        }
    }

    /** Returns the same read, of which it is known that its rows come in the order of the key. */
    public PointRead inKeyOrder() {
        return new PointRead(
                table,
                ranges,
                conditions,
                projection,
                Order.ASC,
                limit,
                offset,
                answer,
                functions,
                opaque,
                ones,
                constants);
    }

    /** Whether rows are found by conditions alone, without a key prefix. */
    public boolean isFilter() {
        return ranges.get(0).isEverything() && !(conditions.isEmpty() && opaque.isEmpty());
    }

    /** Whether it is of all rows of the table. */
    public boolean isOfAllRows() {
        return ranges.get(0).isEverything() && !isFilter();
    }

    /** Whether it is certain which rows are the first of it: they come in an order, or there is one at most, or they look alike. */
    public boolean mayBeLimited() {
        return order != Order.NONE || answer != Answer.ROWS || showsNoColumn() || (fullKey() && ranges.size() == 1);
    }

    /** Whether rows are the answer only if there is one at most: which of them comes first is the store's choice. */
    public boolean needsSingleRow() {
        return (!conditions.isEmpty() || !opaque.isEmpty()) && !mayBeLimited();
    }

    /** Whether each row is nothing but literals. */
    private boolean showsNoColumn() {
        return projection.stream().allMatch(ordinal -> ordinal == ONE);
    }

    /** Whether what it shows may depend on the session's time zone. */
    public boolean showsTimeZone() {
        for (int i = 0; i < projection.size(); i++) {
            int ordinal = projection.get(i);
            if (ordinal == ONE) {
                continue;
            }
            ColumnType.Kind kind = table.columns().get(ordinal).type().kind();
            if (kind == ColumnType.Kind.TIMESTAMP || kind == ColumnType.Kind.OTHER) {
                return true;
            }
        }
        return false;
    }

    /** A read of tuples that bind equally many key columns, whose rows are the reply. */
    public PointRead(
            TableSchema table,
            List<List<KeyPart>> tuples,
            List<Integer> projection,
            Order order,
            @Nullable KeyPart limit,
            @Nullable KeyPart offset) {
        this(
                table,
                tuples.stream().map(KeyRange::of).toList(),
                List.of(),
                projection,
                order,
                limit,
                offset,
                Answer.ROWS,
                List.of(),
                List.of(),
                List.of(),
                List.of());
    }

    /** The number of key columns that are bound in all ranges. */
    public int boundColumns() {
        int fewest = Integer.MAX_VALUE;
        for (int i = 0; i < ranges.size(); i++) {
            fewest = Math.min(fewest, ranges.get(i).tuple().size());
        }
        return fewest;
    }

    /** Whether every key column is bound, so that a range has one row or none. */
    public boolean fullKey() {
        return boundColumns() == table.keyColumns().size();
    }

    /** Whether it has bounds, or its ranges bind differently many key columns. */
    public boolean hasBounds() {
        for (int i = 0; i < ranges.size(); i++) {
            KeyRange range = ranges.get(i);
            if (!range.bounds().isEmpty()
                    || range.tuple().size() != ranges.get(0).tuple().size()) {
                return true;
            }
        }
        return false;
    }
}
