package org.keyline.stores.duckdb.session;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The locks of SELECT … FOR UPDATE. Because DuckDB has no row locks, a transaction with this
 * statement locks all rows of the store; no other session writes until it ends. Thread-safe.
 */
public final class RowLocks {
    private final Set<DuckDbState> writers = new HashSet<>();
    private @Nullable DuckDbState owner;
    private long ended;

    /**
     * Registers a session that writes. Returns false, without registering it, if another session
     * locks the rows.
     */
    synchronized boolean write(DuckDbState session) {
        return writers.contains(session) || ((owner == null || owner == session) && writers.add(session));
    }

    /**
     * Locks all rows. Returns false if another session writes or locks them. While this session
     * waits for writers, no further session begins to write.
     */
    synchronized boolean lock(DuckDbState session) {
        owner = owner == null ? session : owner;
        return owner == session && writers.size() == (writers.contains(session) ? 1 : 0);
    }

    /** Releases the lock of all rows, or ends the wait for it. */
    synchronized void giveUp(DuckDbState session) {
        owner = owner == session ? null : owner;
    }

    /** Registers the end of a session's transaction or autocommit write, and releases its lock. */
    synchronized void release(DuckDbState session) {
        ended += writers.remove(session) ? 1 : 0;
        giveUp(session);
    }

    /** Returns the number of autocommit writes and transactions with writes that have ended. */
    synchronized long ended() {
        return ended;
    }
}
