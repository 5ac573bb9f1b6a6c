package org.keyline.stores.duckdb.engine;

/**
 * The permitted numbers of rows of one statement: 1 to 8, then 10, 12, 14, 16, 20, … up to 64. So
 * only few different statements are prepared, and most batches need at most two statements.
 */
final class RowCounts {
    private static final int MOST = 64;
    /** A number of rows is rounded down so that only its first BITS significant bits can be set. */
    private static final int BITS = 3;

    private RowCounts() {}

    /** Returns the number of rows of the next statement, if {@code left} rows remain. */
    static int of(int left) {
        int count = Math.min(MOST, left);
        int dropped = Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros(count) - BITS);
        return count >> dropped << dropped;
    }
}
