package org.keyline.gateway.metrics;

/**
 * What a change signal did, at one moment.
 *
 * @param live whether it was heard in the last ttl, so that older lines may answer
 * @param lagNanos since the last moment as of which all changes were told
 * @param events changes heard of, of any table
 * @param rowDrops lines dropped because of a row
 * @param tableDrops tables dropped whole
 * @param losses how often everything was dropped
 * @param lifetime how long lines live and why, in a sentence; empty where no write bypasses the gateway
 */
public record SignalFigures(
        boolean live, long lagNanos, long events, long rowDrops, long tableDrops, long losses, String lifetime) {
    /** There is no signal. */
    public static final SignalFigures NONE = new SignalFigures(false, 0, 0, 0, 0, 0, "");

    private static final double NANOS_PER_SECOND = 1e9;

    double lagSeconds() {
        return lagNanos / NANOS_PER_SECOND;
    }
}
