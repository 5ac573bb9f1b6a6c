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
 * Whether SHOW WARNINGS at the store tells of something that a read has cleared which the store has not seen. Confined to one event loop.
 */
final class StoreDiagnostics {
    /*
     * What a statement leaves for SHOW WARNINGS stays until the next one that reads a table: MariaDB's START TRANSACTION, SET or SELECT without
     * a table leave it alone. A read that was answered here is such a next one, so the store is to clear what it has before anything else
     * reaches it. A PREPARE of a read does that, and leaves FOUND_ROWS(), the transaction and its snapshot as they are.
     */
    private static final byte[] READ =
            ((char) CommandCode.COM_STMT_PREPARE + "SELECT 1 FROM (SELECT 1) AS t").getBytes(StandardCharsets.US_ASCII);

    private static final int MAX_ASKING_BYTES = 256;
    private static final String ASKED =
            "(?:(?:ROW_COUNT|LAST_INSERT_ID)\\s*\\(\\s*\\)|@@(?:SESSION\\s*\\.\\s*)?(?:WARNING_COUNT|ERROR_COUNT))";

    /** Statements that ask about their predecessor and read no table; one with a comment, a function or an alias is not known to be. */
    private static final Pattern ASKING = Pattern.compile(
            "\\s*+(?:SHOW\\s+(?:COUNT\\s*\\(\\s*\\*\\s*\\)\\s*)?(?:WARNINGS|ERRORS)(?:\\s+LIMIT\\s+\\d+(?:\\s*,\\s*\\d+)?)?"
                    + "|GET\\s+(?:CURRENT\\s+)?DIAGNOSTICS\\s[\\w\\s@=,]++"
                    + "|SELECT\\s+" + ASKED + "(?:\\s*,\\s*" + ASKED + ")*"
                    + "|SET\\s+@\\w+\\s*:?=\\s*" + ASKED + ")\\s*+;?\\s*+",
            Pattern.CASE_INSENSITIVE);

    private final boolean kept;
    /** Whether the store may have some. */
    private boolean left;
    /** Whether they would be gone by now. */
    private boolean outdated;

    private int statement;

    /** @param kept whether the store has such */
    StoreDiagnostics(boolean kept) {
        this.kept = kept;
    }

    /** Returns whether SHOW WARNINGS may have rows. */
    boolean hasSome() {
        return left && !outdated;
    }

    /** Another store session. */
    void reset() {
        left = false;
        outdated = false;
    }

    /** A command of this kind was answered at the store. */
    void told(StatementKind kind, ReplySummary summary) {
        if (summary.error() != null || summary.warnings() != 0 || isSeveral(kind)) {
            left = true;
        } else if (kind == StatementKind.INSERT || kind == StatementKind.UPDATE || kind == StatementKind.DELETE) {
            left = false;
        }
    }

    /** Whether a text of this kind may run several statements, of which the reply's end describes the last only. */
    static boolean isSeveral(StatementKind kind) {
        return switch (kind) {
            case CALL, EXECUTE, MULTI, MULTI_PRIVILEGE, UNKNOWN -> true;
            default -> false;
        };
    }

    /** Whether the statement {@code sql[from..to)} asks about its predecessor, and is known to do nothing else. */
    static boolean asks(byte[] sql, int from, int to) {
        return to - from <= MAX_ASKING_BYTES
                && mayAsk(sql, from, to)
                && ASKING.matcher(new String(sql, from, to - from, StandardCharsets.ISO_8859_1))
                        .matches();
    }

    /**
     * A first look, since each statement that is forwarded is asked: whether its first word is as long as one of those that ask, and whether
     * the second begins as theirs.
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
            case 6 -> next == '@' || next == 'R' || next == 'L'; // SELECT @@, ROW_COUNT(), LAST_INSERT_ID()
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

    /** The gateway has answered what clears them. */
    void clearedHere() {
        outdated |= kept && left;
    }

    /** What has to run at the store before anything else does. */
    List<Errand> before() {
        if (!outdated) {
            return List.of();
        }
        outdated = false;
        return List.of(
                new Errand(() -> Unpooled.wrappedBuffer(READ), this::cleared), new Errand(this::close, done -> null));
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
