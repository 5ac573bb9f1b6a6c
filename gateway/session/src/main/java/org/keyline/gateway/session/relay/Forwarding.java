package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.read.ReplyObserver;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.server.RelayedChangeUser;
import org.keyline.protocol.server.Reply;

/**
 * A command on its way to the store and back.
 *
 * @param preambles internal commands that run on the store session before this command
 * @param payload creates the command when it is sent; the caller of the supplier owns the buffer.
 * It is never called if an internal command fails, so it must not hold a pooled buffer
 * @param continued whether the payload is only the first packet of a command over 16 MiB
 * @param silent whether the client gets no reply, even if an internal command fails
 * @param sql has the statement's text in {@code sql[from..to)}, unchanged until the reply is
 * complete
 * @param observer receives the reply's packets; null if they need no observer
 * @param shownStatementId replaces the store's id in a PREPARE_OK; 0 leaves it unchanged
 * @param translation translates the passwords in a COM_CHANGE_USER; null if they pass unchanged
 * @param then receives the complete reply before the client receives its end
 */
@SuppressWarnings("ArrayRecordComponent") // groups arguments, never compared
public record Forwarding(
        Reply reply,
        List<Preamble> preambles,
        Supplier<ByteBuf> payload,
        boolean continued,
        boolean silent,
        StatementKind kind,
        byte[] sql,
        int from,
        int to,
        @Nullable ReplyObserver observer,
        int shownStatementId,
        @Nullable RelayedChangeUser translation,
        Consumer<ReplyScanner> then) {
    private static final byte[] NO_TEXT = {};
    private static final int MAX_SEARCHED_BYTES = 1024;

    /** Returns a command without SQL text. */
    public static Forwarding command(Reply reply, Supplier<ByteBuf> payload, Consumer<ReplyScanner> then) {
        return new Forwarding(
                reply, List.of(), payload, false, false, StatementKind.OTHER, NO_TEXT, 0, 0, null, 0, null, then);
    }

    /** Returns a command that changes the current schema, as {@code USE} does. */
    public static Forwarding use(Reply reply, Supplier<ByteBuf> payload, Consumer<ReplyScanner> then) {
        return statement(reply, payload, StatementKind.USE, NO_TEXT, 0, 0, then);
    }

    /** Returns a statement with the text {@code sql[from..to)}. */
    public static Forwarding statement(
            Reply reply,
            Supplier<ByteBuf> payload,
            StatementKind kind,
            byte[] sql,
            int from,
            int to,
            Consumer<ReplyScanner> then) {
        return new Forwarding(reply, List.of(), payload, false, false, kind, sql, from, to, null, 0, null, then);
    }

    /** Returns a copy with internal commands that run before the command. */
    public Forwarding after(List<Preamble> before) {
        return with(before, continued, observer, shownStatementId, translation);
    }

    /** Returns a copy whose complete reply {@code earlier} receives first. */
    public Forwarding first(Consumer<ReplyScanner> earlier) {
        return new Forwarding(
                reply,
                preambles,
                payload,
                continued,
                silent,
                kind,
                sql,
                from,
                to,
                observer,
                shownStatementId,
                translation,
                earlier.andThen(then));
    }

    /**
     * Returns a copy for a command without a reply. If an internal command fails, the client gets
     * no error.
     */
    public Forwarding unanswered() {
        return new Forwarding(
                reply,
                preambles,
                payload,
                continued,
                true,
                kind,
                sql,
                from,
                to,
                observer,
                shownStatementId,
                translation,
                then);
    }

    /** Returns a copy whose payload is only the first packet of the command. */
    public Forwarding unfinished() {
        return with(preambles, true, observer, shownStatementId, translation);
    }

    /** Returns a copy with an observer of the reply; null removes it. */
    public Forwarding seenBy(@Nullable ReplyObserver seeing) {
        return with(preambles, continued, seeing, shownStatementId, translation);
    }

    /** Returns a copy of a PREPARE that shows the client this statement id, not the store's. */
    public Forwarding shownAs(int statementId) {
        return with(preambles, continued, observer, statementId, translation);
    }

    /**
     * Returns a copy of a COM_CHANGE_USER whose passwords {@code begun} translates; null if they
     * pass unchanged.
     */
    public Forwarding translatedBy(@Nullable RelayedChangeUser begun) {
        return with(preambles, continued, observer, shownStatementId, begun);
    }

    private Forwarding with(
            List<Preamble> before,
            boolean unfinished,
            @Nullable ReplyObserver seeing,
            int statementId,
            @Nullable RelayedChangeUser begun) {
        return new Forwarding(
                reply, before, payload, unfinished, silent, kind, sql, from, to, seeing, statementId, begun, then);
    }

    /** Returns whether the statement might read a table, and so create a snapshot. */
    public boolean touches() {
        return !(preambles.stream().allMatch(Preamble::readsNoTable) && asks()) && mayTouch();
    }

    /** Returns whether the statement only asks about the previous statement. */
    public boolean asks() {
        return SessionDiagnostics.asks(sql, from, to);
    }

    private boolean mayTouch() {
        return switch (kind) {
            case COMMIT, ROLLBACK, SAVEPOINT, USE, EMPTY, KEYLINE -> false;
            case OTHER -> to > from;
            case BEGIN -> mentions("SNAPSHOT");
            case SET -> mentions("(") || mentions("SELECT");
            default -> true;
        };
    }

    /** Returns whether the statement can change the meaning of reads of its transaction. */
    public boolean changesReads() {
        return kind == StatementKind.USE || (kind == StatementKind.SET && !mentions("AUTOCOMMIT") && !asks());
    }

    /** Returns whether the statement begins a transaction as READ ONLY or READ WRITE. */
    boolean chooses() {
        return kind == StatementKind.BEGIN && mentions("READ");
    }

    /** Returns whether the store could not parse the statement, so nothing changed. */
    boolean isUnread(ReplySummary reply) {
        ErrPacket error = reply.error();
        return kind == StatementKind.UNKNOWN
                && error != null
                && reply.results() == 0
                && ParseErrors.prove(error, sql, from, to, true);
    }

    /** Returns whether the statement may kill a session of the store, as its text shows. */
    public static boolean mayKill(StatementKind kind, byte[] sql, int from, int to) {
        return switch (kind) {
            case KILL -> true;
            case MULTI, MULTI_PRIVILEGE, EXECUTE, CALL, UNKNOWN -> mentions("KILL", sql, from, to);
            default -> false;
        };
    }

    /** Returns whether the statement's text might contain the word, ignoring case. */
    boolean mentions(String word) {
        return mentions(word, sql, from, to);
    }

    /** Returns whether the text might contain the word, ignoring case. True for a long text. */
    public static boolean mentions(String word, byte[] sql, int from, int to) {
        return to - from > MAX_SEARCHED_BYTES || indexOf(word, sql, from, to) >= 0;
    }

    /** Returns the first index of an upper-case word, or -1. Allocates nothing. */
    public static int indexOf(String word, byte[] sql, int from, int to) {
        for (int at = from; at <= to - word.length(); at++) {
            int same = 0;
            while (same < word.length() && upper(sql[at + same]) == word.charAt(same)) {
                same++;
            }
            if (same == word.length()) {
                return at;
            }
        }
        return -1;
    }

    private static int upper(byte b) {
        return b >= 'a' && b <= 'z' ? b - 'a' + 'A' : b;
    }
}
