package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.change.Fencing;
import org.keyline.gateway.merge.MergeKey;
import org.keyline.gateway.merge.MergedInserts;
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
import org.keyline.protocol.client.Unreachable;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.Reply;
import org.keyline.stores.ResetScope;
import org.keyline.stores.Store;
import org.keyline.stores.StoreSession;
import org.keyline.stores.StoreTrait;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a session's commands to its store session, and relays the replies unchanged. The fences of
 * a command must be closed before it is sent. When the reply is complete, the settings and the
 * transaction are updated, and the fence opens unless a transaction keeps it closed. Only then does
 * the client receive the end of the reply. Confined to one event loop.
 */
public final class Forwarder {
    /** The reads of the open transaction that the gateway has answered. */
    public interface AnsweredHere {
        /** Returns commands that must run at the store before a relayed command. */
        List<Preamble> before(Forwarding next, ByteBufAllocator alloc);

        /**
         * Returns a command that rolls back the transaction at the store. The client gets the error
         * {@code received}.
         */
        Preamble undoing(ErrPacket received);

        /** Called when a command is complete and its effect on the transaction is known. */
        void settled();
    }

    /** The progress of the command under way. Its transitions are in {@link #becomes}. */
    private enum State {
        /** No command is under way. */
        IDLE,
        /** A store session is being opened for the command. */
        OPENING,
        /** Internal commands run before the command. */
        PREAMBLE,
        /** The command is an INSERT that waits for others, or that a batch runs. */
        HELD,
        /** The command was sent, and its reply is not complete. */
        RELAYING,
        /** The reply is complete. Its end waits until its effect on the transaction is known. */
        SETTLING
    }

    private enum Life {
        OPEN,
        ORPHANED,
        /** The gateway is closing the client's connection. */
        LOST,
        CLOSED
    }

    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);

    /**
     * The store's idle timeout is divided by this number. After that time without a command to the
     * store, the next read must go there.
     */
    private static final int IDLE_PARTS = 8;

    private static final long FOR_EVER_NANOS = Long.MAX_VALUE / 2;

    /** The error after the loss of the store session, unless the store reported its own error. */
    private static final ErrPacket CONNECTION_LOST = new ErrPacket(
            ErrorCode.ER_CONNECTION_KILLED.number(),
            "08S01",
            "The connection to the store was lost, so this statement was not sent. Connect again.");

    final SessionSettings settings;
    final Store store;
    final SessionDiagnostics diagnostics;
    final LateState late;
    final InternalCommands internal;
    private final ReplyEffects effects;
    private final Fencing fencing;
    private final LongSupplier clock;
    private @Nullable AnsweredHere transaction;
    private StoreLink link;
    private RelayedReply relayed;
    private State state = State.IDLE;
    /** The command under way; null if the session is {@link State#IDLE}. */
    private @Nullable Forwarding current;
    /** The current command if it is an INSERT that can be merged; null for other commands. */
    private @Nullable HeldInsert held;

    private Life life = Life.OPEN;
    /** The option of COM_SET_OPTION that is in effect. */
    private int multiStatements;

    private final int loginOption;
    private long usedNanos;
    private long sentNanos;
    private UserShares.@Nullable Share share;
    /** Runs after the current command of a client that has disconnected. */
    private @Nullable Runnable afterLast;
    /** Releases the idle client's store session; null if the client always has the same one. */
    private @Nullable IdleStoreSession idle;

    /**
     * Creates a forwarder that begins with this link.
     *
     * @param clock the clock of the cache, in nanoseconds
     * @param capabilities the capabilities of the client's connection
     */
    public Forwarder(
            StoreLink link,
            SessionSettings settings,
            Fencing fencing,
            LongSupplier clock,
            int capabilities,
            Store store) {
        this.settings = settings;
        this.fencing = fencing;
        this.clock = clock;
        this.store = store;
        diagnostics = new SessionDiagnostics(!store.has(StoreTrait.OWN_SESSION_RULES));
        late = new LateState(this, settings, capabilities);
        internal = new InternalCommands(this);
        effects = new ReplyEffects(this);
        loginOption = Capabilities.has(capabilities, Capabilities.CLIENT_MULTI_STATEMENTS) ? 0 : 1;
        multiStatements = loginOption;
        replaceLink(link);
    }

    // ---------------------------------------------------------------- release while idle

    /**
     * Allows the release of the store session while the client is idle.
     *
     * @param released runs after each release
     */
    public void releaseWhenIdle(IdleStoreSession.Opener opener, IdleStoreSession.Counts counts, Runnable released) {
        settings.bindings().follow();
        idle = new IdleStoreSession(this, opener, counts, released);
    }

    /** Begins without a store session; the first command that needs one opens it. */
    public void beginsAway() {
        if (idle != null) {
            idle.beginsAway();
        }
    }

    /** Returns whether the client has no store session now. Thread-safe. */
    public boolean isAway() {
        IdleStoreSession released = idle;
        return released != null && released.isAway();
    }

    /** Returns what binds the client to its store session; null if nothing binds it. */
    public @Nullable Binding binding() {
        if (state != State.IDLE || link.busy() || life != Life.OPEN) {
            return Binding.BUSY;
        }
        if (multiStatements != loginOption) {
            // COM_RESET_CONNECTION does not end this binding, because it does not reset the option.
            return Binding.SETTING;
        }
        if (diagnostics.hasSome()) {
            return Binding.WARNINGS;
        }
        if (late.owes()) {
            return Binding.TRACKED;
        }
        return diagnostics.hasRowCount() ? Binding.ROW_COUNT : settings.binding();
    }

    /**
     * Releases the store session, after the store was asked for unknown values. Nothing may
     * {@linkplain #binding bind} the client to the store session.
     *
     * @param found whether FOUND_ROWS() is known without the store
     */
    public void release(boolean found) {
        if (idle != null) {
            idle.release(link, found ? 0 : diagnostics.foundRows(), diagnostics.isAfterResult());
        }
    }

    public long idleNanos() {
        return clock.getAsLong() - usedNanos;
    }

    /** Opens a store session if none exists, for a KILL that names the client. */
    public CompletionStage<?> back() {
        return idle == null ? CompletableFuture.completedFuture(null) : idle.back();
    }

    void takes(StoreLink other) {
        link = other;
        relayed = new RelayedReply(other, this, fencing);
        diagnostics.reset();
        usedNanos = clock.getAsLong();
        late.begins(other.initialStatus());
        settings.storeSessionIsAnother();
    }

    boolean isAt(StoreLink other) {
        return link == other && !isOver();
    }

    /** Returns whether the client has disconnected, or the store has closed the store session. */
    boolean isOver() {
        return life != Life.OPEN;
    }

    // ---------------------------------------------------------------- state of the session

    /** Returns the status flags for replies of the gateway, as the store would send them. */
    public int status() {
        return settings.current().status(late.status);
    }

    /** Returns the store's last status flags. */
    public int storeStatus() {
        return late.status;
    }

    StoreLink link() {
        return link;
    }

    @Nullable
    AnsweredHere transaction() {
        return transaction;
    }

    @Nullable
    IdleStoreSession idle() {
        return idle;
    }

    /** Returns the capabilities of the store session, which affect its replies. */
    public int storeCapabilities() {
        return link.capabilities();
    }

    /** Returns the time from which reads go to the store, which closes idle sessions. */
    public long dueNanos() {
        long seconds = settings.variables().idleSeconds();
        return usedNanos + (seconds == 0 || isAway() ? FOR_EVER_NANOS : TimeUnit.SECONDS.toNanos(seconds) / IDLE_PARTS);
    }

    /** Sets the object that verifies answered reads before the next command to the store. */
    public void precededBy(AnsweredHere reads) {
        transaction = reads;
    }

    /** Sets the user's share, whose limit counts later statements. */
    public void within(UserShares.Share of) {
        share = of;
    }

    /** Returns the changes of the client that the store has not received yet. */
    public LateState late() {
        return late;
    }

    /** Returns the diagnostics of the client's last command. */
    public SessionDiagnostics diagnostics() {
        return diagnostics;
    }

    /**
     * Returns how long each part of the completed command took.
     *
     * @param beganNanos when the gateway began the command, by the clock
     * @param loadNanos how long the command waited for lines before it was forwarded
     */
    public Spent spent(long beganNanos, long loadNanos) {
        long paused = relayed.pausedNanos();
        return new Spent(sentNanos - beganNanos, loadNanos, clock.getAsLong() - sentNanos - paused, paused);
    }

    public long replyBytes() {
        return relayed.passedBytes();
    }

    /** Records an option of COM_SET_OPTION that the store accepted. */
    public void multiStatements(int option) {
        multiStatements = option;
    }

    /**
     * Returns whether a statement may go to the store now; if not, its client gets the error. Must
     * be called before the statement's fences are closed.
     */
    public boolean admits(Forwarding forwarding) {
        ErrPacket refusal = share == null || !mayBeRefused(forwarding) ? null : share.begins();
        if (refusal != null) {
            refuse(forwarding, refusal);
        }
        return refusal == null;
    }

    /** Sends a command and relays the reply. The command's fences must be closed. */
    public void forward(Forwarding forwarding) {
        begin(forwarding, () -> send(forwarding));
    }

    private void begin(Forwarding forwarding, Runnable step) {
        becomes(State.IDLE, State.PREAMBLE);
        current = forwarding;
        IdleStoreSession released = idle;
        if (released == null || released.isReady()) {
            step.run();
        } else {
            becomes(State.PREAMBLE, State.OPENING);
            released.bringUp(forwarding, step);
        }
    }

    /** Called when the store session is open for which the current command has waited. */
    void opened() {
        becomes(State.OPENING, State.PREAMBLE);
    }

    boolean isIdle() {
        return state == State.IDLE;
    }

    /** Changes the state. Throws if the command is not where the caller believes it to be. */
    private void becomes(State from, State to) {
        if (state != from) {
            throw new IllegalStateException("the command is " + state + " (expected: " + from + ")");
        }
        state = to;
    }

    private void send(Forwarding forwarding) {
        if (forwarding.silent() && forwarding.preambles().isEmpty()) {
            // A command without a reply uses no session state, so nothing needs to precede it.
            relay(forwarding);
            return;
        }
        List<Preamble> overdue = late.overdue();
        List<Preamble> clearing = diagnostics.before();
        List<Preamble> before = transaction == null
                ? List.of()
                : transaction.before(forwarding, forwarding.reply().alloc());
        if (overdue.isEmpty()
                && clearing.isEmpty()
                && before.isEmpty()
                && forwarding.preambles().isEmpty()) {
            relay(forwarding);
            return;
        }
        ArrayDeque<Preamble> preambles = new ArrayDeque<>(overdue);
        preambles.addAll(clearing);
        preambles.addAll(before);
        preambles.addAll(forwarding.preambles());
        if (link.sendsAhead() && mayFollowAtOnce(forwarding, preambles)) {
            preambles.forEach(preamble -> internal.ahead(forwarding, preamble));
            relay(forwarding);
        } else {
            internal.run(forwarding, preambles, () -> relay(forwarding));
        }
    }

    /**
     * Returns whether the command may be sent together with its preambles. The command must be
     * harmless even if they fail.
     */
    private boolean mayFollowAtOnce(Forwarding forwarding, ArrayDeque<Preamble> preambles) {
        return forwarding.kind() == StatementKind.SELECT
                && fencing.isOpen()
                && !forwarding.continued()
                && preambles.stream().allMatch(Preamble::plain);
    }

    // ---------------------------------------------------------------- merged INSERTs

    /**
     * Sends an INSERT that may be merged with others. The client gets a reply in any case. The
     * fences of the INSERT must be closed.
     */
    public void hold(HeldInsert insert, MergedInserts inserts, MergeKey key) {
        begin(insert.forwarding(), () -> {
            becomes(State.PREAMBLE, State.HELD);
            held = insert;
            sentNanos = clock.getAsLong();
            insert.join(inserts, key);
        });
    }

    void sendHeld(Forwarding forwarding) {
        becomes(State.HELD, State.IDLE);
        forward(forwarding);
    }

    /** Runs a command of a batch at this store session, while the session's own command waits. */
    void sendBeside(ByteBuf payload, InternalReply to) {
        link.send(payload, false, to);
    }

    /** Answers the held INSERT as if the packet had come from this store session. */
    void answerHeld(ByteBuf packet) {
        Forwarding forwarding = current;
        if (forwarding == null) {
            packet.release();
            return;
        }
        becomes(State.HELD, State.RELAYING);
        usedNanos = clock.getAsLong();
        diagnostics.merged();
        relayed.answered(packet, forwarding);
    }

    /** Ends the held INSERT of a client that has disconnected. */
    void endHeld() {
        var unused = abandon();
        endLink();
    }

    /** Ends the current command without a complete reply. */
    private void over() {
        state = State.IDLE;
        current = null;
        heldOver();
        left();
    }

    private void heldOver() {
        HeldInsert insert = held;
        held = null;
        if (insert != null) {
            insert.over();
        }
    }

    /**
     * Returns whether a limit may refuse the command. No limit refuses a command within a
     * transaction, because other clients may wait for the transaction's locks.
     */
    private boolean mayBeRefused(Forwarding forwarding) {
        boolean works = switch (forwarding.kind()) {
            case SELECT, INSERT, UPDATE, DELETE, CALL -> true;
            default -> false;
        };
        return works && !settings.transactionOpen() && !settings.current().isOpenHere();
    }

    /** Runs internal commands before a local answer. If a command fails, its error is the reply. */
    public void ask(List<Preamble> preambles, Reply reply, Runnable then) {
        Forwarding asking = Forwarding.command(reply, Unpooled::buffer, done -> {});
        begin(asking, () -> {
            ArrayDeque<Preamble> all = new ArrayDeque<>(late.overdue());
            all.addAll(preambles);
            internal.run(asking, all, () -> {
                becomes(State.PREAMBLE, State.IDLE);
                current = null;
                then.run();
            });
        });
    }

    /** Returns whether the gateway may answer a command with an earlier reply of the store. */
    boolean mayAnswer() {
        return state == State.IDLE && life == Life.OPEN && fencing.isOpen();
    }

    /** Returns whether a store session is being opened for the client. */
    boolean isOpening() {
        return idle != null && idle.isOpening();
    }

    void transactionSettled() {
        if (transaction != null) {
            transaction.settled();
        }
    }

    private void relay(Forwarding forwarding) {
        becomes(State.PREAMBLE, State.RELAYING);
        sentNanos = clock.getAsLong();
        relayed.relay(forwarding, !fencing.isOpen());
    }

    /** Answers the command with an error, without sending the command. */
    void refuse(Forwarding forwarding, ErrPacket error) {
        over();
        fencing.ended(settings.transactionOpen(), false);
        if (forwarding.observer() != null) {
            forwarding.observer().lost();
        }
        refuse(forwarding.silent() ? null : error, forwarding.continued(), forwarding.reply());
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

    /** Called when the reply to the client's command is complete. */
    void completed(ReplyScanner scanned) {
        Forwarding forwarding = current;
        if (forwarding == null) {
            // The store session counts as lost since the command was sent.
            relayed.drop();
            return;
        }
        forwarding.reply().run(() -> {
            becomes(State.RELAYING, State.SETTLING);
            ReplySummary summary = scanned.summary();
            boolean known = effects.received(forwarding, summary);
            forwarding.then().accept(scanned);
            if (known) {
                settled(forwarding, summary.hasStatus(), summary.error() == null);
            } else {
                askStatus(forwarding);
            }
        });
    }

    /**
     * Asks for the status flags, because a failed command may have begun or ended a transaction and
     * an error packet has no status flags.
     */
    private void askStatus(Forwarding forwarding) {
        if (settings.current().isTracked()) {
            // The reply would contain a tracked change that the client's next reply must report.
            settledUnknown(forwarding);
            return;
        }
        // COM_SET_OPTION is the only command with status flags in its reply that changes neither
        // ROW_COUNT() nor the warnings.
        internal.send(forwarding, option(), null, reply -> {
            if (reply.summary().hasStatus()) {
                stored(reply.summary());
                settled(forwarding, true, false);
            } else {
                settledUnknown(forwarding);
            }
        });
    }

    /**
     * Ends a command with an unknown effect. The session then counts as within a transaction,
     * because the command may have begun one.
     */
    private void settledUnknown(Forwarding forwarding) {
        late.status(late.status | ServerStatus.SERVER_STATUS_IN_TRANS);
        settled(forwarding, false, false);
    }

    private void settled(Forwarding forwarding, boolean received, boolean ok) {
        becomes(State.SETTLING, State.IDLE);
        current = null;
        left();
        effects.settled(forwarding, received, ok);
        transactionSettled();
        fencing.ended(settings.transactionOpen(), ReplyEffects.mayCommit(forwarding.kind()));
        if (forwarding.observer() != null) {
            forwarding.observer().end();
        }
        heldOver();
        runAfterLast();
        relayed.finish(forwarding.reply());
    }

    /** Records the reply to any command at the store. */
    void stored(ReplySummary summary) {
        usedNanos = clock.getAsLong();
        late.stored(summary);
    }

    /** Called when the store no longer runs the current command. */
    private void left() {
        if (share != null) {
            share.ends();
        }
    }

    private void runAfterLast() {
        Runnable task = afterLast;
        afterLast = null;
        if (task != null) {
            task.run();
        }
    }

    /** Called when the store session is lost, or counts as lost, during a command. */
    void lost(Throwable cause) {
        boolean complete = state == State.SETTLING;
        boolean sent = isSent();
        Forwarding lost = abandon();
        if (afterLast != null) {
            runAfterLast();
        } else if (lost != null && life != Life.CLOSED) {
            if (complete) {
                relayed.passHeld(lost.reply());
            }
            disconnect(lost.reply(), sent && lost.reply().nextSequenceId() != 1, cause);
        }
        relayed.drop();
    }

    /** Opens the fence after the loss of the store session. Returns the command, if any. */
    private @Nullable Forwarding abandon() {
        fencing.lost();
        Forwarding forwarding = current;
        over();
        if (forwarding != null && forwarding.observer() != null) {
            forwarding.observer().lost();
        }
        return forwarding;
    }

    /** Returns whether the client's command was sent, and its reply has not ended. */
    private boolean isSent() {
        return state == State.RELAYING || state == State.SETTLING;
    }

    /**
     * Closes the client's connection after the loss of the store session.
     *
     * @param reply the missing or incomplete reply to the current command
     * @param begun whether a part of the reply was sent to the client
     */
    public void disconnect(Reply reply, boolean begun, Throwable cause) {
        boolean orphaned = life == Life.ORPHANED;
        life = life == Life.CLOSED ? Life.CLOSED : Life.LOST;
        LOG.info(
                "Connection {}: its connection to the store is lost ({}), so Keyline disconnects the client",
                reply.connectionId(),
                Unreachable.reason(cause));
        ErrPacket said =
                cause instanceof ServerErrorException received ? received.error() : orphaned ? CONNECTION_LOST : null;
        if (!begun && said != null) {
            reply.error(said);
            reply.end();
        }
        // In the other cases the client gets no error, as when a store closes a session. The reply
        // does not end either, because the client could mistake this end for the end of the next
        // reply.
        reply.closeConnection();
    }

    /** Called when the store closed the session. Returns whether the client stays connected. */
    public boolean becomesOrphan() {
        boolean idle = state == State.IDLE
                && !settings.transactionOpen()
                && !settings.current().isOpenHere();
        if (life == Life.OPEN || life == Life.ORPHANED) {
            life = idle ? Life.ORPHANED : Life.OPEN;
        }
        return life == Life.ORPHANED;
    }

    /** Returns whether the store closed the store session while the client was idle. */
    public boolean isOrphaned() {
        return life == Life.ORPHANED;
    }

    /** Replaces the store session after a change of the user. The old one must be closed. */
    public final void replaceLink(StoreLink other) {
        link = other;
        relayed = new RelayedReply(other, this, fencing);
        if (idle != null) {
            idle.restart();
        }
        diagnostics.begins();
        usedNanos = clock.getAsLong();
        late.begins(other.initialStatus());
        late.status = other.initialStatus();
        settings.begins(late.status);
    }

    /**
     * Sets the client's option of COM_SET_OPTION at a new store session. If that session is lost,
     * disconnects the client.
     *
     * @param reply the reply to the command for which the session was opened
     */
    public void restoreOption(Reply reply, Runnable then) {
        boolean same = multiStatements == loginOption;
        ask(same ? List.of() : List.of(new Preamble(this::option, done -> null)), reply, then);
    }

    private ByteBuf option() {
        return Unpooled.buffer(3).writeByte(CommandCode.COM_SET_OPTION).writeShortLE(multiStatements);
    }

    /** Sends the store a packet that it requested from the client. Borrows the packet. */
    public void answer(ByteBuf packet) {
        relayed.answer(packet);
    }

    /** Asks the store for values. No command may be in progress. */
    public CompletionStage<StoreSession.SessionAnswer> ask(List<String> asked, List<String> counts) {
        diagnostics.asks(!store.has(StoreTrait.SHOWS_VARIABLES));
        return link.ask(asked, counts);
    }

    /** Closes the store session, so that the store rolls back its open transaction. */
    public void endLink() {
        boolean idle = !link.busy();
        link.close(onlyReads());
        if (idle) {
            var unused = abandon();
        }
    }

    /** Ends transaction, locks and temporary tables, then closes the store session. */
    public CompletionStage<Void> endState() {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        boolean resets = store.resetScope() == ResetScope.SETTINGS_AND_STATEMENTS;
        if (isAway() || life != Life.OPEN || link.busy() || !resets) {
            endLink();
            ended.complete(null);
            return ended;
        }
        ByteBuf reset = Unpooled.buffer(1).writeByte(CommandCode.COM_RESET_CONNECTION);
        Runnable over = () -> {
            endLink();
            ended.complete(null);
        };
        link.send(reset, false, new InternalReply(null, reply -> over.run(), cause -> over.run()));
        return ended;
    }

    /** Returns whether the store has run a read for this long without sending any of the reply. */
    public boolean isReading(long nanos) {
        return onlyReads() && relayed.passedBytes() == 0 && clock.getAsLong() - sentNanos >= nanos;
    }

    /**
     * Returns whether the command may be stopped. It may if nothing it writes outlives its session.
     */
    private boolean onlyReads() {
        Forwarding forwarding = current;
        if (forwarding == null || !isSent() || forwarding.continued()) {
            return false;
        }
        boolean reads = switch (forwarding.kind()) {
            case SELECT -> forwarding.text().indexOf("INTO") < 0;
            case SHOW, SHOW_STATUS, EXPLAIN -> true;
            default -> false;
        };
        return reads && (fencing.isOpen() || settings.transactionOpen());
    }

    public boolean isClosed() {
        return life == Life.CLOSED;
    }

    /**
     * Waits for the reply to the current command if the command may write, because the store
     * completes it although the client has disconnected. Until then, the fence over its rows stays
     * closed.
     *
     * @param then runs when the store has replied, or its session is lost
     * @return false, without effect, if no such command is at the store
     */
    public boolean outlivesClient(Runnable then) {
        if (onlyReads() || state != State.RELAYING || !relayed.runsOn()) {
            return false;
        }
        afterLast = then;
        return true;
    }

    /** Called when the client has disconnected. */
    public void close() {
        life = Life.CLOSED;
        HeldInsert insert = held;
        if (insert == null || insert.isAbandoned()) {
            endLink();
        }
    }
}
