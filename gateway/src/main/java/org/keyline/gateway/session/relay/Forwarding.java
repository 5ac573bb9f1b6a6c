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
 * One command on its way to the store and back.
 *
 * @param errands what has to run on the store session before
 * @param payload the command; made when its turn comes, owned by who calls
 * @param continued whether the payload is the first packet of a command over 16 MiB, whose others the client has yet to send
 * @param kind what the statement is to the session
 * @param sql the statement's text in {@code sql[from..to)}; unchanged until the reply is complete
 * @param observer sees the reply as it passes; null for none
 * @param shownStatementId replaces the store's id in a PREPARE_OK; 0 for none
 * @param translation of passwords amid the reply to a COM_CHANGE_USER; null where they pass as they are
 * @param then hears the complete reply before the client sees its end
 */
@SuppressWarnings("ArrayRecordComponent") // a bundle of arguments; nobody compares two
public record Forwarding(
        Reply reply,
        List<Errand> errands,
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

    /** A command without SQL text. */
    public static Forwarding command(Reply reply, Supplier<ByteBuf> payload, Consumer<ReplyScanner> then) {
        return new Forwarding(
                reply, List.of(), payload, false, false, StatementKind.OTHER, NO_TEXT, 0, 0, null, 0, null, then);
    }

    /** A command that changes the current schema, as {@code USE} does. */
    public static Forwarding use(Reply reply, Supplier<ByteBuf> payload, Consumer<ReplyScanner> then) {
        return statement(reply, payload, StatementKind.USE, NO_TEXT, 0, 0, then);
    }

    /** A statement, the text of which is {@code sql[from..to)}. */
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

    /** The same command, before which these errands run. */
    public Forwarding after(List<Errand> before) {
        return with(before, continued, observer, shownStatementId, translation);
    }

    /** The same command, whose complete reply somebody else hears of before. */
    public Forwarding first(Consumer<ReplyScanner> earlier) {
        return new Forwarding(
                reply,
                errands,
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

    /** The same command, which has no reply: an errand that fails keeps it from being sent, and nothing is answered. */
    public Forwarding unanswered() {
        return new Forwarding(
                reply,
                errands,
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

    /** The same command, whose payload is only its first packet. */
    public Forwarding unfinished() {
        return with(errands, true, observer, shownStatementId, translation);
    }

    /** The same command, whose reply is seen as it passes; by nobody if null. */
    public Forwarding seenBy(@Nullable ReplyObserver seeing) {
        return with(errands, continued, seeing, shownStatementId, translation);
    }

    /** The same PREPARE, whose statement the client is to know by another id than the store's. */
    public Forwarding shownAs(int statementId) {
        return with(errands, continued, observer, statementId, translation);
    }

    /** The same COM_CHANGE_USER, the passwords of which are translated by what has begun already; null if they pass as they are. */
    public Forwarding translatedBy(@Nullable RelayedChangeUser begun) {
        return with(errands, continued, observer, shownStatementId, begun);
    }

    private Forwarding with(
            List<Errand> before,
            boolean unfinished,
            @Nullable ReplyObserver seeing,
            int statementId,
            @Nullable RelayedChangeUser begun) {
        return new Forwarding(
                reply, before, payload, unfinished, silent, kind, sql, from, to, seeing, statementId, begun, then);
    }

    /** Whether it is a statement that may read: what then sees a snapshot of its transaction makes it. */
    public boolean touches() {
        return !(errands.stream().allMatch(Errand::aside) && asks()) && mayTouch();
    }

    /** Whether it asks about its predecessor, and does nothing else. */
    public boolean asks() {
        return StoreDiagnostics.asks(sql, from, to);
    }

    private boolean mayTouch() {
        return switch (kind) {
            case COMMIT, ROLLBACK, SAVEPOINT, USE, EMPTY, KEYLINE -> false;
            case OTHER -> to > from;
            case BEGIN -> mentions("SNAPSHOT", sql, from, to);
            case SET -> mentions("(", sql, from, to) || mentions("SELECT", sql, from, to);
            default -> true;
        };
    }

    /**
     * Whether the text of a read may mean something else behind it, in the same transaction: a schema or a setting changes. To switch
     * autocommit on ends it.
     */
    public boolean changesReads() {
        return kind == StatementKind.USE
                || (kind == StatementKind.SET && !mentions("AUTOCOMMIT", sql, from, to) && !asks());
    }

    /** Whether it begins a transaction that only reads, or says that it does not. */
    boolean chooses() {
        return kind == StatementKind.BEGIN && mentions("READ", sql, from, to);
    }

    /** Whether it was a typing error, which changes nothing of its session. */
    boolean isUnread(ReplySummary reply) {
        ErrPacket error = reply.error();
        return kind == StatementKind.UNKNOWN
                && error != null
                && reply.results() == 0
                && ParseErrors.prove(error, sql, from, to, true);
    }

    /** Whether a statement may end other sessions of the store, as far as its text tells. */
    public static boolean mayKill(StatementKind kind, byte[] sql, int from, int to) {
        return switch (kind) {
            case KILL -> true;
            case MULTI, MULTI_PRIVILEGE, EXECUTE, CALL, UNKNOWN -> mentions("KILL", sql, from, to);
            default -> false;
        };
    }

    /** Whether a statement has a word, in any letter case, somewhere in its text; a long text may. */
    public static boolean mentions(String word, byte[] sql, int from, int to) {
        return to - from > MAX_SEARCHED_BYTES || indexOf(word, sql, from, to) >= 0;
    }

    /** Where a word first is in a text; -1 for nowhere. The word has no small letters. Called for each statement: makes nothing. */
    static int indexOf(String word, byte[] sql, int from, int to) {
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
