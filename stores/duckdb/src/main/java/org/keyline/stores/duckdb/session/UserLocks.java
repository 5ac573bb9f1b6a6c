package org.keyline.stores.duckdb.session;

import java.util.HashMap;
import java.util.Map;

/** The locks of GET_LOCK, by name. A session may take a lock several times. Thread-safe. */
public final class UserLocks {
    private record Held(DuckDbState owner, int times) {}

    private final Map<String, Held> locks = new HashMap<>();

    /** Takes a lock; returns false if another session holds it. */
    synchronized boolean take(String name, DuckDbState session) {
        Held held = locks.get(name);
        if (held != null && held.owner() != session) {
            return false;
        }
        locks.put(name, new Held(session, held == null ? 1 : held.times() + 1));
        return true;
    }

    /** Releases a lock; returns false if the session does not hold it. */
    synchronized boolean release(String name, DuckDbState session) {
        Held held = locks.get(name);
        if (held == null || held.owner() != session) {
            return false;
        }
        if (held.times() == 1) {
            locks.remove(name);
        } else {
            locks.put(name, new Held(session, held.times() - 1));
        }
        return true;
    }

    synchronized void releaseAll(DuckDbState session) {
        locks.values().removeIf(held -> held.owner() == session);
    }

    synchronized boolean isHeld(String name) {
        return locks.containsKey(name);
    }
}
