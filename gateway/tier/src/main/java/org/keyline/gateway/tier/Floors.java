package org.keyline.gateway.tier;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.keyline.planner.TableName;

/**
 * The times of the last known writes to rows. This gateway does not use rows of the tier whose load
 * began before that time (their floor). A floor applies to a bucket of rows, so a write can also
 * exclude rows that it did not change. Thread-safe.
 */
final class Floors {
    private final AtomicLongArray rows;
    private final AtomicLongArray tables;
    private final AtomicLong all;

    /**
     * @param startNanos the initial floor of all rows
     * @param buckets the number of row buckets, and of table buckets; a power of two
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

    /** Raises floors. Call before dropping the lines, so that later loads do not use old rows. */
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
     * Returns whether a write has possibly changed the rows since their load began.
     *
     * @param key the key bytes of the rows, as in the {@link Drop} of a write to them
     * @param beganNanos the start of the load
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
