package org.keyline.gateway.tier;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.util.concurrent.Future;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.metrics.TierFigures;
import org.keyline.gateway.table.CachedTable;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.codec.RowReader;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.Load;
import org.keyline.rowcache.Loader;
import org.keyline.rowcache.TableOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines that gateways lend each other by the tier: it is asked before the store is, and told what the store has answered. Whatever is
 * wrong with it, or with a value, the store is asked. Confined to one event loop.
 */
public final class TierLines {
    private static final Logger LOG = LoggerFactory.getLogger(TierLines.class);

    /** How long a read waits for the tier before the store is asked. */
    static final Duration PATIENCE = Duration.ofMillis(5);

    /** Longer values are neither put nor used. */
    private static final int MAX_BYTES = 256 << 10;

    private static final byte[] GET = "GETRANGE".getBytes(US_ASCII);
    private static final byte[] FROM = "0".getBytes(US_ASCII);
    private static final byte[] TO = Integer.toString(MAX_BYTES).getBytes(US_ASCII);
    private static final byte[] SET = "SET".getBytes(US_ASCII);
    private static final byte[] EXPIRY = "PX".getBytes(US_ASCII);

    private final Peers peers;
    private final ValueConnection connection;
    private final ValueCounts counts;
    private final String begin;
    private final String loadedBy;
    private final EventLoop loop;
    private final KeyEncoder key = new KeyEncoder();

    /** What tells whether rows are made alike, by row format. */
    private final Map<CachedTable, @Nullable Origin[]> origins = new WeakHashMap<>();

    /**
     * @param begin of all keys of values at the tier
     * @param loadedBy who loads from where: rows that others load are not used
     */
    TierLines(
            Peers peers,
            ValueConnection connection,
            ValueCounts counts,
            String begin,
            String loadedBy,
            EventLoop loop) {
        this.peers = peers;
        this.connection = connection;
        this.counts = counts;
        this.begin = begin;
        this.loadedBy = loadedBy;
        this.loop = loop;
    }

    /** What rows of one table are made by in one row format. */
    private static final class Origin {
        private final byte[] digest;
        private final byte[] begin;

        Origin(String begin, byte[] digest) {
            this.digest = digest;
            this.begin = (begin + HexFormat.of().formatHex(digest, 0, Long.BYTES) + ":").getBytes(UTF_8);
        }

        /** The name of a line's value at the tier. */
        byte[] key(byte[] prefix) {
            return ByteBuffer.allocate(begin.length + prefix.length)
                    .put(begin)
                    .put(prefix)
                    .array();
        }
    }

    /** A loader that asks the tier, then the store, whose answer it puts into the tier. */
    public Loader loader(CachedTable table, boolean binary, Loader store) {
        int kind = binary ? CachedTable.BINARY : CachedTable.TEXT;
        return load -> {
            RedisConnection server = load.isWhole() && table.knowsColumns(kind) ? connection.usable() : null;
            if (server == null) {
                fromStore(table, kind, load, store);
            } else {
                new Ask(table, kind, load, store).begin(server);
            }
        };
    }

    /** A loader that asks the store at once, for rows that are to be new. */
    public Loader fresh(CachedTable table, boolean binary, Loader store) {
        int kind = binary ? CachedTable.BINARY : CachedTable.TEXT;
        return load -> fromStore(table, kind, load, store);
    }

    private void fromStore(CachedTable table, int kind, Load load, Loader store) {
        if (load.isWhole()) {
            // Before the store is asked: what is heard from now on may be missing in its rows.
            Heard heard = peers.heard();
            load.whenKept(line -> put(table, kind, heard, line));
        }
        store.start(load);
    }

    /** Nothing waits for it, and it may be lost. In the thread that loaded. */
    private void put(CachedTable table, int kind, Heard heard, Line line) {
        TableOptions options = table.lines().options();
        long millis = Math.max(options.ttl().toMillis(), options.vouchedTtl().toMillis());
        RedisConnection server = millis == 0 ? null : connection.usable();
        if (server == null) {
            return;
        }
        Origin origin = origin(table, kind);
        byte[] value = ValueCodec.encode(origin.digest, heard, line, MAX_BYTES);
        if (value != null) {
            counts.count(TierFigures.Value.PUT);
            byte[] expiry = Long.toString(millis).getBytes(US_ASCII);
            // A server that is full refuses it, which is a value less.
            server.ask(reply -> {}, SET, origin.key(line.prefix()), value, EXPIRY, expiry);
        }
    }

    private Origin origin(CachedTable table, int kind) {
        @Nullable Origin[] known = origins.computeIfAbsent(table, of -> new @Nullable Origin[2]);
        Origin origin = known[kind];
        if (origin == null) {
            origin = new Origin(begin, digest(table, kind));
            known[kind] = origin;
        }
        return origin;
    }

    private byte[] digest(CachedTable table, int kind) {
        List<ColumnDefinition> columns = new ArrayList<>();
        for (int i = 0; i < table.schema().columns().size(); i++) {
            columns.add(table.column(kind, i));
        }
        String text = loadedBy + "\n" + table.origin().definition() + "\n" + kind + "\n" + columns;
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** A load that waits for the tier. */
    private final class Ask {
        private final CachedTable table;
        private final int kind;
        private final Load load;
        private final Loader store;
        private final byte[] prefix;
        private @Nullable Future<?> watch;
        private boolean over;

        Ask(CachedTable table, int kind, Load load, Loader store) {
            this.table = table;
            this.kind = kind;
            this.load = load;
            this.store = store;
            this.prefix = load.prefix();
        }

        void begin(RedisConnection server) {
            watch = loop.schedule(() -> once(this::late), PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
            server.ask(
                    reply -> once(() -> answered(reply)),
                    GET,
                    origin(table, kind).key(prefix),
                    FROM,
                    TO);
        }

        /** The reply, or that it is late: which comes first. A bug in what follows ends the load, whose readers then ask the store. */
        private void once(Runnable step) {
            if (over) {
                return;
            }
            over = true;
            if (watch != null) {
                watch.cancel(false);
            }
            try {
                step.run();
            } catch (Throwable bug) {
                LOG.error(
                        "A load of {} from the tier failed by an error of Keyline's own, please report it. Its reads go to the store.",
                        table.schema().name(),
                        bug);
                load.fail(bug);
            }
        }

        private void late() {
            counts.count(TierFigures.Value.LATE);
            fromStore(table, kind, load, store);
        }

        private void answered(RedisMessage reply) {
            TierFigures.Value became = take(reply);
            counts.count(became);
            if (became != TierFigures.Value.HIT) {
                fromStore(table, kind, load, store);
            }
        }

        private TierFigures.Value take(RedisMessage reply) {
            if (!(reply instanceof FullBulkStringRedisMessage text)) {
                return TierFigures.Value.FAILED;
            }
            if (text.isNull() || !text.content().isReadable()) {
                return TierFigures.Value.MISS;
            }
            ValueCodec.Value value;
            try {
                value = ValueCodec.decode(
                        ByteBufUtil.getBytes(text.content()), origin(table, kind).digest, kind, prefix);
            } catch (ValueCodec.Unfit e) {
                return e.damaged() ? TierFigures.Value.DAMAGED : TierFigures.Value.FOREIGN;
            }
            OptionalLong began = peers.beganNanos(value.heard());
            if (began.isEmpty()) {
                return TierFigures.Value.UNDATED;
            }
            long beganNanos = began.getAsLong();
            if (!feed(value)) {
                load.restart();
                return TierFigures.Value.DAMAGED;
            }
            if (load.succeedAsOf(beganNanos, () -> mayUse(beganNanos))) {
                return TierFigures.Value.HIT;
            }
            return mayUse(beganNanos) ? TierFigures.Value.OLD : TierFigures.Value.OVERTAKEN;
        }

        private boolean mayUse(long beganNanos) {
            return peers.mayUse(table.schema().name(), prefix, beganNanos);
        }

        /** As rows of the store are fed. */
        private boolean feed(ValueCodec.Value value) {
            RowReader cells = table.reader(kind);
            try {
                for (byte[] row : value.rows()) {
                    cells.read(row, 0, row.length);
                    table.keyOf(cells, kind == CachedTable.BINARY, key);
                    if (!load.row(key, row, 0, row.length)) {
                        return false;
                    }
                }
                return true;
            } catch (RuntimeException unreadable) {
                return false;
            }
        }
    }
}
