package org.keyline.protocol.server;

import java.util.concurrent.Executor;

/**
 * A task of a connection that the event loop runs later, after the caller has returned. Scheduling
 * it again before it begins has no effect. Confined to the event loop.
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
