package org.keyline.gateway.tier;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Sends this gateway's writes to the others, and receives theirs. Writes do not wait for it: drops
 * that come while an entry is being sent go into the next one together. Thread-safe.
 */
final class PeerLink {
    /**
     * Transports entries between gateways, their sender included. It may lose, repeat, delay and
     * reorder them: that costs speed only.
     */
    interface Channel {
        /** Sends without waiting; an entry that cannot be sent is lost. */
        void send(byte[] entry);
    }

    private final Peers peers;
    private final Channel channel;
    private final Executor executor;
    private final Executor soon;
    private final PendingDrops pending;
    private final AtomicBoolean awaited = new AtomicBoolean();
    private final @Nullable Echoes echoes;
    private final LongAdder unreadable = new LongAdder();

    /**
     * @param executor runs one task at a time, in order
     * @param soon the same a moment later: drops that come meanwhile go together
     * @param echoes of writes that wait until the others have received them; null: none do
     * @param maxBytes maximum bytes of an entry's drops; more are replaced by a drop of everything
     */
    PeerLink(Peers peers, Channel channel, Executor executor, Executor soon, @Nullable Echoes echoes, int maxBytes) {
        this.peers = peers;
        this.channel = channel;
        this.executor = executor;
        this.soon = soon;
        this.echoes = echoes;
        this.pending = new PendingDrops(maxBytes);
    }

    /**
     * Records a write through this gateway that has ended at the store. To be called before its
     * fence opens and its client receives the reply.
     */
    void wrote(Drop drop) {
        peers.wrote(drop);
        pending.add(drop);
        if (echoes != null) {
            echoes.received();
        }
        sendSoon();
    }

    /**
     * Returns a stage that completes when no other gateway answers any more with the rows that the
     * writes up to now replaced; null if no write waits for that.
     */
    @Nullable
    CompletionStage<Void> taken() {
        return echoes == null ? null : echoes.taken();
    }

    private void sendSoon() {
        if (awaited.compareAndSet(false, true)) {
            soon.execute(this::send);
        }
    }

    /** Sends a heartbeat; to be called several times within the staleness. */
    void beat() {
        executor.execute(this::send);
    }

    /** Receives a message of the channel. */
    void received(byte[] bytes) {
        executor.execute(() -> {
            PeerEntry entry = PeerCodec.decode(bytes);
            if (entry == null) {
                unreadable.increment();
            } else {
                peers.receive(entry);
                if (echoes != null) {
                    echoes.echoed(peers.echoed());
                    if (!entry.drops().isEmpty()) {
                        // Clients wait for the echo.
                        sendSoon();
                    }
                }
            }
        });
    }

    /** Returns how many messages were no entries of this version. */
    long unreadable() {
        return unreadable.sum();
    }

    private void send() {
        // A drop that comes from here on requests an entry of its own, even if this one includes
        // it.
        awaited.set(false);
        Echoes.Batch[] batch = new Echoes.Batch[1];
        PeerEntry entry = peers.next(() -> {
            batch[0] = echoes == null ? null : echoes.cut();
            return pending.take();
        });
        if (echoes != null && batch[0] != null) {
            echoes.sent(batch[0], entry.number());
        }
        channel.send(PeerCodec.encode(entry));
    }
}
