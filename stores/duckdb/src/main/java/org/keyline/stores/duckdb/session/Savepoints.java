package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.engine.Errors;

/**
 * The savepoints of a transaction. DuckDB has none: a return to one is honoured where it undoes
 * nothing, because nothing was written since, and refused otherwise. Used by one thread at a time.
 */
final class Savepoints {
    private static final int MOST = 1_000;

    /** Name in lower case, and how many statements had written before. Oldest first. */
    private final Map<String, Long> set = new LinkedHashMap<>();

    private long writes;

    /** A statement of the transaction writes. */
    void written() {
        writes++;
    }

    /** SAVEPOINT; one of the same name is gone. */
    void set(String name) {
        String key = key(name);
        set.remove(key);
        if (set.size() >= MOST) {
            throw Errors.error(1105, "HY000", "A transaction has at most " + MOST + " savepoints");
        }
        set.put(key, writes);
    }

    /**
     * ROLLBACK TO: those that were set later are gone. 1305 where there is none, 1235 where
     * something would have to be undone.
     */
    void returnTo(String name) {
        long before = require(name);
        if (writes != before) {
            throw StatementRefusedException.unsupported("ROLLBACK TO SAVEPOINT after a write");
        }
        forgetAfter(name);
    }

    /** RELEASE SAVEPOINT: it and those that were set later are gone. */
    void release(String name) {
        require(name);
        forgetAfter(name);
        set.remove(key(name));
    }

    /** The transaction is over. */
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
