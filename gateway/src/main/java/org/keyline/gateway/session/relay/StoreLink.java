package org.keyline.gateway.session.relay;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.concurrent.CompletionStage;
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

/**
 * The client's own store session, one command at a time: relayed to the client as it comes, or run as an errand of the
 * gateway, whose reply the client does not see. Confined to one event loop.
 */
public final class StoreLink implements ReplyListener {
    private static final int MAX_HEAD_BYTES = 256 << 10;
    /** Where the statement id stands in a PREPARE_OK with its header. */
    public static final int STATEMENT_ID_AT = 5;

    /** Hears how a command ended. */
    interface Completion {
        /** One of several results is complete, and goes to the client before the end of the reply: only where the end is held back. */
        default void partly() {}

        /**
         * Asked after each of these two: ends when the client may hear of what it wrote; null: at once. In any thread.
         */
        default @Nullable CompletionStage<Void> taken() {
            return null;
        }

        /** The reply is complete; what of a relayed one was held back goes to the client after this returns, and after the errand it began. */
        void completed(ReplyScanner reply);

        /** The store session is gone; the outcome of the command is unknown. */
        void lost(Throwable cause);
    }

    /** What happens when the store ends the session by itself: until somebody says otherwise, its client's connection ends. */
    public static final class End implements Runnable {
        private Runnable hearer;
        private @Nullable Runnable over;

        /** @param peer whose connection ends with the store session, unless somebody else hears of that */
        public End(Peer peer) {
            hearer = peer::closeConnection;
        }

        @Override
        public void run() {
            over();
            hearer.run();
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
    /** For sessions that do not follow their replies, and for replies whose head is to be kept. */
    private final ReplyScanner own = new ReplyScanner(MAX_HEAD_BYTES);

    private ReplyScanner scanner = own;

    private @Nullable Completion completion;
    private @Nullable Reply client;
    private @Nullable ReplyObserver observer;
    private @Nullable ReplyCheck check;
    private @Nullable RelayedChangeUser translation;
    private boolean holdBack;
    private int statementId;
    private boolean paused;
    private long pausedSinceNanos;
    private long pausedNanos;
    private int resultsTold;
    private long passedBytes;
    private boolean lost;
    private boolean closed;
    private boolean unfinished;
    /** The client's last packet amid a reply goes on in its next, even if that is empty. */
    private boolean answerContinued;

    private volatile @Nullable Runnable wanted;

    private @Nullable ByteBuf held;
    /** Until it ends, the client hears of nothing that is held back. */
    private @Nullable CompletionStage<Void> gate;
    /** Whose reply ends when the errand does that followed the command. */
    private @Nullable Reply ending;

    /** @param end of this session, as the store was told of it */
    public StoreLink(StoreSession store, End end) {
        this.store = store;
        this.end = end;
    }

    /** From now on this runs when the store ends the session by itself, after the command under way, if any, heard that it is lost. */
    public void onEnd(Runnable hearer) {
        end.hearer = hearer;
    }

    /** From now on this runs, once, when the store session is closed by either side. */
    public void onOver(Runnable task) {
        end.over = task;
    }

    /** From now on this runs, on any thread, when another client wants the room that the store session takes. */
    public void onWanted(Runnable task) {
        wanted = task;
    }

    /** Another client wants the room that the store session takes. Callable by any thread. */
    public void isWanted() {
        Runnable task = wanted;
        if (task != null) {
            task.run();
        }
    }

    /** Status flags as the store session began. */
    int initialStatus() {
        return store.initialStatus();
    }

    /** Asks the store session about itself; no command may be under way. */
    CompletionStage<StoreSession.Told> ask(List<String> asked, List<String> counts) {
        return store.ask(asked, counts);
    }

    /** How long the reply under way was held up, so far, because the client did not take it. */
    long pausedNanos() {
        return paused ? pausedNanos + System.nanoTime() - pausedSinceNanos : pausedNanos;
    }

    /** How long the relayed reply is, so far. */
    long passedBytes() {
        return passedBytes;
    }

    /** Whether a command is under way. */
    boolean busy() {
        return completion != null;
    }

    /**
     * Sends a command and relays its reply, then ends it.
     *
     * @param payload borrowed
     * @param continued whether it is the first packet of a longer command, whose others the client has yet to send
     * @param holdLast whether the last packets wait until {@code then} has heard of the end
     * @param shownStatementId replaces the store's statement id in a PREPARE_OK; 0 leaves it
     * @param seeing sees the packets as they pass; null for none
     * @param begun translates the passwords of a COM_CHANGE_USER; null where they pass as they are
     */
    void relay(
            ByteBuf payload,
            boolean continued,
            Reply reply,
            boolean holdLast,
            int shownStatementId,
            @Nullable ReplyObserver seeing,
            @Nullable RelayedChangeUser begun,
            Completion then) {
        client = reply;
        pausedNanos = 0;
        passedBytes = 0;
        resultsTold = 0;
        translation = begun;
        observer = seeing;
        holdBack = holdLast;
        statementId = shownStatementId;
        unfinished = continued;
        if (continued) {
            reply.clientPackets(this::more);
        }
        send(payload, then);
    }

    /**
     * Relays a reply of one packet that the store session did not send: what the command asks for was done by another.
     *
     * @param packet with its header; consumed
     */
    void answered(ByteBuf packet, Reply reply, Completion then) {
        if (completion != null) {
            throw new IllegalStateException("a command is under way");
        }
        client = reply;
        pausedNanos = 0;
        passedBytes = 0;
        resultsTold = 0;
        translation = null;
        observer = null;
        holdBack = true;
        statementId = 0;
        unfinished = false;
        completion = then;
        scanner = own;
        own.begin(CommandCode.COM_QUERY, store.capabilities(), ReplyScanner.ANY_SEQUENCE_ID);
        packets(packet);
        end();
    }

    /**
     * Sends a command whose reply stays here.
     *
     * @param payload consumed
     * @param checked sees the packets of the reply; null for none
     */
    void errand(ByteBuf payload, @Nullable ReplyCheck checked, Completion then) {
        check = checked;
        client = null;
        observer = null;
        translation = null;
        holdBack = false;
        statementId = 0;
        unfinished = false;
        try {
            send(payload, then);
        } finally {
            payload.release();
        }
    }

    /**
     * Ends the store session. A command under way still hears that it is lost.
     *
     * @param interrupts whether the store is asked to end that command, whose outcome nobody needs
     */
    void close(boolean interrupts) {
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
            throw new IllegalStateException("a command is under way");
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

    /** A further packet of a long command. */
    private void more(ByteBuf packet) {
        if (unfinished && !lost && !closed) {
            unfinished = packet.readableBytes() == Packets.MAX_PAYLOAD_BYTES;
            store.more(packet);
            regulateClient();
        }
    }

    @Override
    public boolean awaited() {
        Reply reply = client;
        if (reply == null) {
            return false;
        }
        reply.run(() -> whenOpen(reply, gate, () -> ask(reply)));
        return true;
    }

    private void ask(Reply reply) {
        // What the client is asked must not wait for the reply's end.
        showHeld(reply);
        if (translation != null) {
            translation.awaited();
        } else {
            reply.clientPackets(this::answer);
        }
    }

    /** A packet that the store awaits. Borrowed. */
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

    /** A client that sends faster than the store takes is not read from. */
    private void regulateClient() {
        Reply reply = client;
        if (reply != null && !store.writable()) {
            reply.pauseClient();
            store.onWritable(reply::resumeClient);
        }
    }

    private void showHeld(Reply reply) {
        ByteBuf last = held;
        held = null;
        if (last != null) {
            reply.framed(last);
        }
    }

    @Override
    public void packets(ByteBuf framed) {
        if (lost) {
            framed.release();
            return;
        }
        int from = framed.readerIndex();
        try {
            boolean first = statementId != 0;
            if (scanner == own) {
                own.scan(framed, from, framed.writerIndex());
            }
            if (first && scanner.summary().isPrepared()) {
                framed.setIntLE(from + STATEMENT_ID_AT, statementId);
            }
            statementId = 0;
        } catch (ProtocolException e) {
            framed.release();
            lost(e);
            close(false);
            return;
        }
        Reply reply = client;
        if (reply == null) {
            if (check != null) {
                check.packets(framed);
            }
            framed.release();
        } else {
            reply.run(() -> pass(framed, reply));
        }
    }

    private void pass(ByteBuf framed, Reply reply) {
        if (translation != null && !scanner.ended()) {
            translation.fromServer(framed);
            return;
        }
        passedBytes += framed.readableBytes();
        if (observer != null) {
            observer.packets(framed);
        }
        if (holdBack) {
            tellOfResults();
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
        if (!reply.writable() && !paused) {
            paused = true;
            pausedSinceNanos = System.nanoTime();
            if (observer != null) {
                // Nobody who waits for a load has to wait for its client.
                observer.lost();
            }
            store.pause();
            reply.onWritable(this::resume);
        }
    }

    private void tellOfResults() {
        int results = scanner.summary().results();
        if (results != resultsTold && completion != null && !scanner.ended()) {
            resultsTold = results;
            completion.partly();
            hold(completion.taken());
        }
    }

    /** Nothing more goes to the client before this, and no more is read than it has to wait for. */
    private void hold(@Nullable CompletionStage<Void> taken) {
        Reply reply = client;
        if (taken == null || reply == null) {
            return;
        }
        gate = taken;
        store.pause();
        whenOpen(reply, taken, () -> {
            if (gate == taken) {
                gate = null;
                if (!paused && !closed && !lost) {
                    store.resume();
                }
            }
        });
    }

    /** Runs a step of a reply once it may go on, which may be at once. */
    private static void whenOpen(Reply reply, @Nullable CompletionStage<Void> taken, Runnable step) {
        if (taken == null) {
            step.run();
            return;
        }
        taken.whenComplete((done, never) -> {
            if (reply.loop().inEventLoop()) {
                reply.run(step);
            } else {
                reply.loop().execute(() -> reply.run(step));
            }
        });
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
        Reply reply = client != null ? client : ending;
        completion = null;
        client = null;
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
            if (taken != null || before != null) {
                // Whatever becomes of the session meanwhile, the store has answered.
                ByteBuf last = held;
                held = null;
                boolean refused = unfinished;
                whenOpen(reply, before, () -> whenOpen(reply, taken, () -> finish(reply, last, refused)));
            } else {
                ByteBuf last = held;
                held = null;
                finish(reply, last, unfinished);
            }
        });
    }

    /** @param refused whether the store refused a command that it has not got whole: it takes what comes next for its rest */
    private void finish(Reply reply, @Nullable ByteBuf last, boolean refused) {
        if (last != null) {
            reply.framed(last);
        }
        endReply(reply);
        if (refused) {
            reply.closeConnection();
        }
    }

    /** A command without a reply ends at once: behind it the client waits until the store has taken it. */
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
        if (held != null) {
            held.release();
            held = null;
        }
        Completion then = completion;
        completion = null;
        client = null;
        ending = null;
        if (then != null) {
            then.lost(cause);
        }
    }
}
