package org.keyline.gateway.metrics;

/**
 * Figures of a change signal at one moment.
 *
 * @param live whether the signal was complete within the last ttl, so that older lines may answer
 * @param lagNanos since the moment up to which all changes are reported
 * @param events reported changes, of any table
 * @param rowDrops lines dropped because of a row
 * @param tableDrops how often a table lost all its lines
 * @param losses how often all tables lost their lines
 * @param lifetime how long lines live and why, in a sentence; empty if no write bypasses the
 *     gateway
 */
public record SignalFigures(
        boolean live, long lagNanos, long events, long rowDrops, long tableDrops, long losses, String lifetime) {
    /** The figures without a signal. */
    public static final SignalFigures NONE = new SignalFigures(false, 0, 0, 0, 0, 0, "");

    private static final double NANOS_PER_SECOND = 1e9;

    double lagSeconds() {
        return lagNanos / NANOS_PER_SECOND;
    }
}
