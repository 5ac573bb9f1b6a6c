package org.keyline.gateway.tier;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Sends this gateway's drops to the other gateways, and receives their drops. Writes wait for other
 * gateways only if {@code echoes} is not null. Drops that arrive while an entry is being sent go
 * into the next entry together. Thread-safe.
 */
final class PeerLink {
    /**
     * A transport of entries to the other gateways. It can lose, repeat, delay and reorder entries,
     * and also deliver them to their sender. Such faults only cost speed.
     */
    interface Channel {
        /** Does not block. An entry that cannot be sent is lost. */
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
     * @param soon runs tasks on {@code executor} after a short delay, so that one entry contains
     * several drops
     * @param echoes the writes that wait until the other gateways have received their drops; null
     * if writes do not wait
     * @param maxBytes the maximum size of an entry's drops in bytes. If they are larger, one drop
     * of everything replaces them
     */
    PeerLink(Peers peers, Channel channel, Executor executor, Executor soon, @Nullable Echoes echoes, int maxBytes) {
        this.peers = peers;
        this.channel = channel;
        this.executor = executor;
        this.soon = soon;
        this.echoes = echoes;
        this.pending = new PendingDrops(maxBytes);
    }

    /** Records a completed write. Call before the fence opens and the client gets the reply. */
    void wrote(Drop drop) {
        peers.wrote(drop);
        pending.add(drop);
        if (echoes != null) {
            echoes.received();
        }
        sendSoon();
    }

    /** Returns {@link Echoes#taken}; null if writes do not wait. */
    @Nullable
    CompletionStage<Void> taken() {
        return echoes == null ? null : echoes.taken();
    }

    private void sendSoon() {
        if (awaited.compareAndSet(false, true)) {
            soon.execute(this::send);
        }
    }

    /** Sends a heartbeat. Must be called several times within the staleness. */
    void beat() {
        executor.execute(this::send);
    }

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
                        // Clients of the sender wait for the echo, which the next entry of this
                        // gateway contains.
                        sendSoon();
                    }
                }
            }
        });
    }

    /** Returns how many received messages were not entries of this format. */
    long unreadable() {
        return unreadable.sum();
    }

    private void send() {
        // A drop added from now on schedules another entry, even if this entry contains the drop.
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
