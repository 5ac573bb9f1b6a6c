package org.keyline.gateway.tier;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.redis.ArrayRedisMessage;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.tier.redis.RedisConnection;
import org.keyline.gateway.tier.redis.Topology;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A capped stream on a Redis or Valkey server. Every gateway adds its entries, and reads those of
 * all. After any failure it connects again, to the next server if several are configured, and reads
 * the stream from its beginning. Receivers ignore repeated entries, and treat missing ones as a
 * gap. Without any server it transports nothing. Confined to its event loop, except for figures.
 */
final class TierStream {
    private static final Logger LOG = LoggerFactory.getLogger(TierStream.class);

    /** The suffix of the stream's key, after the namespace. */
    static final String NAME = ":writes";

    /** Some seconds of entries under load. A gateway further behind drops all lines. */
    private static final String MAX_ENTRIES = "2048";

    private static final String READ_ENTRIES = "64";
    private static final String BLOCK_MS = "500";
    private static final byte[] BEGINNING = ascii("0-0");
    private static final byte[] FIELD = ascii("e");
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** The interval of requests for the slots of a cluster. */
    private static final long TOPOLOGY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<HostPort> addresses;
    private final @Nullable SslContext ssl;
    private final byte[][] login;
    private final byte[] stream;
    private final EventLoop loop;
    private final Executor again;

    private Consumer<byte[]> listener = entry -> {};
    private int attempts;
    private boolean closed;
    private @Nullable RedisConnection writing;
    private @Nullable RedisConnection reading;
    private byte[] last = BEGINNING;
    private long lastNanos;
    private @Nullable String published;
    private volatile boolean connected;
    private volatile @Nullable Topology topology;
    private boolean inCluster;
    private long topologyNanos;

    /**
     * @param ssl null: without TLS
     * @param again executes on the event loop after a delay
     */
    TierStream(GatewayConfig.Tier config, @Nullable SslContext ssl, EventLoop loop, Executor again) {
        this.again = again;
        this.addresses = config.addresses();
        this.ssl = ssl;
        this.stream = (config.get(ConfigKeys.TIER_NAMESPACE) + NAME).getBytes(UTF_8);
        this.loop = loop;
        byte[] password = config.get(ConfigKeys.TIER_PASSWORD).value().getBytes(UTF_8);
        if (password.length == 0) {
            login = new byte[0][];
        } else if (config.get(ConfigKeys.TIER_USER).isEmpty()) {
            login = new byte[][] {ascii("AUTH"), password};
        } else {
            login = new byte[][] {
                ascii("AUTH"), config.get(ConfigKeys.TIER_USER).getBytes(UTF_8), password
            };
        }
    }

    /** Begins to connect. Must be called on the event loop. */
    void begin(Consumer<byte[]> entries) {
        listener = entries;
        connect();
    }

    /** Returns whether a server receives the entries. */
    boolean connected() {
        return connected;
    }

    /**
     * Returns the servers of values: the primaries of the stream's cluster, or its only server;
     * null while none is known.
     */
    @Nullable
    Topology topology() {
        return topology;
    }

    /** Sends an entry without blocking; returns whether the connection accepted it. */
    boolean send(byte[] entry) {
        RedisConnection to = writing;
        if (to == null || !connected || !to.writable()) {
            return false;
        }
        to.send(
                id -> {},
                ascii("XADD"),
                stream,
                ascii("MAXLEN"),
                ascii("~"),
                ascii(MAX_ENTRIES),
                ascii("*"),
                FIELD,
                entry);
        return true;
    }

    /** Closes a connection whose server is silent. Must be called several times a second. */
    void watch() {
        if (isSilent(writing) || isSilent(reading)) {
            failed(new IOException("no reply within two seconds"));
        } else if (connected && System.nanoTime() - lastNanos > SILENCE_NANOS) {
            // This gateway's own entries did not return, so the stream was emptied or is an older
            // one.
            lastNanos = System.nanoTime();
            last = BEGINNING;
        }
        RedisConnection to = writing;
        if (to != null
                && inCluster
                && to.address() instanceof InetSocketAddress asked
                && System.nanoTime() - topologyNanos >= TOPOLOGY_NANOS) {
            askForTopology(to, asked);
        }
    }

    /**
     * Requests the topology. A server outside a cluster, or one that hides it from this account,
     * has all values.
     */
    private void askForTopology(RedisConnection to, InetSocketAddress asked) {
        topologyNanos = System.nanoTime();
        to.ask(
                reply -> {
                    inCluster = !(reply instanceof ErrorRedisMessage);
                    try {
                        publish(inCluster ? Topology.ofCluster(reply, asked) : Topology.of(asked));
                    } catch (IOException e) {
                        to.fail(e);
                    }
                },
                ascii("CLUSTER"),
                ascii("SLOTS"));
    }

    private void publish(Topology next) {
        if (!next.equals(topology)) {
            topology = next;
        }
    }

    private static boolean isSilent(@Nullable RedisConnection connection) {
        return connection != null && connection.waitingNanos() > SILENCE_NANOS;
    }

    private void connect() {
        if (closed || writing != null || addresses.isEmpty()) {
            return;
        }
        HostPort address = addresses.get(attempts++ % addresses.size());
        last = BEGINNING;
        writing = RedisConnection.connect(
                loop,
                InetSocketAddress.createUnresolved(address.host(), address.port()),
                ssl,
                () -> opened(address),
                this::failed);
    }

    private void opened(HostPort address) {
        RedisConnection to = writing;
        if (to == null) {
            return;
        }
        logIn(to);
        // A reply to this command shows that the server accepts commands.
        to.send(length -> usable(address, to), ascii("XLEN"), stream);
    }

    private void usable(HostPort address, RedisConnection first) {
        InetSocketAddress found = lookedUp(address, first);
        reading = RedisConnection.connect(
                loop,
                found,
                ssl,
                () -> {
                    RedisConnection from = reading;
                    if (from != null) {
                        logIn(from);
                        lastNanos = System.nanoTime();
                        connected = true;
                        askForTopology(first, found);
                        published = null;
                        LOG.info("tier: connected to {}", address);
                        read(from);
                    }
                },
                this::failed);
    }

    /**
     * Returns the server's address: its name, which certificates contain, with the resolved address
     * of the connection.
     */
    private static InetSocketAddress lookedUp(HostPort address, RedisConnection connection) {
        if (connection.address() instanceof InetSocketAddress remote && !remote.isUnresolved()) {
            try {
                return new InetSocketAddress(
                        InetAddress.getByAddress(
                                address.host(), remote.getAddress().getAddress()),
                        address.port());
            } catch (UnknownHostException e) {
                throw new IllegalStateException("an address has as many bytes as an address", e);
            }
        }
        return InetSocketAddress.createUnresolved(address.host(), address.port());
    }

    /** Logs in on a new connection. Thread-safe. */
    void logIn(RedisConnection connection) {
        if (login.length > 0) {
            connection.send(ok -> {}, login);
        }
    }

    private void read(RedisConnection from) {
        from.send(
                reply -> {
                    try {
                        take(reply);
                    } catch (IOException e) {
                        from.fail(e);
                        return;
                    }
                    read(from);
                },
                ascii("XREAD"),
                ascii("COUNT"),
                ascii(READ_ENTRIES),
                ascii("BLOCK"),
                ascii(BLOCK_MS),
                ascii("STREAMS"),
                stream,
                last);
    }

    /**
     * Reads a reply to XREAD. It has one stream with its name and entries. Each entry has an id,
     * and fields with values.
     */
    private void take(RedisMessage reply) throws IOException {
        if (!(reply instanceof ArrayRedisMessage streams)) {
            throw new IOException("not the reply of XREAD");
        }
        if (streams.isNull() || streams.children().isEmpty()) {
            return;
        }
        for (RedisMessage entry :
                elements(elements(streams.children().get(0), 2).get(1), 0)) {
            List<RedisMessage> numbered = elements(entry, 2);
            List<RedisMessage> fields = elements(numbered.get(1), 2);
            last = bytes(numbered.get(0));
            lastNanos = System.nanoTime();
            listener.accept(bytes(fields.get(1)));
        }
    }

    private static List<RedisMessage> elements(RedisMessage message, int least) throws IOException {
        if (message instanceof ArrayRedisMessage array && array.children().size() >= least) {
            return array.children();
        }
        throw new IOException("not the reply of XREAD");
    }

    private static byte[] bytes(RedisMessage message) throws IOException {
        if (message instanceof FullBulkStringRedisMessage text) {
            return ByteBufUtil.getBytes(text.content());
        }
        throw new IOException("not the reply of XREAD");
    }

    /** Closes the connection and connects again. */
    void failed(Throwable cause) {
        boolean was = connected;
        disconnect();
        String words = String.valueOf(cause.getMessage());
        if (was || !words.equals(published)) {
            published = words;
            LOG.warn(
                    "tier: {} ({}). Until the server is available, a line answers only until it is tier.staleness old, unless all gateways are linked.",
                    was ? "the connection is lost" : "no connection",
                    cause.toString());
        }
        if (!closed) {
            again.execute(this::connect);
        }
    }

    private void disconnect() {
        connected = false;
        topology = null;
        for (RedisConnection connection : new RedisConnection[] {writing, reading}) {
            if (connection != null) {
                connection.close();
            }
        }
        writing = null;
        reading = null;
    }

    /** Closes the stream. Must be called on the event loop. */
    void close() {
        closed = true;
        disconnect();
    }

    private static byte[] ascii(String word) {
        return word.getBytes(US_ASCII);
    }
}
