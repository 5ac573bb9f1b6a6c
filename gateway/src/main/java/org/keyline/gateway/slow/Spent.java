package org.keyline.gateway.slow;

/**
 * Where the time of a statement went.
 *
 * @param queueNanos until it was sent to the store: what had to run there before it, and definitions that had to settle
 * @param loadNanos waiting for lines
 * @param storeNanos from then until the store's reply was complete, without the next
 * @param writeNanos the store's reply was held up because the client did not take it
 */
public record Spent(long queueNanos, long loadNanos, long storeNanos, long writeNanos) {
    /** A statement that was answered from lines which were loaded for it. */
    public static Spent loading(long nanos) {
        return new Spent(0, nanos, 0, 0);
    }

    /** All of it. */
    public long totalNanos() {
        return queueNanos + loadNanos + storeNanos + writeNanos;
    }
}
