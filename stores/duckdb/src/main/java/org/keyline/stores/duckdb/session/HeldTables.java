package org.keyline.stores.duckdb.session;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.keyline.planner.TableName;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.session.TableLocks.Use;

/**
 * What one session has locked by LOCK TABLES, and what its statement or transaction writes. Used by one thread at a time. Names
 * are as the catalog spells them.
 */
final class HeldTables {
    private final TableLocks all;
    private final Set<TableName> written = new HashSet<>();
    private Map<TableName, Use> locked = Map.of();

    HeldTables(TableLocks all) {
        this.all = all;
    }

    /** Locks these tables; 1205 where another session is in the way. Nothing is locked before. */
    void lock(Map<TableName, Use> wanted) {
        all.take(this, wanted);
        locked = Map.copyOf(wanted);
    }

    /** Whether LOCK TABLES is in effect. */
    boolean locks() {
        return !locked.isEmpty();
    }

    /** Whether the session reads a snapshot of what it has locked. */
    boolean readsSnapshot() {
        return locked.containsValue(Use.LOCK_READ_LOCAL);
    }

    /** UNLOCK TABLES. */
    void unlock() {
        all.give(this, locked.keySet());
        locked = Map.of();
    }

    /** A table is read; 1100 where LOCK TABLES left it out. */
    void read(TableName table) {
        if (locks() && !locked.containsKey(table)) {
            throw Errors.error(1100, "HY000", "Table '" + table.table() + "' was not locked with LOCK TABLES");
        }
    }

    /** A table is to be written, until {@link #settled}; 1100 or 1099 where LOCK TABLES forbids it, 1205 where that of another does. */
    void write(TableName table, Use use) {
        read(table);
        if (locked.get(table) == Use.LOCK_WRITE) {
            return;
        }
        if (locks()) {
            throw Errors.error(
                    1099, "HY000", "Table '" + table.table() + "' was locked with a READ lock and can't be updated");
        }
        all.take(this, Map.of(table, use));
        written.add(table);
    }

    /** What was written is committed or rolled back. */
    void settled() {
        all.give(this, written);
        written.clear();
    }
}
