package org.keyline.stores.duckdb.engine;

/**
 * How many rows statements have that write several: each number up to 8, then 10, 12, 14, 16, 20, …
 * up to 64. So few are ever prepared, and two take as many rows as come together at most times.
 */
final class RowCounts {
    private static final int MOST = 64;
    /** All bits of a number but so many of the highest are 0. */
    private static final int BITS = 3;

    private RowCounts() {}

    /** How many of so many rows the next statement takes. */
    static int of(int left) {
        int count = Math.min(MOST, left);
        int dropped = Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros(count) - BITS);
        return count >> dropped << dropped;
    }
}
