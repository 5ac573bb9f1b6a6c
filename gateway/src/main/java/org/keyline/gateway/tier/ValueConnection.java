package org.keyline.gateway.tier;

import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An event loop's connection to the server that carries the stream, for values. It is made when it is asked for, and asked for nothing
 * while a reply is overdue: a server that is slow or silent costs one read of many some patience. Confined to the event loop.
 */
final class ValueConnection {
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final TierStream stream;
    private final @Nullable SslContext ssl;
    private final EventLoop loop;
    private final long patienceNanos;

    private @Nullable RedisConnection connection;
    private @Nullable InetSocketAddress address;
    private boolean ready;
    private long triedNanos = System.nanoTime() - AGAIN_NANOS;

    /**
     * @param ssl null: without TLS
     * @param patienceNanos after which a reply is overdue
     */
    ValueConnection(TierStream stream, @Nullable SslContext ssl, EventLoop loop, long patienceNanos) {
        this.stream = stream;
        this.ssl = ssl;
        this.loop = loop;
        this.patienceNanos = patienceNanos;
    }

    /** The connection if it takes commands and answers them in time; else null, and one may be made meanwhile. */
    @Nullable
    RedisConnection usable() {
        InetSocketAddress server = stream.server();
        RedisConnection to = connection;
        if (to != null) {
            long waitingNanos = to.waitingNanos();
            if (waitingNanos <= SILENCE_NANOS && server != null && server.equals(address)) {
                return ready && waitingNanos < patienceNanos && to.writable() ? to : null;
            }
            lost();
        }
        if (server != null && System.nanoTime() - triedNanos >= AGAIN_NANOS && !loop.isShuttingDown()) {
            triedNanos = System.nanoTime();
            address = server;
            connection = RedisConnection.connect(loop, server, ssl, this::opened, cause -> lost());
        }
        return null;
    }

    private void opened() {
        RedisConnection to = connection;
        if (to != null) {
            stream.logIn(to);
            ready = true;
        }
    }

    /** The stream's connection to the same server fails as well, and tells why. */
    private void lost() {
        RedisConnection to = connection;
        connection = null;
        ready = false;
        if (to != null) {
            to.close();
        }
    }
}
