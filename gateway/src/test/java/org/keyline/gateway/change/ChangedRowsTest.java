package org.keyline.gateway.change;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.condition.Conjunction;
import org.keyline.gateway.condition.IntervalSet;
import org.keyline.gateway.key.KeyColumn;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.planner.Catalog;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.Fence;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.Load;
import org.keyline.rowcache.LoadListener;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;
import org.keyline.stores.RowImage;

/**
 * Rows that a signal reports as they were and as they are, rows that the gateway writes by their key, and the filter lines that stay:
 * whatever is found has the rows that meet its conditions now, by a plain reference. {@code -Dkeyline.changes.histories=N} sets how many histories.
 */
final class ChangedRowsTest {
    private static final OutsideChanges.Ages AGES = new OutsideChanges.Ages(Duration.ofHours(1), Duration.ofHours(1));
    private static final int HISTORIES = Integer.getInteger("keyline.changes.histories", 200);
    private static final int STEPS = 150;
    private static final int ROWS = 6;
    private static final int CONJUNCTIONS = 8;

    /** The last one is compared by the store alone. */
    private static final List<String> TEXTS = List.of("ann", "ANN ", "bob", "", "änn");

    private static final TableOptions OPTIONS = TableOptions.DEFAULT
            .withTtl(Duration.ofHours(1))
            .withFilters(TableOptions.DEFAULT.withTtl(Duration.ofHours(1)).withOrdered(false));

    private static final TableSchema SCHEMA = new TableSchema(
            new TableName("d", "t"),
            1,
            TableModel.UNIQUE,
            List.of(
                    new ColumnSchema("k", ColumnType.of(ColumnType.Kind.BIGINT), false, null, false, ""),
                    new ColumnSchema("a", ColumnType.of(ColumnType.Kind.INT), true, null, false, ""),
                    new ColumnSchema(
                            "t",
                            new ColumnType(ColumnType.Kind.VARCHAR, false, 20, 0, "utf8mb4_general_ci"),
                            true,
                            null,
                            false,
                            "")),
            List.of(0),
            List.of(),
            "",
            Map.of());

    private long kept;

    /** Cells by ordinal, as text; null for NULL. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares two
    private record Row(@Nullable String[] cells) {}

    /** A load on its way: its rows were read when it began, or are read when it ends. */
    private record Trip(Load load, Conjunction of, @Nullable Set<Long> sample) {}

    @Test
    void linesThatAreFound_haveTheRowsThatMeetThem() {
        for (long seed = 1; seed <= HISTORIES; seed++) {
            new History(seed).run();
        }
        assertThat(kept).as("lines that a change left").isGreaterThan(10L * HISTORIES);
    }

    private final class History {
        private final String context;
        private final SplittableRandom random;
        private final RowCache cache =
                new RowCache(RowCacheOptions.of(1 << 20, 1, () -> 1_000_000, Runnable::run), 1 << 20);
        private final CachedTables tables = new CachedTables(cache, new Definitions(), schema -> OPTIONS);
        private final CachedTable table = requireNonNull(tables.of(SCHEMA));
        private final LineTable filters = requireNonNull(table.lines().filters());
        private final OutsideChanges changes =
                new OutsideChanges(tables, names -> {}, () -> {}, false, () -> AGES, () -> 1_000_000);
        private final Map<Long, Row> rows = new TreeMap<>();
        private final List<Conjunction> conjunctions = new ArrayList<>();
        private final List<Trip> trips = new ArrayList<>();

        History(long seed) {
            context = "seed " + seed;
            random = new SplittableRandom(seed);
            for (int i = 0; i < CONJUNCTIONS; i++) {
                conjunctions.add(anyConjunction());
            }
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(6)) {
                    case 0, 1 -> load();
                    case 2, 3 -> write();
                    default -> change();
                }
                conjunctions.forEach(this::check);
            }
        }

        private void load() {
            if (random.nextBoolean()) {
                begin(conjunctions.get(random.nextInt(CONJUNCTIONS)));
            } else {
                arrive();
            }
        }

        /** An UPDATE or DELETE of one row by its key, through the gateway, beside which lines are loaded. */
        private void write() {
            long lines = conjunctions.stream().filter(of -> find(of) != null).count();
            long key = random.nextInt(ROWS);
            Row was = rows.get(key);
            Set<Integer> assigned = new TreeSet<>(random.nextInt(4) == 0 ? Set.of() : Set.of(1 + random.nextInt(2)));
            Row is = was == null || assigned.isEmpty() ? null : new Row(was.cells.clone());
            boolean certain = random.nextInt(4) > 0;
            String[] cells = new String[3];
            for (int column : assigned) {
                cells[column] = random.nextInt(4) == 0 ? null : anyCell(column, 0);
                if (is != null) {
                    is.cells[column] = cells[column];
                }
            }
            RowImage given = ordinal -> {
                boolean known = ordinal == 0 || (certain && assigned.contains(ordinal));
                String cell = ordinal == 0 ? Long.toString(key) : cells[ordinal];
                return !known ? RowImage.UNKNOWN : cell == null ? null : bytes(cell);
            };
            NewRow after = requireNonNull(NewRow.of(table, given));
            Fence fence = cache.fence();
            KeyEncoder of = new KeyEncoder().int64(key);
            fence.closeToAdd(table.lines(), of, new WrittenRow(of.toBytes(), assigned, after));
            beside();
            rows.remove(key);
            if (is != null) {
                rows.put(key, is);
            }
            beside();
            fence.addedSurely();
            fence.open();
            kept += lines > 0 && conjunctions.stream().anyMatch(one -> find(one) != null) ? 1 : 0;
        }

        private void beside() {
            for (int i = random.nextInt(3); i > 0; i--) {
                load();
            }
        }

        private Conjunction anyConjunction() {
            List<String> opaque = random.nextInt(6) == 0 ? List.of("`a` LIKE '%1%'") : List.of();
            return Conjunction.of(new int[] {1, 2}, new IntervalSet[] {any(1), any(2)}, opaque);
        }

        private IntervalSet any(int column) {
            byte[] key = key(column, anyCell(column, 1));
            return switch (random.nextInt(6)) {
                case 0 -> IntervalSet.only(key);
                case 1 -> IntervalSet.allBut(key);
                case 2 -> IntervalSet.below(key, random.nextBoolean());
                case 3 -> IntervalSet.ONLY_NULL;
                case 4 -> IntervalSet.above(key, random.nextBoolean());
                default -> IntervalSet.ALL;
            };
        }

        /** @param few how many of the last texts are left out */
        private String anyCell(int column, int few) {
            return column == 1 ? Integer.toString(random.nextInt(4)) : TEXTS.get(random.nextInt(TEXTS.size() - few));
        }

        private byte[] key(int column, @Nullable String cell) {
            KeyEncoder key = new KeyEncoder();
            if (cell == null) {
                return key.nullCell().toBytes();
            }
            byte[] text = cell.getBytes(StandardCharsets.UTF_8);
            KeyColumn by = requireNonNull(table.comparable(column));
            return by.text(text, 0, text.length, key) ? key.toBytes() : new byte[0];
        }

        /** As the store decides: it takes the text that is not compared here for one that meets everything. */
        private boolean meets(Row row, Conjunction conjunction) {
            boolean meets = conjunction.opaque().isEmpty()
                    || String.valueOf(row.cells[1]).contains("1");
            for (int column = 1; column <= 2; column++) {
                byte[] key = key(column, row.cells[column]);
                meets &= key.length == 0 || conjunction.set(column).contains(key, 0, key.length);
            }
            return meets;
        }

        private Set<Long> select(Conjunction conjunction) {
            Set<Long> met = new TreeSet<>();
            rows.forEach((key, row) -> {
                if (meets(row, conjunction)) {
                    met.add(key);
                }
            });
            return met;
        }

        private KeyEncoder name(Conjunction conjunction) {
            byte[] identity = conjunction.identity();
            return new KeyEncoder().bytes(identity, 0, identity.length);
        }

        private @Nullable Line find(Conjunction conjunction) {
            return filters.find(new LineProbe(filters).aim(filters, 0, name(conjunction)), 1_000_000);
        }

        private void check(Conjunction conjunction) {
            Line line = find(conjunction);
            if (line != null) {
                Set<Long> seen = new TreeSet<>();
                for (int row = 0; row < line.rows(); row++) {
                    seen.add(Long.parseLong(new String(
                            line.bytes(), line.rowOffset(row), line.rowLength(row), StandardCharsets.US_ASCII)));
                }
                assertThat(seen).as("%s, %s", context, conjunction).isEqualTo(select(conjunction));
            }
        }

        private void begin(Conjunction conjunction) {
            LoadListener listener = new LoadListener() {
                @Override
                public void loaded(Line line) {}

                @Override
                public void failed(Throwable cause) {
                    throw new AssertionError(cause);
                }

                @Override
                public void declined(Decline reason) {
                    assertThat(reason).isEqualTo(Decline.FENCED);
                }
            };
            filters.load(
                    new LineProbe(filters).aim(filters, 0, name(conjunction)),
                    load -> trips.add(new Trip(load, conjunction, random.nextBoolean() ? select(conjunction) : null)),
                    listener);
        }

        private void arrive() {
            if (trips.isEmpty()) {
                return;
            }
            Trip trip = trips.remove(random.nextInt(trips.size()));
            for (long key : trip.sample == null ? select(trip.of) : trip.sample) {
                byte[] row = Long.toString(key).getBytes(StandardCharsets.US_ASCII);
                trip.load.row(name(trip.of).int64(key), row, 0, row.length);
            }
            trip.load.succeed();
        }

        private void change() {
            long lines = conjunctions.stream().filter(of -> find(of) != null).count();
            long key = random.nextInt(ROWS);
            Row was = rows.get(key);
            Row is = was != null && random.nextInt(3) == 0 ? null : anyRow(key, was);
            long other = was != null && is != null && random.nextInt(4) == 0 ? random.nextInt(ROWS) : key;
            if (other != key && rows.containsKey(other)) {
                return;
            }
            rows.remove(key);
            if (is != null) {
                rows.put(other, is);
            }
            if (random.nextInt(20) == 0) {
                changes.row(SCHEMA, cells(key), List.of());
                changes.row(SCHEMA, cells(other), List.of());
            } else if (other == key) {
                List<RowImage> images = new ArrayList<>();
                for (Row image : Arrays.asList(was, is)) {
                    if (image != null) {
                        images.add(image(image));
                    }
                }
                changes.row(SCHEMA, cells(key), images);
            } else {
                changes.row(SCHEMA, cells(key), List.of(image(requireNonNull(was))));
                changes.row(SCHEMA, cells(other), List.of(image(requireNonNull(is))));
            }
            kept += lines > 0 && conjunctions.stream().anyMatch(of -> find(of) != null) ? 1 : 0;
        }

        private Row anyRow(long key, @Nullable Row was) {
            String[] cells = {Long.toString(key), "", ""};
            for (int column = 1; column <= 2; column++) {
                boolean none = random.nextInt(4) == 0;
                cells[column] = none ? null : anyCell(column, 0);
                if (was != null && random.nextBoolean()) {
                    cells[column] = was.cells[column];
                }
            }
            return new Row(cells);
        }

        /** Of which one cell or other is not known. */
        private RowImage image(Row row) {
            boolean[] unknown = {random.nextInt(4) == 0, random.nextInt(8) == 0, random.nextInt(8) == 0};
            return ordinal -> {
                String cell = row.cells[ordinal];
                return unknown[ordinal] ? RowImage.UNKNOWN : cell == null ? null : bytes(cell);
            };
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<byte @Nullable []> cells(long key) {
        List<byte @Nullable []> cells = new ArrayList<>();
        cells.add(bytes(Long.toString(key)));
        return cells;
    }

    private static final class Definitions implements Catalog {
        @Override
        public @Nullable TableSchema table(String schema, String table) {
            return SCHEMA;
        }

        @Override
        public long version() {
            return 1;
        }
    }
}
