package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a statement may write: which fences are closed before it is forwarded. Immutable. */
public sealed interface Effect {
    /** No row of any table. */
    record None() implements Effect {}

    /**
     * Only rows under these key prefixes of one table. Where a value cannot be bound to its column exactly (out of range, too
     * long, of another type, NULL), the store may write or match another key: the whole table is closed.
     *
     * @param assigned all that changes in the row, if there is one row at most, named by its whole key, and each new cell is a value of
     *     the statement; empty where that is not certain
     * @param added cells of the row that the statement adds, if it adds one at most, and changes no other in a store where an INSERT does not
     *     overwrite; empty where that is not certain. What the other cells are is not known
     * @param plain whether these are all cells that it gives values, it does nothing else, and what the others get is the same for whoever
     *     adds the row
     * @param changed the columns of which cells may change in rows that exist, where it adds no row; none where it deletes rows; null where
     *     that is not certain
     */
    record Rows(
            TableSchema table,
            List<List<KeyPart>> prefixes,
            List<Assignment> assigned,
            List<Assignment> added,
            boolean plain,
            @Nullable Set<Integer> changed)
            implements Effect {
        public Rows {
            requireNonNull(table, "table is null");
            prefixes = KeyPart.tuples(table, prefixes);
            assigned = List.copyOf(assigned);
            added = List.copyOf(added);
            changed = changed == null ? null : Set.copyOf(changed);
            boolean one = prefixes.size() == 1
                    && prefixes.get(0).size() == table.keyColumns().size();
            if (!(assigned.isEmpty() && !plain) && !one) {
                throw new IllegalArgumentException("prefixes: " + prefixes + " (expected: one whole key)");
            }
        }

        /** A row of which it is not known what else happens when it is added. */
        public Rows(
                TableSchema table, List<List<KeyPart>> prefixes, List<Assignment> assigned, List<Assignment> added) {
            this(table, prefixes, assigned, added, false, null);
        }

        /** Rows of which it is not known how they change. */
        public Rows(TableSchema table, List<List<KeyPart>> prefixes) {
            this(table, prefixes, List.of(), List.of());
        }
    }

    /** Any row of these tables, and perhaps their definitions. */
    record Tables(List<TableName> tables) implements Effect {
        public Tables {
            tables = List.copyOf(tables);
            if (tables.isEmpty()) {
                throw new IllegalArgumentException("tables: none (expected: at least one)");
            }
        }
    }

    /** No row, but what other statements run beside their own text: views, functions, triggers. */
    record StoredCode() implements Effect {}

    /** Anything. */
    record Everything() implements Effect {}

    /** The one value of {@link None}. */
    Effect NONE = new None();

    /** The one value of {@link StoredCode}. */
    Effect STORED_CODE = new StoredCode();

    /** The one value of {@link Everything}. */
    Effect EVERYTHING = new Everything();

    /** The least effect on rows that covers both. */
    static Effect union(Effect one, Effect other) {
        if (one instanceof None) {
            return other;
        }
        if (other instanceof None || other instanceof StoredCode) {
            return one;
        }
        if (one instanceof StoredCode) {
            return other;
        }
        if (one instanceof Everything || other instanceof Everything) {
            return EVERYTHING;
        }
        Set<TableName> tables = new LinkedHashSet<>(names(one));
        tables.addAll(names(other));
        return new Tables(List.copyOf(tables));
    }

    /** The same, with any row of a table in place of those under some keys. */
    static Effect tables(Effect effect) {
        return effect instanceof Rows ? new Tables(names(effect)) : effect;
    }

    private static List<TableName> names(Effect effect) {
        if (effect instanceof Rows rows) {
            return List.of(rows.table().name());
        }
        return ((Tables) effect).tables();
    }
}
