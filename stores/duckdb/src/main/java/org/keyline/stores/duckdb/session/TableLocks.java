package org.keyline.stores.duckdb.session;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.keyline.planner.TableName;
import org.keyline.stores.duckdb.engine.Errors;

/**
 * Which tables the sessions have locked, and which they are writing. Whoever meets a lock of another session is told so at once,
 * with error 1205: as in DuckDB nobody waits for anybody. Locks never keep a session from reading what is committed. Thread-safe.
 */
public final class TableLocks {
    /** What a session does with a table. */
    enum Use {
        /** A statement or transaction that writes its rows. */
        WRITES,
        /** A statement that changes its definition, or empties it. */
        CHANGES,
        /** LOCK TABLES … READ LOCAL: the session reads a snapshot. */
        LOCK_READ_LOCAL,
        /** LOCK TABLES … READ: nobody writes. */
        LOCK_READ,
        /** LOCK TABLES … WRITE: nobody else writes, or holds a lock. */
        LOCK_WRITE;

        private boolean bars(Use other) {
            return switch (this) {
                case WRITES, CHANGES -> false;
                case LOCK_READ_LOCAL -> other == CHANGES;
                case LOCK_READ -> other == WRITES || other == CHANGES;
                case LOCK_WRITE -> true;
            };
        }
    }

    /** What each session does with a table: the strongest of its uses. */
    private final Map<TableName, Map<Object, Use>> tables = new HashMap<>();

    /** Takes all of them, or none; 1205 where another session is in the way. A weaker use than before changes nothing. */
    synchronized void take(Object session, Map<TableName, Use> wanted) {
        wanted.forEach((table, use) -> check(session, table, use));
        wanted.forEach((table, use) -> tables.computeIfAbsent(table, t -> new HashMap<>(2))
                .merge(session, use, (before, now) -> before.compareTo(now) > 0 ? before : now));
    }

    private void check(Object session, TableName table, Use use) {
        tables.getOrDefault(table, Map.of()).forEach((other, theirs) -> {
            if (other != session && (theirs.bars(use) || use.bars(theirs))) {
                throw Errors.error(
                        1205,
                        "HY000",
                        "Lock wait timeout exceeded; try restarting transaction (another session "
                                + (theirs.compareTo(Use.CHANGES) <= 0 ? "writes" : "has locked") + " the table '"
                                + table + "')");
            }
        });
    }

    /** The session does nothing with these tables any more. */
    synchronized void give(Object session, Collection<TableName> names) {
        for (TableName name : names) {
            tables.computeIfPresent(name, (table, uses) -> {
                uses.remove(session);
                return uses.isEmpty() ? null : uses;
            });
        }
    }
}
