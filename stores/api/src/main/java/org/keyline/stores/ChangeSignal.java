package org.keyline.stores;

/**
 * A store's source of change events, above all of changes that bypass the gateway. Optional:
 * without one, or while it is not {@linkplain State#FOLLOWING following}, cached rows are served no
 * longer than their ttl.
 *
 * <p>A signal reports rows by exact key where it can, and otherwise widens to the table or to
 * everything. After a restart, or if it may have missed changes, it first reports everything. It
 * reports completeness ({@link ChangeListener#complete(long)}) only from the store's own
 * statements, never from a clock of the store.
 *
 * <p>The row change feed of Doris 5 (row binlog, table streams) fits this interface: its rows carry
 * the key, and its position in the feed is the completeness.
 */
public interface ChangeSignal extends AutoCloseable {
    /** The state of a signal. */
    enum State {
        /** Not connected yet. */
        STARTING,
        /** Changes are reported as they arrive. */
        FOLLOWING,
        /** The connection is lost, and retried. */
        LOST,
        /** The store or its account does not offer the signal; retried periodically. */
        REFUSED,
        /** Disabled, or not available for this kind of store. */
        OFF
    }

    /**
     * Starts to report changes; does not block.
     *
     * @param listener called from threads of the signal, one call at a time
     */
    void start(ChangeListener listener);

    /**
     * Returns whether a change may be reported before readers see it in the store. A read shortly
     * after it may then still return the old row.
     */
    boolean isEarly();

    /**
     * Reports that another server of the store is in use, so that the signal restarts there. May be
     * called from any thread.
     */
    void serverChanged();

    /** Returns the number of changes received since the start, of any table. */
    long events();

    /** Stops the signal; returns without waiting for a call in progress. */
    @Override
    void close();
}
