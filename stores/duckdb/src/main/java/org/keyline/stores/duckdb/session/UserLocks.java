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

    /** Gives a lock back; returns false if the session does not hold it. */
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

    /** Gives all locks of a session back; returns how often it had taken them. */
    synchronized int releaseAll(DuckDbState session) {
        int times = 0;
        for (Held held : locks.values()) {
            times += held.owner() == session ? held.times() : 0;
        }
        locks.values().removeIf(held -> held.owner() == session);
        return times;
    }

    /** Returns the connection id of the session that holds a lock; 0 if none does. */
    synchronized long owner(String name) {
        Held held = locks.get(name);
        return held == null ? 0 : Integer.toUnsignedLong(held.owner().identity().connectionId());
    }

    /** Returns whether any session holds a lock. */
    synchronized boolean isHeld(String name) {
        return locks.containsKey(name);
    }
}
