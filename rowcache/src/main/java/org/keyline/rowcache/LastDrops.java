package org.keyline.rowcache;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The time of the last drop under each prefix. Rows that another process loaded before it may be
 * outdated. Prefixes share buckets, so a drop may also reject rows of other prefixes. Thread-safe.
 */
final class LastDrops {
    private static final int BUCKETS = 1 << 12;

    private final AtomicLongArray buckets;

    /** @param startNanos rows that another process loaded before this time are rejected */
    LastDrops(long startNanos) {
        long[] all = new long[BUCKETS];
        Arrays.fill(all, startNanos);
        buckets = new AtomicLongArray(all);
    }

    /** Records a drop under the prefix. Called within the slot of the prefix. */
    void dropped(Slot.Prefix prefix, long nowNanos) {
        buckets.accumulateAndGet(bucket(prefix), nowNanos, (one, other) -> one - other > 0 ? one : other);
    }

    /**
     * Returns whether a load began before the last drop under its prefix. Called within the slot of
     * the prefix.
     */
    boolean isBefore(Slot.Prefix prefix, long beganNanos) {
        return beganNanos - buckets.get(bucket(prefix)) <= 0;
    }

    private static int bucket(Slot.Prefix prefix) {
        return prefix.hashCode() & (BUCKETS - 1);
    }
}
