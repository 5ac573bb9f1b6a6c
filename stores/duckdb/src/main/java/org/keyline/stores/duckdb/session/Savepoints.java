package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.engine.Errors;

/**
 * The savepoints of a transaction. Because DuckDB has none, ROLLBACK TO succeeds only if the
 * transaction has written nothing since the savepoint. Used by one thread at a time.
 */
final class Savepoints {
    private static final int MOST = 1_000;

    /** The number of writes before each savepoint, whose name is in lower case; oldest first. */
    private final Map<String, Long> set = new LinkedHashMap<>();

    private long writes;

    /** Records a write of the transaction. */
    void written() {
        writes++;
    }

    /** Executes SAVEPOINT, which replaces a savepoint of the same name. */
    void set(String name) {
        String key = key(name);
        set.remove(key);
        if (set.size() >= MOST) {
            throw Errors.error(1105, "HY000", "A transaction has at most " + MOST + " savepoints");
        }
        set.put(key, writes);
    }

    /**
     * Executes ROLLBACK TO, which removes later savepoints. Throws error 1305 if the savepoint does
     * not exist, 1235 if a write would have to be undone.
     */
    void returnTo(String name) {
        long before = require(name);
        if (writes != before) {
            throw StatementRefusedException.unsupported("ROLLBACK TO SAVEPOINT after a write");
        }
        forgetAfter(name);
    }

    /** Executes RELEASE SAVEPOINT, which removes this savepoint and later ones. */
    void release(String name) {
        require(name);
        forgetAfter(name);
        set.remove(key(name));
    }

    void clear() {
        set.clear();
        writes = 0;
    }

    private long require(String name) {
        Long before = set.get(key(name));
        if (before == null) {
            throw Errors.error(1305, "42000", "SAVEPOINT " + name + " does not exist");
        }
        return before;
    }

    private void forgetAfter(String name) {
        List<String> names = new ArrayList<>(set.keySet());
        names.subList(names.indexOf(key(name)) + 1, names.size()).forEach(set::remove);
    }

    private static String key(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
