package org.keyline.gateway.metrics;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Figures of a change signal at one moment.
 *
 * @param live whether the signal's last report is less than a ttl old, or no lines exist
 * @param lagNanos the time since the moment up to which all changes are reported; -1 if that moment
 * is not known
 * @param tableDrops how often a table lost all its lines
 * @param losses how often all tables lost their lines
 * @param lifetime how long lines live and why, in a sentence; empty if no write bypasses the
 * gateway
 */
public record SignalFigures(
        boolean live, long lagNanos, long events, long rowDrops, long tableDrops, long losses, String lifetime) {
    public static final SignalFigures NONE = new SignalFigures(false, -1, 0, 0, 0, 0, "");

    private static final double NANOS_PER_SECOND = 1e9;

    /** Returns the lag in seconds; NaN if it is not known. */
    double lagSeconds() {
        return lagNanos < 0 ? Double.NaN : lagNanos / NANOS_PER_SECOND;
    }

    /** Returns the lag in milliseconds; null if it is not known. */
    public @Nullable Long lagMillis() {
        return lagNanos < 0 ? null : TimeUnit.NANOSECONDS.toMillis(lagNanos);
    }
}
