package org.keyline.rowcache;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * When rows were last dropped, whatever for: rows that were loaded elsewhere before may be from before what they were dropped for. By
 * buckets of prefixes, so a drop may keep out some rows beside its own. Thread-safe.
 */
final class LastDrops {
    /** A power of two. */
    private static final int BUCKETS = 1 << 12;

    private final AtomicLongArray buckets;

    /** @param startNanos what was loaded before is as good as dropped */
    LastDrops(long startNanos) {
        long[] all = new long[BUCKETS];
        Arrays.fill(all, startNanos);
        buckets = new AtomicLongArray(all);
    }

    /** Within the slot of the prefix. */
    void dropped(Slot.Prefix prefix, long nowNanos) {
        buckets.accumulateAndGet(bucket(prefix), nowNanos, (one, other) -> one - other > 0 ? one : other);
    }

    /** Whether a load that began then may have read what was dropped since. Within the slot of the prefix. */
    boolean isBefore(Slot.Prefix prefix, long beganNanos) {
        return beganNanos - buckets.get(bucket(prefix)) <= 0;
    }

    private static int bucket(Slot.Prefix prefix) {
        return prefix.hashCode() & (BUCKETS - 1);
    }
}
