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
 * words are not read. At most one of them runs; beside it, the time that a client has to leave a server that stops. Confined to the event
 * loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close shows as channelInactive
final class ConnectionTimers {
    /** How long a client may take to read its last packet before the socket closes under it. */
    private static final long LINGER_MS = 2_000;

    /** Pools test a connection before they give it out, unless it was used within half a second or so. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Clients that come meanwhile may have to wait for so long. */
    private static final long LATEST_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Longer than the loop's round that begins next. */
    private static final long LAST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ChannelHandlerContext ctx;
    private final Ticker ticker;
    private @Nullable Future<?> running;
    private long idleNanos;
    private long heardNanos;
    private boolean loggedIn;
    private long loginNanos;

    /** Set once the server stops. */
    private @Nullable Future<?> leaving;

    private long quietNanos;
    private long newcomerNanos;
    private long latestNanos;
    /** Whether the time is over, and what came in meanwhile is about to be read. */
    private boolean lastLook;

    ConnectionTimers(ChannelHandlerContext ctx) {
        this.ctx = ctx;
        this.ticker = ctx.executor().ticker();
    }

    void startLogin(Duration limit, Runnable expired) {
        stopRunning();
        running = ctx.executor().schedule(expired, limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The login has ended, that of a COM_CHANGE_USER perhaps. */
    void loggedIn() {
        if (!loggedIn) {
            loggedIn = true;
            loginNanos = ticker.nanoTime();
        }
    }

    /** Bytes came in, or the client was answered. */
    void heard() {
        if (idleNanos > 0 || leaving != null) {
            heardNanos = ticker.nanoTime();
        }
    }

    /**
     * The server stops: runs {@code leave} once the client has been quiet for a while, and even where it is not, soon. So a pool that tests
     * connections which it has not used for half a second gives out none that is about to end. Who has just connected, or is about to log
     * in, has not yet got what it came for, and has the longer time from then on. Further calls do nothing.
     *
     * @param limit what the client may have of this in all
     * @param busy a command or a transaction is in hand, whose end is awaited
     */
    void startLeaving(Duration limit, BooleanSupplier busy, Runnable leave) {
        if (leaving != null) {
            return;
        }
        long now = ticker.nanoTime();
        if (idleNanos == 0) {
            heardNanos = now;
        }
        long most = limit.toNanos() / 3;
        quietNanos = Math.min(QUIET_NANOS, most);
        newcomerNanos = Math.min(LATEST_NANOS, most);
        latestNanos = now + newcomerNanos;
        leave(busy, leave);
    }

    private void leave(BooleanSupplier busy, Runnable leave) {
        long left = busy.getAsBoolean() ? QUIET_NANOS : leaveNanos() - ticker.nanoTime();
        if (left <= 0 && lastLook) {
            leave.run();
            return;
        }
        // A loop that had to wait for a processor may find the end of the time before the bytes that came in time.
        lastLook = left <= 0;
        leaving = ctx.executor()
                .schedule(() -> leave(busy, leave), Math.max(left, LAST_LOOK_NANOS), TimeUnit.NANOSECONDS);
    }

    private long leaveNanos() {
        return loggedIn
                ? Math.max(Math.min(heardNanos + quietNanos, latestNanos), loginNanos + newcomerNanos)
                : heardNanos + newcomerNanos;
    }

    /** Whether the server stops, and the client has had its time to leave. */
    boolean isLate() {
        return leaving != null && ticker.nanoTime() - Math.max(latestNanos, loginNanos + newcomerNanos) >= 0;
    }

    /** Watches for silence, unless {@code limit} is zero; time while {@code busy} is not the client's. */
    void startIdle(Duration limit, BooleanSupplier busy, Runnable expired) {
        stopRunning();
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
