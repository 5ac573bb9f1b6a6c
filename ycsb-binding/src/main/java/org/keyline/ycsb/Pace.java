package org.keyline.ycsb;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Paces one thread's operations without catching up. Confined to the thread. */
final class Pace {
    private final long periodNanos;
    private long nextNanos = System.nanoTime();

    Pace(double rate) {
        periodNanos = (long) (TimeUnit.SECONDS.toNanos(1) / rate);
    }

    /** Waits until the next operation is due. Returns false if the end of the run comes first. */
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
