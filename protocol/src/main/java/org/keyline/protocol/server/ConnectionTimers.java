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
 * Closes a login that takes too long, a silent client, and a client that does not read its last
 * packet. A separate timer gives clients time to leave a server that stops. Confined to the event
 * loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close shows as channelInactive
final class ConnectionTimers {
    private static final long LINGER_MS = 2_000;

    /**
     * Silence after which a stopping server closes a connection. Pools test a connection that was
     * unused for half a second, so they notice the close.
     */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Maximum time for which a stopping server waits for a client to become quiet. */
    private static final long LATEST_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Delay before the last check. Until then, the loop reads bytes that have already arrived. */
    private static final long LAST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ChannelHandlerContext ctx;
    private final Ticker ticker;
    private @Nullable Future<?> running;
    private long idleNanos;
    private long lastActivityNanos;
    private boolean loggedIn;
    private long loginNanos;

    private @Nullable Future<?> leaving;

    private long quietNanos;
    private long newcomerNanos;
    private long latestNanos;
    private boolean lastLook;

    ConnectionTimers(ChannelHandlerContext ctx) {
        this.ctx = ctx;
        this.ticker = ctx.executor().ticker();
    }

    void startLogin(Duration limit, Runnable expired) {
        stopRunning();
        running = ctx.executor().schedule(expired, limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    void loggedIn() {
        if (!loggedIn) {
            loggedIn = true;
            loginNanos = ticker.nanoTime();
        }
    }

    void restartIdle() {
        if (idleNanos > 0 || leaving != null) {
            lastActivityNanos = ticker.nanoTime();
        }
    }

    /**
     * Runs {@code leave} once the client has been quiet for a second, but after three seconds at
     * the latest. A client gets at least three seconds from its login on. So a pool that tests idle
     * connections never hands out a closed one. Further calls have no effect.
     *
     * @param limit the drain timeout; each of the two times is at most a third of it
     * @param busy whether a command or a transaction, for which the timer waits, is in progress
     */
    void startLeaving(Duration limit, BooleanSupplier busy, Runnable leave) {
        if (leaving != null) {
            return;
        }
        long now = ticker.nanoTime();
        if (idleNanos == 0) {
            lastActivityNanos = now;
        }
        long most = limit.toNanos() / 3;
        quietNanos = Math.min(QUIET_NANOS, most);
        newcomerNanos = Math.min(LATEST_NANOS, most);
        latestNanos = now + newcomerNanos;
        leave(busy, leave);
    }

    private void leave(BooleanSupplier busy, Runnable leave) {
        long left = busy.getAsBoolean() ? Math.max(quietNanos, LAST_LOOK_NANOS) : leaveNanos() - ticker.nanoTime();
        if (left <= 0 && lastLook) {
            leave.run();
            return;
        }
        // A loop that waited for a processor can run this task before it reads bytes that arrived
        // in time, so this task checks twice.
        lastLook = left <= 0;
        leaving = ctx.executor()
                .schedule(() -> leave(busy, leave), Math.max(left, LAST_LOOK_NANOS), TimeUnit.NANOSECONDS);
    }

    private long leaveNanos() {
        return loggedIn
                ? Math.max(Math.min(lastActivityNanos + quietNanos, latestNanos), loginNanos + newcomerNanos)
                : lastActivityNanos + newcomerNanos;
    }

    boolean isLate() {
        return leaving != null && ticker.nanoTime() - Math.max(latestNanos, loginNanos + newcomerNanos) >= 0;
    }

    /**
     * Calls {@code expired} after a silence of {@code limit}; zero means no limit. The time in
     * which {@code busy} is true does not count.
     */
    void startIdle(Duration limit, BooleanSupplier busy, Runnable expired) {
        stopRunning();
        idleNanos = limit.toNanos();
        if (idleNanos > 0) {
            lastActivityNanos = ticker.nanoTime();
            watch(idleNanos, busy, expired);
        }
    }

    private void watch(long delayNanos, BooleanSupplier busy, Runnable expired) {
        running = ctx.executor()
                .schedule(
                        () -> {
                            long left =
                                    busy.getAsBoolean() ? idleNanos : lastActivityNanos + idleNanos - ticker.nanoTime();
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
     * Closes the channel once all output has been sent, at the latest after {@value #LINGER_MS} ms.
     *
     * @param unread whether the client is possibly still sending. An immediate close would then
     *     reset the connection, and the client would lose the error that explains the close
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
        stopRunning();
        if (leaving != null) {
            leaving.cancel(false);
        }
    }

    private void stopRunning() {
        Future<?> timer = running;
        running = null;
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
