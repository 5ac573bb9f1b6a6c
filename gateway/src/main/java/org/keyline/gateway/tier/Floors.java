package org.keyline.gateway.tier;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.keyline.planner.TableName;

/**
 * The moments since when rows are known to be unchanged: rows of the tier that were loaded earlier
 * are not used. They are per bucket, so a write to some rows may exclude others. Thread-safe.
 */
final class Floors {
    private final AtomicLongArray rows;
    private final AtomicLongArray tables;
    private final AtomicLong all;

    /**
     * @param startNanos rows loaded before are not used
     * @param buckets of rows, and of tables; a power of two
     */
    Floors(long startNanos, int buckets) {
        if (Integer.bitCount(buckets) != 1) {
            throw new IllegalArgumentException("buckets: " + buckets + " (expected: a power of two)");
        }
        all = new AtomicLong(startNanos);
        rows = filled(buckets, startNanos);
        tables = filled(buckets, startNanos);
    }

    private static AtomicLongArray filled(int length, long value) {
        long[] values = new long[length];
        Arrays.fill(values, value);
        return new AtomicLongArray(values);
    }

    /**
     * Raises the floors of these rows. To be called before their lines are dropped: a check in
     * between refuses.
     */
    void raise(Drop drop, long nowNanos) {
        if (drop instanceof Drop.Rows some) {
            rows.accumulateAndGet(row(some.table(), some.key()), nowNanos, Floors::later);
        } else if (drop instanceof Drop.Table table) {
            tables.accumulateAndGet(table(table.table()), nowNanos, Floors::later);
        } else {
            all.accumulateAndGet(nowNanos, Floors::later);
        }
    }

    /**
     * Returns whether a load that began then may have read rows from before a write that is known
     * here.
     *
     * @param key as in the drops of these rows
     */
    boolean isBelow(TableName table, byte[] key, long beganNanos) {
        return beganNanos - all.get() <= 0
                || beganNanos - tables.get(table(table)) <= 0
                || beganNanos - rows.get(row(table, key)) <= 0;
    }

    private static long later(long one, long other) {
        return one - other > 0 ? one : other;
    }

    private int table(TableName table) {
        return spread(table.hashCode()) & (tables.length() - 1);
    }

    private int row(TableName table, byte[] key) {
        return spread(31 * table.hashCode() + Arrays.hashCode(key)) & (rows.length() - 1);
    }

    private static int spread(int hash) {
        int mixed = hash * 0x9E3779B9;
        return mixed ^ (mixed >>> 15);
    }
}
