package org.keyline.gateway.config;

/**
 * The number of leading key columns that a load binds.
 *
 * @param columns the number; 0 if lines are ranges of keys, a number above all keys' for all
 *     columns, negative if the gateway chooses the number by measurement
 */
public record Granularity(int columns) {
    public static final Granularity FULL = new Granularity(Integer.MAX_VALUE);

    public static final Granularity AUTO = new Granularity(-1);

    /** Returns whether lines are adjacent ranges of keys. */
    public boolean ranged() {
        return columns == 0;
    }

    public boolean auto() {
        return columns < 0;
    }

    /** Returns the number for a key with {@code keyColumns} columns. Not for {@link #AUTO}. */
    public int columnsOf(int keyColumns) {
        return Math.min(columns, keyColumns);
    }
}
