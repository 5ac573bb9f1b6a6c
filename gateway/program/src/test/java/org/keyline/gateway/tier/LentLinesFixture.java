package org.keyline.gateway.tier;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.fixtures.Lines.soon;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.fixtures.RedisServer;
import org.keyline.gateway.metrics.TierFigures;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.tier.redis.RedisConnection;
import org.keyline.gateway.tier.redis.ValueServers;
import org.keyline.planner.Catalog;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.Load;
import org.keyline.rowcache.LoadListener;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;

/**
 * Gateways of a test that share lines. The lines, the bookkeeping and the server are real; the test
 * controls the store, and all time except the server's.
 */
abstract class LentLinesFixture {
    static final Duration PATIENCE = Duration.ofMinutes(1);
    static final long SOON = TimeUnit.MILLISECONDS.toNanos(5);
    static final long TTL = TimeUnit.HOURS.toNanos(1);
    static final TableName NAME = new TableName("d", "t");

    static RedisServer redis;
    static EventLoopGroup group;
    static EventLoop loop;
    static TierControl control;
    static final AtomicLong IDS = new AtomicLong();

    final AtomicLong clock = new AtomicLong(TTL);
    private long processes;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(RedisServer.isInstalled(), "there is no redis-server");
        redis = RedisServer.start();
        redis.awaitReady();
        group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        loop = group.next();
        GatewayConfig config = new ConfigLoader(Map.of())
                .set("store.url=mysql://127.0.0.1:1")
                .set("tier.url=redis://127.0.0.1:" + redis.port())
                .set("tier.namespace=test")
                .set("tier.name=a")
                .set("tier.members=a=h:1,b=h:2")
                .set("tier.values=true")
                .load();
        control = new TierControl(config, null, loop);
        var unused = loop.scheduleWithFixedDelay(control::watch, 0, 10, TimeUnit.MILLISECONDS);
        soon("the other gateways").until(() -> control.topology() != null);
    }

    @AfterAll
    static void stop() throws Exception {
        if (redis != null) {
            loop.submit(control::close).get(1, TimeUnit.MINUTES);
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).get(1, TimeUnit.MINUTES);
            redis.close();
        }
    }

    static TableSchema schema(ColumnType.Kind value) {
        return new TableSchema(
                NAME,
                1,
                TableModel.UNIQUE,
                List.of(column("a", ColumnType.Kind.BIGINT), column("b", ColumnType.Kind.BIGINT), column("v", value)),
                List.of(0, 1),
                List.of(),
                "",
                Map.of());
    }

    static ColumnSchema column(String name, ColumnType.Kind kind) {
        return new ColumnSchema(name, new ColumnType(kind, false, 20, 0, null), false, null, false, "");
    }

    static List<ColumnDefinition> columns(int length) {
        List<ColumnDefinition> columns = new ArrayList<>();
        for (String name : new String[] {"a", "b", "v"}) {
            columns.add(ColumnDefinition.of(name, 63, length, org.keyline.protocol.ColumnType.LONGLONG, 0, 0));
        }
        return columns;
    }

    /** Returns a row in the text format. */
    static byte[] row(long... cells) {
        StringBuilder row = new StringBuilder();
        for (long cell : cells) {
            String text = Long.toString(cell);
            row.append((char) text.length()).append(text);
        }
        return row.toString().getBytes(US_ASCII);
    }

    /**
     * The outcome of a read: its line, and the use of the tier's value; null if none was requested.
     */
    record Answer(Line line, TierFigures.@Nullable Value value) {
        boolean inTime() {
            return value != null && value != TierFigures.Value.LATE;
        }

        /** Returns the row's last cell. */
        String text() {
            String row = new String(line.bytes(), line.rowOffset(0), line.rowLength(0), US_ASCII);
            return row.substring(row.length() - 1);
        }
    }

    /** One gateway: its bookkeeping, and its lines of one table. */
    final class Gateway {
        final Peers peers;
        final CachedTable table;
        final ValueCounts counts = new ValueCounts();
        final ValueServers servers =
                new ValueServers(control::topology, control::logIn, null, loop, TierLines.PATIENCE.toNanos());
        final TierLines lines;
        final String mark;
        final KeyEncoder key = new KeyEncoder();
        int kind = CachedTable.TEXT;
        /** An action of its store before it answers. */
        Runnable during = () -> {};
        /** Whether its store accepts loads without answering them. */
        boolean silent;

        final BlockingQueue<Load> taken = new LinkedBlockingQueue<>();
        /** A second row that its store returns for each key; null for none. */
        byte @Nullable [] second;

        long asked;

        Gateway(String name, String mark, String account, TableSchema schema, List<ColumnDefinition> columns) {
            this(name, mark, account, schema, columns, null);
        }

        /** Creates a gateway that encrypts its values. */
        Gateway(String name, String mark, @Nullable ValueCipher cipher) {
            this(name, mark, "account", schema(ColumnType.Kind.BIGINT), columns(20), cipher);
        }

        private Gateway(
                String name,
                String mark,
                String account,
                TableSchema schema,
                List<ColumnDefinition> columns,
                @Nullable ValueCipher cipher) {
            this.mark = mark;
            peers = new Peers(
                    name,
                    Set.of("a", "b"),
                    ++processes,
                    new Peers.Sizes(1 << 10, 1 << 4),
                    clock::get,
                    new Peers.Listener() {
                        @Override
                        public void drop(Drop drop) {
                            // The test does not look up lines: it tests the rejection of old
                            // values.
                        }

                        @Override
                        public void freshUpTo(long asOfNanos) {
                            // Lines live for their ttl here.
                        }
                    });
            RowCache cache = new RowCache(RowCacheOptions.of(1 << 20, 1, clock::get, Runnable::run));
            table = requireNonNull(new CachedTables(
                            cache,
                            new Catalog() {
                                @Override
                                public TableSchema table(String in, String table) {
                                    return schema;
                                }

                                @Override
                                public long version() {
                                    return 1;
                                }
                            },
                            known -> TableOptions.DEFAULT.withPrefixCells(1).withTtl(Duration.ofNanos(TTL)))
                    .of(schema));
            assertThat(table.columns(CachedTable.TEXT, columns)).isTrue();
            assertThat(table.columns(CachedTable.BINARY, columns)).isTrue();
            lines = new TierLines(
                    peers, servers, counts, ValueOrigin.Names.of("test", account), any -> true, loop, cipher);
            clock.addAndGet(SOON);
        }

        Gateway(String name, String mark) {
            this(name, mark, "account", schema(ColumnType.Kind.BIGINT), columns(20));
        }

        /** Links this gateway with another one in both directions. */
        void meets(Gateway other) {
            clock.addAndGet(SOON);
            peers.receive(other.peers.next(List::of));
            other.peers.receive(peers.next(List::of));
            clock.addAndGet(SOON);
        }

        /** Reads the rows of a number that is not in a line here. */
        Answer read(long id) throws Exception {
            Map<TierFigures.Value, Long> before = counts.sums();
            Line made = begin(id).get(1, TimeUnit.MINUTES);
            // The counters are complete after a further task of the event loop.
            loop.submit(() -> {}).get(1, TimeUnit.MINUTES);
            TierFigures.Value became = became(before);
            asked += became == null ? 0 : 1;
            return new Answer(made, became);
        }

        /** Returns the use of the value that was requested since these counts. */
        TierFigures.@Nullable Value became(Map<TierFigures.Value, Long> before) {
            TierFigures.Value became = null;
            for (Map.Entry<TierFigures.Value, Long> count : counts.sums().entrySet()) {
                if (count.getKey() != TierFigures.Value.PUT
                        && count.getKey() != TierFigures.Value.WAITED
                        && count.getValue() > requireNonNull(before.get(count.getKey()))) {
                    assertThat(became).isNull();
                    became = count.getKey();
                }
            }
            return became;
        }

        long count(TierFigures.Value what) {
            return requireNonNull(counts.sums().get(what));
        }

        private void store(Load load, long id) {
            if (silent) {
                taken.add(load);
                return;
            }
            during.run();
            feed(load, id, row(id, 1, Long.parseLong(mark)), 1);
            if (second != null) {
                feed(load, id, second, 2);
            }
            load.succeed();
        }

        /** Lets the store answer. */
        void answer(Load load, long id) throws Exception {
            loop.submit(() -> {
                        silent = false;
                        store(load, id);
                        silent = true;
                    })
                    .get(1, TimeUnit.MINUTES);
        }

        /** Reloads the line ahead of its end; returns the use of the requested value. */
        TierFigures.@Nullable Value ahead(long id) throws Exception {
            Map<TierFigures.Value, Long> before = counts.sums();
            loop.execute(() -> table.lines().refresh(aim(id), lines.ahead(table, false, load -> store(load, id))));
            soon("the other gateways").until(() -> became(before) != null);
            return became(before);
        }

        private LineProbe aim(long id) {
            return new LineProbe(table.lines())
                    .aim(table.lines(), kind, key.reset().int64(id));
        }

        /** Begins to read the rows of a number. */
        CompletableFuture<Line> begin(long id) {
            CompletableFuture<Line> line = new CompletableFuture<>();
            loop.execute(() -> table.lines()
                    .load(
                            aim(id),
                            lines.loader(table, kind == CachedTable.BINARY, load -> store(load, id)),
                            new LoadListener() {
                                @Override
                                public void loaded(Line made) {
                                    line.complete(made);
                                }

                                @Override
                                public void failed(Throwable cause) {
                                    line.completeExceptionally(cause);
                                }

                                @Override
                                public void declined(Decline reason) {
                                    line.completeExceptionally(new AssertionError(reason));
                                }
                            }));
            return line;
        }

        private void feed(Load load, long id, byte[] row, long b) {
            load.row(key.reset().int64(id).int64(b), row, 0, row.length);
        }

        /** Reads new rows until their lines are in the tier; returns their number. */
        long lend() throws Exception {
            long untilNanos = System.nanoTime() + PATIENCE.toNanos();
            while (System.nanoTime() - untilNanos < 0) {
                long id = IDS.incrementAndGet();
                long puts = count(TierFigures.Value.PUT);
                read(id);
                if (count(TierFigures.Value.PUT) > puts) {
                    soon("the other gateways")
                            .until(() -> loop.submit(this::isAnswered).get(1, TimeUnit.MINUTES));
                    return id;
                }
            }
            throw new AssertionError("no line was put into the tier");
        }

        boolean isAnswered() {
            RedisConnection to = servers.of(new byte[0]);
            return to != null && to.waitingNanos() == 0;
        }
    }

    /**
     * Reads rows of one gateway, which has just received entries of another one, through a third,
     * until the tier answers in time.
     */
    Answer lent(Gateway from, Gateway heard, LongConsumer between, Gateway to) throws Exception {
        long untilNanos = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - untilNanos < 0) {
            from.meets(heard);
            long id = from.lend();
            between.accept(id);
            Answer answer = to.read(id);
            if (answer.inTime()) {
                return answer;
            }
        }
        throw new AssertionError("the tier was never in time");
    }
}
