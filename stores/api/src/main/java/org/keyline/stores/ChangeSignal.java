package org.keyline.stores;

/**
 * A store's way to tell of changes, those that did not come through the gateway above all. Optional: without one, or while it is not
 * {@linkplain State#FOLLOWING following}, what is in memory is simply not served longer than its ttl.
 *
 * <p>A signal tells rows by exact key where it can and widens where it can't: to the table, to everything. When it began anew, or can't
 * say what it missed, it tells everything first. It speaks of completeness ({@link ChangeListener#complete(long)}) only by what the
 * store itself said, never by a clock of the store.
 *
 * <p>The row change feed of Doris 5 (row binlog, table streams) is to be another implementation of just this: its rows carry the key, its
 * position in the feed is the completeness.
 */
public interface ChangeSignal extends AutoCloseable {
    /** What a signal is doing. */
    enum State {
        /** Not heard of yet. */
        STARTING,
        /** Changes are told as they come. */
        FOLLOWING,
        /** The connection is gone, and tried again. */
        LOST,
        /** The store, or its account, does not offer it; asked again now and then. */
        REFUSED,
        /** It is switched off, or this kind of store has none. */
        OFF
    }

    /**
     * Begins to tell; does not block.
     *
     * @param listener called from threads of the signal, one call at a time
     */
    void start(ChangeListener listener);

    /**
     * Whether a change may be told before the store shows it to readers, so that what is read shortly after may still be the old row.
     */
    boolean isEarly();

    /** Another server of the store is in use: the signal begins anew, there. From any thread. */
    void serverChanged();

    /** Changes heard of since the start, of any table. */
    long events();

    /** Ends the signal; returns without waiting for a call under way. */
    @Override
    void close();
}
