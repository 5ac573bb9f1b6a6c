package org.keyline.stores.mysql.catalog;

import java.util.concurrent.TimeUnit;

/**
 * Spaces the readings of a series: the first few follow at once, later ones a second apart.
 * Confined to one caller at a time.
 */
final class ReadingPace {
    /*
     * A migration that alternates definitions and reads would cost a reading for each. A single
     * change is read when it is needed.
     */

    private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int AT_ONCE = 3;

    private long dueNanos = Long.MIN_VALUE;

    /** Returns how long to wait for the reading that is wanted now, in nanoseconds. */
    long next(long nowNanos) {
        long earliest = nowNanos - AT_ONCE * APART_NANOS;
        boolean idle = dueNanos == Long.MIN_VALUE || dueNanos - earliest < 0;
        dueNanos = (idle ? earliest : dueNanos) + APART_NANOS;
        return Math.max(0, dueNanos - nowNanos);
    }
}
