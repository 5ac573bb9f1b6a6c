package org.keyline.gateway.session.relay;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
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
     * FOUND_ROWS() is the row count of the last SELECT that the store ran, as a statement or within
     * a statement that writes or sets. Some statements have a result but do not set it: SHOW
     * WARNINGS, CHECK TABLE, INSERT … RETURNING and half of the other SHOWs. Some statements have
     * no result but set it: SELECT … INTO, and MySQL's UPDATE and DO.
     */

    private static final int MAX_SEARCHED_BYTES = 1024;

    /** Words with which a text that Keyline cannot parse might set FOUND_ROWS(). */
    private static final Pattern READS = Pattern.compile(
            "\\b(?:SELECT|SHOW|DESC|DESCRIBE|EXPLAIN|CALL|EXECUTE|TABLE|VALUES|WITH|UPDATE|DELETE|HANDLER|ANALYZE|CHECK)\\b");

    private static final Pattern DIAGNOSTICS = Pattern.compile("\\s*SHOW\\s+(?:WARNINGS|ERRORS)\\b");

    /** Returns the effect of the statement {@code sql[from..to)} at a store. */
    public static FoundRows of(Store store, StatementKind kind, byte[] sql, int from, int to) {
        return switch (kind) {
            case SELECT -> SETS;
            case BEGIN,
                    COMMIT,
                    ROLLBACK,
                    SAVEPOINT,
                    USE,
                    PREPARE,
                    LOCK,
                    UNLOCK,
                    KILL,
                    PRIVILEGE,
                    ROLE,
                    XA,
                    KEYLINE,
                    EMPTY -> LEAVES;
            case UPDATE ->
                selects(kind, sql, from, to) ? MAY_SET : store.has(StoreTrait.COUNTS_WRITES_AS_FOUND) ? SETS : LEAVES;
            case INSERT, DELETE, LOAD, DDL, TEMPORARY_TABLE, SET -> selects(kind, sql, from, to) ? MAY_SET : LEAVES;
            case SHOW -> showsDiagnostics(sql, from, to) ? LEAVES : MAY_SET;
            case OTHER ->
                store.has(StoreTrait.COUNTS_WRITES_AS_FOUND) || selects(kind, sql, from, to) ? MAY_SET : LEAVES;
            case SHOW_STATUS, EXPLAIN, CALL, EXECUTE, MULTI, MULTI_PRIVILEGE -> MAY_SET;
            case UNKNOWN -> mayRead(sql, from, to) ? MAY_SET : LEAVES;
        };
    }

    /** Returns whether the statement has, or might have, set FOUND_ROWS(). */
    public boolean isSet(ReplySummary reply) {
        return this == MAY_SET || (this == SETS && (reply.error() == null || reply.columnCount() > 0));
    }

    /** Returns whether a SELECT, or a write of several tables, may run within the statement. */
    private static boolean selects(StatementKind kind, byte[] sql, int from, int to) {
        if (Forwarding.mentions("SELECT", sql, from, to)) {
            return true;
        }
        if (kind != StatementKind.UPDATE && kind != StatementKind.DELETE) {
            return false;
        }
        int end = Forwarding.indexOf(kind == StatementKind.UPDATE ? "SET" : "WHERE", sql, from, to);
        int tablesEnd = end < 0 ? to : end;
        return Forwarding.mentions(",", sql, from, tablesEnd)
                || Forwarding.mentions("JOIN", sql, from, tablesEnd)
                || Forwarding.mentions("USING", sql, from, tablesEnd);
    }

    private static boolean mayRead(byte[] sql, int from, int to) {
        return to == from
                || to - from > MAX_SEARCHED_BYTES
                || READS.matcher(upper(sql, from, to)).find();
    }

    /**
     * Returns whether the text is SHOW WARNINGS or SHOW ERRORS. The store treats SHOW COUNT(*) as a
     * SELECT.
     */
    private static boolean showsDiagnostics(byte[] sql, int from, int to) {
        return DIAGNOSTICS
                .matcher(upper(sql, from, Math.min(to, from + MAX_SEARCHED_BYTES)))
                .lookingAt();
    }

    private static String upper(byte[] sql, int from, int to) {
        return new String(sql, from, to - from, StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT);
    }
}
