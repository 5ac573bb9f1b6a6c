package org.keyline.gateway.tier;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Tells the others of this gateway's writes, and takes what they tell. Writes do not wait for it: drops that come while an entry is on its
 * way go into the next one together. Thread-safe.
 */
final class PeerLink {
    /** Carries entries of gateways to each other, their sender included. It may lose, repeat, delay and reorder them: that costs speed only. */
    interface Channel {
        /** Sends without waiting; what cannot be sent is lost. */
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
     * @param executor runs one task at a time, in their order
     * @param soon the same a moment later: drops that come meanwhile go together
     * @param echoes of writes that wait until the others have heard of them; null: none do
     * @param maxBytes most bytes that the drops of one entry take; more are one of everything.
     */
    PeerLink(Peers peers, Channel channel, Executor executor, Executor soon, @Nullable Echoes echoes, int maxBytes) {
        this.peers = peers;
        this.channel = channel;
        this.executor = executor;
        this.soon = soon;
        this.echoes = echoes;
        this.pending = new PendingDrops(maxBytes);
    }

    /** A write through this gateway has ended at the store. To be called before its fence opens and its client hears of it. */
    void wrote(Drop drop) {
        peers.wrote(drop);
        pending.add(drop);
        if (echoes != null) {
            echoes.told();
        }
        sendSoon();
    }

    /** Ends when no other gateway answers any more by what the writes replaced that were told by now; null: nobody waits for that. */
    @Nullable
    CompletionStage<Void> taken() {
        return echoes == null ? null : echoes.taken();
    }

    private void sendSoon() {
        if (awaited.compareAndSet(false, true)) {
            soon.execute(this::send);
        }
    }

    /** Gives a sign of life; to be called several times within what lines may be stale. */
    void beat() {
        executor.execute(this::send);
    }

    /** Takes what came by the channel. */
    void heard(byte[] bytes) {
        executor.execute(() -> {
            PeerEntry entry = PeerCodec.decode(bytes);
            if (entry == null) {
                unreadable.increment();
            } else {
                peers.hear(entry);
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

    /** What came by the channel and was no entry of this version. */
    long unreadable() {
        return unreadable.sum();
    }

    private void send() {
        // A drop that comes from here on asks for an entry of its own, even if this one takes it along.
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
