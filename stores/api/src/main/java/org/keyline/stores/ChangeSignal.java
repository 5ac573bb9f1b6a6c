package org.keyline.stores;

/**
 * A store's source of change events, above all of changes that bypass the gateway. Without a
 * signal, or while it is not {@linkplain State#FOLLOWING following}, a line lives no longer than
 * its ttl.
 *
 * <p>A signal reports rows by exact key if it can; otherwise, it reports that the whole table, or
 * everything, may have changed. After a restart, or if it may have missed changes, it first reports
 * that everything may have changed. It derives completeness ({@link ChangeListener#complete(long)})
 * only from the store's own statements, never from a clock of the store.
 *
 * <p>The row change feed of Doris 5 (row binlog, table streams) fits this interface. Its rows
 * contain the key, and its position shows completeness.
 */
public interface ChangeSignal extends AutoCloseable {
    /** The state of a signal. */
    enum State {
        /** The signal is not connected yet. */
        STARTING,
        /** The signal reports changes as they arrive. */
        FOLLOWING,
        /** The connection is lost. The signal retries it. */
        LOST,
        /**
         * The store does not offer the signal, or the account may not use it. The signal retries
         * periodically.
         */
        REFUSED,
        /** The signal is disabled, or the kind of store has none. */
        OFF
    }

    /**
     * Starts to report changes; does not block.
     *
     * @param listener called on threads of the signal, one call at a time
     */
    void start(ChangeListener listener);

    /**
     * Returns whether the signal may report a change before reads see it in the store. A read
     * shortly after the report may then still return the old row.
     */
    boolean isEarly();

    /**
     * Reports that Keyline uses another server of the store now, so that the signal restarts at
     * this server. May be called on any thread.
     */
    void serverChanged();

    /** Returns how many changes of any table were received since the start. */
    long events();

    /** Stops the signal. Does not wait for a call in progress. */
    @Override
    void close();
}
