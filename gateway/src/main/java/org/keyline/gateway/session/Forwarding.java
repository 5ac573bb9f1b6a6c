package org.keyline.gateway.session;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.query.TemplateRecorder;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.server.Reply;

/**
 * One command on its way to the store and back.
 *
 * @param errands what has to run on the store session before
 * @param payload the command; made when its turn comes, owned by who calls
 * @param continued whether the payload is the first packet of a command over 16 MiB, whose others the client has yet to send
 * @param kind what the statement is to the session
 * @param sql the statement's text in {@code sql[from..to)}; unchanged until the reply is complete
 * @param recorder learns a template from the reply; null for none
 * @param shownStatementId replaces the store's id in a PREPARE_OK; 0 for none
 * @param then hears the complete reply before the client sees its end
 */
@SuppressWarnings("ArrayRecordComponent") // a bundle of arguments; nobody compares two
record Forwarding(
        Reply reply,
        List<Errand> errands,
        Supplier<ByteBuf> payload,
        boolean continued,
        StatementKind kind,
        byte[] sql,
        int from,
        int to,
        @Nullable TemplateRecorder recorder,
        int shownStatementId,
        Consumer<ReplyScanner> then) {
    private static final byte[] NO_TEXT = {};
    private static final int MAX_SEARCHED_BYTES = 1024;

    /** A command without SQL text. */
    static Forwarding command(Reply reply, Supplier<ByteBuf> payload, Consumer<ReplyScanner> then) {
        return new Forwarding(reply, List.of(), payload, false, StatementKind.OTHER, NO_TEXT, 0, 0, null, 0, then);
    }

    /** A statement, the text of which is {@code sql[from..to)}. */
    static Forwarding statement(
            Reply reply,
            Supplier<ByteBuf> payload,
            StatementKind kind,
            byte[] sql,
            int from,
            int to,
            Consumer<ReplyScanner> then) {
        return new Forwarding(reply, List.of(), payload, false, kind, sql, from, to, null, 0, then);
    }

    Forwarding after(List<Errand> before) {
        return new Forwarding(reply, before, payload, continued, kind, sql, from, to, recorder, shownStatementId, then);
    }

    /** The same command, whose payload is only its first packet. */
    Forwarding unfinished() {
        return new Forwarding(reply, errands, payload, true, kind, sql, from, to, recorder, shownStatementId, then);
    }

    Forwarding recordedBy(@Nullable TemplateRecorder learner) {
        return new Forwarding(reply, errands, payload, continued, kind, sql, from, to, learner, shownStatementId, then);
    }

    /** The same PREPARE, whose statement the client is to know by another id than the store's. */
    Forwarding shownAs(int statementId) {
        return new Forwarding(reply, errands, payload, continued, kind, sql, from, to, recorder, statementId, then);
    }

    /** Whether a statement has a word, in any letter case, somewhere in its text; a long text may. */
    static boolean mentions(String word, byte[] sql, int from, int to) {
        return to - from > MAX_SEARCHED_BYTES
                || new String(sql, from, to - from, StandardCharsets.ISO_8859_1)
                        .toUpperCase(Locale.ROOT)
                        .contains(word);
    }
}
