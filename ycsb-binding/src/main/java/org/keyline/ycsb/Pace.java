package org.keyline.ycsb;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Operations of one thread, so many a second; one that was late is not made up for. Confined to the thread. */
final class Pace {
    private final long periodNanos;
    private long nextNanos = System.nanoTime();

    /** @param rate operations a second */
    Pace(double rate) {
        periodNanos = (long) (TimeUnit.SECONDS.toNanos(1) / rate);
    }

    /** Waits for the next operation's turn; false if its time is over. */
    boolean next(long untilNanos) {
        for (long now = System.nanoTime(); now - nextNanos < 0; now = System.nanoTime()) {
            if (now - untilNanos >= 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(Math.min(nextNanos, untilNanos) - now);
        }
        nextNanos = Math.max(nextNanos + periodNanos, System.nanoTime());
        return System.nanoTime() - untilNanos < 0;
    }
}
