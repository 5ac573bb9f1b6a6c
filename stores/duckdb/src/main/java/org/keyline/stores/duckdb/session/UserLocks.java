package org.keyline.stores.duckdb.session;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.engine.Errors;

/** The locks of GET_LOCK, by name. A session may take a lock several times. Thread-safe. */
public final class UserLocks {
    private record Held(DuckDbState owner, int times) {}

    private static final int MAX_NAME = 64;

    private final Map<String, Held> locks = new HashMap<>();

    /** Returns the key of a lock's name. */
    static String key(@Nullable Object given) {
        String name = given == null ? "" : given.toString().toLowerCase(Locale.ROOT);
        if (name.isEmpty() || name.codePointCount(0, name.length()) > MAX_NAME) {
            throw Errors.error(3057, "42000", "Incorrect user-level lock name '" + name + "'.");
        }
        return name;
    }

    /** Takes a lock; returns false if another session holds it. */
    synchronized boolean take(String name, DuckDbState session) {
        Held held = locks.get(name);
        if (held != null && held.owner() != session) {
            return false;
        }
        locks.put(name, new Held(session, held == null ? 1 : held.times() + 1));
        return true;
    }

    /** Releases a lock. Returns 1, 0 if another session holds it, or null if no session does. */
    synchronized @Nullable Long release(String name, DuckDbState session) {
        Held held = locks.get(name);
        if (held == null || held.owner() != session) {
            return held == null ? null : 0L;
        }
        if (held.times() == 1) {
            locks.remove(name);
        } else {
            locks.put(name, new Held(session, held.times() - 1));
        }
        return 1L;
    }

    synchronized void releaseAll(DuckDbState session) {
        locks.values().removeIf(held -> held.owner() == session);
    }
}
