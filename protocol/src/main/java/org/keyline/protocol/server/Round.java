package org.keyline.protocol.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The steps that the connections of one event loop take together, after the loop has read from all
 * clients that sent something. First, each connection looks ahead at its input; then each
 * dispatches its commands; then the output is flushed. Confined to the event loop.
 */
final class Round {
    /*
     * If each connection read, answered and wrote before the next connection did, these steps would
     * evict each other's code and data from the CPU caches. In rounds, the code of one step stays
     * cached, and the memory accesses of one round overlap (CommandHandler.ahead).
     */

    /** If this many connections have input, they are served before the loop reads from more. */
    static final int MOST_ARRIVED = 128;

    private final Executor loop;
    private final Runnable task = this::run;
    private final List<ServerConnection> arrived = new ArrayList<>();
    private final List<ServerConnection> flushing = new ArrayList<>();
    private boolean scheduled;
    private boolean running;
    private boolean serving;

    Round(Executor loop) {
        this.loop = loop;
    }

    void arrived(ServerConnection connection) {
        if (arrived.size() >= MOST_ARRIVED && !serving) {
            serve();
        }
        arrived.add(connection);
        schedule();
    }

    void flush(ServerConnection connection) {
        flushing.add(connection);
        schedule();
    }

    private void schedule() {
        if (!scheduled && !running) {
            scheduled = true;
            loop.execute(task);
        }
    }

    private void run() {
        scheduled = false;
        running = true;
        serve();
        // A flush that is requested during this loop belongs to the next round.
        int count = flushing.size();
        for (int i = 0; i < count; i++) {
            flushing.get(i).flushInRound();
        }
        drop(flushing, count);
        running = false;
        if (!arrived.isEmpty() || !flushing.isEmpty()) {
            schedule();
        }
    }

    private void serve() {
        serving = true;
        int count = arrived.size();
        for (int i = 0; i < count; i++) {
            arrived.get(i).lookAhead(count > 1);
        }
        for (int i = 0; i < count; i++) {
            arrived.get(i).serveInRound();
        }
        drop(arrived, count);
        serving = false;
    }

    private static void drop(List<ServerConnection> done, int count) {
        if (done.size() == count) {
            done.clear();
        } else {
            done.subList(0, count).clear();
        }
    }
}
