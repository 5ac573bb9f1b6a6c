package org.keyline.gateway.tier.redis;

import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An event loop's connections to the tier's servers, opened on first use. Confined to the loop. */
public final class ValueServers implements RedisCommands.Servers {
    private final Supplier<@Nullable Topology> topology;
    private final Consumer<RedisConnection> logIn;
    private final @Nullable SslContext ssl;
    private final EventLoop loop;
    private final long patienceNanos;
    private final Map<InetSocketAddress, ValueConnection> connections = new HashMap<>();
    private @Nullable Topology last;

    /**
     * @param topology returns the topology; null while it is unknown
     * @param logIn sends the first commands of a new connection
     * @param ssl the TLS context; null without TLS
     * @param patienceNanos the time after which a reply is overdue
     */
    public ValueServers(
            Supplier<@Nullable Topology> topology,
            Consumer<RedisConnection> logIn,
            @Nullable SslContext ssl,
            EventLoop loop,
            long patienceNanos) {
        this.topology = topology;
        this.logIn = logIn;
        this.ssl = ssl;
        this.loop = loop;
        this.patienceNanos = patienceNanos;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the topology is replaced only when it changes
    public @Nullable RedisConnection of(byte[] name) {
        Topology now = topology.get();
        if (now != last) {
            last = now;
            connections.entrySet().removeIf(each -> {
                boolean gone = now == null || !now.servers().contains(each.getKey());
                if (gone) {
                    each.getValue().close();
                }
                return gone;
            });
        }
        InetSocketAddress server = now == null ? null : now.server(name);
        return server == null
                ? null
                : connections
                        .computeIfAbsent(server, at -> new ValueConnection(at, logIn, ssl, loop, patienceNanos))
                        .usable();
    }
}
