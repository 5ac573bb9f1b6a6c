package org.keyline.gateway.session.state;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.keyline.protocol.server.Peer;

/**
 * Idle clients whose store sessions the store has closed. They stay connected while the store is
 * unreachable, so that they can query the gateway itself. Their connections close as soon as the
 * store accepts logins, because their session state is lost. Thread-safe.
 */
public final class OrphanedClients {
    /*
     * When a store stops, it closes its sessions one after the other and no longer accepts logins.
     * A store that closes a single session (KILL, wait_timeout) still accepts logins. So a test
     * login shows the difference.
     */

    /** Sessions that close within this many milliseconds cause a single test login. */
    private static final int BURST_MS = 20;

    private static final int UNREACHABLE_MS = 500;

    /** Runs a task on any thread after a delay. */
    @FunctionalInterface
    public interface Delay {
        void run(Runnable task, int millis);
    }

    private final Supplier<CompletionStage<Boolean>> accepts;
    private final Delay delay;
    private final Set<Peer> peers = new HashSet<>();
    private boolean asking;

    /** @param accepts tests whether the store accepts logins; never completes exceptionally */
    public OrphanedClients(Supplier<CompletionStage<Boolean>> accepts, Delay delay) {
        this.accepts = accepts;
        this.delay = delay;
    }

    public void add(Peer peer) {
        boolean first;
        synchronized (this) {
            peers.add(peer);
            first = !asking;
            asking = true;
        }
        if (first) {
            ask();
        }
    }

    public synchronized void remove(Peer peer) {
        peers.remove(peer);
    }

    private void ask() {
        List<Peer> waiting = waiting();
        if (waiting.isEmpty()) {
            return;
        }
        var unused = accepts.get().thenAccept(accepted -> {
            if (accepted) {
                waiting.forEach(Peer::closeConnection);
                forget(waiting);
            }
            delay.run(this::ask, accepted ? BURST_MS : UNREACHABLE_MS);
        });
    }

    /** Returns the clients that wait, and ends the test logins if no client waits. */
    private synchronized List<Peer> waiting() {
        asking = !peers.isEmpty();
        return List.copyOf(peers);
    }

    private synchronized void forget(List<Peer> ended) {
        ended.forEach(peers::remove);
    }
}
