package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A SELECT that cached lines can answer. It reads columns of the rows under key prefixes or in
 * ranges of keys. Immutable.
 *
 * <p>The slots get their values only when the statement is executed. If a value does not compare
 * exactly with its column, the caller must forward the statement.
 *
 * @param ranges one range for each combination of the values of IN lists. Ranges may be equal or
 * overlap, but the reply has each row once. {@link KeyRange#EVERYTHING} occurs only alone
 * @param conditions further conditions, all of which each row must satisfy
 * @param projection ordinals into the table's columns, in output order; a column may occur twice.
 * {@link #ONE} stands for a literal or for the argument of {@link Function#ROWS}
 * @param order the required order; {@link Order#NONE} also if the read finds at most one row
 * @param limit an integer literal or a placeholder; null without LIMIT
 * @param offset a literal or a placeholder; null without OFFSET or without {@code limit}
 * @param answer how the reply derives from the rows
 * @param functions one per projected item for {@link Answer#AGGREGATES}; empty for other answers
 * @param opaque conditions that only the store can evaluate; empty if the ranges bind the key
 * @param ones slots that must be the literal {@code 1}; the caller must forward other values
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
    /** Stands for a literal in a projection: 1, or the next literal in {@link #constants}. */
    public static final int ONE = -1;

    public enum Answer {
        ROWS,
        /**
         * The rows without duplicates. The projected columns are the first columns of the key, so
         * that duplicates are adjacent.
         */
        DISTINCT,
        COUNT,
        EXISTS,
        AGGREGATES
    }

    public enum Function {
        ROWS,
        COUNT,
        /**
         * The minimum of a key column; NULL if there are no rows. All rows must have the same
         * values in the preceding key columns.
         */
        MIN,
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

    /** Returns a copy with ascending order, for rows that the store returns in the key's order. */
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

    public boolean isFilter() {
        return ranges.get(0).isEverything() && !(conditions.isEmpty() && opaque.isEmpty());
    }

    public boolean isOfAllRows() {
        return ranges.get(0).isEverything() && !isFilter();
    }

    /** Returns whether LIMIT is well-defined: the rows are ordered, all equal, or at most one. */
    public boolean mayBeLimited() {
        return order != Order.NONE || answer != Answer.ROWS || showsNoColumn() || (fullKey() && ranges.size() == 1);
    }

    /** Returns whether more than one row prevents an answer, because the rows' order is unknown. */
    public boolean needsSingleRow() {
        return (!conditions.isEmpty() || !opaque.isEmpty()) && !mayBeLimited();
    }

    private boolean showsNoColumn() {
        return projection.stream().allMatch(ordinal -> ordinal == ONE);
    }

    /** Returns whether the reply may depend on the session's time zone. */
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

    /** Creates a read of the rows under key prefixes. All tuples must have the same length. */
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

    public int boundColumns() {
        int fewest = Integer.MAX_VALUE;
        for (int i = 0; i < ranges.size(); i++) {
            fewest = Math.min(fewest, ranges.get(i).tuple().size());
        }
        return fewest;
    }

    /** Returns whether each range binds every key column, so that a range has at most one row. */
    public boolean fullKey() {
        return boundColumns() == table.keyColumns().size();
    }

    /** Returns whether a range has bounds, or ranges bind different numbers of key columns. */
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
