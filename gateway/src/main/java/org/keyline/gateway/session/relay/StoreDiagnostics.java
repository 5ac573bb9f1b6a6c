package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;

/**
 * Tracks whether SHOW WARNINGS at the store would show warnings that a read unknown to the store
 * has cleared. Confined to one event loop.
 */
final class StoreDiagnostics {
    /*
     * The warnings of a statement stay until the next one that reads a table: MariaDB's START
     * TRANSACTION, SET or SELECT without a table do not clear them. A read from lines is such a
     * statement, so the store must clear its warnings before the next command reaches it. A PREPARE
     * of a read clears them without a change of FOUND_ROWS(), the transaction and its snapshot.
     */
    private static final byte[] READ =
            ((char) CommandCode.COM_STMT_PREPARE + "SELECT 1 FROM (SELECT 1) AS t").getBytes(StandardCharsets.US_ASCII);

    private static final int MAX_ASKING_BYTES = 256;
    private static final String ASKED =
            "(?:(?:ROW_COUNT|LAST_INSERT_ID)\\s*\\(\\s*\\)|@@(?:SESSION\\s*\\.\\s*)?(?:WARNING_COUNT|ERROR_COUNT))";

    /**
     * Matches statements that ask about their predecessor and read no table. Statements with a
     * comment, a function or an alias do not match.
     */
    private static final Pattern ASKING = Pattern.compile(
            "\\s*+(?:SHOW\\s+(?:COUNT\\s*\\(\\s*\\*\\s*\\)\\s*)?(?:WARNINGS|ERRORS)(?:\\s+LIMIT\\s+\\d+(?:\\s*,\\s*\\d+)?)?"
                    + "|GET\\s+(?:CURRENT\\s+)?DIAGNOSTICS\\s[\\w\\s@=,]++"
                    + "|SELECT\\s+" + ASKED + "(?:\\s*,\\s*" + ASKED + ")*"
                    + "|SET\\s+@\\w+\\s*:?=\\s*" + ASKED + ")\\s*+;?\\s*+",
            Pattern.CASE_INSENSITIVE);

    private final boolean retains;
    /** Whether the store may have warnings. */
    private boolean left;
    /** Whether a read from lines has cleared them for the client. */
    private boolean outdated;

    private int statement;

    /** @param retains whether the store retains warnings */
    StoreDiagnostics(boolean retains) {
        this.retains = retains;
    }

    /** Returns whether SHOW WARNINGS may have rows. */
    boolean hasSome() {
        return left && !outdated;
    }

    /** Resets the state for another store session. */
    void reset() {
        left = false;
        outdated = false;
    }

    /** Records the reply to a command of this kind. */
    void received(StatementKind kind, ReplySummary summary) {
        if (summary.error() != null || summary.warnings() != 0 || isSeveral(kind)) {
            left = true;
        } else if (kind == StatementKind.INSERT || kind == StatementKind.UPDATE || kind == StatementKind.DELETE) {
            left = false;
        }
    }

    /**
     * Returns whether a text of this kind may run several statements. The end of the reply
     * describes only the last of them.
     */
    static boolean isSeveral(StatementKind kind) {
        return switch (kind) {
            case CALL, EXECUTE, MULTI, MULTI_PRIVILEGE, UNKNOWN -> true;
            default -> false;
        };
    }

    /**
     * Returns whether the statement {@code sql[from..to)} is known to only ask about its
     * predecessor.
     */
    static boolean asks(byte[] sql, int from, int to) {
        return to - from <= MAX_ASKING_BYTES
                && mayAsk(sql, from, to)
                && ASKING.matcher(new String(sql, from, to - from, StandardCharsets.ISO_8859_1))
                        .matches();
    }

    /**
     * Checks the length of the first word and the beginning of the second. Must be fast, because it
     * runs for each forwarded statement.
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
            // SELECT @@, ROW_COUNT(), LAST_INSERT_ID()
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

    /** Records a reply by the gateway that clears the warnings. */
    void clearedHere() {
        outdated |= retains && left;
    }

    /** Returns the commands that must run at the store before any other command. */
    List<Preamble> before() {
        if (!outdated) {
            return List.of();
        }
        outdated = false;
        return List.of(
                new Preamble(() -> Unpooled.wrappedBuffer(READ), this::cleared),
                new Preamble(this::close, done -> null));
    }

    private @Nullable ErrPacket cleared(ReplyScanner done) {
        statement = done.summary().statementId();
        left = done.summary().error() != null;
        return null;
    }

    private ByteBuf close() {
        return Unpooled.buffer(5).writeByte(CommandCode.COM_STMT_CLOSE).writeIntLE(statement);
    }
}
