package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.settings.Binding;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.client.ServerErrorException;
import org.keyline.protocol.client.Unreachable;
import org.keyline.protocol.server.Reply;
import org.keyline.stores.ResetScope;
import org.keyline.stores.StoreSession;
import org.keyline.stores.StoreTrait;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store session that a client has: how it is released and replaced, and how the client or the
 * store leaves it. Confined to one event loop.
 */
public final class BorrowedSession {
    private enum Life {
        OPEN,
        ORPHANED,
        /** The gateway is closing the client's connection. */
        LOST,
        CLOSED
    }

    private static final Logger LOG = LoggerFactory.getLogger(BorrowedSession.class);

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

    private final Relay relay;
    private final SessionSettings settings;
    private final LongSupplier clock;
    private StoreLink link;
    private RelayedReply relayed;
    private Life life = Life.OPEN;
    /** The option of COM_SET_OPTION that is in effect. */
    private int multiStatements;

    private final int loginOption;
    private long usedNanos;
    /** Releases the idle client's store session; null if the client always has the same one. */
    private @Nullable IdleStoreSession idle;

    BorrowedSession(Relay relay, StoreLink link, LongSupplier clock, int capabilities) {
        this.relay = relay;
        this.settings = relay.settings;
        this.clock = clock;
        loginOption = Capabilities.has(capabilities, Capabilities.CLIENT_MULTI_STATEMENTS) ? 0 : 1;
        multiStatements = loginOption;
        attach(link);
        begins();
    }

    StoreLink link() {
        return link;
    }

    /** Returns the relay of replies from the store session. */
    RelayedReply relayed() {
        return relayed;
    }

    @Nullable
    IdleStoreSession idle() {
        return idle;
    }

    /** Called when the store has replied. */
    void used() {
        usedNanos = clock.getAsLong();
    }

    /** Returns the capabilities of the store session, which affect its replies. */
    public int storeCapabilities() {
        return link.store.capabilities();
    }

    /** Returns the time from which reads go to the store, which closes idle sessions. */
    public long dueNanos() {
        long seconds = settings.variables().idleSeconds();
        return usedNanos + (seconds == 0 || isAway() ? FOR_EVER_NANOS : TimeUnit.SECONDS.toNanos(seconds) / IDLE_PARTS);
    }

    /** Records an option of COM_SET_OPTION that the store accepted. */
    public void multiStatements(int option) {
        multiStatements = option;
    }

    // ---------------------------------------------------------------- release while idle

    /**
     * Allows the release of the store session while the client is idle.
     *
     * @param opener opens a store session as the client's login did
     * @param released runs after each release
     */
    public void releaseWhenIdle(
            Supplier<CompletionStage<StoreLink>> opener, IdleStoreSession.Counts counts, Runnable released) {
        settings.bindings().follow();
        idle = new IdleStoreSession(relay, opener, counts, released);
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
        if (!relay.isIdle() || link.busy() || life != Life.OPEN) {
            return Binding.BUSY;
        }
        if (multiStatements != loginOption) {
            // COM_RESET_CONNECTION does not end this binding, because it does not reset the option.
            return Binding.SETTING;
        }
        if (relay.diagnostics.hasSome()) {
            return Binding.WARNINGS;
        }
        if (relay.late.owes()) {
            return Binding.TRACKED;
        }
        return relay.diagnostics.hasRowCount() ? Binding.ROW_COUNT : settings.binding();
    }

    /**
     * Releases the store session, after the store was asked for unknown values. Nothing may
     * {@linkplain #binding bind} the client to the store session.
     *
     * @param found whether FOUND_ROWS() is known without the store
     */
    public void release(boolean found) {
        if (idle != null) {
            idle.release(link, found ? 0 : relay.diagnostics.foundRows(), relay.diagnostics.isAfterResult());
        }
    }

    public long idleNanos() {
        return clock.getAsLong() - usedNanos;
    }

    /** Opens a store session if none exists, for a KILL that names the client. */
    public CompletionStage<Void> back() {
        return idle == null ? CompletableFuture.completedFuture(null) : idle.back();
    }

    /** Continues with a store session that was opened for the client. */
    void takes(StoreLink other) {
        attach(other);
        settings.storeSessionIsAnother();
    }

    private void attach(StoreLink other) {
        link = other;
        relayed = new RelayedReply(other, relay);
        relay.diagnostics.reset();
        relay.late.begins(other.store.initialStatus());
        used();
    }

    /** Returns whether a store session is being opened for the client. */
    boolean isOpening() {
        return idle != null && idle.isOpening();
    }

    boolean isAt(StoreLink other) {
        return link == other && !isOver();
    }

    /** Returns whether the client has disconnected, or the store has closed the store session. */
    boolean isOver() {
        return life != Life.OPEN;
    }

    // ---------------------------------------------------------------- the end

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
        boolean idle = relay.isIdle()
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
    public void replaceLink(StoreLink other) {
        attach(other);
        if (idle != null) {
            idle.restart();
        }
        begins();
    }

    private void begins() {
        relay.diagnostics.begins();
        relay.late.status = link.store.initialStatus();
        settings.begins(relay.late.status);
    }

    /**
     * Sets the client's option of COM_SET_OPTION at a new store session. If that session is lost,
     * disconnects the client.
     *
     * @param reply the reply to the command for which the session was opened
     */
    public void restoreOption(Reply reply, Runnable then) {
        boolean same = multiStatements == loginOption;
        relay.ask(same ? List.of() : List.of(new Preamble(this::option, done -> null)), reply, then);
    }

    ByteBuf option() {
        return Unpooled.buffer(3).writeByte(CommandCode.COM_SET_OPTION).writeShortLE(multiStatements);
    }

    /** Asks the store for values. No command may be in progress. */
    public CompletionStage<StoreSession.SessionAnswer> ask(List<String> asked, List<String> counts) {
        // The counts are a list of several rows.
        relay.diagnostics.asks(!relay.store.has(StoreTrait.SHOWS_VARIABLES), counts.isEmpty());
        return link.store.ask(asked, counts);
    }

    /** Closes the store session, so that the store rolls back its open transaction. */
    void end() {
        boolean idle = !link.busy();
        link.close(relay.onlyReads());
        if (idle) {
            var unused = relay.abandon();
        }
    }

    /** Ends transaction, locks and temporary tables, then closes the store session. */
    public CompletionStage<Void> endState() {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Runnable over = () -> {
            end();
            ended.complete(null);
        };
        boolean resets = relay.store.resetScope() == ResetScope.SETTINGS_AND_STATEMENTS;
        if (isAway() || life != Life.OPEN || link.busy() || !resets) {
            over.run();
        } else {
            ByteBuf reset = Preamble.command(CommandCode.COM_RESET_CONNECTION);
            link.send(reset, false, new InternalReply(null, reply -> over.run(), cause -> over.run()));
        }
        return ended;
    }

    public boolean isClosed() {
        return life == Life.CLOSED;
    }

    /** Called when the client has disconnected. */
    public void close() {
        life = Life.CLOSED;
        relay.closed();
    }
}
