package org.keyline.gateway.session.relay;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.read.ReplyObserver;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.Peer;
import org.keyline.protocol.server.RelayedChangeUser;
import org.keyline.protocol.server.Reply;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.StoreSession;

/** Runs client and internal commands at a store session, one by one. Confined to one event loop. */
public final class StoreLink implements ReplyListener {
    private static final int MAX_HEAD_BYTES = 256 << 10;
    /** Index of the statement id in a PREPARE_OK with its header. */
    public static final int STATEMENT_ID_AT = 5;

    interface Completion {
        /**
         * Called at the end of each result except the last, before the client gets this end. Only
         * called if the end of the reply is held back.
         */
        default void partly() {}

        /**
         * Returns a stage that must complete before the client gets the reply to a write; null for
         * no delay. The stage can complete on any thread.
         */
        default @Nullable CompletionStage<Void> taken() {
            return null;
        }

        /**
         * Called when the reply is complete. The held-back end of a relayed reply goes to the
         * client after this method returns. If the method has begun an internal command, the end
         * waits for that command as well.
         */
        void completed(ReplyScanner reply);

        /** Called when the store session has closed. The command's outcome is unknown. */
        void lost(Throwable cause);
    }

    /** Runs when the store closes the session. By default, closes the client's connection. */
    public static final class End implements Runnable {
        private Runnable listener;
        private @Nullable Runnable over;

        public End(Peer peer) {
            listener = peer::closeConnection;
        }

        @Override
        public void run() {
            over();
            listener.run();
        }

        private void over() {
            Runnable once = over;
            over = null;
            if (once != null) {
                once.run();
            }
        }
    }

    private final StoreSession store;
    private final End end;
    /** Scans replies of sessions without a scanner, and replies whose head must be copied. */
    private final ReplyScanner own = new ReplyScanner(MAX_HEAD_BYTES);

    private ReplyScanner scanner = own;

    /** The listener of the running command; null if no command runs. */
    private @Nullable Completion completion;
    /** The running command of the client; null if no command of the client runs. */
    private @Nullable Forwarding relayed;

    private @Nullable ReplyCheck check;
    private boolean holdBack;
    private boolean paused;
    private long pausedSinceNanos;
    private long pausedNanos;
    private int resultsSeen;
    private long passedBytes;
    private boolean lost;
    private boolean closed;
    private boolean unfinished;
    /** Whether the client has disconnected during the current reply. */
    private boolean unread;

    /** Whether the client's last packet continues in the next packet, which can be empty. */
    private boolean answerContinued;

    private volatile @Nullable Runnable wanted;

    private @Nullable ByteBuf held;
    /** Packets that are held back go to the client only after this stage completes. */
    private @Nullable CompletionStage<Void> gate;
    /** A reply whose end waits for the internal command that runs after its own command. */
    private @Nullable Reply ending;

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
        Runnable before = end.over;
        end.over = before == null
                ? task
                : () -> {
                    before.run();
                    task.run();
                };
    }

    /** Sets the task that {@link #isWanted} runs, on any thread. */
    public void onWanted(Runnable task) {
        wanted = task;
    }

    /** Called when another client needs a store session and the limit is reached. Thread-safe. */
    public void isWanted() {
        Runnable task = wanted;
        if (task != null) {
            task.run();
        }
    }

    int initialStatus() {
        return store.initialStatus();
    }

    int capabilities() {
        return store.capabilities();
    }

    /** Asks the store for values. No command may be in progress. */
    CompletionStage<StoreSession.SessionAnswer> ask(List<String> asked, List<String> counts) {
        return store.ask(asked, counts);
    }

    /** Returns how long the current reply has waited because the client did not read. */
    long pausedNanos() {
        return paused ? pausedNanos + System.nanoTime() - pausedSinceNanos : pausedNanos;
    }

    /** Returns the number of bytes of the relayed reply so far. */
    long passedBytes() {
        return passedBytes;
    }

    boolean busy() {
        return completion != null;
    }

    /** Returns whether the client's command was sent, and its reply is not complete. */
    boolean isRelaying() {
        return relayed != null || ending != null;
    }

    /**
     * Sends a command, and relays its reply to the end.
     *
     * @param holdLast whether to hold back the last packets until {@code then} was notified of the
     * end
     */
    void relay(Forwarding command, boolean holdLast, Completion then) {
        begins(command, holdLast);
        if (unfinished) {
            command.reply().clientPackets(this::more);
        }
        ByteBuf payload = command.payload().get();
        try {
            send(payload, then);
        } finally {
            payload.release();
        }
    }

    /**
     * Relays a reply of one packet to a command that ran on another store session.
     *
     * @param packet the packet with its header, whose ownership passes to this object
     */
    void answered(ByteBuf packet, Forwarding command, Completion then) {
        if (completion != null) {
            throw new IllegalStateException("a command is in progress");
        }
        begins(command, true);
        completion = then;
        scanner = own;
        own.begin(CommandCode.COM_QUERY, store.capabilities(), ReplyScanner.ANY_SEQUENCE_ID);
        packets(packet);
        end();
    }

    private void begins(Forwarding command, boolean holdLast) {
        relayed = command;
        pausedNanos = 0;
        passedBytes = 0;
        resultsSeen = 0;
        holdBack = holdLast;
        unfinished = command.continued();
    }

    /**
     * Sends an internal command.
     *
     * @param payload the command; this method releases it
     * @param checked receives the packets of the reply; null if the reply is not checked
     */
    void preamble(ByteBuf payload, @Nullable ReplyCheck checked, Completion then) {
        check = checked;
        unfinished = false;
        try {
            send(payload, then);
        } finally {
            payload.release();
        }
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

    /**
     * Continues to receive the reply after the client has disconnected.
     *
     * @return false if the store has not received a complete command of the client
     */
    boolean runsOn() {
        Forwarding command = relayed;
        boolean whole = command != null && command.translation() == null && !unfinished && !scanner.awaitsClient();
        if (!whole || lost || closed) {
            return false;
        }
        unread = true;
        if (paused) {
            resume();
        }
        return true;
    }

    /**
     * Closes the store session. A running command is still notified of its loss.
     *
     * @param interrupts whether to ask the store to stop that command, whose outcome is no longer
     * needed
     */
    public void close(boolean interrupts) {
        if (!closed) {
            closed = true;
            if (interrupts) {
                store.abandon();
            } else {
                store.close();
            }
            end.over();
        }
    }

    private void send(ByteBuf payload, Completion then) {
        if (completion != null) {
            throw new IllegalStateException("a command is in progress");
        }
        completion = then;
        int code = payload.getUnsignedByte(payload.readerIndex());
        ReplyScanner followed = code == CommandCode.COM_STMT_PREPARE ? null : store.replies();
        scanner = followed == null ? own : followed;
        if (followed == null) {
            own.begin(code, store.capabilities(), ReplyScanner.ANY_SEQUENCE_ID);
        }
        if (unfinished) {
            store.begin(payload, this);
        } else {
            store.send(payload, this);
        }
    }

    private void more(ByteBuf packet) {
        if (unfinished && !lost && !closed) {
            unfinished = packet.readableBytes() == Packets.MAX_PAYLOAD_BYTES;
            store.more(packet);
            regulateClient();
        }
    }

    @Override
    public boolean awaited() {
        Forwarding command = relayed;
        if (command == null) {
            return false;
        }
        if (unread) {
            // This is LOAD DATA LOCAL, and the client that would send the file has disconnected.
            close(false);
            return true;
        }
        command.reply().run(() -> whenOpen(command.reply(), gate, () -> ask(command)));
        return true;
    }

    private void ask(Forwarding command) {
        // The reply continues only after the client has answered the held-back request.
        ByteBuf last = takeHeld();
        if (last != null) {
            command.reply().framed(last);
        }
        RelayedChangeUser translation = command.translation();
        if (translation != null) {
            translation.awaited();
        } else {
            command.reply().clientPackets(this::answer);
        }
    }

    /** Sends a packet that the store awaits. Borrows the packet. */
    void answer(ByteBuf packet) {
        if (scanner.awaitsClient() && !lost && !closed) {
            boolean ends = !own.awaitsFile() || (!packet.isReadable() && !answerContinued);
            answerContinued = packet.readableBytes() == Packets.MAX_PAYLOAD_BYTES;
            if (scanner == own && ends) {
                own.resume(ReplyScanner.ANY_SEQUENCE_ID);
            }
            store.answer(packet);
            regulateClient();
        }
    }

    /** Stops reading from a client that sends faster than the store accepts. */
    private void regulateClient() {
        Forwarding command = relayed;
        if (command != null && !store.writable()) {
            command.reply().pauseClient();
            store.onWritable(command.reply()::resumeClient);
        }
    }

    /**
     * Sends the client the rest of a complete reply. The store session was lost during the internal
     * command after this reply.
     */
    void passHeld() {
        Reply reply = ending;
        if (reply != null && gate == null && held != null) {
            reply.framed(requireNonNull(takeHeld()));
        }
    }

    private @Nullable ByteBuf takeHeld() {
        ByteBuf last = held;
        held = null;
        return last;
    }

    @Override
    public void packets(ByteBuf framed) {
        if (lost) {
            framed.release();
            return;
        }
        int from = framed.readerIndex();
        try {
            if (scanner == own) {
                own.scan(framed, from, framed.writerIndex());
            }
        } catch (ProtocolException e) {
            framed.release();
            lost(e);
            close(false);
            return;
        }
        Forwarding command = relayed;
        if (command == null) {
            if (check != null) {
                check.packets(framed);
            }
            framed.release();
            return;
        }
        if (passedBytes == 0 && command.shownId() != 0 && scanner.summary().isPrepared()) {
            framed.setIntLE(from + STATEMENT_ID_AT, command.shownId());
        }
        command.reply().run(() -> pass(framed, command));
    }

    private void pass(ByteBuf framed, Forwarding command) {
        RelayedChangeUser translation = command.translation();
        if (translation != null && !scanner.ended()) {
            translation.fromServer(framed);
            return;
        }
        Reply reply = command.reply();
        ReplyObserver observer = command.observer();
        passedBytes += framed.readableBytes();
        if (observer != null) {
            observer.packets(framed);
        }
        if (holdBack) {
            notifyOfResults();
            ByteBuf earlier = held;
            boolean waits = gate != null && earlier != null;
            held = waits ? Unpooled.wrappedBuffer(earlier, framed) : framed;
            if (waits || earlier == null) {
                return;
            }
            reply.framed(earlier);
        } else {
            reply.framed(framed);
        }
        if (!reply.writable() && !paused && !unread) {
            paused = true;
            pausedSinceNanos = System.nanoTime();
            if (observer != null) {
                // The reply may also fill a line. Reads that wait for this line must not wait for
                // the slow client.
                observer.lost();
            }
            store.pause();
            reply.onWritable(this::resume);
        }
    }

    private void notifyOfResults() {
        int results = scanner.summary().results();
        if (results != resultsSeen && completion != null && !scanner.ended()) {
            resultsSeen = results;
            completion.partly();
            hold(completion.taken());
        }
    }

    /** Holds back further packets to the client, and pauses the reply of the store. */
    private void hold(@Nullable CompletionStage<Void> taken) {
        Forwarding command = relayed;
        if (taken == null || command == null) {
            return;
        }
        gate = taken;
        store.pause();
        whenOpen(command.reply(), taken, () -> {
            if (gate == taken) {
                gate = null;
                if (!paused && !closed && !lost) {
                    store.resume();
                }
            }
        });
    }

    /** Runs a step at once, or when the stage that delays the reply completes. */
    private static void whenOpen(Reply reply, @Nullable CompletionStage<Void> taken, Runnable step) {
        if (taken == null) {
            step.run();
            return;
        }
        taken.whenComplete((done, never) -> reply.run(step));
    }

    private void resume() {
        paused = false;
        pausedNanos += System.nanoTime() - pausedSinceNanos;
        if (gate == null && !closed && !lost) {
            store.resume();
        }
    }

    @Override
    public void end() {
        if (lost) {
            return;
        }
        Completion then = requireNonNull(completion, "no command is under way");
        Reply reply = relayed != null ? relayed.reply() : ending;
        completion = null;
        relayed = null;
        ending = null;
        if (reply == null) {
            then.completed(scanner);
            if (completion == null) {
                own.forgetHead();
            }
            return;
        }
        reply.run(() -> {
            then.completed(scanner);
            if (completion != null) {
                ending = reply;
                return;
            }
            own.forgetHead();
            CompletionStage<Void> taken = then.taken();
            CompletionStage<Void> before = gate;
            gate = null;
            // The client gets the store's reply even if the session closes meanwhile.
            ByteBuf last = takeHeld();
            boolean refused = unfinished;
            whenOpen(reply, before, () -> whenOpen(reply, taken, () -> finish(reply, last, refused)));
        });
    }

    /**
     * @param refused whether the store refused a command whose last packets the client has not sent
     * yet; these packets still belong to this command
     */
    private void finish(Reply reply, @Nullable ByteBuf last, boolean refused) {
        if (last != null) {
            reply.framed(last);
        }
        endReply(reply);
        if (refused) {
            reply.closeConnection();
        }
    }

    /** Ends the reply when the store accepts more data, so that silent commands do not pile up. */
    private void endReply(Reply reply) {
        if (store.writable() || lost || closed) {
            reply.end();
        } else {
            store.onWritable(() -> reply.run(reply::end));
        }
    }

    @Override
    public void lost(Throwable cause) {
        if (lost) {
            return;
        }
        lost = true;
        Completion then = completion;
        completion = null;
        if (then != null) {
            then.lost(cause);
        }
        ByteBuf last = takeHeld();
        if (last != null) {
            last.release();
        }
        relayed = null;
        ending = null;
    }
}
