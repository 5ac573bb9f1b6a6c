package org.keyline.gateway.session.state;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.keyline.protocol.server.Peer;

/**
 * Clients whose store sessions ended while they were idle. They stay connected for as long as the store cannot be reached, so that they can ask
 * the gateway how it is; as soon as it can, their connections end, as the store meant. Thread-safe.
 */
public final class StrandedClients {
    /*
     * A store that stops ends its sessions one after the other, and one that ends a single session (KILL, wait_timeout) goes on. The two look
     * the same at that moment, so the store is asked a little later: by then one that stops answers nobody. Where a client has sent a KILL a
     * moment ago, that is what it was, so the store is asked at once.
     */
    private static final long KILL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<CompletionStage<Boolean>> reachable;
    private final Consumer<Runnable> later;
    private final LongSupplier clock;
    private final Set<Peer> peers = new HashSet<>();
    private boolean asking;
    private volatile boolean anyKill;
    private volatile long killNanos;

    /**
     * @param reachable asks the store whether it is there; completes on any thread, never exceptionally
     * @param later runs a task on any thread, after a while
     * @param clock in nanoseconds from any origin
     */
    public StrandedClients(Supplier<CompletionStage<Boolean>> reachable, Consumer<Runnable> later, LongSupplier clock) {
        this.reachable = reachable;
        this.later = later;
        this.clock = clock;
    }

    /** A client sends the store a KILL, of whatever session. */
    public void killSent() {
        killNanos = clock.getAsLong();
        anyKill = true;
    }

    /** An idle client whose store session has ended. */
    public void add(Peer peer) {
        boolean first;
        synchronized (this) {
            peers.add(peer);
            first = !asking;
            asking = true;
        }
        if (anyKill && clock.getAsLong() - killNanos < KILL_NANOS) {
            var unused = end(List.of(peer));
        }
        if (first) {
            later.accept(this::ask);
        }
    }

    /** The client is gone. */
    public synchronized void remove(Peer peer) {
        peers.remove(peer);
    }

    private void ask() {
        List<Peer> waiting = waiting();
        if (!waiting.isEmpty()) {
            var unused = end(waiting).thenRun(() -> later.accept(this::ask));
        }
    }

    /** Ends their connections if the store can be reached. */
    private CompletionStage<Void> end(List<Peer> waiting) {
        return reachable.get().thenAccept(reached -> {
            if (reached) {
                waiting.forEach(Peer::closeConnection);
                forget(waiting);
            }
        });
    }

    /** Those who are to be told if the store answers; nobody asks any more where there are none. */
    private synchronized List<Peer> waiting() {
        asking = !peers.isEmpty();
        return List.copyOf(peers);
    }

    private synchronized void forget(List<Peer> told) {
        told.forEach(peers::remove);
    }
}
