package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.merge.MergeKey;
import org.keyline.gateway.merge.MergedInserts;
import org.keyline.gateway.read.ReplyObserver;
import org.keyline.gateway.session.settings.Binding;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.gateway.share.UserShares;
import org.keyline.gateway.slow.Spent;
import org.keyline.planner.StatementKind;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ServerErrorException;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.Reply;
import org.keyline.rowcache.Fence;
import org.keyline.stores.Store;
import org.keyline.stores.StoreSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a session's commands to its store session and brings the replies back unchanged, keeping the order that freshness
 * needs: fences were closed before; when the reply is complete the session's settings and transaction are brought up to
 * date, the fence is opened unless a transaction keeps it, and only then the client sees the reply's end. Confined to one
 * event loop.
 */
public final class Forwarder implements StoreLink.Completion {
    /** What a transaction was answered by the gateway itself, and what makes that hold at the store. */
    public interface AnsweredHere {
        /** What has to run at the store before a command is relayed. */
        List<Errand> before(Forwarding next, ByteBufAllocator alloc);

        /** Ends the transaction at the store; its client is told an error. */
        Errand undoing(ErrPacket told);

        /**
         * A command is done, and what it did to the transaction is known.
         *
         * @param ok false if the store answered it with an error
         */
        void settled(boolean ok);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);

    /** In so many parts of the time that it may be idle the store hears of a session that reads. */
    private static final int IDLE_PARTS = 8;

    /** A ping goes to the store where nothing else did for so long. */
    private static final long PING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long FOR_EVER_NANOS = Long.MAX_VALUE / 2;

    /** Flags by which MariaDB shows the session's sql_mode. */
    private static final int MODES =
            ServerStatus.SERVER_STATUS_NO_BACKSLASH_ESCAPES | ServerStatus.SERVER_STATUS_ANSI_QUOTES;

    /** Functions that return how many rows an earlier statement had. */
    private static final List<String> COUNTS = List.of("FOUND_ROWS", "ROW_COUNT");

    private static final int CURSOR =
            ServerStatus.SERVER_STATUS_CURSOR_EXISTS | ServerStatus.SERVER_STATUS_LAST_ROW_SENT;

    /** What a statement is told that comes after the store session is gone, where the store did not say why it went. */
    private static final ErrPacket GONE = new ErrPacket(
            ErrorCode.ER_CONNECTION_KILLED.number(),
            "08S01",
            "The connection to the store was lost before this statement, which was not sent");

    private final SessionSettings settings;
    private final Fence fence;
    private final LongSupplier clock;
    private final Store store;
    private final StoreDiagnostics diagnostics;
    private final LateState late;
    private @Nullable AnsweredHere transaction;
    private StoreLink link;
    private int status;
    private @Nullable Forwarding current;
    /** The same while it may go together with others'. */
    private @Nullable HeldInsert held;

    private boolean relayed;
    private boolean closed;
    private boolean lost;
    private boolean stranded;
    private int foundRows;
    /** Whether a question of the gateway's own has counted a row since the session began. */
    private boolean countedByQuestion;

    private int multiStatements;
    private long usedNanos;
    private long sentNanos;
    private UserShares.@Nullable Share share;
    /** Releases the store session while the client is idle; null where the client has it for its life. */
    private @Nullable IdleStoreSession idle;
    /** The value of ROW_COUNT() at the store if it is 0 or -1; else 1. */
    private int rowCount;

    /**
     * @param clock the cache's, in nanoseconds
     * @param capabilities of the connection
     * @param store that the link leads to
     */
    public Forwarder(
            StoreLink link, SessionSettings settings, Fence fence, LongSupplier clock, int capabilities, Store store) {
        this.settings = settings;
        this.fence = fence;
        this.clock = clock;
        this.store = store;
        diagnostics = new StoreDiagnostics(!store.answersUnknownStatements());
        late = new LateState(settings, capabilities);
        multiStatements = Capabilities.has(capabilities, Capabilities.CLIENT_MULTI_STATEMENTS) ? 0 : 1;
        replaceLink(link);
    }

    // ---------------------------------------------------------------- released while idle

    /**
     * From now on the store session may be released while the client is idle, since another one can be opened.
     *
     * @param released runs after each release
     */
    public void lends(IdleStoreSession.Opener opener, IdleStoreSession.Counts counts, Runnable released) {
        settings.bindings().follow();
        idle = new IdleStoreSession(this, settings, opener, counts, released);
    }

    /** Returns whether the client has no store session now. Callable by any thread. */
    public boolean isAway() {
        IdleStoreSession lent = idle;
        return lent != null && lent.isAway();
    }

    /**
     * Returns what binds the client to its store session; null if another one could take its place.
     *
     * @param counted whether ROW_COUNT() is known without the store
     */
    public @Nullable Binding binding(boolean counted) {
        if (current != null || held != null || link.busy() || lost || stranded || closed) {
            return Binding.BUSY;
        }
        if (diagnostics.hasSome()) {
            return Binding.WARNINGS;
        }
        if (late.owes()) {
            return Binding.TRACKED;
        }
        return rowCount > 0 && !counted ? Binding.ROW_COUNT : settings.binding();
    }

    /**
     * Releases the store session, which nothing {@linkplain #binding binds}, after a question for what only the store knows.
     *
     * @param found whether FOUND_ROWS() is known without the store
     * @param counted the same of ROW_COUNT()
     */
    public void release(boolean found, boolean counted) {
        if (idle != null) {
            idle.release(link, found ? 0 : foundRows, !counted && rowCount < 0);
        }
    }

    /** Returns for how long the store session has not been used. */
    public long idleNanos() {
        return clock.getAsLong() - usedNanos;
    }

    /** Makes sure that the client has a store session, of which another client may ask by its id; completes on the loop. */
    public CompletionStage<?> back() {
        return idle == null ? CompletableFuture.completedFuture(null) : idle.back();
    }

    /** Runs a step of a command with the store session: if it was released, with another one that is made like it. */
    private void atStore(Forwarding forwarding, Runnable step) {
        IdleStoreSession lent = idle;
        if (lent == null || lent.isReady()) {
            step.run();
            return;
        }
        lent.back()
                .whenComplete((done, failure) -> forwarding.reply().run(() -> {
                    if (closed || current == null) {
                        return;
                    }
                    ErrPacket full = failure == null ? null : IdleStoreSession.full(failure);
                    if (failure == null) {
                        bringUp(lent, forwarding, step);
                    } else if (full != null && !forwarding.silent()) {
                        refuse(forwarding, full);
                    } else {
                        lost(IdleStoreSession.cause(failure));
                    }
                }));
    }

    /** Takes another store session in the place of the released one. */
    void takes(StoreLink other) {
        link = other;
        diagnostics.reset();
        foundRows = 0;
        countedByQuestion = false;
        usedNanos = clock.getAsLong();
        late.begins(other.initialStatus());
        settings.storeSessionIsAnother();
    }

    /** Makes the store session that was opened for the client like the client's. */
    private void bringUp(IdleStoreSession lent, Forwarding forwarding, Runnable step) {
        int shown = status;
        ArrayDeque<Errand> made = lent.settings();
        boolean any = !made.isEmpty();
        next(made, () -> {
            if (any) {
                // The flags of these replies were of a session that was not like the client's yet; the client has no
                // warnings of them.
                status = shown;
                settings.status(shown);
                diagnostics.clearedHere();
            }
            ArrayDeque<Errand> rest = new ArrayDeque<>(late.overdue(status));
            rest.addAll(diagnostics.before());
            rest.addAll(lent.counts(does(forwarding) == FoundRows.SETS && !mayCountRows(forwarding)));
            next(rest, () -> {
                foundRows = lent.found() <= 1 ? (int) lent.found() : -1;
                step.run();
            });
        });
    }

    private FoundRows does(Forwarding forwarding) {
        return FoundRows.of(store, forwarding.kind(), forwarding.sql(), forwarding.from(), forwarding.to());
    }

    private static boolean mayCountRows(Forwarding forwarding) {
        return COUNTS.stream()
                .anyMatch(word -> Forwarding.mentions(word, forwarding.sql(), forwarding.from(), forwarding.to()));
    }

    /** Returns a COM_QUERY of the gateway's own. */
    Supplier<ByteBuf> text(String sql) {
        return late.text(sql);
    }

    /** Returns whether the client still has this store session. */
    boolean isAt(StoreLink other) {
        return link == other && !isOver();
    }

    /** Whether the client is gone, or its store session is by the store's doing. */
    boolean isOver() {
        return closed || lost || stranded;
    }

    // ---------------------------------------------------------------- what the session is

    /** Status flags for replies that the gateway makes itself: those the store would send. */
    public int status() {
        return settings.current().status(status);
    }

    /** Status flags that the store said last. */
    public int storeStatus() {
        return status;
    }

    /**
     * The moment from which the store is to answer a read, by the clock: what lines answer it does not hear of, and it would end a session that is
     * idle there.
     */
    public long dueNanos() {
        long seconds = settings.idleSeconds();
        return usedNanos + (seconds == 0 || isAway() ? FOR_EVER_NANOS : TimeUnit.SECONDS.toNanos(seconds) / IDLE_PARTS);
    }

    /** From now on what a transaction was answered here is made to hold at the store before its next command goes there. */
    public void precededBy(AnsweredHere reads) {
        transaction = reads;
    }

    /** From now on statements count as this user's. */
    public void within(UserShares.Share of) {
        share = of;
    }

    /** From now on the session shares what it learns of the store's replies with others of its account. */
    public void learnsWith(AccountReplies replies) {
        late.learnsWith(replies);
    }

    /** What FOUND_ROWS() would answer, if that is 0 or 1; else -1, for more or for unknown. */
    public int foundRows() {
        return foundRows;
    }

    /**
     * Whether the store's FOUND_ROWS() is 1 by a question of the gateway's, and 0 to the client: a statement that depends on it has to
     * run behind one without rows.
     */
    public boolean lacksEmptyResult() {
        return countedByQuestion && foundRows == 0;
    }

    /**
     * Where the time of the command whose reply is complete went.
     *
     * @param beganNanos when the gateway began with it, by the clock
     * @param loadNanos how long it had waited for lines before
     */
    public Spent spent(long beganNanos, long loadNanos) {
        long paused = link.pausedNanos();
        return new Spent(sentNanos - beganNanos, loadNanos, clock.getAsLong() - sentNanos - paused, paused);
    }

    /** How long its reply is. */
    public long replyBytes() {
        return link.passedBytes();
    }

    /** The store took a COM_SET_OPTION with this value. */
    public void multiStatements(int option) {
        multiStatements = option;
        settings.bindings().bind(Binding.SETTING);
    }

    /** The gateway has answered a command by itself that clears at the store what SHOW WARNINGS tells. */
    public void clearedHere() {
        diagnostics.clearedHere();
    }

    /**
     * Whether a statement may go to the store now. If not, its client is told, and nothing else happens: asked before its fences are
     * closed.
     */
    public boolean admits(Forwarding forwarding) {
        ErrPacket refusal = share == null || !mayBeRefused(forwarding) ? null : share.begins();
        if (refusal != null) {
            refuse(forwarding, refusal);
        }
        return refusal == null;
    }

    /** Takes the next command; its fences are closed by now. */
    public void forward(Forwarding forwarding) {
        if (current != null) {
            throw new IllegalStateException("a command is under way");
        }
        current = forwarding;
        relayed = false;
        atStore(forwarding, () -> send(forwarding));
    }

    private void send(Forwarding forwarding) {
        AnsweredHere answered = transaction;
        // What has no reply depends on no state of the session.
        boolean silent = forwarding.silent() && forwarding.errands().isEmpty();
        List<Errand> overdue = silent ? List.of() : late.overdue(status);
        List<Errand> clearing = silent ? List.of() : diagnostics.before();
        List<Errand> before = answered == null || silent
                ? List.of()
                : answered.before(forwarding, forwarding.reply().alloc());
        if (overdue.isEmpty()
                && clearing.isEmpty()
                && before.isEmpty()
                && forwarding.errands().isEmpty()) {
            relay(forwarding);
        } else {
            ArrayDeque<Errand> errands = new ArrayDeque<>(overdue);
            errands.addAll(clearing);
            errands.addAll(before);
            errands.addAll(forwarding.errands());
            next(errands, () -> relay(forwarding));
        }
    }

    // ---------------------------------------------------------------- together with others

    /**
     * Takes an INSERT that may go together with others', and is answered in any case; its fences are closed by now.
     *
     * @param loop the session's
     * @param row its values, as SQL
     * @param query makes a command of a text
     * @param merged hears that it was not run at this store session, before the client does
     */
    public void forward(
            Forwarding forwarding,
            MergedInserts inserts,
            MergeKey key,
            EventLoop loop,
            String row,
            Function<String, Supplier<ByteBuf>> query,
            Runnable merged) {
        if (current != null) {
            throw new IllegalStateException("a command is under way");
        }
        HeldInsert insert = new HeldInsert(this, forwarding, loop, row, query, merged);
        current = forwarding;
        relayed = false;
        atStore(forwarding, () -> {
            held = insert;
            sentNanos = clock.getAsLong();
            insert.join(inserts, key);
        });
    }

    /** The held command goes by itself. */
    void sendHeld(Forwarding forwarding) {
        current = null;
        forward(forwarding);
    }

    /** Runs a command of others' at this store session while its own waits for that. */
    void sendBeside(ByteBuf payload, StoreLink.Completion then) {
        link.errand(payload, null, then);
    }

    /** The held command was done elsewhere: what follows is as if the store had answered it here. */
    void answerHeld(ByteBuf packet) {
        Forwarding forwarding = current;
        if (forwarding == null) {
            packet.release();
            return;
        }
        usedNanos = clock.getAsLong();
        diagnostics.clearedHere();
        link.answered(packet, forwarding.reply(), this);
    }

    /** The held command has its outcome, and nobody is left to be told. */
    void endHeld() {
        current = null;
        heldOver();
        left();
        fence.dropPatch();
        fence.open();
        endLink();
    }

    private void heldOver() {
        HeldInsert insert = held;
        held = null;
        if (insert != null) {
            insert.over();
        }
    }

    /** Flags of a reply to a statement, those included by which the store shows the session's sql_mode. */
    int statusWithModes() {
        return status() | (status & MODES);
    }

    /** Work at the store; not what ends something, nor what a transaction does, which holds locks that others wait for. */
    private boolean mayBeRefused(Forwarding forwarding) {
        boolean works = switch (forwarding.kind()) {
            case SELECT, INSERT, UPDATE, DELETE, CALL -> true;
            default -> false;
        };
        return works && !settings.transactionOpen() && !settings.current().isOpenHere();
    }

    /** Runs errands for a command that the gateway answers by itself then, unless one of them fails: its error is the answer. */
    public void ask(List<Errand> errands, Reply reply, Runnable then) {
        if (current != null) {
            throw new IllegalStateException("a command is under way");
        }
        Forwarding asking = Forwarding.command(reply, Unpooled::buffer, done -> {});
        current = asking;
        relayed = false;
        atStore(asking, () -> {
            ArrayDeque<Errand> all = new ArrayDeque<>(late.overdue(status));
            all.addAll(errands);
            next(all, () -> {
                current = null;
                then.run();
            });
        });
    }

    // ---------------------------------------------------------------- what the store need not be asked

    /** Returns whether the store session is not yet what the client has made of it. */
    public boolean isBehind() {
        return late.isBehind(status);
    }

    /**
     * Answers a statement that begins or ends a transaction of which the store knows nothing, or switches autocommit, as the store
     * answered the same in this session before.
     *
     * @return false if the store has to answer
     */
    public boolean answersHere(StatementKind kind, byte[] sql, int from, int to, Reply reply) {
        KnownReplies.Known known = mayAnswer() ? late.find(kind, sql, from, to, statusWithModes()) : null;
        if (known == null) {
            return false;
        }
        // The store has no transaction, whatever the client sees.
        status = known.after() & ~KnownReplies.TRANSACTION;
        settings.status(status);
        settings.settled(kind, false, false);
        if (known.does() == KnownReplies.Does.BEGINS) {
            settings.current().beginsLate();
        }
        if (transaction != null) {
            transaction.settled(true);
        }
        answer(known, reply);
        return true;
    }

    /** Answers a ping as the store answered before; false if the store has to answer. */
    public boolean answersPing(Reply reply) {
        boolean recent = isAway() || clock.getAsLong() - usedNanos < PING_NANOS;
        KnownReplies.Known known = recent && mayAnswer() ? late.ping(statusWithModes()) : null;
        if (known != null) {
            answer(known, reply);
        }
        return known != null;
    }

    private boolean mayAnswer() {
        return current == null && !stranded && !lost && fence.isOpen();
    }

    private static void answer(KnownReplies.Known known, Reply reply) {
        reply.packet(Unpooled.wrappedBuffer(known.packet()));
        reply.end();
    }

    /** Returns what learns the reply to a statement that need not go to the store the next time; null for others. */
    public @Nullable ReplyObserver learner(StatementKind kind, byte[] sql, int from, int to) {
        return late.learner(kind, sql, from, to, statusWithModes());
    }

    /** Returns what learns the reply to a ping; null where it may be another the next time. */
    public @Nullable ReplyObserver pingLearner() {
        return late.pingLearner(statusWithModes());
    }

    // ---------------------------------------------------------------- errands

    private void next(ArrayDeque<Errand> errands, Runnable last) {
        Forwarding forwarding = current;
        if (forwarding == null) {
            return;
        }
        Errand errand = errands.poll();
        if (errand == null) {
            last.run();
            return;
        }
        link.errand(errand.payload().get(), errand.check(), new StoreLink.Completion() {
            @Override
            public void completed(ReplyScanner reply) {
                forwarding.reply().run(() -> {
                    status(reply.summary());
                    diagnostics.told(StatementKind.OTHER, reply.summary());
                    if (reply.summary().columnCount() > 0 && !reply.summary().isPrepared()) {
                        foundRows = -1;
                    }
                    ErrPacket refused = errand.done().apply(reply);
                    if (refused == null) {
                        next(errands, last);
                    } else if (errand.undoes() && transaction != null) {
                        undo(forwarding, transaction.undoing(refused));
                    } else {
                        refuse(forwarding, refused);
                    }
                });
            }

            @Override
            public void lost(Throwable cause) {
                Forwarder.this.lost(cause);
            }
        });
    }

    private void undo(Forwarding forwarding, Errand rollback) {
        link.errand(rollback.payload().get(), null, new StoreLink.Completion() {
            @Override
            public void completed(ReplyScanner reply) {
                forwarding.reply().run(() -> {
                    ErrPacket failed = reply.summary().error();
                    if (failed != null) {
                        // The transaction may go on there, whatever its client is told: only the end of the session
                        // ends it.
                        Forwarder.this.lost(new ServerErrorException(failed));
                        return;
                    }
                    status(reply.summary());
                    diagnostics.told(StatementKind.OTHER, reply.summary());
                    ErrPacket told = rollback.done().apply(reply);
                    if (told != null) {
                        refuse(forwarding, told);
                    }
                });
            }

            @Override
            public void lost(Throwable cause) {
                Forwarder.this.lost(cause);
            }
        });
    }

    private void relay(Forwarding forwarding) {
        relayed = true;
        sentNanos = clock.getAsLong();
        var payload = forwarding.payload().get();
        try {
            link.relay(
                    payload,
                    forwarding.continued(),
                    forwarding.reply(),
                    !fence.isOpen(),
                    forwarding.shownStatementId(),
                    forwarding.observer(),
                    forwarding.translation(),
                    this);
        } finally {
            payload.release();
        }
    }

    /** An errand failed: the command itself is not sent. */
    private void refuse(Forwarding forwarding, ErrPacket error) {
        current = null;
        heldOver();
        left();
        openFence(false);
        if (forwarding.observer() != null) {
            forwarding.observer().lost();
        }
        if (forwarding.silent()) {
            end(forwarding.continued(), forwarding.reply());
        } else {
            refuse(error, forwarding.continued(), forwarding.reply());
        }
    }

    /** Ends a command that has no reply, behind the last of its packets. */
    private static void end(boolean unfinished, Reply reply) {
        if (unfinished) {
            reply.clientPackets(rest -> end(rest.readableBytes() == Packets.MAX_PAYLOAD_BYTES, reply));
        } else {
            reply.end();
        }
    }

    /**
     * Answers a command with an error.
     *
     * @param unfinished whether only its first packet is here: the error follows its last
     */
    public static void refuse(ErrPacket error, boolean unfinished, Reply reply) {
        if (unfinished) {
            reply.clientPackets(rest -> refuse(error, rest.readableBytes() == Packets.MAX_PAYLOAD_BYTES, reply));
        } else {
            reply.error(error);
            reply.end();
        }
    }

    @Override
    public void partly() {
        fence.tell();
    }

    @Override
    public @Nullable CompletionStage<Void> taken() {
        return fence.taken();
    }

    @Override
    public void completed(ReplyScanner reply) {
        Forwarding forwarding = current;
        if (forwarding == null) {
            return;
        }
        settle(forwarding, reply);
    }

    private void settle(Forwarding forwarding, ReplyScanner reply) {
        ReplySummary summary = reply.summary();
        boolean ok = summary.error() == null;
        boolean unread = forwarding.isUnread(summary);
        boolean untold = !ok && !unread && !forwarding.continued() && settings.mayHaveMoved(forwarding.kind());
        FoundRows does = does(forwarding);
        if (idle != null && does == FoundRows.SETS) {
            idle.counted(does.isSet(summary));
        }
        if (does != FoundRows.LEAVES && (ok || !lacksEmptyResult())) {
            boolean one = does == FoundRows.SETS && ok && summary.results() == 1 && summary.rows() == 1;
            foundRows = one && !counts(forwarding) ? 1 : -1;
        }
        if (!unread) {
            settings.applied(forwarding.kind(), forwarding.sql(), forwarding.from(), forwarding.to(), ok);
            settings.answered(forwarding.kind(), forwarding.sql(), forwarding.from(), forwarding.to(), summary);
        }
        if (!summary.isPrepared() && !forwarding.silent()) {
            rowCount = !ok || summary.columnCount() > 0 ? -1 : summary.affectedRows() == 0 ? 0 : 1;
        }
        if ((summary.status() & CURSOR) == ServerStatus.SERVER_STATUS_CURSOR_EXISTS) {
            settings.bindings().bind(Binding.CURSOR);
        }
        status(summary);
        diagnostics.told(forwarding.kind(), summary);
        forwarding.then().accept(reply);
        if (untold) {
            askStatus(forwarding);
        } else {
            settled(forwarding, summary.hasStatus(), ok);
        }
    }

    private static boolean counts(Forwarding forwarding) {
        return Forwarding.mentions("SQL_CALC_FOUND_ROWS", forwarding.sql(), forwarding.from(), forwarding.to());
    }

    /** Errors have no status flags: what failed may have begun a transaction first, or ended one. */
    private void askStatus(Forwarding forwarding) {
        // Of the commands that answer with flags the one that leaves ROW_COUNT() and the warnings alone.
        ByteBuf option =
                Unpooled.buffer(3).writeByte(CommandCode.COM_SET_OPTION).writeShortLE(multiStatements);
        link.errand(option, null, new StoreLink.Completion() {
            @Override
            public void completed(ReplyScanner reply) {
                boolean told = reply.summary().hasStatus();
                if (told) {
                    status(reply.summary());
                } else {
                    // It may have begun a transaction: what that has written shows with a COMMIT that is to come.
                    status |= ServerStatus.SERVER_STATUS_IN_TRANS;
                    settings.status(status);
                }
                settled(forwarding, told, false);
            }

            @Override
            public @Nullable CompletionStage<Void> taken() {
                return fence.taken();
            }

            @Override
            public void lost(Throwable cause) {
                Forwarder.this.lost(cause);
            }
        });
    }

    private void status(ReplySummary summary) {
        usedNanos = clock.getAsLong();
        late.stored(summary);
        if (summary.hasStatus()) {
            status = summary.status();
            settings.status(status);
        }
    }

    /** The command at hand is no more at the store. */
    private void left() {
        if (share != null) {
            share.ends();
        }
    }

    private void settled(Forwarding forwarding, boolean told, boolean ok) {
        current = null;
        left();
        if (told) {
            // In the transaction that an error leaves, the store may refuse what lines would answer. And a COMMIT or
            // ROLLBACK that
            // it refuses, as within XA, leaves the same transaction with the same snapshot: none that begins anew.
            settings.settled(
                    ok || StoreDiagnostics.isSeveral(forwarding.kind()) ? forwarding.kind() : StatementKind.OTHER,
                    forwarding.touches() || !ok,
                    forwarding.chooses());
        } else if (!ok) {
            settings.failed();
        }
        if (transaction != null) {
            transaction.settled(ok);
        }
        openFence(mayCommit(forwarding.kind()));
        if (forwarding.observer() != null) {
            forwarding.observer().end();
        }
        heldOver();
    }

    /**
     * An open transaction keeps its rows closed: nobody may load what it has not committed, or what it is about to.
     *
     * @param begunAnew whether it may be another one than before: then what the one before wrote shows by now
     */
    private void openFence(boolean begunAnew) {
        if (settings.transactionOpen()) {
            fence.dropPatch();
            if (begunAnew) {
                fence.tell();
            } else {
                fence.tellWithinTransaction();
            }
        }
        if (!settings.transactionOpen() && !fence.isOpen()) {
            fence.open();
        }
    }

    /** Whether a statement may end a transaction behind which the next one is open at once: BEGIN, COMMIT AND CHAIN, and what is not known. */
    private static boolean mayCommit(StatementKind kind) {
        return switch (kind) {
            case SELECT, INSERT, UPDATE, DELETE, SAVEPOINT, USE, SHOW, SHOW_STATUS, EXPLAIN, PREPARE, EMPTY -> false;
            default -> true;
        };
    }

    @Override
    public void lost(Throwable cause) {
        fence.dropPatch();
        fence.open();
        Forwarding forwarding = current;
        current = null;
        heldOver();
        left();
        if (forwarding != null && forwarding.observer() != null) {
            forwarding.observer().lost();
        }
        if (forwarding == null || closed) {
            return;
        }
        disconnect(forwarding.reply(), relayed && forwarding.reply().nextSequenceId() != 1, cause);
    }

    /**
     * The store session was lost, so the client's connection ends.
     *
     * @param reply to the command in hand, which has none of the store's or not all of it
     * @param begun whether some of it was sent to the client
     */
    public void disconnect(Reply reply, boolean begun, Throwable cause) {
        lost = true;
        LOG.info(
                "connection {}: its connection to the store is lost, so the client is disconnected: {}",
                reply.connectionId(),
                cause.toString());
        ErrPacket said = cause instanceof ServerErrorException told ? told.error() : stranded ? GONE : null;
        if (!begun && said != null) {
            reply.error(said);
            reply.end();
        }
        // Else without a word, as the store left. Nor is the reply ended: the next command's would be taken for it.
        reply.closeConnection();
    }

    /**
     * The store has ended the session. True if its client is none the worse for that before it needs the store: no command was under way,
     * and no transaction was open, at the store or here.
     */
    public boolean strands() {
        stranded = !lost
                && current == null
                && !settings.transactionOpen()
                && !settings.current().isOpenHere();
        return stranded;
    }

    /** Whether the store session ended while the client was idle; what needs the store ends the client's connection. */
    public boolean isStranded() {
        return stranded;
    }

    /** Goes on with another store session: the user changed. The old one rolls back and ends. */
    public final void replaceLink(StoreLink other) {
        link = other;
        rowCount = 0;
        if (idle != null) {
            idle.restart();
        }
        diagnostics.reset();
        foundRows = 0;
        countedByQuestion = false;
        usedNanos = clock.getAsLong();
        status = other.initialStatus();
        late.begins(status);
        settings.begins(status);
    }

    /** A packet of the client's that the store awaits amid a reply. Borrowed. */
    public void answer(ByteBuf packet) {
        link.answer(packet);
    }

    /** Asks the store session about itself; no command may be under way. */
    public CompletionStage<StoreSession.Told> ask(List<String> asked, List<String> counts) {
        countedByQuestion = store.questionsCountRows();
        return link.ask(asked, counts);
    }

    /** Ends the store session. What it left open is rolled back; a command under way opens its fence when it is lost. */
    public void endLink() {
        boolean idle = !link.busy();
        link.close(onlyReads());
        if (idle) {
            heldOver();
            fence.open();
        }
    }

    /**
     * Returns whether the store has worked on a read for so long, and has not begun to answer it: a read that nobody misses
     * if its client is gone.
     */
    public boolean isReading(long nanos) {
        return onlyReads() && link.passedBytes() == 0 && clock.getAsLong() - sentNanos >= nanos;
    }

    /**
     * Returns whether the store works on a command that writes nothing, or nothing that outlives its session. A write is
     * never ended for its client: straight at the store it would be done, whether or not the client is gone.
     */
    private boolean onlyReads() {
        Forwarding forwarding = current;
        if (forwarding == null || !relayed || held != null || forwarding.continued()) {
            return false;
        }
        boolean reads = switch (forwarding.kind()) {
            case SELECT -> Forwarding.indexOf("INTO", forwarding.sql(), forwarding.from(), forwarding.to()) < 0;
            case SHOW, SHOW_STATUS, EXPLAIN -> true;
            default -> false;
        };
        return reads && (fence.isOpen() || settings.transactionOpen());
    }

    /** Whether the client is gone. */
    public boolean isClosed() {
        return closed;
    }

    /** The client is gone. */
    public void close() {
        closed = true;
        HeldInsert insert = held;
        if (insert == null || insert.isAbandoned()) {
            endLink();
        }
    }
}
