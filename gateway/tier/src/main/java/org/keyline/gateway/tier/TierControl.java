package org.keyline.gateway.tier;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.EventLoop;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.tier.redis.RedisConnection;
import org.keyline.gateway.tier.redis.Topology;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control connection to the tier (Redis or Valkey). It finds a server that accepts writes, and
 * the primaries of its cluster. After any failure it connects again, to the next server if several
 * are configured. Without any server it does nothing. Confined to its event loop, except
 * {@link #topology} and {@link #logIn}.
 *
 * <p>The Redis client Lettuce could also follow a cluster. However, it decodes replies of any
 * length, calls listeners on its own threads, and continues to send to a server whose reply is
 * overdue.
 */
final class TierControl {
    private static final Logger LOG = LoggerFactory.getLogger(TierControl.class);

    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final List<HostPort> addresses;
    private final @Nullable SslContext ssl;
    private final byte[][] login;
    private final byte[] probe;
    private final EventLoop loop;

    private int attempts;
    private boolean closed;
    private @Nullable RedisConnection connection;
    private long nextNanos = System.nanoTime();
    private @Nullable String logged;
    private volatile @Nullable Topology topology;

    TierControl(GatewayConfig config, @Nullable SslContext ssl, EventLoop loop) {
        this.addresses = config.tierAddresses();
        this.ssl = ssl;
        this.loop = loop;
        probe = (config.get(ConfigKeys.TIER_NAMESPACE) + ":probe").getBytes(UTF_8);
        byte[] user = config.get(ConfigKeys.TIER_USER).getBytes(UTF_8);
        byte[] password = config.get(ConfigKeys.TIER_PASSWORD).value().getBytes(UTF_8);
        if (password.length == 0) {
            login = new byte[0][];
        } else {
            login = user.length == 0
                    ? new byte[][] {ascii("AUTH"), password}
                    : new byte[][] {ascii("AUTH"), user, password};
        }
    }

    /** Returns the last known topology; null while no server accepts commands. */
    @Nullable
    Topology topology() {
        return topology;
    }

    /** Sends the login over a new connection. Thread-safe. */
    void logIn(RedisConnection to) {
        if (login.length > 0) {
            to.send(ok -> {}, login);
        }
    }

    /** Connects, closes a silent connection or reads the topology. Call several times a second. */
    void watch() {
        RedisConnection to = connection;
        if (to != null && to.waitingNanos() > SILENCE_NANOS) {
            failed(new IOException("no reply within two seconds"));
        } else if (System.nanoTime() - nextNanos >= 0) {
            if (to == null) {
                connect();
            } else if (topology != null) {
                refresh(to);
            }
        }
    }

    private void connect() {
        if (closed || addresses.isEmpty()) {
            return;
        }
        HostPort address = addresses.get(attempts++ % addresses.size());
        RedisConnection made = RedisConnection.connect(
                loop,
                InetSocketAddress.createUnresolved(address.host(), address.port()),
                ssl,
                () -> {
                    RedisConnection to = connection;
                    if (to != null) {
                        logIn(to);
                        refresh(to);
                    }
                },
                this::failed);
        connection = made.isOver() ? null : made;
    }

    private void refresh(RedisConnection to) {
        nextNanos = System.nanoTime() + REFRESH_NANOS;
        InetSocketAddress asked = resolved(to);
        to.ask(
                reply -> {
                    if (reply instanceof ErrorRedisMessage) {
                        // The server is not in a cluster, so it must accept writes itself. A
                        // read-only server refuses DEL, even of a missing key.
                        to.send(deleted -> publish(Topology.of(asked)), ascii("DEL"), probe);
                        return;
                    }
                    try {
                        publish(Topology.ofCluster(reply, asked));
                    } catch (IOException e) {
                        to.fail(e);
                    }
                },
                ascii("CLUSTER"),
                ascii("SLOTS"));
    }

    private void publish(Topology next) {
        if (topology == null) {
            logged = null;
            LOG.info("tier: connected to {}", address());
        }
        if (!next.equals(topology)) {
            topology = next;
        }
    }

    private HostPort address() {
        return addresses.get((attempts - 1) % addresses.size());
    }

    /** Returns the server's address, with its configured name because certificates contain it. */
    private InetSocketAddress resolved(RedisConnection to) {
        HostPort address = address();
        if (to.address() instanceof InetSocketAddress remote && !remote.isUnresolved()) {
            try {
                byte[] bytes = remote.getAddress().getAddress();
                return new InetSocketAddress(InetAddress.getByAddress(address.host(), bytes), address.port());
            } catch (UnknownHostException e) {
                throw new IllegalStateException("an address of wrong length", e);
            }
        }
        return InetSocketAddress.createUnresolved(address.host(), address.port());
    }

    private void failed(Throwable cause) {
        boolean was = topology != null;
        disconnect();
        nextNanos = System.nanoTime() + AGAIN_NANOS;
        String words = String.valueOf(cause.getMessage());
        if (was || !words.equals(logged)) {
            logged = words;
            LOG.warn(
                    "tier: {} {} ({}). Until a server is available, all lines are loaded from the store.",
                    was ? "the connection is lost to" : "no connection to",
                    address(),
                    cause.toString());
        }
    }

    private void disconnect() {
        RedisConnection was = connection;
        connection = null;
        topology = null;
        if (was != null) {
            was.close();
        }
    }

    /** Must be called on the event loop. */
    void close() {
        closed = true;
        disconnect();
    }

    private static byte[] ascii(String word) {
        return word.getBytes(US_ASCII);
    }
}
