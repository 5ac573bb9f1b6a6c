package org.keyline.protocol.server;

import java.util.concurrent.Executor;

/**
 * A connection's work for a turn of the event loop of its own, after whatever asks for it has returned; asked for again before
 * that turn it is done once. Confined to the event loop.
 */
final class Turn {
    private final Executor loop;
    private final Runnable task;
    private boolean scheduled;

    Turn(Executor loop, ServerConnection connection, Runnable work) {
        this.loop = loop;
        this.task = () -> {
            scheduled = false;
            connection.run(work);
        };
    }

    /** Whether it has been asked for and not begun. */
    boolean isScheduled() {
        return scheduled;
    }

    void schedule() {
        if (!scheduled) {
            scheduled = true;
            loop.execute(task);
        }
    }
}
