package org.keyline.gateway.simulator;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An event loop whose turns are events of the world. Tasks from other loops arrive a little later,
 * in order.
 */
final class SimulatedLoop extends AbstractScheduledEventExecutor implements EventLoop {
    private final World world;
    private long lastTaskAt;

    SimulatedLoop(World world) {
        this.world = world;
    }

    /** Returns the time of the next timer. */
    long timerAt() {
        long delay = nextScheduledTaskNano();
        return delay < 0 ? Long.MAX_VALUE : world.now() + delay;
    }

    void runTimer() {
        world.on(this, () -> {
            Runnable task = pollScheduledTask(world.now());
            if (task != null) {
                task.run();
            }
        });
    }

    @Override
    public Ticker ticker() {
        return world.ticker();
    }

    @Override
    public boolean inEventLoop(Thread thread) {
        return world.running() == this;
    }

    @Override
    public void execute(Runnable task) {
        // A loop's thread may lose its processor for a while, in which other loops and the store
        // continue.
        int latest = world.chance(0.1) ? world.chance(0.2) ? 20_000 : 3_000 : 50;
        lastTaskAt = Math.max(lastTaskAt, world.now() + world.micros(1, latest));
        world.after(lastTaskAt - world.now(), "task", 0, () -> world.on(this, task));
    }

    @Override
    public @Nullable EventLoopGroup parent() {
        return null;
    }

    @Override
    public EventLoop next() {
        return this;
    }

    @Override
    public ChannelFuture register(Channel channel) {
        throw new UnsupportedOperationException("clients have channels of their own");
    }

    @Override
    public ChannelFuture register(ChannelPromise promise) {
        throw new UnsupportedOperationException("clients have channels of their own");
    }

    @Override
    @Deprecated
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        throw new UnsupportedOperationException("clients have channels of their own");
    }

    @Override
    public boolean isShuttingDown() {
        return false;
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return false;
    }

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        throw new UnsupportedOperationException("it ends with its world");
    }

    @Override
    public Future<?> terminationFuture() {
        throw new UnsupportedOperationException("it ends with its world");
    }

    @Override
    @Deprecated
    public void shutdown() {
        throw new UnsupportedOperationException("it ends with its world");
    }
}
