package org.keyline.stores.mysql.catalog;

import java.util.concurrent.TimeUnit;

/**
 * Limits the rate of readings in a series. The first few readings begin at once, later readings a
 * second apart. Confined to one caller at a time.
 */
final class ReadingPace {
    /*
     * Without this limit, a migration that alternates definitions and reads would need a reading
     * for each definition.
     */

    private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int AT_ONCE = 3;

    private long dueNanos = Long.MIN_VALUE;

    long next(long nowNanos) {
        long earliest = nowNanos - AT_ONCE * APART_NANOS;
        boolean idle = dueNanos == Long.MIN_VALUE || dueNanos - earliest < 0;
        dueNanos = (idle ? earliest : dueNanos) + APART_NANOS;
        return Math.max(0, dueNanos - nowNanos);
    }
}
