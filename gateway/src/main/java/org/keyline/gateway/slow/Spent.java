package org.keyline.gateway.slow;

/**
 * The parts of a statement's time.
 *
 * @param queueNanos until it was sent to the store: waiting for earlier statements and changing
 *     definitions
 * @param loadNanos waiting for lines
 * @param storeNanos from then until the store's reply was complete, without the next
 * @param writeNanos the store's reply was held up because the client did not read it
 */
public record Spent(long queueNanos, long loadNanos, long storeNanos, long writeNanos) {
    /** Returns the time of a statement that was answered from lines loaded for it. */
    public static Spent loading(long nanos) {
        return new Spent(0, nanos, 0, 0);
    }

    /** Returns the sum. */
    public long totalNanos() {
        return queueNanos + loadNanos + storeNanos + writeNanos;
    }
}
