package org.keyline.gateway.log;

import java.time.Duration;

/** Limits log lines of one kind, and reports how many were omitted. Thread-safe. */
public final class LogBudget {
    public static final int SPENT = -1;

    private final int max;
    private final long periodNanos;
    private long periodBeganNanos;
    private int lines;
    private int unlogged;

    /** @param max the maximum number of lines per period */
    public LogBudget(int max, Duration period) {
        this.max = max;
        this.periodNanos = period.toNanos();
    }

    /**
     * Requests permission to write a line.
     *
     * @param nowNanos the time by a monotonic clock
     * @return the number of lines omitted since the last written line; {@link #SPENT} if the caller
     * must omit this line
     */
    public synchronized int take(long nowNanos) {
        if (lines == 0 || nowNanos - periodBeganNanos >= periodNanos) {
            periodBeganNanos = nowNanos;
            lines = 0;
        }
        if (lines >= max) {
            unlogged++;
            return SPENT;
        }
        lines++;
        int before = unlogged;
        unlogged = 0;
        return before;
    }
}
