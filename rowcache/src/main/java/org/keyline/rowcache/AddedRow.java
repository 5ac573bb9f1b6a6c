package org.keyline.rowcache;

import java.util.List;

/**
 * The rows that a write adds or changes, or one row as it is before or after a change. Decides
 * which filter lines can contain these rows. Thread-safe.
 */
public interface AddedRow {
    /**
     * Returns whether one of these rows can be in a filter line; true if this cannot be decided.
     *
     * @param key contains the encoded conditions of the filter line in {@code key[from..to)}
     */
    boolean mayBeIn(byte[] key, int from, int to);

    /** Returns whether one of these rows can be in the line, which was loaded before the write. */
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
