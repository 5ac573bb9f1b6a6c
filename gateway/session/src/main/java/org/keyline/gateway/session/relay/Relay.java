package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.List;
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
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.server.Reply;
import org.keyline.stores.Store;
import org.keyline.stores.StoreTrait;

/**
 * Sends a session's commands to its store session, and relays the replies unchanged. The fences of
 * a command must be closed before it is sent. When the reply is complete, the settings and the
 * transaction are updated, and the fence opens unless a transaction keeps it closed. Only then does
 * the client receive the end of the reply. Confined to one event loop.
 */
public final class Relay {
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

    private static final int CURSOR =
            ServerStatus.SERVER_STATUS_CURSOR_EXISTS | ServerStatus.SERVER_STATUS_LAST_ROW_SENT;

    final SessionSettings settings;
    final Store store;
    final SessionDiagnostics diagnostics;
    final LateState late;
    final InternalCommands internal;
    final BorrowedSession borrowed;
    final Fencing fencing;
    private final LongSupplier clock;
    private State state = State.IDLE;
    /** The command under way; null if the session is {@link State#IDLE}. */
    private @Nullable Forwarding current;
    /** The current command if it is an INSERT that can be merged; null for other commands. */
    private @Nullable HeldInsert held;

    private long sentNanos;
    private UserShares.@Nullable Share share;
    /** Runs after the current command of a client that has disconnected. */
    private @Nullable Runnable afterLast;

    /**
     * Creates a relay that begins with this link.
     *
     * @param clock the clock of the cache, in nanoseconds
     * @param capabilities the capabilities of the client's connection
     */
    public Relay(
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
        borrowed = new BorrowedSession(this, link, clock, capabilities);
    }

    /** Returns the status flags for replies of the gateway, as the store would send them. */
    public int status() {
        return settings.current().status(late.status);
    }

    /** Returns the store's last status flags. */
    public int storeStatus() {
        return late.status;
    }

    /** Sets the user's share, whose limit counts later statements. */
    public void within(UserShares.Share of) {
        share = of;
    }

    /** Returns the store session that the client has. */
    public BorrowedSession borrowed() {
        return borrowed;
    }

    /** Returns the internal commands, which run before the client's. */
    public InternalCommands internal() {
        return internal;
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
        long paused = borrowed.relayed().pausedNanos();
        return new Spent(sentNanos - beganNanos, loadNanos, clock.getAsLong() - sentNanos - paused, paused);
    }

    public long replyBytes() {
        return borrowed.relayed().passedBytes();
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
        begin(forwarding, () -> internal.before(forwarding, () -> relay(forwarding)));
    }

    private void begin(Forwarding forwarding, Runnable step) {
        becomes(State.IDLE, State.PREAMBLE);
        current = forwarding;
        IdleStoreSession released = borrowed.idle();
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
        borrowed.link().send(payload, false, to);
    }

    /** Answers the held INSERT as if the packet had come from this store session. */
    void answerHeld(ByteBuf packet) {
        Forwarding forwarding = current;
        if (forwarding == null) {
            packet.release();
            return;
        }
        becomes(State.HELD, State.RELAYING);
        borrowed.used();
        diagnostics.merged();
        borrowed.relayed().answered(packet, forwarding);
    }

    /** Ends the held INSERT of a client that has disconnected. */
    void endHeld() {
        var unused = abandon();
        borrowed.end();
    }

    /** Called when the store no longer runs the current command. */
    private void over() {
        state = State.IDLE;
        current = null;
        HeldInsert insert = held;
        held = null;
        if (insert != null) {
            insert.over();
        }
        if (share != null) {
            share.ends();
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
        return state == State.IDLE && !borrowed.isOver() && fencing.isOpen();
    }

    private void relay(Forwarding forwarding) {
        becomes(State.PREAMBLE, State.RELAYING);
        sentNanos = clock.getAsLong();
        borrowed.relayed().relay(forwarding, !fencing.isOpen());
    }

    /** Answers the command with an error, without sending the command. */
    void refuse(Forwarding forwarding, ErrPacket error) {
        over();
        fencing.ended(settings.transactionOpen(), false);
        if (forwarding.observer() != null) {
            forwarding.observer().lost();
        }
        Forwarding.refuse(forwarding.silent() ? null : error, forwarding.continued(), forwarding.reply());
    }

    /** Called when the reply to the client's command is complete. */
    void completed(ReplyScanner scanned) {
        Forwarding forwarding = current;
        if (forwarding == null) {
            // The store session counts as lost since the command was sent.
            borrowed.relayed().drop();
            return;
        }
        forwarding.reply().run(() -> {
            becomes(State.RELAYING, State.SETTLING);
            ReplySummary summary = scanned.summary();
            boolean known = received(forwarding, summary);
            forwarding.then().accept(scanned);
            if (known) {
                settled(forwarding, summary.hasStatus(), summary.error() == null);
            } else {
                askStatus(forwarding);
            }
        });
    }

    /**
     * Applies a complete reply to the session, except its effect on the transaction.
     *
     * @return whether the reply shows this effect as well
     */
    private boolean received(Forwarding forwarding, ReplySummary summary) {
        boolean ok = summary.error() == null;
        boolean unread = forwarding.isUnread(summary);
        boolean unknown = !ok && !unread && !forwarding.continued() && settings.mayHaveMoved(forwarding.kind());
        FoundRows does = FoundRows.of(store, forwarding.text());
        IdleStoreSession idle = borrowed.idle();
        if (idle != null && does == FoundRows.SETS) {
            idle.counted(does.isSet(summary));
        }
        if (!unread) {
            settings.applied(forwarding.text(), ok);
            settings.answered(forwarding.text(), summary);
        }
        if ((summary.status() & CURSOR) == ServerStatus.SERVER_STATUS_CURSOR_EXISTS) {
            settings.bindings().bind(Binding.CURSOR);
        }
        int modes = late.modes();
        stored(summary);
        if (late.modes() != modes && forwarding.mentions("STATEMENT")) {
            late.retainModes(modes);
        }
        diagnostics.received(forwarding, does, summary);
        return !unknown;
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
        internal.send(forwarding, borrowed.option(), null, reply -> {
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
        if (received) {
            // After an error, the transaction may be in a state in which the store refuses reads
            // that lines would answer. If the store refuses a COMMIT or ROLLBACK, as within XA, the
            // transaction and its snapshot remain.
            boolean was = settings.current().isOpen();
            settings.settled(
                    ok || SessionDiagnostics.isSeveral(forwarding.kind()) ? forwarding.kind() : StatementKind.OTHER,
                    forwarding.touches() || !ok,
                    forwarding.chooses());
            boolean ends = ok && forwarding.kind() != StatementKind.OTHER && forwarding.mayCommit();
            if (was && !ends && !settings.current().isOpen()) {
                settings.current().undone();
            }
        } else if (!ok) {
            settings.failed();
        }
        if (!ok) {
            // From now on, SHOW WARNINGS shows this error, whether the client's command or an
            // internal command caused it.
            diagnostics.forwarded();
        }
        internal.settled();
        fencing.ended(settings.transactionOpen(), forwarding.mayCommit());
        if (forwarding.observer() != null) {
            forwarding.observer().end();
        }
        over();
        runAfterLast();
        borrowed.relayed().finish(forwarding.reply());
    }

    /** Records the reply to any command at the store. */
    void stored(ReplySummary summary) {
        borrowed.used();
        late.stored(summary);
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
        } else if (lost != null && !borrowed.isClosed()) {
            if (complete) {
                borrowed.relayed().passHeld(lost.reply());
            }
            borrowed.disconnect(lost.reply(), sent && lost.reply().nextSequenceId() != 1, cause);
        }
        borrowed.relayed().drop();
    }

    /** Opens the fence after the loss of the store session. Returns the command, if any. */
    @Nullable
    Forwarding abandon() {
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

    /** Sends the store a packet that it requested from the client. Borrows the packet. */
    public void answer(ByteBuf packet) {
        borrowed.relayed().answer(packet);
    }

    /** Returns whether the store has run a read for this long without sending any of the reply. */
    public boolean isReading(long nanos) {
        return onlyReads() && borrowed.relayed().passedBytes() == 0 && clock.getAsLong() - sentNanos >= nanos;
    }

    /** Returns whether the command may be stopped: nothing that it writes outlives its session. */
    boolean onlyReads() {
        Forwarding forwarding = current;
        return forwarding != null
                && isSent()
                && !forwarding.continued()
                && forwarding.onlyReads()
                && (fencing.isOpen() || settings.transactionOpen());
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
        if (onlyReads() || state != State.RELAYING || !borrowed.relayed().runsOn()) {
            return false;
        }
        afterLast = then;
        return true;
    }

    /** Called when the client has disconnected. An INSERT in a batch outlives the client. */
    void closed() {
        HeldInsert insert = held;
        if (insert == null || insert.isAbandoned()) {
            borrowed.end();
        }
    }
}
