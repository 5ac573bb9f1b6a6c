package org.keyline.gateway.session.relay;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.client.ReplySummary;

/**
 * The warnings, ROW_COUNT() and FOUND_ROWS() of a client's last command. The store session does not
 * receive all commands, so this class tracks whether the store session has the values that the
 * client expects. Confined to one event loop.
 */
public final class SessionDiagnostics {
    private enum Last {
        STATEMENT,
        /**
         * A statement ended without a result and without an error. Only the store knows
         * ROW_COUNT(), until the next statement.
         */
        WRITE,
        /** An INSERT was sent in a merged batch. The store session has no row count for it. */
        MERGED,
        /** Lines answered a read. */
        READ_HERE,
        /** A command other than a statement ended with an OK. ROW_COUNT() is 0 afterwards. */
        OKAY,
        /** Like OKAY, but the command possibly did not go to the store. */
        OKAY_HERE
    }

    private enum Warnings {
        NONE,
        SOME,
        /** A read from lines has cleared the warnings for the client only. */
        OUTDATED
    }

    /*
     * The warnings of a statement stay until the next statement that reads a table. A read from
     * lines clears them for the client, so the store must clear its warnings before the next
     * command reaches it. The PREPARE of a read clears them. It changes neither FOUND_ROWS() nor
     * the transaction and its snapshot.
     */
    private static final byte[] READ = "SELECT 1 FROM (SELECT 1) AS t".getBytes(StandardCharsets.US_ASCII);

    /** Maximum FOUND_ROWS() that the gateway restores. Greater values count as unknown. */
    private static final long MAX_FOUND_ROWS = 1_000;

    private static final int MAX_ASKING_BYTES = 256;
    private static final String ASKED =
            "(?:(?:ROW_COUNT|LAST_INSERT_ID)\\s*\\(\\s*\\)|@@(?:SESSION\\s*\\.\\s*)?(?:WARNING_COUNT|ERROR_COUNT))";

    /** Matches statements that only ask about the previous one, without comments or aliases. */
    private static final Pattern ASKING = Pattern.compile(
            "\\s*+(?:SHOW\\s+(?:COUNT\\s*\\(\\s*\\*\\s*\\)\\s*)?(?:WARNINGS|ERRORS)(?:\\s+LIMIT\\s+\\d+(?:\\s*,\\s*\\d+)?)?"
                    + "|GET\\s+(?:CURRENT\\s+)?DIAGNOSTICS\\s[\\w\\s@=,]++"
                    + "|SELECT\\s+" + ASKED + "(?:\\s*,\\s*" + ASKED + ")*"
                    + "|SET\\s+@\\w+\\s*:?=\\s*" + ASKED + ")\\s*+;?\\s*+",
            Pattern.CASE_INSENSITIVE);

    private final boolean retains;
    private Last last = Last.STATEMENT;
    private boolean everMerged;
    private Warnings warnings = Warnings.NONE;
    /** FOUND_ROWS() as the client expects it; -1 if only the store knows it. */
    private long foundRows;
    /** Whether a query by the gateway has set FOUND_ROWS() at the store. */
    private boolean foundRowsLost;
    /** Whether FOUND_ROWS() at the store is 1 after that query. */
    private boolean lostToOne = true;
    /** ROW_COUNT() at the store: 0, -1, or 1 for any other value. */
    private int rowCount;

    /** @param retains whether the store retains warnings */
    SessionDiagnostics(boolean retains) {
        this.retains = retains;
    }

    // ---------------------------------------------------------------- the last command

    /** Records that lines answered a read. */
    public void answered() {
        last = Last.READ_HERE;
        clearedHere();
    }

    /**
     * Records that a command other than a statement ended with an OK.
     *
     * @param here whether the command possibly did not go to the store
     */
    public void okay(boolean here) {
        last = here ? Last.OKAY_HERE : Last.OKAY;
    }

    /**
     * Records a query by the gateway. If the client's last command was not a statement, the store
     * takes this query for the session's last command.
     */
    public void asked() {
        last = last == Last.OKAY ? Last.OKAY_HERE : last;
    }

    /**
     * Records that a statement goes to the store, or that the store has returned an error. Returns
     * whether the previous command was a read that lines answered.
     */
    public boolean forwarded() {
        boolean read = isReadHere();
        last = Last.STATEMENT;
        return read;
    }

    /**
     * Records the reply to a forwarded statement.
     *
     * @param rows whether the reply is an OK with a row count
     */
    public void replied(boolean rows) {
        if (last != Last.MERGED) {
            last = rows ? Last.WRITE : Last.STATEMENT;
        }
    }

    void merged() {
        last = Last.MERGED;
        everMerged = true;
        clearedHere();
    }

    /** Returns true if lines answered a read and no statement has been forwarded since. */
    public boolean isReadHere() {
        return last == Last.READ_HERE;
    }

    /** Returns whether the last command ended with an OK and possibly did not reach the store. */
    public boolean isOkay() {
        return last == Last.OKAY_HERE;
    }

    /** Returns whether only the store knows ROW_COUNT(), which its next statement replaces. */
    public boolean isWrite() {
        return last == Last.WRITE || last == Last.MERGED;
    }

    public boolean isMerged() {
        return last == Last.MERGED;
    }

    public boolean everMerged() {
        return everMerged;
    }

    // ---------------------------------------------------------------- the store's values

    /**
     * Called when the client's store session was replaced by a new one. In MariaDB, FOUND_ROWS() of
     * a new session can be that of an earlier connection.
     */
    void reset() {
        warnings = Warnings.NONE;
        foundRows = 0;
        foundRowsLost = retains;
    }

    /** Begins the session of another user. */
    void begins() {
        reset();
        foundRowsLost = false;
        rowCount = 0;
    }

    /**
     * @param changes whether a query by the gateway changes FOUND_ROWS() at the store
     * @param toOne whether FOUND_ROWS() is 1 after the query
     */
    void asks(boolean changes, boolean toOne) {
        foundRowsLost = changes;
        lostToOne = toOne;
    }

    /** Records the reply to an internal command. */
    void received(ReplySummary summary) {
        if (summary.columnCount() > 0 && !summary.isPrepared()) {
            foundRows = -1;
        }
        warned(StatementKind.OTHER, summary);
    }

    /**
     * Records the reply to a command of the client.
     *
     * @param does the effect of the command on FOUND_ROWS()
     */
    void received(Forwarding command, FoundRows does, ReplySummary summary) {
        boolean ok = summary.error() == null;
        if (does != FoundRows.LEAVES && (ok || !lacksFoundRows())) {
            boolean counted = does == FoundRows.SETS && ok && summary.results() == 1 && summary.columnCount() > 0;
            found(counted && FoundRows.isRowCount(command.text()) ? summary.rows() : -1);
            foundRowsLost = false;
        }
        if (!summary.isPrepared() && !command.silent()) {
            rowCount = !ok || summary.columnCount() > 0 ? -1 : summary.affectedRows() == 0 ? 0 : 1;
        }
        warned(command.kind(), summary);
    }

    private void warned(StatementKind kind, ReplySummary summary) {
        if (warnings == Warnings.OUTDATED) {
            // The store session has not run the merged command, so it still has old warnings.
            return;
        }
        if (summary.error() != null || summary.warnings() != 0 || isSeveral(kind)) {
            warnings = Warnings.SOME;
        } else if (kind == StatementKind.INSERT || kind == StatementKind.UPDATE || kind == StatementKind.DELETE) {
            warnings = Warnings.NONE;
        }
    }

    boolean hasSome() {
        return warnings == Warnings.SOME;
    }

    /** Returns FOUND_ROWS() as the client expects it; -1 if only the store knows it. */
    public long foundRows() {
        return foundRows;
    }

    void found(long rows) {
        foundRows = rows <= MAX_FOUND_ROWS ? rows : -1;
    }

    /** Records the value of FOUND_ROWS() that a query by the gateway has read and replaced. */
    public void replaced(long rows) {
        found(rows);
        foundRowsLost = true;
    }

    /**
     * Returns whether FOUND_ROWS() at the store may differ from the value that the client expects.
     * Before a statement that depends on the value, the store must then run a read with as many
     * rows.
     */
    public boolean lacksFoundRows() {
        return foundRowsLost && foundRows >= 0 && !(foundRows == 1 && lostToOne);
    }

    /** Returns whether only the store session knows a ROW_COUNT() greater than 0. */
    boolean hasRowCount() {
        return rowCount > 0 && !isCounted();
    }

    /** Returns whether ROW_COUNT() is -1 at the store, as the client expects. */
    boolean isAfterResult() {
        return rowCount < 0 && !isCounted();
    }

    /** Returns whether the gateway answered the last command, and so knows ROW_COUNT(). */
    private boolean isCounted() {
        return last == Last.READ_HERE || last == Last.OKAY_HERE;
    }

    /** Returns whether a statement can run several others. The reply is about the last of them. */
    static boolean isSeveral(StatementKind kind) {
        return switch (kind) {
            case CALL, EXECUTE, MULTI, MULTI_PRIVILEGE, UNKNOWN -> true;
            default -> false;
        };
    }

    /** Returns whether the statement only asks about the previous statement. */
    static boolean asks(SqlStatement text) {
        return text.length() <= MAX_ASKING_BYTES
                && mayAsk(text.sql(), text.from(), text.to())
                && ASKING.matcher(text.latin()).matches();
    }

    /**
     * Returns whether the text may ask about the previous statement. Must be fast, because it runs
     * for each forwarded statement.
     */
    private static boolean mayAsk(byte[] sql, int from, int to) {
        int first = afterSpace(sql, from, to);
        int end = first;
        while (end < to && isLetter(sql[end])) {
            end++;
        }
        int second = afterSpace(sql, end, to);
        if (second == to) {
            return false;
        }
        char next = Character.toUpperCase((char) (sql[second] & 0xFF));
        return switch (end - first) {
            case 3 -> next == '@' || next == 'C' || next == 'D'; // SET @, GET [CURRENT] DIAGNOSTICS
            case 4 -> next == 'C' || next == 'E' || next == 'W'; // SHOW COUNT, ERRORS, WARNINGS
            // The text is SELECT @@, ROW_COUNT() or LAST_INSERT_ID().
            case 6 -> next == '@' || next == 'R' || next == 'L';
            default -> false;
        };
    }

    private static boolean isLetter(byte c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    }

    private static int afterSpace(byte[] sql, int from, int to) {
        int at = from;
        while (at < to && (sql[at] == ' ' || (sql[at] >= '\t' && sql[at] <= '\r'))) {
            at++;
        }
        return at;
    }

    /** Called when a reply by the gateway clears the warnings. */
    public void clearedHere() {
        if (retains && warnings == Warnings.SOME) {
            warnings = Warnings.OUTDATED;
        }
    }

    /** Returns commands that must run at the store before any other command. */
    List<Preamble> before() {
        if (warnings != Warnings.OUTDATED) {
            return List.of();
        }
        warnings = Warnings.SOME;
        return Preamble.prepare(READ, done -> {
            warnings = done.summary().error() == null ? Warnings.NONE : Warnings.SOME;
            return null;
        });
    }
}
