package org.keyline.gateway.session.relay;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.stores.ResetScope;
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

    /** Matches statements that MySQL and MariaDB run as a SELECT from information_schema. */
    private static final Pattern SELECTED = Pattern.compile("\\s*SHOW\\s+(?:FULL\\s+)?"
            + "(?:TABLE\\s+STATUS|TABLES|COLUMNS|FIELDS|INDEX|INDEXES|KEYS|DATABASES|SCHEMAS|TRIGGERS|EVENTS"
            + "|COLLATION|CHARACTER\\s+SET|(?:(?:GLOBAL|SESSION)\\s+)?VARIABLES)\\b");

    private static final List<String> OTHERWISE = List.of(
            "SQL_CALC_FOUND_ROWS", "OFFSET", "UNION", "EXCEPT", "INTERSECT", "PROCEDURE", "INTO", "VALUES", "ROLLUP");

    /** The functions of which MariaDB leaves FOUND_ROWS() unchanged if no row can match. */
    private static final List<String> AGGREGATES =
            List.of("COUNT(", "MAX(", "MIN(", "SUM(", "AVG(", "AGG(", "CONCAT(", "STD", "VAR", "BIT_");

    /** Returns the effect of a statement at a store. */
    public static FoundRows of(Store store, SqlStatement text) {
        return switch (text.kind()) {
            case SELECT -> SETS;
            case BEGIN, COMMIT, ROLLBACK, SAVEPOINT, XA, USE, PREPARE, LOCK, UNLOCK -> LEAVES;
            case KILL, PRIVILEGE, ROLE, KEYLINE, EMPTY -> LEAVES;
            case UPDATE -> selects(text) ? MAY_SET : store.has(StoreTrait.COUNTS_WRITES_AS_FOUND) ? SETS : LEAVES;
            case INSERT, DELETE, LOAD, DDL, TEMPORARY_TABLE, SET -> selects(text) ? MAY_SET : LEAVES;
            case SHOW ->
                showsDiagnostics(text)
                        ? LEAVES
                        : store.resetScope() == ResetScope.SETTINGS_AND_STATEMENTS && selectsShown(text)
                                ? SETS
                                : MAY_SET;
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

    /** Returns whether the store runs the SHOW as a SELECT of its own tables. */
    private static boolean selectsShown(SqlStatement text) {
        int end = Math.min(text.to(), text.from() + MAX_SEARCHED_BYTES);
        return SELECTED.matcher(upper(text.until(end))).lookingAt();
    }

    /**
     * Returns whether FOUND_ROWS() after the statement is the number of rows in its reply. It is
     * not if an offset, a union or an option may make it greater, or if the store leaves it
     * unchanged.
     */
    static boolean isRowCount(SqlStatement text) {
        int limit = text.indexOf("LIMIT");
        return OTHERWISE.stream().noneMatch(text::mentions)
                && (text.indexOf("WHERE") < 0 || AGGREGATES.stream().noneMatch(text::mentions))
                && (limit < 0 || !new SqlStatement(text.kind(), text.sql(), limit, text.to()).mentions(","));
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
