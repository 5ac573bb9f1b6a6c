package org.keyline.gateway.session.state;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.keyline.protocol.server.Peer;

/**
 * Clients whose store sessions ended while they were idle. They stay connected for as long as the store cannot be reached, so that they can ask
 * the gateway how it is; as soon as it can, their connections end, as the store meant. Thread-safe.
 */
public final class StrandedClients {
    /*
     * A store that stops ends its sessions one after the other, and one that ends a single session (KILL, wait_timeout) goes on. The two look
     * the same at that moment, so the store is asked a little later: by then one that stops answers nobody.
     */

    private final Supplier<CompletionStage<Boolean>> reachable;
    private final Consumer<Runnable> later;
    private final Set<Peer> peers = new HashSet<>();
    private boolean asking;

    /**
     * @param reachable asks the store whether it is there; completes on any thread, never exceptionally
     * @param later runs a task on any thread, after a while
     */
    public StrandedClients(Supplier<CompletionStage<Boolean>> reachable, Consumer<Runnable> later) {
        this.reachable = reachable;
        this.later = later;
    }

    /** An idle client whose store session has ended. */
    public void add(Peer peer) {
        boolean first;
        synchronized (this) {
            peers.add(peer);
            first = !asking;
            asking = true;
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
            var unused = reachable.get().thenAccept(reached -> {
                if (reached) {
                    waiting.forEach(Peer::closeConnection);
                    forget(waiting);
                }
                later.accept(this::ask);
            });
        }
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
