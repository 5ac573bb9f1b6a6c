package org.keyline.gateway.change;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.planner.Catalog;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.Ghosts;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.Load;
import org.keyline.rowcache.LoadListener;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;
import org.keyline.stores.ChangeSignal;
import org.keyline.stores.DefinitionListener;
import org.keyline.stores.PartitionSpans;

/** The effect of outside changes on lines, with a clock that stands still. */
final class OutsideChangesTest {
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final Duration SIGNAL_TTL = Duration.ofMinutes(1);
    private static final Duration SOON = Duration.ofMillis(30);
    private static final Duration LATE = Duration.ofMillis(900);

    private final Map<TableName, TableSchema> catalog = new ConcurrentHashMap<>();
    private final List<@Nullable Collection<TableName>> definitions = new ArrayList<>();
    private long now = 1_000_000_000_000L;
    private final RowCache cache = new RowCache(RowCacheOptions.of(1 << 20, 1, () -> now, Runnable::run));
    private final CachedTables tables =
            new CachedTables(cache, new Definitions(), schema -> TableOptions.DEFAULT.withTtl(TTL, SIGNAL_TTL));
    private TableSchema words = create("words", 1);
    private int revoked;
    private final OutsideChanges early = new OutsideChanges(
            tables, definitions::add, () -> revoked++, true, () -> new OutsideChanges.Ages(TTL, TTL), () -> now);
    private final OutsideChanges exact = new OutsideChanges(
            tables, definitions::add, () -> revoked++, false, () -> new OutsideChanges.Ages(TTL, TTL), () -> now);

    private TableSchema create(String name, long id) {
        return create(name, id, "utf8mb4_general_ci");
    }

    private TableSchema create(String name, long id, String collation) {
        ColumnType text = new ColumnType(ColumnType.Kind.VARCHAR, false, 20, 0, collation);
        TableSchema schema = new TableSchema(
                new TableName("d", name),
                id,
                TableModel.UNIQUE,
                List.of(new ColumnSchema("k", text, false, null, false, "")),
                List.of(0),
                List.of(),
                "",
                Map.of());
        catalog.put(schema.name(), schema);
        return schema;
    }

    private static List<byte @Nullable []> key(String text) {
        List<byte @Nullable []> key = new ArrayList<>();
        key.add(text.getBytes(StandardCharsets.UTF_8));
        return key;
    }

    private TableSchema createPairs() {
        ColumnType number = new ColumnType(ColumnType.Kind.INT, false, 0, 0, "");
        TableSchema schema = new TableSchema(
                new TableName("d", "pairs"),
                1,
                TableModel.UNIQUE,
                List.of(
                        new ColumnSchema("a", number, false, null, false, ""),
                        new ColumnSchema("b", number, false, null, false, "")),
                List.of(0, 1),
                List.of(),
                "",
                Map.of());
        catalog.put(schema.name(), schema);
        return schema;
    }

    private LineProbe probe(TableSchema schema, String key) {
        CachedTable table = requireNonNull(tables.of(schema));
        KeyEncoder encoder = new KeyEncoder();
        assertThat(table.encode(key(key), encoder)).isTrue();
        byte[] bytes = Arrays.copyOf(encoder.buffer(), encoder.length());
        return new LineProbe(table.lines()).aim(table.lines(), 0, bytes, 0, bytes.length, bytes.length);
    }

    private boolean finds(String key) {
        LineProbe probe = probe(words, key);
        return lines().find(probe, now) != null;
    }

    private LineTable lines() {
        return requireNonNull(tables.lines(words.name()));
    }

    /** Begins the load of a line that has no rows. */
    private Load begin(String key) {
        Load[] begun = new Load[1];
        LineProbe probe = probe(words, key);
        lines().load(probe, load -> begun[0] = load, new LoadListener() {
            @Override
            public void loaded(Line line) {
                assertThat(line.rows()).isZero();
            }

            @Override
            public void failed(Throwable cause) {
                throw new AssertionError(cause);
            }

            @Override
            public void declined(Decline reason) {
                throw new AssertionError(reason);
            }
        });
        return requireNonNull(begun[0]);
    }

    private void load(String... keys) {
        for (String key : keys) {
            begin(key).succeed();
            assertThat(finds(key)).isTrue();
        }
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private static PartitionSpans lists(String... values) {
        List<PartitionSpans.Span> spans = new ArrayList<>();
        for (String value : values) {
            spans.add(new PartitionSpans.Span(spans.size() + 1, value, value));
        }
        return new PartitionSpans("k", "VARCHAR", spans);
    }

    @Test
    void partitions_dropTheirLines_onceTheirBoundsAreKnown() {
        words = create("words", 2, "utf8mb4_0900_bin");
        load("a", "b");
        exact.partitions(words.name(), lists("a", "b"), List.of(1L));
        assertThat(finds("b")).as("before, nothing is known of its partition").isFalse();
        load("b", "c");
        Load inFlight = begin("a");
        exact.partitions(words.name(), lists("a", "b"), List.of(1L));
        inFlight.succeed();
        assertThat(finds("a")).isFalse();
        assertThat(finds("b")).isTrue();
        assertThat(finds("c")).as("in no partition").isFalse();
        assertThat(exact.tableDrops()).isEqualTo(1);
    }

    @Test
    void otherPartitionsThanBefore_dropTheTable() {
        words = create("words", 2, "utf8mb4_0900_bin");
        exact.partitions(words.name(), lists("a", "b"), List.of(1L));
        load("a", "b");
        exact.partitions(words.name(), lists("a", "b", "c"), List.of(3L));
        assertThat(finds("b")).isFalse();
        load("a", "b");
        exact.partitions(words.name(), lists("a", "b", "c"), List.of(3L));
        assertThat(finds("b")).isTrue();
    }

    /** The binary log may report a REVOKE before the store denies the statement. */
    @Test
    void privileges_toldEarly_areTakenBackTwice() {
        exact.privileges();
        exact.dropDue();
        assertThat(revoked).isEqualTo(1);
        early.privileges();
        early.dropDue();
        assertThat(revoked).isEqualTo(2);
        now += 200_000_000;
        early.dropDue();
        early.dropDue();
        assertThat(revoked).isEqualTo(3);
    }

    /** A binary log reports a row before the engine shows it. */
    @Test
    void earlyRow_isDroppedAgainSoon_andBeforeItsTtlIsOver() {
        load("ann", "bob");
        early.row(words, key("ann"), List.of());
        load("ann");
        early.dropDue();
        assertThat(finds("ann")).as("nothing is due yet").isTrue();
        pass(SOON);
        early.dropDue();
        assertThat(finds("ann")).isFalse();
        load("ann");
        early.complete(now);
        pass(LATE.minus(SOON));
        early.dropDue();
        assertThat(finds("ann")).isFalse();
        assertThat(finds("bob")).isTrue();
        load("ann");
        pass(TTL);
        early.complete(now);
        assertThat(finds("ann")).as("not a fourth time").isTrue();
    }

    /** A store that waits for its replicas shows a change long after its log has it. */
    @Test
    void earlyChanges_thatBecomeVisibleAfterTheirLastDrop_areDroppedThen() {
        List<Runnable> changes = List.of(
                () -> early.row(words, key("ann"), List.of()), () -> early.table(words.name()), early::everything);
        for (Runnable change : changes) {
            early.complete(now);
            pass(SOON);
            change.run();
            for (int i = 0; i < 3; i++) {
                pass(LATE);
                early.dropDue();
            }
            load("ann");
            early.complete(now - LATE.multipliedBy(4).toNanos());
            assertThat(finds("ann")).as("not visible yet").isTrue();
            early.complete(now);
            assertThat(finds("ann")).isFalse();
            load("ann");
            pass(LATE);
            early.complete(now);
            assertThat(finds("ann")).isTrue();
        }
    }

    /** The signal then also asks while no table has lines. */
    @Test
    void earlyChanges_thatWereConfirmedBeforeTheFirstLine_leaveIt() {
        early.everything();
        early.table(words.name());
        assertThat(early.awaitsComplete()).isTrue();
        early.complete(now);
        for (int i = 0; i < 2; i++) {
            pass(LATE);
            early.dropDue();
        }
        assertThat(early.awaitsComplete()).isFalse();
        load("ann");
        early.complete(now);
        assertThat(finds("ann")).isTrue();
    }

    /** The simulations of other granularities lose the lines of one row, however lines are named. */
    @Test
    void row_isReportedToTheGhostCachesByItsWholeKey_eachTimeItIsDropped() {
        TableSchema pairs = createPairs();
        LineTable lines = requireNonNull(tables.of(pairs)).lines();
        assertThat(lines.options().prefixCells()).isEqualTo(1);
        Ghosts ghosts = new Ghosts(2, 5, new AtomicInteger(1));
        lines.watch(ghosts);
        List<KeyEncoder> keys = List.of(
                new KeyEncoder().int64(1).int64(1), new KeyEncoder().int64(1).int64(2));
        Runnable reads = () -> {
            pass(Duration.ofMillis(1));
            keys.forEach(key -> ghosts.read(key, Long.MAX_VALUE, now));
        };
        reads.run();
        assertThat(ghosts.snapshot().loads()).containsExactly(0, 1, 2);
        List<byte @Nullable []> changed = new ArrayList<>(key("1"));
        changed.addAll(key("2"));
        early.row(pairs, changed, List.of());
        reads.run();
        assertThat(ghosts.snapshot().loads()).containsExactly(0, 2, 3);
        pass(SOON);
        early.dropDue();
        reads.run();
        assertThat(ghosts.snapshot().loads()).containsExactly(0, 3, 4);
    }

    /** If the timer is late, no line counts as fresh that the timer should have dropped. */
    @Test
    void complete_dropsFirstWhatIsOverdue() {
        load("ann", "bob");
        early.row(words, key("ann"), List.of());
        load("ann");
        pass(LATE);
        early.complete(now);
        assertThat(finds("ann")).isFalse();
        assertThat(finds("bob")).isTrue();
    }

    @Test
    void earlyChangeOfATableWithoutLines_dropsThoseThatComeMeanwhile() {
        early.row(words, key("ann"), List.of());
        load("ann", "bob");
        pass(SOON);
        early.dropDue();
        assertThat(finds("ann")).isFalse();
        load("ann");
        pass(LATE.minus(SOON));
        early.dropDue();
        assertThat(finds("ann")).isFalse();
        load("ann");
        pass(LATE);
        early.dropDue();
        assertThat(finds("ann")).isTrue();
    }

    /** Changes that arrive while a table's lines are being dropped are processed as well. */
    @Test
    void earlyChangesOfATable_oneAfterTheOther_areAllFollowedUp() {
        load("ann");
        early.table(words.name());
        pass(SOON);
        early.dropDue();
        early.table(words.name());
        load("ann");
        pass(LATE.minus(SOON));
        early.dropDue();
        load("ann");
        pass(Duration.ofMillis(10));
        early.dropDue();
        assertThat(finds("ann")).isFalse();
        load("ann");
        pass(LATE);
        early.dropDue();
        assertThat(finds("ann")).isTrue();
    }

    @Test
    void moreRowsThanAreRemembered_dropTheirTable() {
        FollowUps two = new FollowUps(tables, () -> TTL, 2, () -> now);
        load("ann");
        byte[] row = new KeyEncoder().int64(1).toBytes();
        assertThat(two.row(lines(), row, List.of())).isTrue();
        assertThat(two.row(lines(), row, List.of())).isTrue();
        assertThat(two.row(lines(), row, List.of())).isFalse();
        two.table(words.name());
        assertThat(two.pending()).isEqualTo(3);
        two.seen(now);
        pass(LATE);
        two.drop();
        assertThat(finds("ann")).isFalse();
        assertThat(two.pending()).isZero();
    }

    @Test
    void storedCode_isReadAgain_andNoTable() {
        List<String> reports = new ArrayList<>();
        DefinitionListener listener = new DefinitionListener() {
            @Override
            public void definitionsChanged(@Nullable Collection<TableName> changed) {
                reports.add("definitions");
            }

            @Override
            public Runnable storedCodeChanging() {
                reports.add("code changes");
                return () -> reports.add("code changed");
            }
        };
        OutsideChanges changes = new OutsideChanges(
                tables, listener, () -> revoked++, true, () -> new OutsideChanges.Ages(TTL, TTL), () -> now);
        load("ann");
        changes.storedCode();
        assertThat(reports).containsExactly("code changes", "code changed");
        assertThat(finds("ann")).isTrue();
    }

    @Test
    void complete_letsLinesAnswerBeyondTheTtl_untilItIsSilentForOne() {
        assertThat(exact.lagNanos()).isNegative();
        exact.state(ChangeSignal.State.FOLLOWING, "");
        load("ann");
        pass(TTL.multipliedBy(5));
        assertThat(finds("ann")).isFalse();
        assertThat(exact.lagNanos()).isNegative();
        assertThat(exact.isLive()).isFalse();
        assertThat(exact.lifetime()).contains("cache.ttl").doesNotContain("cache.signalTtl");
        exact.complete(now);
        assertThat(exact.isLive()).isTrue();
        assertThat(exact.lifetime()).contains("cache.signalTtl");
        assertThat(finds("ann")).isTrue();
        pass(TTL.plusNanos(1));
        assertThat(finds("ann")).isFalse();
        assertThat(exact.lagNanos()).isEqualTo(TTL.toNanos() + 1);
        exact.complete(words.name(), now);
        assertThat(finds("ann")).isTrue();
    }

    /** The tables of this test. */
    private final class Definitions implements Catalog {
        @Override
        public @Nullable TableSchema table(String schema, String table) {
            return catalog.get(new TableName(schema, table));
        }

        @Override
        public long version() {
            return 1;
        }
    }

    /** Its lines live for their ttl only, and a changed definition drops them as usual. */
    @Test
    void tableThatFollowsItsTtl_isNotAskedFor_andIsDroppedByDefinitionsAlone() {
        OutsideChanges others = new OutsideChanges(
                tables,
                definitions::add,
                () -> revoked++,
                true,
                () -> new OutsideChanges.Ages(TTL, TTL, Duration.ZERO, table -> false),
                () -> now);
        load("ann", "bob");
        assertThat(others.tables()).isEmpty();
        assertThat(exact.tables()).containsExactly(words.name());
        others.row(words, key("ann"), List.of());
        others.table(words.name());
        others.partitions(words.name(), lists("ann", "bob"), List.of(1L));
        pass(SOON);
        others.dropDue();
        assertThat(finds("ann")).isTrue();
        pass(TTL);
        others.complete(now);
        others.complete(words.name(), now);
        assertThat(finds("ann")).as("older than its ttl").isFalse();
        load("ann", "bob");
        others.definitions(List.of(words.name()));
        assertThat(finds("bob")).isFalse();
        load("bob");
        others.everything();
        assertThat(finds("bob")).isFalse();
    }

    @Test
    void drops_thatComeBeforeLinesAreRead_areNamed() {
        CachedTable table = requireNonNull(tables.of(words));
        for (int i = 0; i < 16; i++) {
            assertThat(table.wasted(now)).isEmpty();
            exact.table(words.name());
            load("ann", "bob");
            lines().stats().countHit();
            pass(TTL);
        }
        assertThat(table.wasted(now))
                .isEqualTo("Writes that bypass Keyline dropped lines of this table 16 times in 16 s. In this time, 32"
                        + " loads served only 16 further reads.");
        for (int i = 0; i < 16; i++) {
            lines().stats().countHit();
        }
        assertThat(table.wasted(now)).isEmpty();
    }

    @Test
    void lifetime_inAnOutage_hasOneFullStopAndNoAdvice() {
        exact.state(ChangeSignal.State.LOST, "the binary log cannot be followed: Is it running.");
        assertThat(exact.lifetime()).endsWith(": Is it running.").doesNotContain("If all writes");
        exact.state(ChangeSignal.State.REFUSED, "log_bin is off");
        assertThat(exact.lifetime()).endsWith("log_bin is off. If all writes go through Keyline, set cache.ttl=1m.");
    }

    @Test
    void lifetime_whereTheStoreMayAnswerOldVersions_tellsHowOld() {
        OutsideChanges lagging = new OutsideChanges(
                tables,
                definitions::add,
                () -> revoked++,
                false,
                () -> new OutsideChanges.Ages(TTL, TTL, Duration.ofMillis(500), table -> true),
                () -> now);
        assertThat(lagging.lifetime()).contains("500ms", "cloud_partition_version_cache_ttl_ms");
        assertThat(exact.lifetime()).doesNotContain("cloud_partition_version_cache_ttl_ms");
    }
}
