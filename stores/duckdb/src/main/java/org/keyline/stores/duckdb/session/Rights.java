package org.keyline.stores.duckdb.session;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.engine.Errors;

/** What a session's user may do: everything, or only read. Immutable. */
final class Rights {
    /** First words of statements, besides those that DuckDB runs, that concern nobody but their session. */
    private static final Set<String> OF_THE_SESSION = Set.of(
            "SHOW",
            "DESCRIBE",
            "DESC",
            "EXPLAIN",
            "SET",
            "USE",
            "BEGIN",
            "START",
            "COMMIT",
            "ROLLBACK",
            "SAVEPOINT",
            "RELEASE",
            "UNLOCK",
            "SIGNAL",
            "KILL",
            "DO");

    private final SessionIdentity identity;
    private final boolean readOnly;

    Rights(SessionIdentity identity, boolean readOnly) {
        this.identity = identity;
        this.readOnly = readOnly;
    }

    boolean readOnly() {
        return readOnly;
    }

    /**
     * A statement is about to change something.
     *
     * @param command what MySQL calls it: INSERT, DROP, …
     * @param table null where it is not one table
     */
    void requireWrite(String command, @Nullable TableDefinition table) {
        if (!readOnly) {
            return;
        }
        if (table == null) {
            throw superRequired();
        }
        throw Errors.error(
                1142,
                "42000",
                command.toUpperCase(Locale.ROOT) + " command denied to user '" + identity.user() + "'@'"
                        + identity.host() + "' for table '" + table.name().table() + "'");
    }

    /** A statement that DuckDB does not run begins with this word, in upper case. */
    void requireStatement(String first) {
        if (readOnly && !OF_THE_SESSION.contains(first)) {
            throw superRequired();
        }
    }

    /** A setting of all sessions is about to change. */
    void requireGlobal() {
        if (readOnly) {
            throw superRequired();
        }
    }

    /** Whether the user sees another session, and may end it. */
    boolean sees(OpenSessions.ProcessRow other) {
        return !readOnly || other.user().equals(identity.user());
    }

    private static RuntimeException superRequired() {
        return Errors.error(
                1227, "42000", "Access denied; you need (at least one of) the SUPER privilege(s) for this operation");
    }
}
