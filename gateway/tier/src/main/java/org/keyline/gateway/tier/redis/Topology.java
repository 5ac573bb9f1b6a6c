package org.keyline.gateway.tier.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.codec.redis.ArrayRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.IntegerRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The assignment of values to servers by their names: either one server has all values, or each
 * primary of a cluster has the values of some slots. Immutable.
 *
 * @see <a href="https://valkey.io/topics/cluster-spec">Cluster specification</a>
 */
public final class Topology {
    static final int SLOTS = 1 << 14;
    private static final int NOBODY = -1;
    private static final int POLYNOMIAL = 0x1021;

    private final List<InetSocketAddress> servers;
    /** For each slot the index of its server; null if the first server has all slots. */
    private final short @Nullable [] owners;

    private Topology(List<InetSocketAddress> servers, short @Nullable [] owners) {
        this.servers = List.copyOf(servers);
        this.owners = owners;
    }

    public static Topology of(InetSocketAddress server) {
        return new Topology(List.of(server), null);
    }

    /**
     * Reads a cluster's reply to {@code CLUSTER SLOTS}.
     *
     * @param asked the server that replied; a primary without an address means this server
     * @throws IOException if the reply has another format
     */
    public static Topology ofCluster(RedisMessage reply, InetSocketAddress asked) throws IOException {
        List<InetSocketAddress> servers = new ArrayList<>();
        short[] owners = new short[SLOTS];
        Arrays.fill(owners, (short) NOBODY);
        for (RedisMessage each : elements(reply, 0)) {
            List<RedisMessage> range = elements(each, 3);
            List<RedisMessage> primary = elements(range.get(2), 2);
            int first = slot(range.get(0));
            int last = slot(range.get(1));
            InetSocketAddress address = address(primary.get(0), number(primary.get(1)), asked);
            int index = servers.indexOf(address);
            if (index < 0) {
                index = servers.size();
                servers.add(address);
            }
            if (first > last) {
                throw new IOException("slots " + first + " to " + last);
            }
            Arrays.fill(owners, first, last + 1, (short) index);
        }
        return new Topology(servers, owners);
    }

    private static InetSocketAddress address(RedisMessage host, long port, InetSocketAddress asked) throws IOException {
        if (port < 1 || port > 0xFFFF) {
            throw new IOException("port: " + port);
        }
        if (host instanceof FullBulkStringRedisMessage text) {
            String name = text.isNull() ? "" : text.content().toString(UTF_8);
            return name.isEmpty() || name.equals("?")
                    ? new InetSocketAddress(asked.getAddress(), (int) port)
                    : new InetSocketAddress(name, (int) port);
        }
        throw new IOException("not the reply of CLUSTER SLOTS");
    }

    private static int slot(RedisMessage message) throws IOException {
        long slot = number(message);
        if (slot < 0 || slot >= SLOTS) {
            throw new IOException("slot: " + slot);
        }
        return (int) slot;
    }

    private static long number(RedisMessage message) throws IOException {
        if (message instanceof IntegerRedisMessage integer) {
            return integer.value();
        }
        throw new IOException("not the reply of CLUSTER SLOTS");
    }

    private static List<RedisMessage> elements(RedisMessage message, int least) throws IOException {
        if (message instanceof ArrayRedisMessage array
                && !array.isNull()
                && array.children().size() >= least) {
            return array.children();
        }
        throw new IOException("not the reply of CLUSTER SLOTS");
    }

    public List<InetSocketAddress> servers() {
        return servers;
    }

    /** Returns the server of a name; null if its slot has no server. */
    public @Nullable InetSocketAddress server(byte[] name) {
        if (owners == null) {
            return servers.get(0);
        }
        int owner = owners[slot(name)];
        return owner == NOBODY ? null : servers.get(owner);
    }

    /** Returns the slot of a name. If the name has text in braces, only that text counts. */
    static int slot(byte[] name) {
        int from = 0;
        int to = name.length;
        int open = indexOf(name, '{', 0);
        if (open >= 0) {
            int close = indexOf(name, '}', open + 1);
            if (close > open + 1) {
                from = open + 1;
                to = close;
            }
        }
        int crc = 0;
        for (int i = from; i < to; i++) {
            crc ^= (name[i] & 0xFF) << 8;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                crc = (crc & 0x8000) != 0 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
            }
        }
        return crc & (SLOTS - 1);
    }

    private static int indexOf(byte[] name, char wanted, int from) {
        for (int i = from; i < name.length; i++) {
            if (name[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Topology that && servers.equals(that.servers) && Arrays.equals(owners, that.owners);
    }

    @Override
    public int hashCode() {
        return 31 * servers.hashCode() + Arrays.hashCode(owners);
    }
}
