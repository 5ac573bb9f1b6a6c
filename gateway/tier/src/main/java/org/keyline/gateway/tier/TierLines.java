package org.keyline.gateway.tier;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.handler.codec.redis.SimpleStringRedisMessage;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.load.SharedLines;
import org.keyline.gateway.metrics.TierFigures;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.tier.redis.RedisCommands;
import org.keyline.planner.TableName;
import org.keyline.protocol.codec.RowReader;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.Load;
import org.keyline.rowcache.Loader;
import org.keyline.rowcache.TableOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Loads lines from the tier, or from the store into the tier. Confined to one event loop. */
public final class TierLines implements SharedLines {
    private static final Logger LOG = LoggerFactory.getLogger(TierLines.class);

    /** How long a load waits for a reply of the tier before it asks the store. */
    static final Duration PATIENCE = Duration.ofMillis(5);

    private static final int MAX_BYTES = 256 << 10;

    /** Maximum encrypted size. Encryption adds less than the difference to {@link #MAX_BYTES}. */
    private static final int MAX_READ_BYTES = MAX_BYTES + 1024;

    private static final byte[] GET = "GETRANGE".getBytes(US_ASCII);
    private static final byte[] FROM = "0".getBytes(US_ASCII);
    private static final byte[] TO = Integer.toString(MAX_READ_BYTES).getBytes(US_ASCII);
    private static final byte[] SET = "SET".getBytes(US_ASCII);
    private static final byte[] EXPIRY = "PX".getBytes(US_ASCII);
    private static final byte[] IF_ABSENT = "NX".getBytes(US_ASCII);
    private static final byte[] DELETE = "DEL".getBytes(US_ASCII);
    private static final byte[] ONE = "1".getBytes(US_ASCII);

    /** Lifetime of a lease. While a lease exists, loads of other gateways wait for its holder. */
    private static final byte[] LEASE_MS = "500".getBytes(US_ASCII);

    /**
     * While another gateway loads, a load repeats its request this many times. The first pause is a
     * millisecond; each further pause is twice as long as the one before.
     */
    private static final int WAITS = 6;

    private final Peers peers;
    private final RedisCommands.Servers servers;
    private final ValueCounts counts;
    private final ValueOrigin.Names names;
    private final Predicate<TableName> sharing;
    private final EventLoop loop;
    private final @Nullable ValueCipher cipher;
    private final KeyEncoder key = new KeyEncoder();

    private final Map<CachedTable, SharedTable> tables = new WeakHashMap<>();

    /** Whether a table is shared and, for each row format, which origin a value must have. */
    private static final class SharedTable {
        private final boolean isShared;
        private final @Nullable ValueOrigin[] origins = new @Nullable ValueOrigin[2];

        SharedTable(boolean isShared) {
            this.isShared = isShared;
        }
    }

    /**
     * @param sharing returns whether a table's lines are shared
     * @param cipher null if values are not encrypted
     */
    TierLines(
            Peers peers,
            RedisCommands.Servers servers,
            ValueCounts counts,
            ValueOrigin.Names names,
            Predicate<TableName> sharing,
            EventLoop loop,
            @Nullable ValueCipher cipher) {
        this.peers = peers;
        this.servers = servers;
        this.counts = counts;
        this.names = names;
        this.sharing = sharing;
        this.loop = loop;
        this.cipher = cipher;
    }

    private enum Lease {
        /** Not requested, or refused by the server. */
        NONE,
        OWN,
        /** Another gateway has the lease. */
        TAKEN;

        static Lease of(RedisMessage reply) {
            if (reply instanceof SimpleStringRedisMessage) {
                return OWN;
            }
            return reply instanceof FullBulkStringRedisMessage nothing && nothing.isNull() ? TAKEN : NONE;
        }
    }

    @Override
    public boolean shares(CachedTable table) {
        return shared(table).isShared;
    }

    private SharedTable shared(CachedTable table) {
        return tables.computeIfAbsent(
                table, of -> new SharedTable(sharing.test(of.schema().name())));
    }

    @Override
    public Loader loader(CachedTable table, boolean binary, Loader store) {
        return loader(table, binary, store, false);
    }

    @Override
    public Loader ahead(CachedTable table, boolean binary, Loader store) {
        return loader(table, binary, store, true);
    }

    private Loader loader(CachedTable table, boolean binary, Loader store, boolean ahead) {
        if (!shares(table)) {
            return store;
        }
        int kind = binary ? CachedTable.BINARY : CachedTable.TEXT;
        return load -> {
            ValueOrigin origin = load.isWhole() && table.knowsColumns(kind) ? origin(table, kind) : null;
            byte[] name = origin == null ? null : origin.key(load.prefix());
            RedisCommands server = name == null ? null : servers.of(name);
            if (origin == null || name == null || server == null) {
                fromStore(table, kind, load, store, () -> {});
            } else {
                new Ask(table, kind, load, store, ahead, origin, name).begin(server);
            }
        };
    }

    /**
     * Loads a line from the store, and then puts it into the tier.
     *
     * @param ended runs on the loading thread when the load has ended and a line, if any, was sent
     */
    private void fromStore(CachedTable table, int kind, Load load, Loader store, Runnable ended) {
        if (load.isWhole()) {
            // The numbers are recorded before the load asks the store, because the store's rows may
            // lack writes that are reported later.
            VersionVector seen = peers.seen();
            load.whenEnded(stored -> {
                if (stored != null) {
                    put(table, kind, seen, stored);
                }
                ended.run();
            });
        }
        store.start(load);
    }

    /** Sends a line to the tier without waiting; it can be lost. Called on the loading thread. */
    private void put(CachedTable table, int kind, VersionVector seen, Line line) {
        TableOptions options = table.lines().options();
        long millis = Math.max(options.ttl().toMillis(), options.extendedTtl().toMillis());
        ValueOrigin origin = millis == 0 ? null : origin(table, kind);
        if (origin == null) {
            return;
        }
        byte[] name = origin.key(line.prefix());
        RedisCommands server = servers.of(name);
        byte[] value = server == null ? null : ValueCodec.encode(origin.digest(), seen, line, MAX_BYTES);
        if (server != null && value != null) {
            counts.count(TierFigures.Value.PUT);
            byte[] sealed = cipher == null ? value : cipher.seal(name, value);
            byte[] expiry = Long.toString(millis).getBytes(US_ASCII);
            // If the server is full, it refuses the value, which is then only missing in the tier.
            server.ask(reply -> {}, SET, name, sealed, EXPIRY, expiry);
        }
    }

    /** Returns the origin of the table's rows; null if lines of the table are not shared. */
    private @Nullable ValueOrigin origin(CachedTable table, int kind) {
        SharedTable known = shared(table);
        ValueOrigin origin = known.origins[kind];
        if (origin == null && known.isShared) {
            origin = ValueOrigin.of(names, table, kind);
            known.origins[kind] = origin;
        }
        return origin;
    }

    /**
     * A load through the tier. If the tier has no usable rows, the load takes the lease of the line
     * and then asks the store. While another gateway has the lease, the load repeats its request.
     * After the last attempt, the load asks the store without a lease.
     */
    private final class Ask {
        private final CachedTable table;
        private final int kind;
        private final Load load;
        private final Loader store;
        private final byte[] prefix;
        private final ValueOrigin origin;
        private final byte[] name;
        private final boolean ahead;
        private @Nullable Future<?> watch;
        /** The number of the current request; 0 after its reply or timeout. */
        private int question;

        private int questions;
        private int waits;
        private Lease lease = Lease.NONE;
        private TierFigures.Value found = TierFigures.Value.MISS;

        Ask(CachedTable table, int kind, Load load, Loader store, boolean ahead, ValueOrigin origin, byte[] name) {
            this.table = table;
            this.kind = kind;
            this.load = load;
            this.store = store;
            this.prefix = load.prefix();
            this.origin = origin;
            this.name = name;
            this.ahead = ahead;
        }

        void begin(RedisCommands server) {
            ask(server, became -> {
                found = became;
                claim();
            });
        }

        private void ask(RedisCommands server, Consumer<TierFigures.Value> unfit) {
            int asked = ++questions;
            question = asked;
            watch = loop.schedule(
                    () -> once(asked, () -> toStore(TierFigures.Value.LATE)), PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
            server.ask(reply -> once(asked, () -> answered(reply, unfit)), GET, name, FROM, TO);
        }

        /** Requests the lease, and the rows again, because the last holder may have put them. */
        private void claim() {
            RedisCommands server = servers.of(name);
            if (server == null) {
                toStore(found);
                return;
            }
            server.ask(reply -> lease = Lease.of(reply), SET, origin.lease(prefix), ONE, IF_ABSENT, EXPIRY, LEASE_MS);
            ask(server, became -> {
                if (lease != Lease.TAKEN || waits == WAITS) {
                    toStore(found);
                    return;
                }
                if (waits == 0) {
                    counts.count(TierFigures.Value.WAITED);
                }
                var unused = loop.schedule(() -> guarded(this::claim), 1L << waits++, TimeUnit.MILLISECONDS);
            });
        }

        /** Runs the step, unless the request has already had its reply or timeout. */
        private void once(int asked, Runnable step) {
            if (asked != question) {
                return;
            }
            question = 0;
            if (watch != null) {
                watch.cancel(false);
            }
            guarded(step);
        }

        /** Runs a step. If the step fails, the load fails, and the sessions forward their reads. */
        private void guarded(Runnable step) {
            try {
                step.run();
            } catch (Throwable bug) {
                LOG.error(
                        "A load of {} from the tier failed because of an error in Keyline. Its reads go to the store. Please report it.",
                        table.schema().name(),
                        bug);
                load.fail(bug);
            }
        }

        private void toStore(TierFigures.Value became) {
            counts.count(became);
            fromStore(table, kind, load, store, () -> {
                if (loop.inEventLoop()) {
                    release();
                } else if (!loop.isShuttingDown()) {
                    loop.execute(this::release);
                }
            });
        }

        private void answered(RedisMessage reply, Consumer<TierFigures.Value> unfit) {
            TierFigures.Value became = take(reply);
            if (became == TierFigures.Value.HIT) {
                counts.count(became);
                table.admission().answeredByPeer();
                release();
            } else {
                unfit.accept(became);
            }
        }

        /**
         * Deletes this gateway's lease. If the lease has expired, this can delete another gateway's
         * lease; the line may then be loaded once more than necessary.
         */
        private void release() {
            RedisCommands server = lease == Lease.OWN ? servers.of(name) : null;
            lease = Lease.NONE;
            if (server != null) {
                server.ask(
                        reply -> {
                            if (reply instanceof ErrorRedisMessage) {
                                counts.count(TierFigures.Value.FAILED);
                            }
                        },
                        DELETE,
                        origin.lease(prefix));
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
                byte[] bytes = ByteBufUtil.getBytes(text.content());
                byte[] plain = cipher == null ? bytes : cipher.open(name, bytes);
                value = ValueCodec.decode(plain, origin.digest(), kind, prefix);
            } catch (ValueCodec.Unfit e) {
                return e.damaged() ? TierFigures.Value.DAMAGED : TierFigures.Value.FOREIGN;
            }
            OptionalLong began = peers.beganNanos(value.seen());
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
            return isCurrent(beganNanos) ? TierFigures.Value.OLD : TierFigures.Value.OVERTAKEN;
        }

        private boolean mayUse(long beganNanos) {
            return isCurrent(beganNanos) && !(ahead && table.lines().isPastHalf(beganNanos));
        }

        private boolean isCurrent(long beganNanos) {
            return peers.mayUse(table.schema().name(), prefix, beganNanos);
        }

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
