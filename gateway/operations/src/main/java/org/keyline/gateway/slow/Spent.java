package org.keyline.gateway.slow;

/**
 * The parts of a statement's time.
 *
 * @param queueNanos the wait for earlier statements and for changing definitions, before the
 * session sent the statement to the store
 * @param loadNanos the wait for lines
 * @param storeNanos the time until the store's reply was complete, without {@code writeNanos}
 * @param writeNanos the time for which the store's reply was held up because the client did not
 * read
 */
public record Spent(long queueNanos, long loadNanos, long storeNanos, long writeNanos) {
    /** Returns the time of a statement that was answered from lines after a load. */
    public static Spent loading(long nanos) {
        return new Spent(0, nanos, 0, 0);
    }

    public long totalNanos() {
        return queueNanos + loadNanos + storeNanos + writeNanos;
    }
}
