package org.keyline.gateway.read;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.table.Statements;
import org.keyline.planner.Catalog;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.KeyBound;
import org.keyline.planner.KeyPart;
import org.keyline.planner.KeyRange;
import org.keyline.planner.Order;
import org.keyline.planner.PointRead;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.Load;
import org.keyline.rowcache.LoadListener;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;

/** Keys of several tuples, and ranges of keys: in order, each once, each with its line. */
final class TupleKeysTest {
    private static final int MANY = 200;
    private static final int ROWS = 6;

    /** Including the marker byte. */
    private static final int BIGINT_BYTES = 9;

    private final TableSchema schema = new TableSchema(
            new TableName("d", "t"),
            1,
            TableModel.UNIQUE,
            List.of(bigint("a"), bigint("b")),
            List.of(0, 1),
            List.of(),
            "",
            Map.of());

    private final Catalog catalog = new Catalog() {
        @Override
        public @Nullable TableSchema table(String schemaName, String name) {
            return schema;
        }

        @Override
        public long version() {
            return 1;
        }
    };

    private final CachedTable table = table(1);
    private final CachedTable ranged = table(0);

    private CachedTable table(int prefixCells) {
        return requireNonNull(new CachedTables(
                        new RowCache(RowCacheOptions.of(1 << 20, 1, Ticker.systemTicker(), Runnable::run)),
                        catalog,
                        known -> TableOptions.DEFAULT
                                .withPrefixCells(prefixCells)
                                .withTtl(Duration.ofHours(1)))
                .of(schema));
    }

    private final TupleKeys keys = new TupleKeys();

    @Test
    void bind_anyNumberOfTuples_areInOrderAndDistinct() {
        SplittableRandom random = new SplittableRandom(1);
        for (int tuples = 2; tuples < MANY; tuples++) {
            List<Long> values =
                    random.longs(tuples, -MANY / 4, MANY / 4).boxed().toList();
            List<Long> ordered = new ArrayList<>(new TreeSet<>(values));
            assertThat(bound(values, Order.NONE)).isEqualTo(ordered);
            Collections.reverse(ordered);
            assertThat(bound(values, Order.DESC)).isEqualTo(ordered);
        }
    }

    @Test
    void find_tuplesOfTwoPrefixes_haveTheLinesOfTheirOwn() {
        LineProbe probe = new LineProbe(table.lines());
        load(1);
        bind(List.of(2L, 5L, 1L, 7L, 1L, 6L, 2L, 8L), 2, Order.NONE);
        assertThat(find(probe)).isEqualTo(2);
        assertThat(keys.line(0)).isNotNull().isSameAs(keys.line(1));
        assertThat(keys.line(2)).isNull();

        load(2);
        assertThat(find(probe)).isZero();
        assertThat(keys.found(3)).isSameAs(keys.found(2)).isNotSameAs(keys.found(1));
    }

    /**
     * Any number of ranges, overlapping, empty, and of tuples of both lengths, compared with a test
     * of each row.
     */
    @Test
    void rows_ofRanges_areThoseWithinThemOnceInOrder() {
        SplittableRandom random = new SplittableRandom(2);
        load(1);
        load(2);
        for (int run = 0; run < 2_000; run++) {
            List<Long> values = new ArrayList<>();
            List<KeyRange> ranges = new ArrayList<>();
            for (int count = 1 + random.nextInt(4); count > 0; count--) {
                ranges.add(range(values, random));
            }
            Order order = random.nextBoolean() ? Order.ASC : Order.DESC;
            ReadShape shape = shape(table, ranges, order);
            if (!shape.hasBounds()) {
                continue;
            }
            assertThat(keys.bind(shape, new Integers(values), new KeyEncoder())).isTrue();
            assertThat(find(new LineProbe(table.lines()))).isZero();
            List<String> rows = new ArrayList<>();
            for (int i = 0; i < keys.count(); i++) {
                int from = keys.firstRow(i);
                int end = keys.endRow(i, from);
                for (int row = 0; row < end - from; row++) {
                    rows.add(row(keys.found(i), order == Order.ASC ? from + row : end - 1 - row));
                }
            }
            List<String> expected = new ArrayList<>();
            for (long a = 1; a <= 2; a++) {
                for (long b = -1; b < ROWS; b++) {
                    long key = a;
                    @Nullable Long cell = b < 0 ? null : Long.valueOf(b);
                    if (ranges.stream().anyMatch(range -> admits(range, values, key, cell))) {
                        expected.add(a + " " + cell);
                    }
                }
            }
            if (order == Order.DESC) {
                Collections.reverse(expected);
            }
            assertThat(rows).as("run %d: %s of %s", run, ranges, values).isEqualTo(expected);
        }
    }

    @Test
    void hash_isThatOfWhatNamesTheMissingLine() {
        load(1);
        long two = hashOfMissing(1, 7, 2, 5);
        assertThat(hashOfMissing(2, 8)).isEqualTo(two);
        assertThat(hashOfMissing(3, 5)).isNotEqualTo(two);
    }

    private long hashOfMissing(long... tuples) {
        bind(LongStream.of(tuples).boxed().toList(), 2, Order.NONE);
        assertThat(find(new LineProbe(table.lines()))).isPositive();
        return keys.hash(keys.firstMissing(), table.lines());
    }

    @Test
    void hash_whereLinesAreNextToEachOther_isThatOfWhereTheReadBegins() {
        assertThat(hashOfMissing(Order.ASC, 1, 9)).isEqualTo(hashOfMissing(Order.ASC, 1, 8));
        assertThat(hashOfMissing(Order.ASC, 1, 9)).isNotEqualTo(hashOfMissing(Order.ASC, 2, 9));
        assertThat(hashOfMissing(Order.DESC, 1, 9)).isEqualTo(hashOfMissing(Order.DESC, 2, 9));
        assertThat(hashOfMissing(Order.DESC, 1, 9)).isNotEqualTo(hashOfMissing(Order.DESC, 1, 8));
    }

    private long hashOfMissing(Order order, long from, long to) {
        List<Long> values = new ArrayList<>();
        List<KeyBound> bounds = List.of(
                new KeyBound(0, true, true, part(values, from)), new KeyBound(0, false, true, part(values, to)));
        ReadShape shape = shape(ranged, List.of(new KeyRange(List.of(), bounds)), order);
        assertThat(shape.walks()).isTrue();
        assertThat(keys.bind(shape, new Integers(values), new KeyEncoder())).isTrue();
        assertThat(keys.find(ranged.lines(), new LineProbe(ranged.lines()), 0, Long.MAX_VALUE, 0, 1))
                .isEqualTo(1);
        return keys.hash(keys.firstMissing(), ranged.lines());
    }

    private ReadShape shape(CachedTable of, List<KeyRange> ranges, Order order) {
        PointRead plan = new PointRead(
                schema,
                ranges,
                List.of(),
                List.of(0),
                order,
                null,
                null,
                PointRead.Answer.ROWS,
                List.of(),
                List.of(),
                List.of(),
                List.of());
        return new ReadShape(plan, of, null, new ConcurrentHashMap<>(), () -> new Statements().of("", ""));
    }

    private static KeyRange range(List<Long> values, SplittableRandom random) {
        List<KeyPart> tuple = new ArrayList<>();
        tuple.add(part(values, 1 + random.nextInt(2)));
        if (random.nextInt(3) == 0) {
            tuple.add(part(values, random.nextInt(ROWS)));
        }
        List<KeyBound> bounds = new ArrayList<>();
        for (int count = random.nextInt(3); count > 0; count--) {
            int position = random.nextInt(4) == 0 ? 0 : 1;
            long value = position == 0 ? random.nextInt(4) : random.nextInt(-2, ROWS + 2);
            bounds.add(new KeyBound(position, random.nextBoolean(), random.nextBoolean(), part(values, value)));
        }
        return new KeyRange(tuple, bounds);
    }

    private static KeyPart part(List<Long> values, long value) {
        values.add(value);
        return KeyPart.of(values.size() - 1);
    }

    private static boolean admits(KeyRange range, List<Long> values, long a, @Nullable Long b) {
        boolean admits = values.get(range.tuple().get(0).slot()) == a;
        if (range.tuple().size() > 1) {
            admits &= values.get(range.tuple().get(1).slot()).equals(b);
        }
        for (KeyBound bound : range.bounds()) {
            Long cell = bound.position() == 0 ? Long.valueOf(a) : b;
            int side =
                    cell == null ? 0 : cell.compareTo(values.get(bound.value().slot()));
            admits &= cell != null && (side == 0 ? bound.inclusive() : bound.lower() == side > 0);
        }
        return admits;
    }

    private static String row(Line line, int row) {
        int from = line.rowOffset(row);
        return new String(line.bytes(), from, line.rowLength(row), StandardCharsets.US_ASCII);
    }

    private int find(LineProbe probe) {
        return keys.find(
                table.lines(), probe, 0, Long.MAX_VALUE, Ticker.systemTicker().read(), Long.MAX_VALUE);
    }

    private List<Long> bound(List<Long> values, Order order) {
        bind(values, 1, order);
        KeyReader reader = new KeyReader();
        return IntStream.range(0, keys.count())
                .mapToObj(i -> {
                    reader.wrap(keys.bytes(), keys.suffixFrom(i) - BIGINT_BYTES, keys.to(i))
                            .next();
                    return reader.int64();
                })
                .toList();
    }

    private void bind(List<Long> values, int columns, Order order) {
        List<List<KeyPart>> tuples = IntStream.range(0, values.size() / columns)
                .mapToObj(tuple -> IntStream.range(tuple * columns, (tuple + 1) * columns)
                        .mapToObj(slot -> new KeyPart(slot, false))
                        .toList())
                .toList();
        PointRead plan = new PointRead(schema, tuples, List.of(0), order, null, null);
        ReadShape shape =
                new ReadShape(plan, table, null, new ConcurrentHashMap<>(), () -> new Statements().of("", ""));
        assertThat(keys.bind(shape, new Integers(values), new KeyEncoder())).isTrue();
    }

    private void load(long prefix) {
        LineProbe probe = new LineProbe(table.lines()).aim(table.lines(), 0, new KeyEncoder().int64(prefix));
        table.lines().load(probe, load -> feed(load, prefix), new LoadListener() {
            @Override
            public void loaded(Line line) {}

            @Override
            public void failed(Throwable cause) {
                throw new IllegalStateException(cause);
            }

            @Override
            public void declined(Decline reason) {
                throw new IllegalStateException(reason.toString());
            }
        });
    }

    /** Feeds a row for NULL, and one for each of the first numbers. */
    private static void feed(Load load, long prefix) {
        for (long b = -1; b < ROWS; b++) {
            KeyEncoder key = new KeyEncoder().int64(prefix);
            String row = prefix + " " + (b < 0 ? null : b);
            load.row(b < 0 ? key.nullCell() : key.int64(b), row.getBytes(StandardCharsets.US_ASCII), 0, row.length());
        }
        load.succeed();
    }

    private static ColumnSchema bigint(String name) {
        return new ColumnSchema(
                name, new ColumnType(ColumnType.Kind.BIGINT, false, 20, 0, null), false, null, false, "");
    }

    /** The slots of a statement, all integers. */
    private record Integers(List<Long> values) implements SlotValues {
        @Override
        public Kind kind(int slot) {
            return Kind.INTEGER;
        }

        @Override
        public long integer(int slot) {
            return values.get(slot);
        }

        @Override
        public byte[] bytes(int slot) {
            throw new IllegalStateException("no text");
        }

        @Override
        public int offset(int slot) {
            throw new IllegalStateException("no text");
        }

        @Override
        public int length(int slot) {
            throw new IllegalStateException("no text");
        }
    }
}
