package org.keyline.gateway.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.gateway.change.Fencing;
import org.keyline.gateway.key.LiteralValues;
import org.keyline.gateway.key.SlotValues;
import org.keyline.planner.Catalog;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.Effect;
import org.keyline.planner.KeyPart;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.Fence;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LoadListener;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;

/** A cache with memory for one table, in front of a catalog of two. */
final class CachedTablesTest {
    private final Map<TableName, TableSchema> catalog = new ConcurrentHashMap<>();
    private boolean hidden;
    private final Catalog live = new Catalog() {
        @Override
        public @Nullable TableSchema table(String schema, String table) {
            return catalog.get(new TableName(schema, table));
        }

        @Override
        public long version() {
            return 1;
        }

        @Override
        public boolean has(String schema, String table) {
            return hidden || table(schema, table) != null;
        }
    };
    private final CachedTables tables = new CachedTables(cacheOfOneTable(), live, schema -> TableOptions.DEFAULT);

    private static RowCache cacheOfOneTable() {
        RowCacheOptions usual = RowCacheOptions.of(1 << 20, 1, Ticker.systemTicker(), Runnable::run);
        return new RowCache(new RowCacheOptions(
                usual.maxBytes(),
                1,
                usual.maxLoads(),
                usual.maxRangesPerPrefix(),
                usual.maxPrefixesPerFence(),
                usual.maxClosedPrefixes(),
                usual.hashSeed(),
                usual.ticker(),
                usual.executor()));
    }

    private TableSchema create(String name, long id) {
        return create(name, id, 1);
    }

    private TableSchema create(String name, long id, int keyColumns) {
        return create(name, id, keyColumns, ColumnType.Kind.BIGINT, false);
    }

    private TableSchema create(String name, long id, int keyColumns, ColumnType.Kind kind, boolean numbered) {
        ColumnType type = new ColumnType(kind, false, 20, 0, null);
        TableSchema schema = new TableSchema(
                new TableName("d", name),
                id,
                TableModel.UNIQUE,
                IntStream.range(0, keyColumns)
                        .mapToObj(key -> new ColumnSchema("k" + key, type, false, null, numbered, ""))
                        .toList(),
                IntStream.range(0, keyColumns).boxed().toList(),
                List.of(),
                "",
                Map.of());
        catalog.put(schema.name(), schema);
        return schema;
    }

    @Test
    void of_moreTablesThanMayBe_isNull() {
        assertThat(tables.of(create("a", 1))).isNotNull();
        TableSchema crowded = create("b", 2);
        assertThat(tables.of(crowded)).isNull();
        assertThat(tables.of(crowded)).isNull();
        assertThat(tables.names()).containsExactly(new TableName("d", "a"));
    }

    @Test
    void excluded_namesTheReasonUntilTheTableHasAnotherKeyOrIsDropped() {
        TableSchema uncached = create("a", 1, 2, ColumnType.Kind.FLOAT, false);
        assertThat(tables.of(uncached)).isNull();
        assertThat(tables.excluded())
                .containsExactly(Map.entry(
                        uncached.name(),
                        "Its key column k0 has the type FLOAT, whose values Keyline cannot compare exactly."));
        assertThat(tables.of(create("a", 2))).isNotNull();
        assertThat(tables.excluded()).isEmpty();
        TableSchema crowded = create("b", 3);
        assertThat(tables.of(crowded)).isNull();
        assertThat(tables.excluded()).containsOnlyKeys(crowded.name());
        catalog.remove(crowded.name());
        tables.retireDropped();
        assertThat(tables.excluded()).isEmpty();
    }

    @Test
    void of_crowdedOutAndRoomAppears_staysNullUntilItIsDropped() {
        TableSchema first = create("a", 1);
        TableSchema crowded = create("b", 2);
        assertThat(tables.of(first)).isNotNull();
        assertThat(tables.of(crowded)).isNull();
        catalog.remove(first.name());
        tables.retireDropped();
        assertThat(tables.of(crowded)).isNull();
        assertThat(tables.of(create("b", 3))).isNull();
        catalog.remove(crowded.name());
        tables.retireDropped();
        assertThat(tables.of(create("b", 4))).isNotNull();
    }

    /** While the catalog is uncertain, or a definition changes, a table and its counters remain. */
    @Test
    void counters_ofATableThatIsUnknownForAMomentOrChanges_goOn() {
        CachedTable first = tables.of(create("a", 1));
        Objects.requireNonNull(first).lines().stats().countQuery();
        TableName name = first.schema().name();
        hidden = true;
        catalog.remove(name);
        tables.retireDropped();
        assertThat(tables.names()).containsExactly(name);
        assertThat(tables.of(create("a", 2))).isNotNull();
        assertThat(Objects.requireNonNull(tables.lines(name)).stats().snapshot().queries())
                .isEqualTo(1);
    }

    /**
     * Otherwise the measurements of a store with ten thousand tables would occupy more memory than
     * lines.
     */
    @Test
    void granularities_ofManyTables_areMeasuredForABoundedNumber_andAPlaceOfATableThatIsGoneIsTakenAgain() {
        CachedTables many = new CachedTables(
                new RowCache(RowCacheOptions.of(1 << 20, 1, Ticker.systemTicker(), Runnable::run)),
                live,
                schema -> TableOptions.DEFAULT.withPrefixCells(2),
                schema -> 1_000);
        KeyEncoder key = new KeyEncoder().int64(1).int64(2);
        List<CachedTable> made = new ArrayList<>();
        for (int i = 1; i <= 130; i++) {
            CachedTable table = Objects.requireNonNull(many.of(create("t" + i, i, 2)));
            Objects.requireNonNull(table.ghosts()).read(key, 1, 0);
            made.add(table);
        }
        assertThat(made.stream().filter(CachedTablesTest::isMeasured)).hasSize(128);
        CachedTable last = made.get(129);
        assertThat(isMeasured(last)).isFalse();

        catalog.remove(made.get(0).schema().name());
        many.retireDropped();
        many.choose();
        Objects.requireNonNull(last.ghosts()).read(key, 1, 0);
        Objects.requireNonNull(made.get(128).ghosts()).read(key, 1, 0);
        assertThat(isMeasured(last)).isTrue();
        assertThat(isMeasured(made.get(128))).isFalse();
    }

    private static boolean isMeasured(CachedTable table) {
        return Objects.requireNonNull(table.ghosts()).isActive();
    }

    /**
     * Sums over all tables are counters, and monitoring systems take one that falls for a restart.
     */
    @Test
    void counters_ofATableThatIsDropped_stayInTheSums() {
        CachedTable first = Objects.requireNonNull(tables.of(create("a", 1)));
        first.lines().stats().countQuery();
        first.figures().missed(MissReason.SESSION);
        assertThat(tables.count().retired()).isNull();
        catalog.remove(first.schema().name());
        tables.retireDropped();
        CachedTable second = Objects.requireNonNull(tables.of(create("b", 2)));
        second.lines().stats().countQuery();
        second.lines().stats().countQuery();
        catalog.remove(second.schema().name());
        tables.retireDropped();
        assertThat(tables.count().tables()).isEmpty();
        TableCounts gone = Objects.requireNonNull(tables.count().retired());
        assertThat(gone.lines().queries()).isEqualTo(3);
        assertThat(gone.reads().misses()).containsEntry(MissReason.SESSION, 1L);
    }

    @Test
    void fences_ofAWriteToACrowdedTable_closeNothingAndDoNotFail() {
        TableSchema first = create("a", 1);
        TableSchema crowded = create("b", 2);
        assertThat(tables.of(first)).isNotNull();
        Fencing fencing = fencing();
        // A write of the whole table has no keys, so its values are not read.
        SlotValues values = new LiteralValues();
        fencing.sends(new Effect.Tables(List.of(crowded.name())), values);
        assertThat(tables.of(crowded)).isNull();
        fencing.ended(false, false);
    }

    @Test
    void retireDropped_duringAWrite_keepsTheTableUntilTheWriteIsOver() {
        TableSchema schema = create("a", 1);
        CachedTable table = Objects.requireNonNull(tables.of(schema), "no table");
        Fence fence = tables.cache().fence();
        fence.close(table.lines());
        catalog.remove(schema.name());
        tables.retireDropped();
        catalog.put(schema.name(), schema);
        assertThat(tables.of(schema)).isSameAs(table);
        fence.open();
        catalog.remove(schema.name());
        tables.retireDropped();
        assertThat(tables.names()).isEmpty();
    }

    @Test
    void fences_ofAWriteToATableThatIsNotKnownAtTheMoment_closeEverything() {
        TableSchema schema = create("a", 1);
        catalog.remove(schema.name());
        Fencing fencing = fencing();
        Effect write = new Effect.Rows(schema, List.of(List.of(KeyPart.of(0))));
        fencing.sends(write, new LiteralValues());
        catalog.put(schema.name(), schema);
        CachedTable table = Objects.requireNonNull(tables.of(schema), "no table");
        assertThat(load(table)).isEqualTo(Decline.FENCED);
        fencing.ended(false, false);
        assertThat(load(table)).isNull();
    }

    /**
     * The insert id of a reply names the row if the store generated the number. For a number that
     * the statement gives in another form, the id may be the argument of a LAST_INSERT_ID().
     */
    @ParameterizedTest
    @CsvSource(
            value = {"NULL, true", "0, true", "'3', false", "3.0, false", "3, false"},
            quoteCharacter = '~')
    void insertWithNumber_isNamedByItsReplyOnlyIfTheStoreGeneratesIt(String number, boolean named) {
        TableSchema schema = create("a", 1, 1, ColumnType.Kind.BIGINT, true);
        CachedTable table = Objects.requireNonNull(tables.of(schema), "no table");
        Digester digester = new Digester();
        byte[] sql = ("INSERT INTO a VALUES (" + number + ")").getBytes(StandardCharsets.UTF_8);
        digester.digest(sql, 0, sql.length, SqlMode.parse("").orElseThrow());
        List<KeyPart> key = number.equals("NULL") ? List.of() : List.of(KeyPart.of(0));
        Effect insert = new Effect.Rows(schema, List.of(key), List.of(), List.of(), Effect.Rows.Adds.ROWS, null);
        Fencing fencing = new Fencing.Shared(tables, live, new KeyEncoder(), true).session();
        Fencing.Write write = fencing.sendsExact(insert, new LiteralValues().of(digester, 4));
        assertThat(write != null && write.numberedTable() != null).isEqualTo(named);
        assertThat(load(table, number.equals("0") ? 0 : 3)).isEqualTo(Decline.FENCED);
        fencing.ended(false, false);
    }

    private Fencing fencing() {
        return new Fencing.Shared(tables, live, new KeyEncoder(), false).session();
    }

    private static @Nullable Decline load(CachedTable table) {
        return load(table, 1);
    }

    private static @Nullable Decline load(CachedTable table, long id) {
        Decline[] declined = new Decline[1];
        LineProbe probe = new LineProbe(table.lines()).aim(table.lines(), 0, new KeyEncoder().int64(id));
        table.lines().load(probe, load -> {}, new LoadListener() {
            @Override
            public void loaded(Line line) {}

            @Override
            public void failed(Throwable cause) {}

            @Override
            public void declined(Decline reason) {
                declined[0] = reason;
            }
        });
        return declined[0];
    }
}
