package org.keyline.gateway;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** An event loop for background tasks. No task runs after {@link #close}. Thread-safe. */
final class Background implements AutoCloseable {
    private static final int STOP_SECONDS = 5;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("keyline-background", true), NioIoHandler.newFactory());

    EventLoop loop() {
        return group.next();
    }

    void execute(Runnable task) {
        if (!group.isShuttingDown()) {
            group.execute(task);
        }
    }

    void soon(Runnable task, int millis) {
        if (!group.isShuttingDown()) {
            Future<?> unused = group.schedule(task, millis, TimeUnit.MILLISECONDS);
        }
    }

    /** Runs the task repeatedly, with this delay before each run. The task must not throw. */
    void every(int millis, Runnable task) {
        Future<?> unused = group.scheduleWithFixedDelay(task, millis, millis, TimeUnit.MILLISECONDS);
    }

    /** Stops the loop. Blocks until running tasks are done. */
    @Override
    public void close() {
        group.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
