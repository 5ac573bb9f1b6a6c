package org.keyline.gateway.change;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
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
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.condition.Conjunction;
import org.keyline.gateway.condition.IntervalSet;
import org.keyline.gateway.key.KeyColumn;
import org.keyline.gateway.key.LiteralValues;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.planner.Catalog;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.Effect;
import org.keyline.planner.Forward;
import org.keyline.planner.Planner;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteScope;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.statement.StatementClassifier;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplyScanner;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.codec.Packets;
import org.keyline.rowcache.Decline;
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
 * Changed rows and the filter lines that remain: a signal reports rows before and after a change,
 * and the gateway writes rows by their key. Every line that a lookup finds has the rows that meet
 * its conditions now, by a plain reference. {@code -Dkeyline.changes.histories=N} sets the number
 * of histories.
 */
final class ChangedRowsTest {
    private static final OutsideChanges.Ages AGES = new OutsideChanges.Ages(Duration.ofHours(1), Duration.ofHours(1));
    private static final int HISTORIES = Integer.getInteger("keyline.changes.histories", 200);
    private static final int STEPS = 150;
    private static final int ROWS = 6;
    private static final int CONJUNCTIONS = 8;

    /** Only the store compares the last one. */
    private static final List<String> TEXTS = List.of("ann", "ANN ", "bob", "", "änn");

    private static final List<String> NAMES = List.of("k", "a", "t");

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
            Map.of(),
            WriteScope.CELLS);

    private static final Planner PLANNER = new Planner(List.of(new StatementClassifier()));

    private long kept;
    private long keptBySeveral;

    /** Cells by ordinal, as text; null for NULL. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares two
    private record Row(@Nullable String[] cells) {}

    /** A running load: its rows were read at its begin, or are read at its end. */
    private record Trip(Load load, Conjunction of, @Nullable Set<Long> sample) {}

    @Test
    void linesThatAreFound_haveTheRowsThatMeetThem() {
        for (long seed = 1; seed <= HISTORIES; seed++) {
            new History(seed).run();
        }
        assertThat(kept).as("changes that left a line").isGreaterThan(2L * HISTORIES);
        assertThat(keptBySeveral).as("writes of several rows that left a line").isGreaterThan(HISTORIES / 2);
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
        private final Fencing.Shared fencing = new Fencing.Shared(tables, new Definitions(), new KeyEncoder(), true);
        private final List<Writer> writers = List.of(new Writer(fencing.session()), new Writer(fencing.session()));
        private final Map<Long, Row> rows = new TreeMap<>();
        private final List<Conjunction> conjunctions = new ArrayList<>();
        private final List<Trip> trips = new ArrayList<>();

        History(long seed) {
            table.filtered();
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

        /**
         * A statement of a client of the gateway, or the end of its transaction, while lines are
         * loaded.
         */
        private void write() {
            Writer writer = writers.get(random.nextInt(writers.size()));
            if (writer.within && random.nextBoolean()) {
                if (random.nextInt(3) > 0) {
                    apply(writer.written);
                }
                beside();
                writer.end();
                return;
            }
            List<Long> keys = new ArrayList<>();
            random.longs(1 + random.nextInt(3), 0, ROWS).distinct().forEach(keys::add);
            if (writers.stream()
                    .anyMatch(other -> other != writer && keys.stream().anyMatch(other.written::containsKey))) {
                return;
            }
            writer.within |= random.nextInt(8) == 0;
            long lines = found();
            Statement statement = new Statement(
                    random, keys, key -> writer.written.containsKey(key) ? writer.written.get(key) : rows.get(key));
            Digester digester = new Digester();
            byte[] sql = bytes(statement.sql);
            digester.digest(sql, 0, sql.length, SqlMode.DEFAULT);
            Effect effect =
                    ((Forward) PLANNER.plan(digester, "d", new Definitions()).plan()).effect();
            assertThat(effect).as(statement.sql).isInstanceOf(Effect.Rows.class);
            Fencing.Write write = writer.fencing.sendsExact(effect, new LiteralValues().of(digester, 4));
            assertThat(write).as(statement.sql).isNotNull();
            beside();
            int warnings = 0;
            if (random.nextInt(12) == 0 && !statement.changes.isEmpty()) {
                // The store converts a value to one that fits.
                Long key = List.copyOf(statement.changes.keySet()).get(0);
                if (statement.changes.get(key) != null) {
                    statement.changes.put(key, anyRow(key, null));
                    warnings = 1;
                }
            }
            if (writer.within) {
                writer.written.putAll(statement.changes);
            } else {
                apply(statement.changes);
            }
            beside();
            if (random.nextInt(20) > 0) {
                requireNonNull(write).received(reply(statement, warnings), List.of());
            }
            if (!writer.within) {
                writer.end();
                keptBySeveral += lines > 0 && keys.size() > 1 && found() > 0 ? 1 : 0;
            }
            kept += lines > 0 && found() > 0 ? 1 : 0;
        }

        private long found() {
            return conjunctions.stream().filter(of -> find(of) != null).count();
        }

        private void apply(Map<Long, @Nullable Row> changes) {
            changes.forEach((key, row) -> {
                if (row == null) {
                    rows.remove(key);
                } else {
                    rows.put(key, row);
                }
            });
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

        /** @param few the number of last texts that are left out */
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

        /**
         * Evaluates like the store, for which the text that is not compared here meets every
         * condition.
         */
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
            if (writers.stream().anyMatch(writer -> writer.written.containsKey(key))) {
                return;
            }
            long other = was != null && is != null && random.nextInt(4) == 0 ? random.nextInt(ROWS) : key;
            boolean taken =
                    rows.containsKey(other) || writers.stream().anyMatch(writer -> writer.written.containsKey(other));
            if (other != key && taken) {
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

        /** Returns an image in which some cells are unknown. */
        private RowImage image(Row row) {
            boolean[] unknown = {random.nextInt(4) == 0, random.nextInt(8) == 0, random.nextInt(8) == 0};
            return ordinal -> {
                String cell = row.cells[ordinal];
                return unknown[ordinal] ? RowImage.UNKNOWN : cell == null ? null : bytes(cell);
            };
        }
    }

    /** A client; the rows do not yet show the writes of its open transaction. */
    private static final class Writer {
        final Fencing fencing;
        final Map<Long, @Nullable Row> written = new TreeMap<>();
        boolean within;

        Writer(Fencing fencing) {
            this.fencing = fencing;
        }

        void end() {
            fencing.ended(false, false);
            written.clear();
            within = false;
        }
    }

    /** A generated write of rows by their keys, and its effect. */
    private static final class Statement {
        private final SplittableRandom random;
        private final Function<Long, @Nullable Row> before;
        final String sql;
        /** The rows afterwards; null for one that is deleted. Empty if the statement fails. */
        final Map<Long, @Nullable Row> changes = new TreeMap<>();

        int affected;
        boolean fails;

        Statement(SplittableRandom random, List<Long> keys, Function<Long, @Nullable Row> before) {
            this.random = random;
            this.before = before;
            String listed = keys.size() == 1 && random.nextBoolean()
                    ? " WHERE k = " + keys.get(0)
                    : keys.stream().map(String::valueOf).collect(Collectors.joining(", ", " WHERE k IN (", ")"));
            sql = switch (random.nextInt(5)) {
                case 0 -> insert(keys);
                case 1 -> upsert(keys);
                case 2 -> replace(keys);
                case 3 -> {
                    keys.forEach(key -> change(key, null));
                    yield "DELETE FROM t" + listed;
                }
                default -> update(keys) + listed;
            };
            if (fails) {
                changes.clear();
            }
        }

        private String insert(List<Long> keys) {
            boolean ignore = random.nextInt(4) == 0;
            String values = values(keys, (key, row) -> {
                if (before.apply(key) == null) {
                    put(key, row, 1);
                } else {
                    fails |= !ignore;
                }
            });
            return "INSERT " + (ignore ? "IGNORE " : "") + "INTO t VALUES " + values;
        }

        private String replace(List<Long> keys) {
            return "REPLACE INTO t VALUES "
                    + values(keys, (key, row) -> put(key, row, before.apply(key) == null ? 1 : 2));
        }

        private String upsert(List<Long> keys) {
            int column = 1 + random.nextInt(2);
            boolean own = random.nextBoolean();
            String set = cell(column);
            String values = values(keys, (key, row) -> {
                Row was = before.apply(key);
                if (was == null) {
                    put(key, row, 1);
                } else {
                    Row is = new Row(was.cells.clone());
                    is.cells[column] = own ? row.cells[column] : set;
                    put(key, is, 2);
                }
            });
            String name = NAMES.get(column);
            return "INSERT INTO t VALUES " + values + " ON DUPLICATE KEY UPDATE " + name + " = "
                    + (own ? "VALUES(" + name + ")" : sql(set));
        }

        private String update(List<Long> keys) {
            int column = random.nextInt(3);
            boolean adds = random.nextInt(4) == 0;
            String a = cell(1);
            String t = cell(2);
            for (Long key : keys) {
                Row was = before.apply(key);
                if (was != null) {
                    Row is = new Row(was.cells.clone());
                    is.cells[1] = column == 2 ? was.cells[1] : adds ? oneMore(was.cells[1]) : a;
                    is.cells[2] = column == 1 ? was.cells[2] : t;
                    change(key, is);
                }
            }
            return "UPDATE t SET " + (column == 2 ? "" : "a = " + (adds ? "a + 1" : sql(a))) + (column == 0 ? ", " : "")
                    + (column == 1 ? "" : "t = " + sql(t));
        }

        private static @Nullable String oneMore(@Nullable String number) {
            return number == null ? null : Integer.toString(Integer.parseInt(number) + 1);
        }

        private void change(Long key, @Nullable Row row) {
            if (before.apply(key) != null) {
                put(key, row, 1);
            }
        }

        private void put(Long key, @Nullable Row row, int rows) {
            changes.put(key, row);
            affected += rows;
        }

        private String values(List<Long> keys, BiConsumer<Long, Row> each) {
            List<String> rows = new ArrayList<>();
            for (Long key : keys) {
                String[] cells = {Long.toString(key), cell(1), cell(2)};
                each.accept(key, new Row(cells));
                rows.add("(" + key + ", " + sql(cells[1]) + ", " + sql(cells[2]) + ")");
            }
            return String.join(", ", rows);
        }

        private @Nullable String cell(int column) {
            return random.nextInt(4) == 0
                    ? null
                    : column == 1 ? Integer.toString(random.nextInt(4)) : TEXTS.get(random.nextInt(TEXTS.size()));
        }

        /** Returns a literal, or an expression that the gateway cannot evaluate. */
        private String sql(@Nullable String cell) {
            String literal = cell == null ? "NULL" : cell.matches("\\d+") ? cell : "'" + cell + "'";
            return random.nextInt(8) == 0 ? "IFNULL(" + literal + ", NULL)" : literal;
        }
    }

    private static ReplySummary reply(Statement statement, int warnings) {
        ByteBuf packet = Unpooled.buffer();
        int begin = Packets.begin(packet);
        if (statement.fails) {
            ErrPacket.of(ErrorCode.ER_DUP_ENTRY).encode(packet);
        } else {
            new OkPacket(statement.affected, 0, ServerStatus.SERVER_STATUS_AUTOCOMMIT, warnings).encode(packet);
        }
        var unused = Packets.end(packet, begin, 1);
        ReplyScanner scanner = new ReplyScanner();
        scanner.begin(CommandCode.COM_QUERY, 0);
        scanner.scan(packet, 0, packet.writerIndex());
        return scanner.summary();
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

        @Override
        public boolean storedFunctions() {
            return false;
        }
    }
}
