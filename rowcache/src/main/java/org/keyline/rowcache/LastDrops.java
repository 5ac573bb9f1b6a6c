package org.keyline.rowcache;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The time of the last drop of rows, for any reason. Rows that were loaded elsewhere before that
 * time may be outdated. Times are stored per bucket of prefixes, so a drop may also reject rows of
 * other prefixes. Thread-safe.
 */
final class LastDrops {
    /** A power of two. */
    private static final int BUCKETS = 1 << 12;

    private final AtomicLongArray buckets;

    /** @param startNanos rows loaded elsewhere before this time are rejected */
    LastDrops(long startNanos) {
        long[] all = new long[BUCKETS];
        Arrays.fill(all, startNanos);
        buckets = new AtomicLongArray(all);
    }

    /** Records a drop. Called within the slot of the prefix. */
    void dropped(Slot.Prefix prefix, long nowNanos) {
        buckets.accumulateAndGet(bucket(prefix), nowNanos, (one, other) -> one - other > 0 ? one : other);
    }

    /**
     * Returns whether a load that began at {@code beganNanos} may have read rows that were dropped
     * since. Called within the slot of the prefix.
     */
    boolean isBefore(Slot.Prefix prefix, long beganNanos) {
        return beganNanos - buckets.get(bucket(prefix)) <= 0;
    }

    private static int bucket(Slot.Prefix prefix) {
        return prefix.hashCode() & (BUCKETS - 1);
    }
}
