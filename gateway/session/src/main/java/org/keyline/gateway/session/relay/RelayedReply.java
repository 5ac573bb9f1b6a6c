package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.change.Fencing;
import org.keyline.gateway.read.ReplyObserver;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.RelayedChangeUser;
import org.keyline.protocol.server.Reply;

/**
 * Relays the replies to the client's commands, one by one, from one store session. The end of a
 * reply to a write is held back until {@link #finish}. Confined to one event loop.
 */
final class RelayedReply implements StoreLink.Receiver {
    private final StoreLink link;
    private final Relay relay;
    private final Fencing fencing;
    /** The command of the current reply; null after the end of the reply. */
    private @Nullable Forwarding command;

    private boolean holdsBack;
    private boolean paused;
    private long pausedSinceNanos;
    private long pausedNanos;
    private int resultsSeen;
    private long passedBytes;
    /** Whether the client has yet to send a part of the command. */
    private boolean unfinished;
    /** Whether the client has disconnected during the current reply. */
    private boolean unread;

    private @Nullable ByteBuf held;
    /** Packets that are held back go to the client only after this stage completes. */
    private @Nullable CompletionStage<Void> gate;

    RelayedReply(StoreLink link, Relay relay) {
        this.link = link;
        this.relay = relay;
        this.fencing = relay.fencing;
    }

    /** Returns how long the current reply has waited because the client did not read. */
    long pausedNanos() {
        return paused ? pausedNanos + System.nanoTime() - pausedSinceNanos : pausedNanos;
    }

    /** Returns the number of bytes of the relayed reply so far. */
    long passedBytes() {
        return passedBytes;
    }

    /**
     * Sends a command, and relays its reply.
     *
     * @param holdLast whether to hold back the last packets until {@link #finish}
     */
    void relay(Forwarding sent, boolean holdLast) {
        begins(sent, holdLast);
        if (unfinished) {
            sent.reply().clientPackets(this::more);
        }
        link.send(sent.payload().get(), unfinished, this);
    }

    /**
     * Relays a reply of one packet to a command that ran on another store session.
     *
     * @param packet the packet with its header, whose ownership passes to this object
     */
    void answered(ByteBuf packet, Forwarding merged) {
        begins(merged, true);
        link.answered(packet, this);
    }

    private void begins(Forwarding sent, boolean holdLast) {
        command = sent;
        pausedNanos = 0;
        passedBytes = 0;
        resultsSeen = 0;
        holdsBack = holdLast;
        unfinished = sent.continued();
    }

    /**
     * Continues to receive the reply after the client has disconnected.
     *
     * @return false if the store has not received a complete command of the client
     */
    boolean runsOn() {
        boolean whole = command != null
                && command.translation() == null
                && !unfinished
                && !link.scanner().awaitsClient();
        if (!whole || !link.isOpen()) {
            return false;
        }
        unread = true;
        if (paused) {
            resume();
        }
        return true;
    }

    // ---------------------------------------------------------------- packets of the client

    private void more(ByteBuf packet) {
        if (unfinished && link.isOpen()) {
            unfinished = packet.readableBytes() == Packets.MAX_PAYLOAD_BYTES;
            link.store.more(packet);
            regulateClient();
        }
    }

    @Override
    public boolean awaited() {
        Forwarding running = command;
        if (running == null) {
            return false;
        }
        if (unread) {
            // This is LOAD DATA LOCAL, and the client that would send the file has disconnected.
            link.close(false);
            return true;
        }
        running.reply().run(() -> whenOpen(running.reply(), gate, () -> ask(running)));
        return true;
    }

    private void ask(Forwarding running) {
        // The reply continues only after the client has answered the held-back request.
        ByteBuf last = takeHeld();
        if (last != null) {
            running.reply().framed(last);
        }
        RelayedChangeUser translation = running.translation();
        if (translation != null) {
            translation.awaited();
        } else {
            running.reply().clientPackets(this::answer);
        }
    }

    /** Sends a packet that the store awaits. Borrows the packet. */
    void answer(ByteBuf packet) {
        if (link.answer(packet)) {
            regulateClient();
        }
    }

    /** Stops reading from a client that sends faster than the store accepts. */
    private void regulateClient() {
        Forwarding running = command;
        if (running != null && !link.store.writable()) {
            running.reply().pauseClient();
            link.store.onWritable(running.reply()::resumeClient);
        }
    }

    // ---------------------------------------------------------------- packets of the store

    @Override
    public void packets(ByteBuf framed) {
        Forwarding running = command;
        if (running == null) {
            framed.release();
            return;
        }
        if (passedBytes == 0
                && running.shownId() != 0
                && link.scanner().summary().isPrepared()) {
            framed.setIntLE(framed.readerIndex() + StoreLink.STATEMENT_ID_AT, running.shownId());
        }
        running.reply().run(() -> pass(framed, running));
    }

    private void pass(ByteBuf framed, Forwarding running) {
        RelayedChangeUser translation = running.translation();
        if (translation != null && !link.scanner().ended()) {
            translation.fromServer(framed);
            return;
        }
        Reply reply = running.reply();
        ReplyObserver observer = running.observer();
        passedBytes += framed.readableBytes();
        if (observer != null) {
            observer.packets(framed);
        }
        if (holdsBack) {
            resultEnded(reply);
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
            link.store.pause();
            reply.onWritable(this::resume);
        }
    }

    /**
     * Reports the end of each result except the last, before the client gets this end. If it must
     * wait, holds back further packets to the client, and pauses the reply of the store.
     */
    private void resultEnded(Reply reply) {
        int results = link.scanner().summary().results();
        if (results == resultsSeen || link.scanner().ended()) {
            return;
        }
        resultsSeen = results;
        fencing.resultEnded();
        CompletionStage<Void> taken = fencing.taken();
        if (taken == null) {
            return;
        }
        gate = taken;
        link.store.pause();
        whenOpen(reply, taken, () -> {
            gate = gate == taken ? null : gate;
            if (gate == null && !paused) {
                // The reply may have ended meanwhile, and the next one must not stay paused.
                link.resume();
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
        if (gate == null) {
            link.resume();
        }
    }

    @Override
    public void completed(ReplyScanner reply) {
        relay.completed(reply);
    }

    @Override
    public void lost(Throwable cause) {
        relay.lost(cause);
    }

    // ---------------------------------------------------------------- the reply's end

    /**
     * Sends the client the rest of the reply, which is complete. The client gets the store's reply
     * even if the store session closes meanwhile.
     */
    void finish(Reply reply) {
        CompletionStage<Void> taken = fencing.taken();
        CompletionStage<Void> before = gate;
        gate = null;
        command = null;
        ByteBuf last = takeHeld();
        boolean refused = unfinished;
        whenOpen(reply, before, () -> whenOpen(reply, taken, () -> finish(reply, last, refused)));
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
        if (link.store.writable() || !link.isOpen()) {
            reply.end();
        } else {
            link.store.onWritable(() -> reply.run(reply::end));
        }
    }

    /**
     * Sends the client the rest of a complete reply. The store session was lost during the internal
     * command after this reply.
     */
    void passHeld(Reply reply) {
        ByteBuf last = gate == null ? takeHeld() : null;
        if (last != null) {
            reply.framed(last);
        }
    }

    /** Drops what the client has not received of the reply, because the store session is lost. */
    void drop() {
        command = null;
        ReferenceCountUtil.release(takeHeld());
    }

    private @Nullable ByteBuf takeHeld() {
        ByteBuf last = held;
        held = null;
        return last;
    }
}
