package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.read.ReplyObserver;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.server.Reply;

/**
 * The state of the client's session as replies show it, and the changes that the store has not
 * received yet. Confined to one event loop.
 */
public final class LateState {
    /*
     * Most clients enclose each read in SET autocommit = 0, COMMIT and SET autocommit = 1. If lines
     * answer the read, the other statements change nothing at the store but the autocommit flag.
     * The gateway answers them with packets that the store sent earlier, and sets the flag at the
     * store before the next command there. By then, the flag usually has its old value again.
     *
     * No command goes to the store before the flag is set, so the store has no transaction and no
     * savepoint that setting the flag would end.
     *
     * A program that connects for each request sets its character sets and its schema each time.
     * The gateway delays these commands too if the store has accepted them in an equal session. If
     * the store later refuses a delayed command, for example because the schema was dropped
     * meanwhile, the client's next command at the store gets the error.
     *
     * Connector/J encloses a read-only transaction in SET SESSION TRANSACTION READ ONLY and READ
     * WRITE as well. Like autocommit, the access mode usually has its old value again by the time
     * the store needs it. A client that tracks session state gets a reply about this mode only from
     * its own session, because the tracked variables of another session may differ.
     *
     * The store sometimes reports a tracked change only with the OK of a later command. As long as
     * the store might still have a change to report, the gateway answers none of these commands
     * itself.
     */

    private static final byte[] PING = {};
    private static final int MAX_PENDING = 4;
    /** Time without a command after which the gateway forwards a ping. */
    private static final long PING_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Status flags by which MariaDB shows the session's sql_mode. */
    private static final int MODES =
            ServerStatus.SERVER_STATUS_NO_BACKSLASH_ESCAPES | ServerStatus.SERVER_STATUS_ANSI_QUOTES;

    private final Relay relay;
    private final SessionSettings settings;
    private final KnownReplies own = new KnownReplies();
    /** Replies about the access mode, if the client tracks session state. */
    private final KnownReplies tracked = new KnownReplies();

    private @Nullable KnownReplies shared;
    private @Nullable AccountReplies accounts;
    private final int capabilities;
    private final boolean attributes;
    private int forms;
    private final boolean tracks;
    private final boolean endsByOk;
    /** The client's status flags, without a transaction that the store does not know. */
    int status;
    /** Whether autocommit is on at the store. */
    private boolean commits;
    /**
     * Whether the store session's transactions are READ ONLY; null if the store has received the
     * client's access mode.
     */
    private @Nullable Boolean readOnly;
    /** Whether the store may still report a tracked change with a later OK. */
    private boolean owes;
    /** SET and USE commands that the store has not received. */
    private List<Preamble> pending = List.of();
    /** Whether the store has received no command since it chose the schema at the login. */
    private BooleanSupplier untouched = LateState::never;

    /** @param capabilities the capabilities of the client's connection */
    LateState(Relay relay, SessionSettings settings, int capabilities) {
        this.relay = relay;
        this.settings = settings;
        this.capabilities = capabilities;
        attributes = Capabilities.has(capabilities, Capabilities.CLIENT_QUERY_ATTRIBUTES);
        tracks = Capabilities.has(capabilities, Capabilities.CLIENT_SESSION_TRACK);
        endsByOk = Capabilities.has(capabilities, Capabilities.CLIENT_DEPRECATE_EOF);
    }

    /**
     * Called when the client's store session was replaced by a new one.
     *
     * @param initial the status flags of the new one
     */
    void begins(int initial) {
        commits = commits(initial);
        readOnly = null;
        owes = false;
        // A store session that is opened for a client receives all settings of the client anyway.
        pending = List.of();
        untouched = accounts == null ? LateState::never : accounts.moment();
    }

    void stored(ReplySummary reply) {
        untouched = LateState::never;
        if (reply.hasStatus()) {
            commits = commits(reply.status());
            status(reply.status());
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

    void status(int flags) {
        status = flags;
        settings.status(flags);
    }

    /** Returns the status flags, including those that show the session's sql_mode. */
    public int statusWithModes() {
        return settings.current().status(status) | modes();
    }

    int modes() {
        return status & MODES;
    }

    /** Retains the sql_mode, because a SET STATEMENT has set another one only for itself. */
    void retainModes(int modes) {
        status = (status & ~MODES) | modes;
    }

    /** Returns whether the store session lacks changes that the client has made. */
    public boolean isBehind() {
        return commits != commits(status) || readOnly != null || !pending.isEmpty();
    }

    /** Returns whether the store must later receive a command that the gateway has answered. */
    private static boolean isAppliedLate(KnownReplies.Does does) {
        return switch (does) {
            case SETS, USES, READS_ONLY, READS_AND_WRITES -> true;
            case COMMITS_EACH, COMMITS_NONE, BEGINS, ENDS, NOTHING -> false;
        };
    }

    /**
     * Applies a command whose reply is known.
     *
     * @param away whether the client has no store session. If so, the next store session gets all
     * settings anyway; if not, the store receives the command later
     */
    private void apply(KnownReplies.Does does, SqlStatement text, boolean away) {
        if (does.isAccess()) {
            access(does == KnownReplies.Does.READS_ONLY, text, away);
            return;
        }
        List<Preamble> all = new ArrayList<>(pending);
        if (does == KnownReplies.Does.SETS) {
            settings.setLate(text);
            // SETs come before each USE, because a refused USE stops the commands after it.
            int sets = (int) pending.stream().filter(Preamble::plain).count();
            all.add(sets, applying(text.latin(), done -> done.summary().error()));
        } else {
            boolean command = text.sql()[text.from()] == CommandCode.COM_INIT_DB;
            String sent = text.latin();
            String before = settings.schemaKnown() ? settings.schema() : null;
            if (command) {
                settings.schema(sent.substring(1));
            } else {
                settings.applied(text, true);
            }
            Supplier<ByteBuf> payload =
                    command ? () -> Unpooled.copiedBuffer(sent, StandardCharsets.US_ASCII) : text(sent);
            if (before == null || !before.equals(settings.schema()) || !untouched.getAsBoolean()) {
                all.add(new Preamble(payload, this::used, null, false, true, false));
            }
        }
        pending = away ? List.of() : all;
    }

    private void access(boolean only, SqlStatement text, boolean away) {
        boolean stored = readOnly != null ? readOnly : settings.current().isReadOnly();
        settings.readOnlyLate(only, text);
        readOnly = (away || stored == only) ? null : Boolean.valueOf(stored);
    }

    private @Nullable ErrPacket used(ReplyScanner done) {
        ErrPacket refused = done.summary().error();
        if (refused != null) {
            settings.schemaUnknown();
        }
        return refused;
    }

    /** Returns commands that must run at the store before any other command. */
    List<Preamble> overdue() {
        if (!isBehind()) {
            return List.of();
        }
        List<Preamble> overdue = new ArrayList<>();
        if (commits != commits(status)) {
            overdue.add(applying("SET autocommit=" + (commits(status) ? 1 : 0), done -> {
                settings.setBeside();
                return done.summary().error();
            }));
        }
        if (readOnly != null) {
            String mode = settings.current().isReadOnly() ? "ONLY" : "WRITE";
            overdue.add(applying("SET SESSION TRANSACTION READ " + mode, done -> {
                settings.setBeside();
                ErrPacket refused = done.summary().error();
                readOnly = refused == null ? null : readOnly;
                return refused;
            }));
        }
        // These commands come last, because their replies show the new autocommit flag.
        overdue.addAll(pending);
        pending = List.of();
        return overdue;
    }

    private Preamble applying(String sql, Function<ReplyScanner, @Nullable ErrPacket> done) {
        return new Preamble(text(sql), done, null, false, true, true);
    }

    /** Returns replies shared by equivalent sessions; the session's own if it can share none. */
    private KnownReplies known() {
        if (forms != settings.replyForms()) {
            forms = settings.replyForms();
            own.forget();
            tracked.forget();
            shared = null;
        }
        if (shared == null) {
            shared = shared();
        }
        return shared == null ? own : shared;
    }

    /** Returns the replies that equivalent sessions share; null if such sessions are unknown. */
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

    /** Sets the replies that equivalent sessions share. */
    public void learnsWith(AccountReplies replies) {
        accounts = replies;
        untouched = replies.moment();
    }

    /** Returns whether the store may still report a tracked change with a later OK. */
    boolean owes() {
        return owes;
    }

    Supplier<ByteBuf> text(String sql) {
        return Preamble.query(sql, attributes);
    }

    /**
     * Answers a statement with an earlier reply of the store. The statement begins or ends a
     * transaction that the store does not know, switches autocommit, sets the access mode or
     * character sets, or changes the schema.
     *
     * @return false if the store must answer
     */
    public boolean answersHere(SqlStatement text, Reply reply) {
        KnownReplies.Known known = relay.mayAnswer() ? find(text, statusWithModes()) : null;
        if (known == null) {
            return false;
        }
        if (isAppliedLate(known.does())) {
            if (relay.borrowed.isOpening()) {
                // The store session that is being opened has the old schema, so the change goes
                // there.
                return false;
            }
            apply(known.does(), text, relay.borrowed.isAway());
        }
        // The store has no transaction, even if the client's flags show one.
        status(known.after() & ~KnownReplies.TRANSACTION);
        settings.settled(text.kind(), false, false);
        if (known.does() == KnownReplies.Does.BEGINS) {
            settings.current().beginsLate();
        }
        relay.internal.settled();
        answer(known, reply);
        return true;
    }

    /** Answers a ping. Returns false if the store must answer. */
    public boolean answersPing(Reply reply) {
        boolean recent = relay.borrowed.isAway() || relay.borrowed.idleNanos() < PING_NANOS;
        // MySQL's reply has the number of warnings, so a stored reply is right only if there are
        // none.
        boolean same = recent && relay.mayAnswer() && !relay.diagnostics().hasSome() && isApart();
        KnownReplies.Known known = same ? known().find(PING, 0, 0, statusWithModes()) : null;
        if (known != null) {
            answer(known, reply);
        }
        return known != null;
    }

    private static void answer(KnownReplies.Known known, Reply reply) {
        reply.packet(Unpooled.wrappedBuffer(known.packet()));
        reply.end();
    }

    /** Returns the store's earlier reply to the statement; null if the store must answer again. */
    private KnownReplies.@Nullable Known find(SqlStatement text, int flags) {
        switch (text.kind()) {
            case SET, BEGIN, COMMIT, ROLLBACK, USE -> {}
            default -> {
                return null;
            }
        }
        KnownReplies.Known reply = isApart() ? known().find(text.sql(), text.from(), text.to(), flags) : null;
        if (reply == null && tracks && isApart()) {
            reply = tracked.find(text.sql(), text.from(), text.to(), flags);
        }
        if (reply == null
                || reply.after() != reply.does().after(flags, settings.current().begun())) {
            return null;
        }
        boolean here = settings.current().isOpenHere();
        return switch (reply.does()) {
            case BEGINS, ENDS -> reply;
            // SET autocommit = 1 ends a transaction only if autocommit was off.
            case COMMITS_EACH -> here && commits(flags) ? null : reply;
            case COMMITS_NONE, READS_ONLY, READS_AND_WRITES -> here ? null : reply;
            case SETS, USES -> {
                boolean full =
                        pending.size() == MAX_PENDING || !settings.bindings().hasRoom();
                yield tracks || here || full ? null : reply;
            }
            case NOTHING -> null;
        };
    }

    private static boolean always() {
        return true;
    }

    private static boolean never() {
        return false;
    }

    private boolean isApart() {
        return !owes && settings.isApart();
    }

    /** Returns an observer that stores a reply for equal statements; null if it is not reusable. */
    public @Nullable ReplyObserver learner(SqlStatement text) {
        KnownReplies.Does does = settings.isFollowed() ? KnownReplies.of(text) : null;
        if (does == null) {
            return null;
        }
        boolean schema = does == KnownReplies.Does.USES;
        AccountReplies replies = accounts;
        if ((schema || does == KnownReplies.Does.SETS || does.isAccess())
                && settings.current().isOpen()) {
            return null;
        }
        // If the store reports the change, the reply depends on the reported values.
        if (tracks && (schema || does == KnownReplies.Does.SETS)) {
            return null;
        }
        // The access mode is unknown at a store that cannot be asked for it.
        if (does.isAccess() && settings.current().asked().isEmpty()) {
            return null;
        }
        if (schema && (replies == null || settings.catalog().isOneOfSeveral())) {
            return null;
        }
        KnownReplies learning = known();
        return (tracks && does.isAccess() ? tracked : learning)
                .learner(
                        does,
                        Arrays.copyOfRange(text.sql(), text.from(), text.to()),
                        statusWithModes(),
                        settings.current().begun(),
                        schema && replies != null ? replies.moment() : LateState::always);
    }

    /** Returns an observer that stores the reply to a ping; null if the next reply may differ. */
    public @Nullable ReplyObserver pingLearner() {
        return settings.isFollowed()
                ? known().learner(KnownReplies.Does.NOTHING, PING, statusWithModes(), 0, LateState::always)
                : null;
    }
}
