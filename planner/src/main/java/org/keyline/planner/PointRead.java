package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A SELECT that lines can answer: plain columns of the rows under one or several key prefixes. Immutable.
 *
 * <p>Which values the slots hold, and of which kind, is known only when the statement runs; whoever binds them forwards the
 * statement where a value does not compare with its column exactly.
 *
 * @param tuples each binds the first <i>m</i> key columns; <i>m</i> is the same for all. The cross product of IN lists is
 *     expanded. Tuples may turn out equal: each row comes once
 * @param projection ordinals into the table's columns, in output order; a column may come twice
 * @param order by key; {@link Order#NONE} also where at most one row can come
 * @param limit null if there is none; an integer literal or a placeholder
 * @param offset null if there is none; only together with {@code limit}
 */
public record PointRead(
        TableSchema table,
        List<List<KeyPart>> tuples,
        List<Integer> projection,
        Order order,
        @Nullable KeyPart limit,
        @Nullable KeyPart offset)
        implements Plan {
    public PointRead {
        requireNonNull(table, "table is null");
        tuples = KeyPart.tuples(table, tuples);
        projection = List.copyOf(projection);
        requireNonNull(order, "order is null");
        if (projection.isEmpty()) {
            throw new IllegalArgumentException("projection: none (expected: at least one column)");
        }
        if (offset != null && limit == null) {
            throw new IllegalArgumentException("offset: " + offset + " (expected: only with a limit)");
        }
    }

    /** The number of key columns that are bound. */
    public int boundColumns() {
        return tuples.get(0).size();
    }

    /** Whether every key column is bound, so that a tuple has one row or none. */
    public boolean fullKey() {
        return boundColumns() == table.keyColumns().size();
    }
}
