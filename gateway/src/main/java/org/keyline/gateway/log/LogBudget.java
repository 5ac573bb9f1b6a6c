package org.keyline.gateway.log;

import java.time.Duration;
import java.util.function.IntSupplier;

/** So many lines of a kind go to the log in each period; the others are counted, and told with the first of a later one. Thread-safe. */
public final class LogBudget {
    /** The line is to be left out. */
    public static final int SPENT = -1;

    private final IntSupplier max;
    private final long periodNanos;
    private long periodBeganNanos;
    private int lines;
    private int untold;

    public LogBudget(int max, Duration period) {
        this(() -> max, period);
    }

    /** @param max asked for each line */
    public LogBudget(IntSupplier max, Duration period) {
        this.max = max;
        this.periodNanos = period.toNanos();
    }

    /**
     * Asks for a line.
     *
     * @param nowNanos of a clock that only goes forward
     * @return how many were left out since the last that was not; {@link #SPENT} if this one is left out
     */
    public synchronized int take(long nowNanos) {
        if (lines == 0 || nowNanos - periodBeganNanos >= periodNanos) {
            periodBeganNanos = nowNanos;
            lines = 0;
        }
        if (lines >= max.getAsInt()) {
            untold++;
            return SPENT;
        }
        lines++;
        int before = untold;
        untold = 0;
        return before;
    }
}
