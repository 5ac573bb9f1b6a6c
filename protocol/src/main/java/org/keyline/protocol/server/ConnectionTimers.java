package org.keyline.protocol.server;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One connection's clock: the end of a login that takes too long, of a client that says nothing, of a socket whose last
 * words are not read. At most one of them runs. Confined to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close shows as channelInactive
final class ConnectionTimers {
    /** How long a client may take to read its last packet before the socket closes under it. */
    private static final long LINGER_MS = 2_000;

    private final ChannelHandlerContext ctx;
    private final Ticker ticker;
    private @Nullable Future<?> running;
    private long idleNanos;
    private long heardNanos;

    ConnectionTimers(ChannelHandlerContext ctx) {
        this.ctx = ctx;
        this.ticker = ctx.executor().ticker();
    }

    void startLogin(Duration limit, Runnable expired) {
        stop();
        running = ctx.executor().schedule(expired, limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Bytes came in. */
    void heard() {
        if (idleNanos > 0) {
            heardNanos = ticker.nanoTime();
        }
    }

    /** Watches for silence, unless {@code limit} is zero; time while {@code busy} is not the client's. */
    void startIdle(Duration limit, BooleanSupplier busy, Runnable expired) {
        stop();
        idleNanos = limit.toNanos();
        if (idleNanos > 0) {
            heardNanos = ticker.nanoTime();
            watch(idleNanos, busy, expired);
        }
    }

    private void watch(long delayNanos, BooleanSupplier busy, Runnable expired) {
        running = ctx.executor()
                .schedule(
                        () -> {
                            long left = busy.getAsBoolean() ? idleNanos : heardNanos + idleNanos - ticker.nanoTime();
                            if (left > 0) {
                                watch(left, busy, expired);
                            } else {
                                expired.run();
                            }
                        },
                        delayNanos,
                        TimeUnit.NANOSECONDS);
    }

    /**
     * Closes the channel once all that was written has left, and in any case soon.
     *
     * @param unread whether the client may still be sending: closing at once would reset the connection, and the client
     *     would lose the error that tells it why
     */
    void startLinger(boolean unread) {
        stop();
        if (!unread) {
            ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
        if (ctx.channel().isOpen()) {
            running = ctx.executor().schedule((Runnable) ctx::close, LINGER_MS, TimeUnit.MILLISECONDS);
        }
    }

    void stop() {
        Future<?> timer = running;
        running = null;
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
