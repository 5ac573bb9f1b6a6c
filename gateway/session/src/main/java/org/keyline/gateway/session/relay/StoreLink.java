package org.keyline.gateway.session.relay;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.Peer;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.StoreSession;

/** A client's store session, which runs commands one by one. Confined to one event loop. */
public final class StoreLink implements ReplyListener {
    /** Receives the reply to a command: packets, then exactly one of the other two. */
    interface Receiver {
        /**
         * Receives whole packets with their headers.
         *
         * @param framed the packets, owned by the callee
         */
        void packets(ByteBuf framed);

        /** Called when the store awaits packets of the client. Returns whether they will come. */
        default boolean awaited() {
            return false;
        }

        /** Called when the reply is complete. The store session can run the next command now. */
        void completed(ReplyScanner reply);

        /** Called when the store session has closed. The command's outcome is unknown. */
        void lost(Throwable cause);
    }

    /** Runs when the store closes the session. By default, closes the client's connection. */
    public static final class End implements Runnable {
        private final CompletableFuture<Void> over = new CompletableFuture<>();
        private Runnable listener;

        public End(Peer peer) {
            listener = peer::closeConnection;
        }

        @Override
        public void run() {
            over.complete(null);
            listener.run();
        }
    }

    private enum Life {
        OPEN,
        /** Closed by the gateway. A running command is still notified of its loss. */
        CLOSED,
        /** The running command was notified of its loss. */
        LOST
    }

    /** Index of the statement id in a PREPARE_OK with its header. */
    public static final int STATEMENT_ID_AT = 5;

    private static final int MAX_HEAD_BYTES = 256 << 10;

    final StoreSession store;
    private final End end;
    /** Scans replies of sessions without a scanner, and replies whose head must be copied. */
    private final ReplyScanner own = new ReplyScanner(MAX_HEAD_BYTES);

    private ReplyScanner scanner = own;
    /** The receiver of the running command's reply; null if no command runs. */
    private @Nullable Receiver receiver;

    private Life life = Life.OPEN;
    /** Whether the client's last packet continues in the next packet, which can be empty. */
    private boolean answerContinued;

    private volatile Runnable wanted = () -> {};

    /** @param end the listener that was registered with the store session */
    public StoreLink(StoreSession store, End end) {
        this.store = store;
        this.end = end;
    }

    /** Sets what runs when the store closes the session, after the current command's listener. */
    public void onEnd(Runnable listener) {
        end.listener = listener;
    }

    /** Adds a task that runs once, when either side closes the store session. */
    public void onOver(Runnable task) {
        var unused = end.over.thenRun(task);
    }

    /** Sets the task that {@link #isWanted} runs, on any thread. */
    public void onWanted(Runnable task) {
        wanted = task;
    }

    /** Called when another client needs a store session and the limit is reached. Thread-safe. */
    public void isWanted() {
        wanted.run();
    }

    boolean busy() {
        return receiver != null;
    }

    boolean isOpen() {
        return life == Life.OPEN;
    }

    /** Returns the scanner of the last command's reply. */
    ReplyScanner scanner() {
        return scanner;
    }

    // ---------------------------------------------------------------- commands

    /**
     * Sends a command.
     *
     * @param payload the command; this method releases it
     * @param continued whether the payload is only the first packet of the command, whose other
     * packets go to the store session as they arrive
     */
    void send(ByteBuf payload, boolean continued, Receiver to) {
        try {
            begins(to);
            int code = payload.getUnsignedByte(payload.readerIndex());
            ReplyScanner followed = code == CommandCode.COM_STMT_PREPARE ? null : store.replies();
            scanner = followed == null ? own : followed;
            if (followed == null) {
                own.begin(code, store.capabilities(), ReplyScanner.ANY_SEQUENCE_ID);
            }
            if (continued) {
                store.begin(payload, this);
            } else {
                store.send(payload, this);
            }
        } finally {
            payload.release();
        }
    }

    /** Receives a reply of one packet, header included, to a command of another store session. */
    void answered(ByteBuf packet, Receiver to) {
        begins(to);
        scanner = own;
        own.begin(CommandCode.COM_QUERY, store.capabilities(), ReplyScanner.ANY_SEQUENCE_ID);
        packets(packet);
        end();
    }

    private void begins(Receiver to) {
        if (receiver != null) {
            throw new IllegalStateException("a command is in progress");
        }
        receiver = to;
    }

    /** Returns whether the store session accepts a command before the reply to the previous one. */
    boolean sendsAhead() {
        return store.replies() != null;
    }

    /**
     * Sends an internal command together with the next command, which must follow at once.
     *
     * @param payload the internal command; this method releases it
     * @param then receives the reply, unless the store session is lost before it
     */
    void ahead(ByteBuf payload, Consumer<ReplyScanner> then) {
        ReplyScanner replies = requireNonNull(store.replies(), "the session's scanner");
        try {
            store.sendAhead(payload, new ReplyListener() {
                @Override
                public void packets(ByteBuf framed) {
                    framed.release();
                }

                @Override
                public void end() {
                    then.accept(replies);
                }

                @Override
                public void lost(Throwable cause) {
                    // The next command is lost as well, and its listener is notified.
                }
            });
        } finally {
            payload.release();
        }
    }

    /** Sends a packet that the store awaits. Borrows the packet. Returns whether it was sent. */
    boolean answer(ByteBuf packet) {
        if (!scanner.awaitsClient() || life != Life.OPEN) {
            return false;
        }
        boolean ends = !own.awaitsFile() || (!packet.isReadable() && !answerContinued);
        answerContinued = packet.readableBytes() == Packets.MAX_PAYLOAD_BYTES;
        if (scanner == own && ends) {
            own.resume(ReplyScanner.ANY_SEQUENCE_ID);
        }
        store.answer(packet);
        return true;
    }

    void resume() {
        if (life == Life.OPEN) {
            store.resume();
        }
    }

    /**
     * Closes the store session. A running command is still notified of its loss.
     *
     * @param interrupts whether to ask the store to stop that command, whose outcome is no longer
     * needed
     */
    public void close(boolean interrupts) {
        if (life == Life.CLOSED) {
            return;
        }
        life = life == Life.OPEN ? Life.CLOSED : life;
        if (interrupts) {
            store.abandon();
        } else {
            store.close();
        }
        end.over.complete(null);
    }

    // ---------------------------------------------------------------- the reply

    @Override
    public void packets(ByteBuf framed) {
        Receiver to = receiver;
        if (life == Life.LOST || to == null) {
            framed.release();
            return;
        }
        try {
            if (scanner == own) {
                own.scan(framed, framed.readerIndex(), framed.writerIndex());
            }
        } catch (ProtocolException e) {
            framed.release();
            lost(e);
            close(false);
            return;
        }
        to.packets(framed);
    }

    @Override
    public boolean awaited() {
        return receiver != null && receiver.awaited();
    }

    @Override
    public void end() {
        if (life == Life.LOST) {
            return;
        }
        Receiver to = requireNonNull(receiver, "no command is under way");
        receiver = null;
        to.completed(scanner);
        if (receiver == null) {
            own.forgetHead();
        }
    }

    @Override
    public void lost(Throwable cause) {
        if (life == Life.LOST) {
            return;
        }
        life = Life.LOST;
        Receiver to = receiver;
        receiver = null;
        if (to != null) {
            to.lost(cause);
        }
    }
}
