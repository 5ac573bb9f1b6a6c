package org.keyline.stores.mysql.signal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.keyline.planner.TableName;
import org.keyline.stores.PartitionSpans;
import org.keyline.stores.mysql.catalog.CatalogOptions;
import org.keyline.stores.mysql.catalog.CatalogRows;
import org.keyline.stores.mysql.catalog.Dialect;
import org.keyline.stores.mysql.catalog.ReadFailure;

/**
 * A frontend whose tables change at random, also between two statements of one query, and lines
 * that were read from it. When a table is reported as complete, each remaining line must have the
 * rows of a moment that is no earlier than the query.
 */
final class VersionModelTest {
    private static final int STEPS = 3_000;
    private static final String[] NAMES = {"a", "b", "c"};
    private static final String[] SCHEMAS = {"s", "t"};
    private static final int PLACES = 4;

    static Stream<Arguments> runs() {
        return Stream.of(Dialect.DORIS, Dialect.STARROCKS)
                .flatMap(dialect -> new Random(47).longs(20).mapToObj(seed -> Arguments.of(dialect, seed)));
    }

    /** The rows that lines have together: those of one partition, if there are partitions. */
    private record Place(TableName table, int number) {
        boolean isIn(PartitionSpans.Span span) {
            int key = 10 * number + 5;
            return key >= Integer.parseInt(span.from()) && key < Integer.parseInt(requireNonNull(span.to()));
        }
    }

    /** A table of the frontend. */
    private static final class Table {
        final long id;
        /**
         * Version, time and number of each partition, which has the keys from ten times its number
         * on.
         */
        final Map<Long, long[]> partitions = new TreeMap<>();

        /** Whether its partitions have readable bounds. */
        final boolean bounded;

        long version = 1;
        long versionMillis;

        Table(long id, boolean bounded) {
            this.id = id;
            this.bounded = bounded;
        }

        String key(Dialect dialect) {
            return !bounded ? "" : dialect == Dialect.DORIS ? "k" : "`k` int(11) NOT NULL COMMENT \"\"";
        }

        String bounds(long[] partition) {
            return bounded
                    ? "[types: [INT]; keys: [%d]; ..types: [INT]; keys: [%d]; )"
                            .formatted(10 * partition[2], 10 * partition[2] + 10)
                    : "";
        }
    }

    /** The frontend, with all earlier states of its tables. */
    private static final class Frontend implements CatalogRows {
        final Random random;
        final Map<TableName, Table> tables = new HashMap<>();
        final Map<String, Long> schemas = new HashMap<>();
        /** The rows of each place since the last query began. */
        final Map<Place, Set<String>> contents = new HashMap<>();

        final Dialect dialect;

        long millis = 1_000_000;
        long ids = 100;
        /** Number of queries, and their number at the last exchange of names. */
        int queries;

        int renamed = -2;
        /** Names that were exchanged since the last query. */
        final Set<TableName> exchanged = new HashSet<>();

        Frontend(Dialect dialect, long seed) {
            this.dialect = dialect;
            random = new Random(seed);
            for (String schema : SCHEMAS) {
                schemas.put(schema, ids++);
            }
        }

        String content(Place place) {
            Table table = tables.get(place.table());
            StringBuilder content = new StringBuilder();
            if (table != null) {
                table.partitions.forEach((id, partition) -> {
                    if (!table.bounded || partition[2] == place.number()) {
                        content.append(id).append(':').append(partition[0]).append(' ');
                    }
                });
            }
            return table == null ? "none" : table.id + " " + content;
        }

        void question() {
            queries++;
            contents.clear();
            noted();
        }

        private void noted() {
            for (String schema : SCHEMAS) {
                for (String table : NAMES) {
                    for (int number = 0; number < PLACES; number++) {
                        Place place = new Place(new TableName(schema, table), number);
                        contents.computeIfAbsent(place, first -> new HashSet<>())
                                .add(content(place));
                    }
                }
            }
        }

        TableName anyName() {
            return new TableName(SCHEMAS[random.nextInt(SCHEMAS.length)], NAMES[random.nextInt(NAMES.length)]);
        }

        void change() {
            millis += random.nextInt(3) == 0 ? random.nextInt(1_500) : random.nextInt(50);
            TableName name = anyName();
            Table table = tables.get(name);
            int what = random.nextInt(60);
            if (table == null) {
                Table made = new Table(ids++, random.nextInt(4) > 0);
                int last = random.nextInt(PLACES);
                for (int i = 0; i <= last; i++) {
                    made.partitions.put(ids++, new long[] {1, millis, i});
                }
                tables.put(name, made);
            } else if (what < 40) {
                load(table);
            } else if (what < 48) {
                // Its partitions were created a while ago; loads may have become visible since.
                long[] old = requireNonNull(table.partitions.remove(anyPartition(table)));
                table.partitions.put(ids++, new long[] {1, millis - random.nextInt(900), old[2]});
            } else if (what < 52) {
                // REPLACE PARTITION, INSERT OVERWRITE
                long[] old = requireNonNull(table.partitions.remove(anyPartition(table)));
                table.partitions.put(ids++, new long[] {2, millis - random.nextInt(5_000), old[2]});
                table.version++;
                table.versionMillis = millis;
            } else if (what == 52) {
                tables.remove(name);
            } else if (what < 56 && queries - renamed > 1) {
                // If names are exchanged and exchanged back between two answers about them, the
                // signal does not see it.
                renamed = queries;
                TableName other = new TableName(name.schema(), NAMES[random.nextInt(NAMES.length)]);
                exchanged.addAll(List.of(name, other));
                Table swapped = tables.put(other, table);
                tables.remove(name);
                if (swapped != null) {
                    tables.put(name, swapped);
                }
                if (other.equals(name)) {
                    tables.put(name, table);
                }
            } else if (what == 56) {
                schemas.put(name.schema(), ids++);
                tables.keySet().removeIf(dropped -> dropped.schema().equals(name.schema()));
            }
            noted();
        }

        private void load(Table table) {
            long[] partition = requireNonNull(table.partitions.get(anyPartition(table)));
            partition[0]++;
            partition[1] = millis;
            table.version++;
            table.versionMillis = millis;
        }

        private long anyPartition(Table table) {
            return new ArrayList<>(table.partitions.keySet()).get(random.nextInt(table.partitions.size()));
        }

        @Override
        public void query(String sql, RowTaker taker) throws ReadFailure {
            if (random.nextInt(4) == 0) {
                change();
            }
            for (Map<String, String> row : rows(sql)) {
                taker.row(new Cells(row));
            }
            if (random.nextInt(4) == 0) {
                change();
            }
        }

        private List<Map<String, String>> rows(String sql) throws ReadFailure {
            List<Map<String, String>> rows = new ArrayList<>();
            if (sql.equals("SHOW PROC '/dbs'")) {
                schemas.forEach((schema, id) -> rows.add(Map.of("DbName", schema, "DbId", "" + id)));
            } else if (sql.startsWith("SHOW PROC '/dbs/")) {
                long id = Long.parseLong(sql.substring(16, sql.length() - 1));
                String schema = schemas.keySet().stream()
                        .filter(name -> id == requireNonNull(schemas.get(name)))
                        .findFirst()
                        .orElseThrow(() -> new ReadFailure("Database " + id + " does not exist"));
                tables.forEach((name, table) -> {
                    if (name.schema().equals(schema)) {
                        rows.add(listed(name, table));
                    }
                });
            } else if (sql.startsWith("SHOW PARTITIONS FROM ")) {
                String[] name = sql.substring(21).replace("`", "").split("\\.", -1);
                Table table = tables.get(new TableName(name[0], name[1]));
                if (table == null) {
                    throw new ReadFailure("no such table");
                }
                table.partitions.forEach((id, partition) -> rows.add(Map.of(
                        "PartitionId",
                        "" + id,
                        "VisibleVersion",
                        "" + partition[0],
                        "PartitionKey",
                        table.key(dialect),
                        "Range",
                        table.bounds(partition))));
            } else if (sql.contains("partitions_meta")) {
                tables.forEach((name, table) -> table.partitions.forEach((id, partition) -> rows.add(Map.of(
                        "DB_NAME",
                        name.schema(),
                        "TABLE_NAME",
                        name.table(),
                        "PARTITION_ID",
                        "" + id,
                        "VISIBLE_VERSION",
                        "" + partition[0],
                        "PARTITION_KEY",
                        table.key(dialect),
                        "PARTITION_VALUE",
                        table.bounds(partition)))));
            }
            return rows;
        }

        private static Map<String, String> listed(TableName name, Table table) {
            long youngest = table.partitions.values().stream()
                    .mapToLong(partition -> partition[1])
                    .max()
                    .orElse(0);
            return Map.of(
                    "TableId", "" + table.id,
                    "TableName", name.table(),
                    "IndexNum", "1",
                    "PartitionNum", "" + table.partitions.size(),
                    "State", "NORMAL",
                    "ReplicaCount", "1",
                    "VisibleVersion", "" + table.version,
                    "VisibleVersionTime", "" + table.versionMillis,
                    "LastUpdateTime", "" + youngest / 1_000);
        }
    }

    private record Cells(Map<String, String> cells) implements CatalogRows.Row {
        @Override
        public @Nullable String text(String column) {
            return cells.get(column);
        }

        @Override
        public @Nullable String text(int position) {
            throw new IllegalStateException("columns have names here");
        }
    }

    @ParameterizedTest
    @MethodSource("runs")
    void linesThatStay_haveTheRowsOfTheQuestion(Dialect dialect, long seed) throws Exception {
        Frontend frontend = new Frontend(dialect, seed);
        Map<Place, Set<String>> lines = new HashMap<>();
        int[] spared = {0};
        RecordedChanges listener = new RecordedChanges() {
            private final Map<TableName, PartitionSpans> known = new HashMap<>();

            @Override
            public void table(TableName table) {
                lines.keySet().removeIf(place -> place.table().equals(table));
            }

            @Override
            public void partitions(TableName table, PartitionSpans partitioning, Collection<Long> changed) {
                if (!partitioning.equals(known.put(table, partitioning))) {
                    table(table);
                    return;
                }
                lines.keySet()
                        .removeIf(place -> place.table().equals(table)
                                && partitioning.spans().stream()
                                        .noneMatch(span -> place.isIn(span) && !changed.contains(span.partition())));
                spared[0] +=
                        lines.keySet().stream().anyMatch(place -> place.table().equals(table)) ? 1 : 0;
            }

            @Override
            public void complete(TableName table, long asOfNanos) {
                reported.add("complete");
                for (int number = 0; number < PLACES; number++) {
                    Place place = new Place(table, number);
                    assertThat(frontend.contents.get(place))
                            .as("%s, seed %d, at %d ms", place, seed, frontend.millis)
                            .containsAll(lines.getOrDefault(place, Set.of()));
                }
            }
        };
        try (VersionSignal signal =
                new VersionSignal(CatalogOptions.of("127.0.0.1", 1, "root", ""), Duration.ofSeconds(1))) {
            signal.begin(
                    dialect == Dialect.DORIS
                            ? new TableVersions(dialect, "u", () -> TimeUnit.MILLISECONDS.toNanos(frontend.millis))
                            : VersionSource.of(dialect, "u"));
            int withLines = 0;
            for (int i = 0; i < STEPS; i++) {
                int changes = frontend.random.nextInt(4) == 0 ? frontend.random.nextInt(6) : 0;
                for (int j = 0; j < changes; j++) {
                    frontend.change();
                }
                for (int j = frontend.random.nextInt(3); j > 0; j--) {
                    Place place = new Place(frontend.anyName(), frontend.random.nextInt(PLACES));
                    lines.computeIfAbsent(place, first -> new HashSet<>()).add(frontend.content(place));
                }
                frontend.millis += 900;
                listener.tables.clear();
                listener.read.add(frontend.anyName());
                lines.keySet().forEach(place -> frontend.exchanged.add(place.table()));
                listener.tables.addAll(frontend.exchanged);
                frontend.exchanged.clear();
                frontend.question();
                signal.ask(frontend, () -> true, listener);
                withLines += lines.isEmpty() ? 0 : 1;
            }
            assertThat(withLines).as("questions that left lines").isGreaterThan(STEPS / 4);
            assertThat(spared[0]).as("changes that left lines of their table").isGreaterThan(STEPS / 50);
            assertThat(listener.reported).as("times that a table was fresh").hasSizeGreaterThan(STEPS);
        }
    }
}
