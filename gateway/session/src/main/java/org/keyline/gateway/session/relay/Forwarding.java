package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.read.ReplyObserver;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.RelayedChangeUser;
import org.keyline.protocol.server.Reply;

/**
 * A command on its way to the store and back.
 *
 * @param preambles internal commands that run on the store session before this command
 * @param payload creates the command when it is sent; the caller owns the buffer. The supplier must
 * not hold a pooled buffer, because it is not called if an internal command fails
 * @param continued whether the payload is only the first packet of a command over 16 MiB
 * @param silent whether the client gets no reply, even if an internal command fails
 * @param observer receives the reply's packets; null if they need no observer
 * @param shownId replaces the store's id in a PREPARE_OK; 0 leaves it unchanged
 * @param translation translates the passwords in a COM_CHANGE_USER; null if they pass unchanged
 * @param then receives the complete reply before the client receives its end
 */
public record Forwarding(
        Reply reply,
        List<Preamble> preambles,
        Supplier<ByteBuf> payload,
        boolean continued,
        boolean silent,
        SqlStatement text,
        @Nullable ReplyObserver observer,
        int shownId,
        @Nullable RelayedChangeUser translation,
        Consumer<ReplyScanner> then) {
    private static final SqlStatement NO_TEXT = SqlStatement.none(StatementKind.OTHER);

    /** Returns a command without SQL text. */
    public static Forwarding command(Reply reply, Supplier<ByteBuf> payload, Consumer<ReplyScanner> then) {
        return statement(reply, payload, NO_TEXT, then);
    }

    public static Forwarding statement(
            Reply reply, Supplier<ByteBuf> payload, SqlStatement text, Consumer<ReplyScanner> then) {
        return new Forwarding(reply, List.of(), payload, false, false, text, null, 0, null, then);
    }

    /** Returns a copy with internal commands that run before the command. */
    public Forwarding after(List<Preamble> before) {
        return new Forwarding(reply, before, payload, continued, silent, text, observer, shownId, translation, then);
    }

    /** Returns a copy that passes the complete reply to {@code earlier}, then to {@code then}. */
    public Forwarding first(Consumer<ReplyScanner> earlier) {
        Consumer<ReplyScanner> both = earlier.andThen(then);
        return new Forwarding(reply, preambles, payload, continued, silent, text, observer, shownId, translation, both);
    }

    /** Returns a copy whose client gets no reply, even if an internal command fails. */
    public Forwarding unanswered() {
        return new Forwarding(reply, preambles, payload, continued, true, text, observer, shownId, translation, then);
    }

    /** Returns a copy whose payload is only the first packet of the command. */
    public Forwarding unfinished() {
        return new Forwarding(reply, preambles, payload, true, silent, text, observer, shownId, translation, then);
    }

    /** Returns a copy with an observer of the reply; null removes it. */
    public Forwarding seenBy(@Nullable ReplyObserver seeing) {
        return new Forwarding(reply, preambles, payload, continued, silent, text, seeing, shownId, translation, then);
    }

    /** Returns a copy of a PREPARE that shows the client this statement id, not the store's. */
    public Forwarding shownAs(int id) {
        return new Forwarding(reply, preambles, payload, continued, silent, text, observer, id, translation, then);
    }

    /**
     * Returns a copy of a COM_CHANGE_USER whose passwords {@code begun} translates. If {@code
     * begun} is null, the passwords pass unchanged.
     */
    public Forwarding translatedBy(@Nullable RelayedChangeUser begun) {
        return new Forwarding(reply, preambles, payload, continued, silent, text, observer, shownId, begun, then);
    }

    public StatementKind kind() {
        return text.kind();
    }

    /** Returns whether the statement might read a table, and so create a snapshot. */
    public boolean touches() {
        return !(preambles.stream().allMatch(Preamble::readsNoTable) && asks()) && mayTouch();
    }

    /** Returns whether the statement only asks about the previous statement. */
    public boolean asks() {
        return SessionDiagnostics.asks(text);
    }

    private boolean mayTouch() {
        return switch (kind()) {
            case COMMIT, ROLLBACK, SAVEPOINT, USE, EMPTY, KEYLINE -> false;
            case OTHER -> !text.isEmpty();
            case BEGIN -> mentions("SNAPSHOT");
            case SET -> mentions("(") || mentions("SELECT");
            default -> true;
        };
    }

    /** Returns whether the statement can change the meaning of reads of its transaction. */
    public boolean changesReads() {
        return kind() == StatementKind.USE || (kind() == StatementKind.SET && !mentions("AUTOCOMMIT") && !asks());
    }

    /** Returns whether the statement can end a transaction and begin the next transaction. */
    boolean mayCommit() {
        return switch (kind()) {
            case SELECT, INSERT, UPDATE, DELETE, SAVEPOINT, USE, SHOW, SHOW_STATUS, EXPLAIN, PREPARE, EMPTY -> false;
            default -> true;
        };
    }

    /** Returns whether the statement changes nothing that outlives its session. */
    boolean onlyReads() {
        return switch (kind()) {
            case SELECT -> text.indexOf("INTO") < 0;
            case SHOW, SHOW_STATUS, EXPLAIN -> true;
            default -> false;
        };
    }

    /** Returns whether the statement begins a transaction as READ ONLY or READ WRITE. */
    boolean chooses() {
        return kind() == StatementKind.BEGIN && mentions("READ");
    }

    /** Returns whether the store could not parse the statement, and so has changed nothing. */
    boolean isUnread(ReplySummary reply) {
        ErrPacket error = reply.error();
        return kind() == StatementKind.UNKNOWN
                && error != null
                && reply.results() == 0
                && ParseErrors.prove(error, text, true);
    }

    /**
     * Ends a command with an error. If the error is null, ends the command without a reply.
     *
     * @param unfinished whether only the first packet of the command has arrived. If so, the error
     * is sent after its last packet
     */
    public static void refuse(@Nullable ErrPacket error, boolean unfinished, Reply reply) {
        if (unfinished) {
            reply.clientPackets(rest -> refuse(error, rest.readableBytes() == Packets.MAX_PAYLOAD_BYTES, reply));
            return;
        }
        if (error != null) {
            reply.error(error);
        }
        reply.end();
    }

    /** Returns whether the statement may, by its text, kill a session of the store. */
    public static boolean mayKill(SqlStatement text) {
        return switch (text.kind()) {
            case KILL -> true;
            case MULTI, MULTI_PRIVILEGE, EXECUTE, CALL, UNKNOWN -> text.mentions("KILL");
            default -> false;
        };
    }

    /** Returns whether the statement's text might contain the word, ignoring case. */
    boolean mentions(String word) {
        return text.mentions(word);
    }
}
