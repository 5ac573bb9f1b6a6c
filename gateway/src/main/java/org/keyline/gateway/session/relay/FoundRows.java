package org.keyline.gateway.session.relay;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.stores.Store;

/** What a statement does to the count that the next FOUND_ROWS() tells. */
public enum FoundRows {
    /** It leaves it as it is, whether it has a result or not. */
    LEAVES,
    /** It sets it, if it succeeds. */
    SETS,
    /** It may set it. */
    MAY_SET;

    /*
     * The count is that of the last SELECT which the store ran, on its own or within a statement that writes or sets. A result is not
     * enough: SHOW WARNINGS, CHECK TABLE and INSERT ... RETURNING leave it alone, and so does half of the other SHOWs. Nor is a result
     * needed: SELECT ... INTO has none, nor have MySQL's UPDATE and DO.
     */

    private static final int MAX_SEARCHED_BYTES = 1024;

    /** With one of these words a text that was not understood, as one in an executable comment, may be any that sets it. */
    private static final Pattern READS = Pattern.compile(
            "\\b(?:SELECT|SHOW|DESC|DESCRIBE|EXPLAIN|CALL|EXECUTE|TABLE|VALUES|WITH|UPDATE|DELETE|HANDLER|ANALYZE|CHECK)\\b");

    private static final Pattern DIAGNOSTICS = Pattern.compile("\\s*SHOW\\s+(?:WARNINGS|ERRORS)\\b");

    /** What the statement {@code sql[from..to)} does at a store. */
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
            case UPDATE -> selects(kind, sql, from, to) ? MAY_SET : store.countsWritesAsFound() ? SETS : LEAVES;
            case INSERT, DELETE, LOAD, DDL, TEMPORARY_TABLE, SET -> selects(kind, sql, from, to) ? MAY_SET : LEAVES;
            case SHOW -> tellsDiagnostics(sql, from, to) ? LEAVES : MAY_SET;
            case OTHER -> store.countsWritesAsFound() || selects(kind, sql, from, to) ? MAY_SET : LEAVES;
            case SHOW_STATUS, EXPLAIN, CALL, EXECUTE, MULTI, MULTI_PRIVILEGE -> MAY_SET;
            case UNKNOWN -> mayRead(sql, from, to) ? MAY_SET : LEAVES;
        };
    }

    /** Whether the statement that does this has set it, by its reply; true where that is not certain. */
    public boolean isSet(ReplySummary reply) {
        return this == MAY_SET || (this == SETS && (reply.error() == null || reply.columnCount() > 0));
    }

    /** Whether a SELECT may run within the statement; a write of several tables is one. */
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

    /** Whether it is SHOW WARNINGS or SHOW ERRORS; SHOW COUNT(*) is a SELECT to the store. */
    private static boolean tellsDiagnostics(byte[] sql, int from, int to) {
        return DIAGNOSTICS
                .matcher(upper(sql, from, Math.min(to, from + MAX_SEARCHED_BYTES)))
                .lookingAt();
    }

    private static String upper(byte[] sql, int from, int to) {
        return new String(sql, from, to - from, StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT);
    }
}
