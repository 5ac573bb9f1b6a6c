package org.keyline.stores;

/**
 * A store's source of change events, above all of changes that bypass the gateway. While a signal
 * is not {@linkplain State#FOLLOWING following}, a line lives no longer than its ttl.
 *
 * <p>A signal reports changed rows by key if it can. If not, it reports the whole table or
 * everything. After a restart, or if it may have missed changes, it first reports everything. Only
 * the store's events and answers let it call {@link ChangeListener#complete(long)}, never a clock
 * of the store.
 */
public interface ChangeSignal extends AutoCloseable {
    enum State {
        /** The signal is not connected yet. */
        STARTING,
        /** The signal reports changes as they arrive. */
        FOLLOWING,
        /** The connection is lost; the signal retries. */
        LOST,
        /** The store or the account does not allow the signal, which retries periodically. */
        REFUSED,
        /** The signal is disabled, or the kind of store has none. */
        OFF
    }

    /**
     * Starts the signal. Does not block.
     *
     * @param listener called on threads of the signal, one call at a time
     */
    void start(ChangeListener listener);

    /** Returns whether the signal can report a change before reads of the store see the change. */
    boolean isEarly();

    /** Restarts the signal at the server that Keyline uses now. Thread-safe. */
    void serverChanged();

    /** Returns the number of received changes of any table. */
    long events();

    /** Stops the signal. Does not wait for a running call of the listener. */
    @Override
    void close();
}
