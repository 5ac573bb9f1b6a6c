package org.keyline.gateway.metrics;

import org.jspecify.annotations.Nullable;

/**
 * What a change signal did, at one moment.
 *
 * @param live whether it was heard in the last ttl, so that older lines may answer
 * @param lagNanos since the last moment as of which all changes were told
 * @param events changes heard of, of any table
 * @param rowDrops lines dropped because of a row
 * @param tableDrops tables dropped whole
 * @param losses how often everything was dropped
 * @param follows the gateway that reads it for this one; null: this one does
 * @param followers gateways that this one reads it for
 */
public record SignalFigures(
        boolean live,
        long lagNanos,
        long events,
        long rowDrops,
        long tableDrops,
        long losses,
        @Nullable String follows,
        int followers) {
    /** There is no signal. */
    public static final SignalFigures NONE = new SignalFigures(false, 0, 0, 0, 0, 0, null, 0);

    private static final double NANOS_PER_SECOND = 1e9;

    double lagSeconds() {
        return lagNanos / NANOS_PER_SECOND;
    }
}
