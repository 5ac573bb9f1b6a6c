package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a statement may write. The session fences it in the cache before it forwards. Immutable. */
public sealed interface Effect {
    record None() implements Effect {}

    /**
     * A write of rows under these key prefixes of one table. If each prefix is empty, any row may
     * be written. If a value does not convert exactly to its column's type, the store can write
     * another key, so the session fences the whole table. In an added row, the store can replace
     * the value of an auto-increment column.
     *
     * @param assigned all cells that change in existing rows. Empty unless the statement names
     * these rows by their whole keys and gives every new cell as a value
     * @param added the cells given for each row that the statement may add, one list for each
     * prefix; empty if it may add other rows. Valid only for a store where INSERT overwrites no row
     * @param adds whether the statement only adds rows, or can change existing rows
     * @param changed ordinals of columns that may change in existing rows; empty if the statement
     * deletes rows. Null if the statement changes no existing row, or if the columns are unknown
     */
    record Rows(
            TableSchema table,
            List<List<KeyPart>> prefixes,
            List<Assignment> assigned,
            List<List<Assignment>> added,
            Adds adds,
            @Nullable Set<Integer> changed)
            implements Effect {
        public Rows {
            requireNonNull(table, "table is null");
            prefixes = adds != Adds.MAY_CHANGE && isOfAnyKey(prefixes)
                    ? List.copyOf(prefixes)
                    : KeyPart.tuples(table, prefixes);
            assigned = List.copyOf(assigned);
            added = added.stream().map(List::copyOf).toList();
            changed = changed == null ? null : Set.copyOf(changed);
            if (!assigned.isEmpty() && !namesRows(table, prefixes)) {
                throw new IllegalArgumentException("prefixes: " + prefixes + " (expected: whole keys)");
            }
            if (adds == Adds.PLAIN_ROW && !(prefixes.size() == 1 && namesRows(table, prefixes))) {
                throw new IllegalArgumentException("prefixes: " + prefixes + " (expected: one whole key)");
            }
            if (!added.isEmpty() && added.size() != prefixes.size()) {
                throw new IllegalArgumentException(
                        "added: " + added.size() + " rows (expected: " + prefixes.size() + ", one for each prefix)");
            }
        }

        public Rows(TableSchema table, List<List<KeyPart>> prefixes) {
            this(table, prefixes, List.of(), List.of(), Adds.MAY_CHANGE, null);
        }

        /** Whether a write only adds rows, or can change existing rows. */
        public enum Adds {
            MAY_CHANGE,
            /** The statement only adds rows. It fails if a key already exists. */
            ROWS,
            /**
             * The statement adds one row and has no other effect. {@code added} has all cells that
             * the statement gives. The store fills the other cells alike for every session.
             */
            PLAIN_ROW
        }

        private static boolean isOfAnyKey(List<List<KeyPart>> prefixes) {
            return !prefixes.isEmpty() && prefixes.stream().allMatch(List::isEmpty);
        }

        public boolean onlyAdds() {
            return adds != Adds.MAY_CHANGE;
        }

        /** Replaces {@link Adds#PLAIN_ROW} by ROWS, for a statement that has more effects. */
        public Rows notPlain() {
            return adds == Adds.PLAIN_ROW ? new Rows(table, prefixes, assigned, added, Adds.ROWS, changed) : this;
        }

        public boolean namesRows() {
            return namesRows(table, prefixes);
        }

        private static boolean namesRows(TableSchema table, List<List<KeyPart>> prefixes) {
            return prefixes.get(0).size() == table.keyColumns().size();
        }
    }

    /**
     * A write of any row of these tables, and possibly a change of their definitions.
     *
     * @param ifAbsent whether the statement only creates tables, and has no effect on a table that
     * exists
     */
    record Tables(List<TableName> tables, boolean ifAbsent) implements Effect {
        public Tables {
            tables = List.copyOf(tables);
            if (tables.isEmpty()) {
                throw new IllegalArgumentException("tables: none (expected: at least one)");
            }
        }

        public Tables(List<TableName> tables) {
            this(tables, false);
        }
    }

    /** A change of views, functions or triggers, which other statements run. Writes no row. */
    record StoredCode() implements Effect {}

    /**
     * A write of any row of any table.
     *
     * @param unread whether the write scope may be smaller once the catalog has read a changed
     * definition
     */
    record Everything(boolean unread) implements Effect {}

    Effect NONE = new None();

    Effect STORED_CODE = new StoredCode();

    Effect EVERYTHING = new Everything(false);

    Effect UNREAD = new Everything(true);

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

    /** Returns the effect with whole tables instead of key prefixes. */
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
