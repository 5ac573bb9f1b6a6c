package org.keyline.gateway.session.relay;

import java.util.Locale;
import java.util.regex.Pattern;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.stores.Store;
import org.keyline.stores.StoreTrait;

/** The effect of a statement on the next FOUND_ROWS(). */
public enum FoundRows {
    /** The statement leaves FOUND_ROWS() unchanged, with or without a result. */
    LEAVES,
    /** The statement sets FOUND_ROWS() if it succeeds. */
    SETS,
    MAY_SET;

    /*
     * FOUND_ROWS() is the row count of the last SELECT that the store ran. The SELECT may be part
     * of a statement that writes rows or sets variables. Some statements have a result but do not
     * set FOUND_ROWS(): SHOW WARNINGS, CHECK TABLE, INSERT … RETURNING and half of the other SHOWs.
     * Some statements have no result but set FOUND_ROWS(): SELECT … INTO, and MySQL's UPDATE and
     * DO.
     */

    private static final int MAX_SEARCHED_BYTES = 1024;

    /** A text that Keyline cannot parse might set FOUND_ROWS() if it has one of these words. */
    private static final Pattern READS = Pattern.compile(
            "\\b(?:SELECT|SHOW|DESC|DESCRIBE|EXPLAIN|CALL|EXECUTE|TABLE|VALUES|WITH|UPDATE|DELETE|HANDLER|ANALYZE|CHECK)\\b");

    private static final Pattern DIAGNOSTICS = Pattern.compile("\\s*SHOW\\s+(?:WARNINGS|ERRORS)\\b");

    /** Returns the effect of a statement at a store. */
    public static FoundRows of(Store store, SqlStatement text) {
        return switch (text.kind()) {
            case SELECT -> SETS;
            case BEGIN, COMMIT, ROLLBACK, SAVEPOINT, XA, USE, PREPARE, LOCK, UNLOCK -> LEAVES;
            case KILL, PRIVILEGE, ROLE, KEYLINE, EMPTY -> LEAVES;
            case UPDATE -> selects(text) ? MAY_SET : store.has(StoreTrait.COUNTS_WRITES_AS_FOUND) ? SETS : LEAVES;
            case INSERT, DELETE, LOAD, DDL, TEMPORARY_TABLE, SET -> selects(text) ? MAY_SET : LEAVES;
            case SHOW -> showsDiagnostics(text) ? LEAVES : MAY_SET;
            case OTHER -> store.has(StoreTrait.COUNTS_WRITES_AS_FOUND) || selects(text) ? MAY_SET : LEAVES;
            case SHOW_STATUS, EXPLAIN, CALL, EXECUTE, MULTI, MULTI_PRIVILEGE -> MAY_SET;
            case UNKNOWN -> mayRead(text) ? MAY_SET : LEAVES;
        };
    }

    /** Returns whether the statement has, or might have, set FOUND_ROWS(). */
    public boolean isSet(ReplySummary reply) {
        return this == MAY_SET || (this == SETS && (reply.error() == null || reply.columnCount() > 0));
    }

    /** Returns whether a SELECT, or a write of several tables, may run within the statement. */
    private static boolean selects(SqlStatement text) {
        if (text.mentions("SELECT")) {
            return true;
        }
        if (text.kind() != StatementKind.UPDATE && text.kind() != StatementKind.DELETE) {
            return false;
        }
        int end = text.indexOf(text.kind() == StatementKind.UPDATE ? "SET" : "WHERE");
        SqlStatement tables = text.until(end < 0 ? text.to() : end);
        return tables.mentions(",") || tables.mentions("JOIN") || tables.mentions("USING");
    }

    private static boolean mayRead(SqlStatement text) {
        return text.isEmpty()
                || text.length() > MAX_SEARCHED_BYTES
                || READS.matcher(upper(text)).find();
    }

    /**
     * Returns whether the text is SHOW WARNINGS or SHOW ERRORS. SHOW COUNT(*) is not included,
     * because the store treats it as a SELECT.
     */
    private static boolean showsDiagnostics(SqlStatement text) {
        int end = Math.min(text.to(), text.from() + MAX_SEARCHED_BYTES);
        return DIAGNOSTICS.matcher(upper(text.until(end))).lookingAt();
    }

    private static String upper(SqlStatement text) {
        return text.latin().toUpperCase(Locale.ROOT);
    }
}
