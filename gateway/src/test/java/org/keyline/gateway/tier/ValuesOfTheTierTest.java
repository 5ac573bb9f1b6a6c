package org.keyline.gateway.tier;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.Secret;
import org.keyline.gateway.fixtures.RedisServer;
import org.keyline.gateway.metrics.TierFigures;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
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
import org.keyline.rowcache.Loader;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;

/**
 * What becomes of a value of the tier at the gateway that asks for it: how old its line is, and which values are not used. The lines, the
 * bookkeeping and the server are real; the store, and time beside the server's, are the test's.
 */
final class ValuesOfTheTierTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long TTL = TimeUnit.HOURS.toNanos(1);
    private static final TableName NAME = new TableName("d", "t");

    private static RedisServer redis;
    private static EventLoopGroup group;
    private static EventLoop loop;
    private static TierStream stream;
    private static final AtomicLong IDS = new AtomicLong();

    private final AtomicLong clock = new AtomicLong(TTL);
    private long processes;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(RedisServer.isInstalled(), "there is no redis-server");
        redis = RedisServer.start();
        redis.awaitReady();
        group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        loop = group.next();
        GatewayConfig.Tier config = new GatewayConfig.Tier(
                "redis://127.0.0.1:" + redis.port(),
                "",
                new Secret(""),
                null,
                "test",
                "a",
                Set.of("a", "b"),
                Duration.ofMillis(200),
                true);
        stream = new TierStream(config, null, loop, again -> {
            var unused = loop.schedule(again, 10, TimeUnit.MILLISECONDS);
        });
        loop.execute(() -> stream.begin(entry -> {}));
        await().atMost(PATIENCE).until(() -> stream.server() != null);
    }

    @AfterAll
    static void stop() throws Exception {
        if (redis != null) {
            loop.submit(stream::close).get(1, TimeUnit.MINUTES);
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).get(1, TimeUnit.MINUTES);
            redis.close();
        }
    }

    private static TableSchema schema(ColumnType.Kind value) {
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

    private static ColumnSchema column(String name, ColumnType.Kind kind) {
        return new ColumnSchema(name, new ColumnType(kind, false, 20, 0, null), false, null, false, "");
    }

    private static List<ColumnDefinition> columns(int length) {
        List<ColumnDefinition> columns = new ArrayList<>();
        for (String name : new String[] {"a", "b", "v"}) {
            columns.add(ColumnDefinition.of(name, 63, length, org.keyline.protocol.ColumnType.LONGLONG, 0, 0));
        }
        return columns;
    }

    /** A row in the text format. */
    private static byte[] row(long... cells) {
        StringBuilder row = new StringBuilder();
        for (long cell : cells) {
            String text = Long.toString(cell);
            row.append((char) text.length()).append(text);
        }
        return row.toString().getBytes(US_ASCII);
    }

    /** What a read came to: its line, and what became of the value that it asked the tier for; null if it asked for none. */
    private record Answer(Line line, TierFigures.@Nullable Value value) {
        boolean inTime() {
            return value != null && value != TierFigures.Value.LATE;
        }

        /** The row's last cell. */
        String text() {
            String row = new String(line.bytes(), line.rowOffset(0), line.rowLength(0), US_ASCII);
            return row.substring(row.length() - 1);
        }
    }

    /** One gateway: its bookkeeping, its lines of one table. */
    private final class Gateway {
        final Peers peers;
        final CachedTable table;
        final ValueCounts counts = new ValueCounts();
        final ValueConnection connection = new ValueConnection(stream, null, loop, TierLines.PATIENCE.toNanos());
        final TierLines lines;
        final String mark;
        final KeyEncoder key = new KeyEncoder();
        int kind = CachedTable.TEXT;
        /** What its store does before it answers. */
        Runnable during = () -> {};
        /** What its store has beside the row of each key; null: nothing. */
        byte @Nullable [] second;

        long asked;

        Gateway(String name, String mark, String account, TableSchema schema, List<ColumnDefinition> columns) {
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
                            // Lines are not looked at: what keeps old values out is.
                        }

                        @Override
                        public void vouched(long asOfNanos) {
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
            lines = new TierLines(peers, connection, counts, "test:line:", account, loop);
            clock.addAndGet(SOON);
        }

        Gateway(String name, String mark) {
            this(name, mark, "account", schema(ColumnType.Kind.BIGINT), columns(20));
        }

        /** Hears what the other one sends, and is heard. */
        void meets(Gateway other) {
            clock.addAndGet(SOON);
            peers.hear(other.peers.next(List::of));
            other.peers.hear(peers.next(List::of));
            clock.addAndGet(SOON);
        }

        /** Reads the rows of a number that is not in a line here. */
        Answer read(long id) throws Exception {
            Map<TierFigures.Value, Long> before = counts.sums();
            CompletableFuture<Line> line = new CompletableFuture<>();
            Loader store = load -> {
                during.run();
                feed(load, id, row(id, 1, Long.parseLong(mark)), 1);
                if (second != null) {
                    feed(load, id, second, 2);
                }
                load.succeed();
            };
            loop.execute(() -> table.lines()
                    .load(
                            new LineProbe(table.lines())
                                    .aim(table.lines(), kind, key.reset().int64(id)),
                            lines.loader(table, kind == CachedTable.BINARY, store),
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
            Line made = line.get(1, TimeUnit.MINUTES);
            // What is counted behind the line is, once the event loop has come back.
            loop.submit(() -> {}).get(1, TimeUnit.MINUTES);
            TierFigures.Value became = null;
            for (Map.Entry<TierFigures.Value, Long> count : counts.sums().entrySet()) {
                if (count.getKey() != TierFigures.Value.PUT
                        && count.getValue() > requireNonNull(before.get(count.getKey()))) {
                    assertThat(became).isNull();
                    became = count.getKey();
                }
            }
            asked += became == null ? 0 : 1;
            return new Answer(made, became);
        }

        private void feed(Load load, long id, byte[] row, long b) {
            load.row(key.reset().int64(id).int64(b), row, 0, row.length);
        }

        /** Reads rows that nobody has read until they are at the tier; answers their number. */
        long lend() throws Exception {
            long untilNanos = System.nanoTime() + PATIENCE.toNanos();
            while (System.nanoTime() - untilNanos < 0) {
                long id = IDS.incrementAndGet();
                long puts = requireNonNull(counts.sums().get(TierFigures.Value.PUT));
                read(id);
                if (requireNonNull(counts.sums().get(TierFigures.Value.PUT)) > puts) {
                    await().atMost(PATIENCE)
                            .until(() -> loop.submit(this::isAnswered).get(1, TimeUnit.MINUTES));
                    return id;
                }
            }
            throw new AssertionError("no line was put into the tier");
        }

        private boolean isAnswered() {
            RedisConnection to = connection.usable();
            return to != null && to.waitingNanos() == 0;
        }
    }

    /** Rows of one gateway, which have just heard of another one, are read through a third, until the tier tells that one in time. */
    private Answer lent(Gateway from, Gateway heard, LongConsumer between, Gateway to) throws Exception {
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

    @Test
    void rows_thatAreMadeAlike_areUsed_andAreAsOldAsTheirLoad() throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway("b", "2");
        long[] lentNanos = new long[1];
        Answer answer = lent(
                a,
                b,
                id -> {
                    lentNanos[0] = clock.get();
                    clock.addAndGet(TTL / 2);
                },
                b);
        assertThat(answer.value()).isEqualTo(TierFigures.Value.HIT);
        assertThat(answer.text()).isEqualTo("1");
        assertThat(answer.line().loadBeganNanos()).isLessThan(lentNanos[0]);
    }

    /** The number of the asker's that was heard last is from after the store was asked. */
    @Test
    void rows_areNotDatedByWhatWasHeardWhileTheyWereLoaded() throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway("b", "2");
        long[] beganNanos = new long[1];
        a.during = () -> {
            beganNanos[0] = clock.get();
            clock.addAndGet(TTL / 4);
            a.meets(b);
        };
        Answer answer = lent(a, b, id -> {}, b);
        assertThat(answer.value()).isEqualTo(TierFigures.Value.HIT);
        assertThat(answer.line().loadBeganNanos()).isLessThan(beganNanos[0]);
    }

    @Test
    void rows_olderThanATtl_areNotUsed() throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway("b", "2");
        Answer answer = lent(a, b, id -> clock.addAndGet(TTL), b);
        assertThat(answer.value()).isEqualTo(TierFigures.Value.OLD);
        assertThat(answer.text()).isEqualTo("2");
    }

    private enum Other {
        DEFINITION,
        COLUMNS,
        ACCOUNT,
        FORMAT
    }

    @ParameterizedTest
    @EnumSource
    void rows_ofAnotherOrigin_areNotFound(Other other) throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway(
                "b",
                "2",
                other == Other.ACCOUNT ? "another" : "account",
                schema(other == Other.DEFINITION ? ColumnType.Kind.INT : ColumnType.Kind.BIGINT),
                columns(other == Other.COLUMNS ? 11 : 20));
        b.kind = other == Other.FORMAT ? CachedTable.BINARY : CachedTable.TEXT;
        Answer answer = lent(a, b, id -> {}, b);
        assertThat(answer.value()).isEqualTo(TierFigures.Value.MISS);
        assertThat(answer.text()).isEqualTo("2");
    }

    @Test
    void rows_thatNameNoNumberOfThisProcess_areNotUsed() throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway("b", "2");
        Gateway again = new Gateway("b", "3");
        Answer answer = lent(
                a,
                b,
                id -> {
                    assertThat(again.peers.next(List::of).number()).isPositive();
                    clock.addAndGet(SOON);
                },
                again);
        assertThat(answer.value()).isEqualTo(TierFigures.Value.UNDATED);
        assertThat(answer.text()).isEqualTo("3");
    }

    private enum Known {
        BY_ITSELF,
        BY_ANOTHER
    }

    @ParameterizedTest
    @EnumSource
    void rows_fromBeforeAWriteThatIsKnown_areNotUsed(Known known) throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway("b", "2");
        LongFunction<Drop> drop = id -> {
            KeyEncoder key = new KeyEncoder().int64(id);
            return new Drop.Rows(NAME, 1, Arrays.copyOf(key.buffer(), key.length()));
        };
        Answer answer = lent(
                a,
                b,
                id -> {
                    if (known == Known.BY_ITSELF) {
                        b.peers.wrote(drop.apply(id));
                    } else {
                        b.peers.hear(a.peers.next(() -> List.of(drop.apply(id))));
                    }
                },
                b);
        assertThat(answer.value()).isEqualTo(TierFigures.Value.OVERTAKEN);
        assertThat(answer.text()).isEqualTo("2");
    }

    @Test
    void rows_ofWhichOneCannotBeRead_areForgotten() throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway("b", "2");
        a.second = new byte[] {100, 1};
        Answer answer = lent(a, b, id -> {}, b);
        assertThat(answer.value()).isEqualTo(TierFigures.Value.DAMAGED);
        assertThat(answer.text()).isEqualTo("2");
        assertThat(answer.line().rows()).isEqualTo(1);
    }

    @Test
    void aReply_thatComesAfterTheStoreWasAsked_countsForNothing() throws Exception {
        Gateway a = new Gateway("a", "1");
        Gateway b = new Gateway("b", "2");
        assertThat(lent(a, b, id -> {}, b).value()).isEqualTo(TierFigures.Value.HIT);
        long id = a.lend();
        redis.run("CLIENT PAUSE 1000 ALL");
        Answer late = b.read(id);
        assertThat(late.value()).isEqualTo(TierFigures.Value.LATE);
        assertThat(late.text()).isEqualTo("2");
        assertThat(lent(a, b, other -> {}, b).value()).isEqualTo(TierFigures.Value.HIT);
        long counted = b.counts.sums().entrySet().stream()
                .filter(count -> count.getKey() != TierFigures.Value.PUT)
                .mapToLong(Map.Entry::getValue)
                .sum();
        assertThat(counted).isEqualTo(b.asked);
    }
}
