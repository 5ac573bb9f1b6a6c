package org.keyline.gateway.tier.redis;

import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An event loop's connection to one server of the tier, opened on first use. While a reply is
 * overdue, the connection is not used for further commands, so that a slow or silent server delays
 * only few reads. Confined to the event loop.
 */
final class ValueConnection {
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final InetSocketAddress server;
    private final Consumer<RedisConnection> logIn;
    private final @Nullable SslContext ssl;
    private final EventLoop loop;
    private final long patienceNanos;

    private @Nullable RedisConnection connection;
    private boolean ready;
    private boolean closed;
    private long triedNanos = System.nanoTime() - AGAIN_NANOS;

    ValueConnection(
            InetSocketAddress server,
            Consumer<RedisConnection> logIn,
            @Nullable SslContext ssl,
            EventLoop loop,
            long patienceNanos) {
        this.server = server;
        this.logIn = logIn;
        this.ssl = ssl;
        this.loop = loop;
        this.patienceNanos = patienceNanos;
    }

    /** Returns the connection; null unless it accepts commands now. Connects if necessary. */
    @Nullable
    RedisConnection usable() {
        RedisConnection to = connection;
        if (to != null) {
            long waitingNanos = to.waitingNanos();
            if (waitingNanos <= SILENCE_NANOS) {
                return ready && waitingNanos < patienceNanos && to.writable() ? to : null;
            }
            lost();
        }
        if (!closed && System.nanoTime() - triedNanos >= AGAIN_NANOS && !loop.isShuttingDown()) {
            triedNanos = System.nanoTime();
            RedisConnection made = RedisConnection.connect(loop, server, ssl, this::opened, cause -> lost());
            connection = made.isOver() ? null : made;
        }
        return null;
    }

    private void opened() {
        RedisConnection to = connection;
        if (to != null) {
            logIn.accept(to);
            ready = true;
        }
    }

    /** Disconnects. Logs nothing, because the control connection fails as well and logs why. */
    private void lost() {
        RedisConnection to = connection;
        connection = null;
        ready = false;
        if (to != null) {
            to.close();
        }
    }

    void close() {
        closed = true;
        lost();
    }
}
