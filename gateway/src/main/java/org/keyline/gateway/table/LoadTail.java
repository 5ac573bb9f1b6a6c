package org.keyline.gateway.table;

import java.util.Arrays;

/**
 * How long the slowest of a table's loads take, and how many of them may be asked for a second time. Thread-safe.
 */
public final class LoadTail {
    /*
     * A load is late if it takes longer than all but some of the last ones. These are fewer than may be asked for twice: else chance, by which
     * several are late together, would deny it to some that hang. A time when all are late ends what was saved up soon. Loads asked for twice
     * count by the time that they took in the end, which is longer than what was late then: they do not make the others late.
     */
    private static final double LATE = 0.75;
    private static final int WINDOW = 512;
    /** The time from which on a load is late is taken anew after so many loads. */
    private static final int LOADS_A_LOOK = 32;
    /** The most that may be saved up. */
    private static final double MOST_SAVED = 32;

    private static final long NEVER = Long.MAX_VALUE;

    /**
     * Which loads are asked for a second time.
     *
     * @param share of all loads, 0..1; 0: none
     * @param fewest loads that must have been seen before
     */
    public record Hedging(double share, int fewest) {
        public static final Hedging NONE = new Hedging(0, 0);
        /** Two loads of a hundred. */
        public static final Hedging MODEST = new Hedging(0.02, 128);
    }

    // Guarded by this.
    private final long[] times = new long[WINDOW];
    private long seen;
    private double saved;

    /** Of the loads seen when it was last looked, for the share asked for then. */
    private long lateNanos = NEVER;

    private long lookAt;
    private double shareThen;

    /** How long after its begin a load is late; the longest time there is if that is not known, or does not matter. */
    public synchronized long lateNanos(Hedging hedging) {
        if (hedging.share() <= 0 || seen < Math.max(1, hedging.fewest())) {
            return NEVER;
        }
        if (seen >= lookAt || hedging.share() != shareThen) {
            lookAt = seen + LOADS_A_LOOK;
            shareThen = hedging.share();
            int known = (int) Math.min(seen, WINDOW);
            long[] sorted = Arrays.copyOf(times, known);
            Arrays.sort(sorted);
            lateNanos = sorted[Math.min(known - 1, (int) (known * (1 - LATE * shareThen)))];
        }
        return lateNanos;
    }

    /** A load took so long. */
    public synchronized void took(long nanos, Hedging hedging) {
        times[(int) (seen % WINDOW)] = nanos;
        seen++;
        saved = Math.min(MOST_SAVED, saved + hedging.share());
    }

    /** Whether one more load may be asked for a second time, which counts as done. */
    public synchronized boolean spends() {
        boolean enough = saved >= 1;
        saved -= enough ? 1 : 0;
        return enough;
    }
}
