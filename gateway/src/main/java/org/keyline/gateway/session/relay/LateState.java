package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.read.ReplyObserver;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplySummary;

/**
 * Changes of the session that the store has not received yet, and the commands that apply them
 * there. Confined to one event loop.
 */
final class LateState {
    /*
     * Most clients enclose each read in SET autocommit = 0, COMMIT and SET autocommit = 1. If the
     * store has no part of the transaction, these change only one flag at the store. The gateway
     * answers them with the store's own packets, and switches the flag at the store before the next
     * command to it. By then, the flag usually has its old value again.
     *
     * No command goes to the store before the switch, so it has no transaction and no savepoint
     * that the switch would end.
     *
     * The store may report tracked changes (such as the schema that an execution has switched to
     * and back) with a later OK. While it may have a change to report, the store answers itself.
     */

    private static final String NO_ATTRIBUTES = "\0\1";
    private static final byte[] PING = {};

    private final SessionSettings settings;
    private final KnownReplies own = new KnownReplies();
    private @Nullable KnownReplies shared;
    private @Nullable AccountReplies accounts;
    private final int capabilities;
    private final boolean attributes;
    private int forms;
    private final boolean tracks;
    private final boolean endsByOk;
    /** Whether autocommit is on at the store. */
    private boolean commits;
    /** Whether the store may have a change to report with a later OK. */
    private boolean owes;

    /** @param capabilities of the connection */
    LateState(SessionSettings settings, int capabilities) {
        this.settings = settings;
        this.capabilities = capabilities;
        attributes = Capabilities.has(capabilities, Capabilities.CLIENT_QUERY_ATTRIBUTES);
        tracks = Capabilities.has(capabilities, Capabilities.CLIENT_SESSION_TRACK);
        endsByOk = Capabilities.has(capabilities, Capabilities.CLIENT_DEPRECATE_EOF);
    }

    /** Continues with another store session. */
    void begins(int status) {
        commits = commits(status);
        owes = false;
    }

    /** Records a reply of the store. */
    void stored(ReplySummary reply) {
        if (reply.hasStatus()) {
            commits = commits(reply.status());
        }
        if (!tracks) {
            return;
        }
        if ((reply.status() & ServerStatus.SERVER_SESSION_STATE_CHANGED) != 0) {
            owes = reply.columnCount() > 0 && !endsByOk;
        } else {
            owes |= reply.error() != null || reply.results() > 1;
        }
    }

    private static boolean commits(int status) {
        return (status & ServerStatus.SERVER_STATUS_AUTOCOMMIT) != 0;
    }

    /**
     * Returns whether the store's autocommit differs from the client's.
     *
     * @param status flags of the client's session
     */
    boolean isBehind(int status) {
        return commits != commits(status);
    }

    /** Returns the commands that must run at the store before any other command. */
    List<Preamble> overdue(int status) {
        if (!isBehind(status)) {
            return List.of();
        }
        Supplier<ByteBuf> set = text("SET autocommit=" + (commits(status) ? 1 : 0));
        return List.of(new Preamble(
                set,
                done -> {
                    settings.setBeside();
                    return done.summary().error();
                },
                null,
                false,
                true,
                true));
    }

    /** Returns the known replies for the session's current kind of OK packets. */
    private KnownReplies known() {
        if (forms != settings.replyForms()) {
            forms = settings.replyForms();
            own.forget();
            shared = null;
        }
        if (shared == null) {
            shared = shared();
        }
        return shared == null ? own : shared;
    }

    /**
     * Returns the replies that equivalent sessions have learned; null until it is known which
     * sessions are equivalent.
     */
    private @Nullable KnownReplies shared() {
        String account = settings.account();
        Boolean reports = tracks ? own.reports() : Boolean.FALSE;
        if (accounts == null || account == null || reports == null || !settings.isApart()) {
            return null;
        }
        KnownReplies of = accounts.of(new AccountReplies.Key(account, capabilities, reports));
        of.learn(own);
        return of;
    }

    /** Shares learned replies with other sessions of the account from now on. */
    void learnsWith(AccountReplies replies) {
        accounts = replies;
    }

    /** Returns whether the store may have a change to report with a later OK. */
    boolean owes() {
        return owes;
    }

    /** Returns a COM_QUERY by the gateway itself. */
    Supplier<ByteBuf> text(String sql) {
        byte[] text = ((char) CommandCode.COM_QUERY + (attributes ? NO_ATTRIBUTES : "") + sql)
                .getBytes(StandardCharsets.US_ASCII);
        return () -> Unpooled.wrappedBuffer(text);
    }

    /**
     * Returns the store's reply to a statement that need not go to the store; null if it must.
     *
     * @param status flags of the client's session
     */
    KnownReplies.@Nullable Known find(StatementKind kind, byte[] sql, int from, int to, int status) {
        switch (kind) {
            case SET, BEGIN, COMMIT, ROLLBACK -> {}
            default -> {
                return null;
            }
        }
        KnownReplies.Known reply = isApart() ? known().find(sql, from, to, status) : null;
        if (reply == null
                || reply.after()
                        != reply.does().after(status, settings.current().begun())) {
            return null;
        }
        boolean here = settings.current().isOpenHere();
        return switch (reply.does()) {
            case BEGINS, ENDS -> reply;
            // The statement ends the transaction that autocommit held open, and no other.
            case COMMITS_EACH -> here && commits(status) ? null : reply;
            case COMMITS_NONE -> here ? null : reply;
            case NOTHING -> null;
        };
    }

    private boolean isApart() {
        return !owes && settings.isApart();
    }

    /**
     * Returns an observer that records the store's reply to a statement that need not go to the
     * store again; null for other statements.
     */
    @Nullable
    ReplyObserver learner(StatementKind kind, byte[] sql, int from, int to, int status) {
        KnownReplies.Does does = settings.readsFollowed() ? KnownReplies.of(kind, sql, from, to) : null;
        return does == null
                ? null
                : known().learner(
                                does, sql, from, to, status, settings.current().begun());
    }

    /** Returns the store's reply to a ping that need not go to the store; null if it must. */
    KnownReplies.@Nullable Known ping(int status) {
        return isApart() ? known().find(PING, 0, 0, status) : null;
    }

    /**
     * Returns an observer that records the store's reply to a ping; null if it may differ the next
     * time.
     */
    @Nullable
    ReplyObserver pingLearner(int status) {
        return settings.readsFollowed() ? known().learner(KnownReplies.Does.NOTHING, PING, 0, 0, status, 0) : null;
    }
}
