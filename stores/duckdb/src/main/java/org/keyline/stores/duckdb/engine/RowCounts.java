package org.keyline.stores.duckdb.engine;

/**
 * The numbers of rows that one statement may have: 1 to 8, then 10, 12, 14, 16, 20, … up to 64. So
 * only few different statements are prepared, and most batches need at most two of them.
 */
final class RowCounts {
    private static final int MOST = 64;
    /** Only this many of the highest bits of a number may be set. */
    private static final int BITS = 3;

    private RowCounts() {}

    /** Returns how many of the {@code left} remaining rows the next statement has. */
    static int of(int left) {
        int count = Math.min(MOST, left);
        int dropped = Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros(count) - BITS);
        return count >> dropped << dropped;
    }
}
