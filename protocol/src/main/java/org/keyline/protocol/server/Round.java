package org.keyline.protocol.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * What the connections of one event loop do together, once the loop has read from all who have sent: each looks ahead at what it was
 * sent, then each has its commands dispatched, then what they answered leaves. Confined to the event loop.
 */
final class Round {
    /*
     * Done one after the other for each connection, reading, answering and writing would push each other's code and data out of the
     * processor's caches, and every search for a line would wait for memory by itself. In rounds the code of one step stays, and the
     * waits of one round overlap (CommandHandler.ahead).
     */

    /** Most connections that wait for the end of the loop's reads; the rest of them is answered before it. */
    static final int MOST_ARRIVED = 128;

    private final Executor loop;
    private final Runnable task = this::run;
    private final List<ServerConnection> arrived = new ArrayList<>();
    private final List<ServerConnection> flushing = new ArrayList<>();
    private boolean scheduled;
    private boolean running;
    private boolean serving;

    /** @param loop runs a task when it has read from all who have sent */
    Round(Executor loop) {
        this.loop = loop;
    }

    /** Asks for {@link ServerConnection#serveInRound} of a connection that has been sent something. */
    void arrived(ServerConnection connection) {
        if (arrived.size() >= MOST_ARRIVED && !serving) {
            serve();
        }
        arrived.add(connection);
        schedule();
    }

    /** Asks for {@link ServerConnection#flushInRound} of a connection, which has not asked for it in this round. */
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
        // What is asked for meanwhile belongs to the next round.
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
