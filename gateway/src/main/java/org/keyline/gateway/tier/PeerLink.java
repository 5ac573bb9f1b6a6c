package org.keyline.gateway.tier;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Tells the others of this gateway's writes, and takes what they tell. Writes do not wait for it: drops that come while an entry is on its
 * way go into the next one together. Thread-safe.
 */
final class PeerLink {
    private final Peers peers;
    private final PeerChannel channel;
    private final Executor executor;
    private final Executor soon;
    private final PendingDrops pending;
    private final AtomicBoolean awaited = new AtomicBoolean();
    private final LongAdder unreadable = new LongAdder();

    /**
     * @param executor runs one task at a time, in their order
     * @param soon the same a moment later: drops that come meanwhile go together
     * @param maxBytes most bytes that the drops of one entry take; more are one of everything.
     */
    PeerLink(Peers peers, PeerChannel channel, Executor executor, Executor soon, int maxBytes) {
        this.peers = peers;
        this.channel = channel;
        this.executor = executor;
        this.soon = soon;
        this.pending = new PendingDrops(maxBytes);
    }

    /** A write through this gateway has ended at the store. To be called before its fence opens and its client hears of it. */
    void wrote(Drop drop) {
        peers.wrote(drop);
        pending.add(drop);
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
        channel.send(PeerCodec.encode(peers.next(pending::take)));
    }
}
