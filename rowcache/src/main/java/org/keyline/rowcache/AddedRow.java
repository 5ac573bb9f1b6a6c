package org.keyline.rowcache;

import java.util.List;

/**
 * The rows that a write adds or changes, or one row before or after a change. Decides which filter
 * lines may have these rows. Thread-safe.
 */
public interface AddedRow {
    /**
     * Returns whether one of the rows may be in the filter line with this name; true if unknown.
     *
     * @param key contains the cells of the name in {@code key[from..to)}
     */
    boolean mayBeIn(byte[] key, int from, int to);

    /** Returns whether a row may be, or may have been, in a line loaded before the write. */
    default boolean mayBeIn(Line line) {
        return mayBeIn(line.prefixBytes(), line.prefixFrom(), line.prefixTo());
    }

    /** Returns the union of {@code all}. */
    static AddedRow anyOf(List<? extends AddedRow> all) {
        if (all.size() == 1) {
            return all.get(0);
        }
        return new AddedRow() {
            @Override
            public boolean mayBeIn(byte[] key, int from, int to) {
                return all.stream().anyMatch(row -> row.mayBeIn(key, from, to));
            }

            @Override
            public boolean mayBeIn(Line line) {
                return all.stream().anyMatch(row -> row.mayBeIn(line));
            }
        };
    }
}
