package org.keyline.protocol.server;

import io.netty.util.concurrent.EventExecutor;

/**
 * A connection's work for a turn of the event loop of its own, after whatever asks for it has returned; asked for again before
 * that turn it is done once. Confined to the event loop.
 */
final class Turn {
    private final EventExecutor loop;
    private final Runnable task;
    private boolean scheduled;

    Turn(EventExecutor loop, ServerConnection connection, Runnable work) {
        this.loop = loop;
        this.task = () -> {
            scheduled = false;
            connection.run(work);
        };
    }

    void schedule() {
        if (!scheduled) {
            scheduled = true;
            loop.execute(task);
        }
    }
}
