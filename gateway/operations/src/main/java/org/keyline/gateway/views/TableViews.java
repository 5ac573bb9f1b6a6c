package org.keyline.gateway.views;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.metrics.TableFigures;
import org.keyline.gateway.table.AutoPrefix;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.table.FilterFigures;
import org.keyline.gateway.table.ReadFigures;
import org.keyline.planner.TableName;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.TableOptions;
import org.keyline.rowcache.TableStats;

/** The views with rows for each table. They show memory, replies and costs. Thread-safe. */
final class TableViews {
    private static final int MAX_LINES = 10_000;
    private static final int TABLE_COLUMNS = 23;
    private static final int ENABLED = 2;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final CachedTables tables;

    TableViews(CachedTables tables) {
        this.tables = tables;
    }

    private List<TableFigures> figures() {
        return TableFigures.of(tables);
    }

    List<View> all() {
        return List.of(tables(this::figures, true), lines(), granularities(), filters(), loads());
    }

    /**
     * Returns the view with one row per table.
     *
     * @param source returns the tables that have a row
     * @param all whether to include tables that are not cached
     */
    View tables(Supplier<List<TableFigures>> source, boolean all) {
        return View.of("tables", """
                schema_name TEXT, table_name TEXT, enabled INTEGER, quarantined INTEGER,
                key_columns INTEGER, prefix INTEGER, ttl_ms INTEGER, signal_ttl_ms INTEGER,
                queries INTEGER, hits INTEGER, absent_hits INTEGER, misses INTEGER, loads INTEGER,
                fences INTEGER, evictions INTEGER, expirations INTEGER, line_count INTEGER,
                line_bytes INTEGER, hit_p50_us NUMBER, hit_p99_us NUMBER, forward_p50_us NUMBER,
                forward_p99_us NUMBER, kept_out TEXT""", asker -> {
            Map<TableName, String> excluded = tables.excluded();
            List<List<@Nullable Object>> rows = new ArrayList<>();
            List<TableFigures> counted = source.get();
            counted.forEach(table -> rows.add(table(table, excluded.get(table.name()))));
            if (all) {
                rows.addAll(excluded(excluded, counted));
            }
            return rows;
        });
    }

    /** Returns one row for each table that is not cached and has no figures. */
    private List<List<@Nullable Object>> excluded(Map<TableName, String> excluded, List<TableFigures> counted) {
        Set<TableName> others = counted.stream().map(TableFigures::name).collect(Collectors.toSet());
        List<List<@Nullable Object>> rows = new ArrayList<>();
        excluded.forEach((name, because) -> {
            if (!others.contains(name)) {
                List<@Nullable Object> row = new ArrayList<>(Collections.nCopies(TABLE_COLUMNS, null));
                row.set(0, name.schema());
                row.set(1, name.table());
                row.set(ENABLED, Rows.row(false).get(0));
                row.set(TABLE_COLUMNS - 1, because);
                rows.add(row);
            }
        });
        return rows;
    }

    private List<@Nullable Object> table(TableFigures table, @Nullable String excluded) {
        TableStats.Snapshot stats = table.figures();
        ReadFigures.Snapshot reads = table.reads();
        CachedTable known = tables.known(table.name());
        LineTable lines = tables.lines(table.name());
        TableOptions options = lines == null ? null : lines.options();
        return Rows.row(
                table.name().schema(),
                table.name().table(),
                options != null && options.enabled(),
                known != null && known.quarantined(),
                known == null ? null : known.schema().keyColumns().size(),
                options == null ? null : options.prefixCells(),
                options == null ? null : options.ttl().toMillis(),
                options == null ? null : options.extendedTtl().toMillis(),
                stats.queries(),
                stats.hits(),
                stats.absentHits(),
                reads.misses().values().stream().mapToLong(Long::longValue).sum(),
                stats.loads(),
                stats.fences(),
                stats.evictions(),
                stats.expirations(),
                stats.lines(),
                stats.bytes(),
                Rows.micros(reads.hits(), Rows.MEDIAN),
                Rows.micros(reads.hits(), Rows.MOST),
                Rows.micros(reads.forwards(), Rows.MEDIAN),
                Rows.micros(reads.forwards(), Rows.MOST),
                excluded);
    }

    /** Returns the view with one row per line: its size and age, but not its contents. */
    private View lines() {
        return View.of("lines", """
                schema_name TEXT, table_name TEXT, format TEXT, row_count INTEGER,
                byte_count INTEGER, age_ms INTEGER""", asker -> {
            Map<LineTable, TableName> names = new HashMap<>();
            for (TableName name : tables.names()) {
                LineTable lines = tables.lines(name);
                if (lines != null) {
                    names.put(lines, name);
                }
            }
            RowCache cache = tables.cache();
            long now = cache.options().ticker().read();
            List<List<@Nullable Object>> rows = new ArrayList<>();
            cache.lines(MAX_LINES, (table, line) -> {
                TableName name = names.get(table);
                if (name != null) {
                    rows.add(Rows.row(
                            name.schema(),
                            name.table(),
                            line.kind() == CachedTable.TEXT ? "text" : "binary",
                            line.rows(),
                            line.bytes().length,
                            (now - line.loadBeganNanos()) / NANOS_PER_MILLI));
                }
            });
            return rows;
        });
    }

    /** Returns the view with a row per possible granularity of tables with {@code prefix: auto}. */
    private View granularities() {
        return View.of("granularities", """
                schema_name TEXT, table_name TEXT, prefix INTEGER, in_force INTEGER,
                load_share NUMBER, rows_per_load NUMBER, load_us NUMBER, cost_us NUMBER,
                decision TEXT""", asker -> {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            for (TableName name : tables.names()) {
                CachedTable table = tables.known(name);
                AutoPrefix auto = table == null ? null : table.auto();
                if (auto != null) {
                    AutoPrefix.Figures figures = auto.figures();
                    figures.levels().forEach(level -> rows.add(granularity(name, figures, level)));
                }
            }
            return rows;
        });
    }

    private static List<@Nullable Object> granularity(
            TableName name, AutoPrefix.Figures figures, AutoPrefix.Level level) {
        return Rows.row(
                name.schema(),
                name.table(),
                level.cells(),
                level.cells() == figures.cells(),
                level.share(),
                level.rows(),
                level.loadNanos() < 0 ? null : level.loadNanos() / Rows.NANOS_PER_MICRO,
                level.costNanos() < 0 ? null : level.costNanos() / Rows.NANOS_PER_MICRO,
                figures.decision());
    }

    /** Returns the view with one row per table with filter lines. */
    private View filters() {
        return View.of("filters", """
                schema_name TEXT, table_name TEXT, ttl_ms INTEGER, line_count INTEGER,
                line_bytes INTEGER, exact_hits INTEGER, contained_hits INTEGER,
                rows_examined INTEGER, rows_answered INTEGER, loads INTEGER, load_failures INTEGER,
                unpublished INTEGER, fences INTEGER, evictions INTEGER, expirations INTEGER""", asker -> {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            for (TableFigures table : figures()) {
                LineTable lines = tables.lines(table.name());
                LineTable filters = lines == null ? null : lines.filters();
                if (filters != null) {
                    rows.add(filter(table, filters));
                }
            }
            return rows;
        });
    }

    private static List<@Nullable Object> filter(TableFigures table, LineTable filters) {
        TableStats.Snapshot stats = filters.stats().snapshot();
        FilterFigures.Snapshot hits = table.reads().filters();
        return Rows.row(
                table.name().schema(),
                table.name().table(),
                filters.options().ttl().toMillis(),
                stats.lines(),
                stats.bytes(),
                hits.exact(),
                hits.contained(),
                hits.examined(),
                hits.answered(),
                stats.loads(),
                stats.loadFailures(),
                stats.loadsUnpublished(),
                stats.fences(),
                stats.evictions(),
                stats.expirations());
    }

    private View loads() {
        return View.of(
                "loads", """
                schema_name TEXT, table_name TEXT, loads INTEGER, refreshes INTEGER,
                failures INTEGER, unpublished INTEGER, waits INTEGER, rows_loaded INTEGER,
                bytes_loaded INTEGER, p50_us NUMBER, p99_us NUMBER""", asker -> figures().stream().map(TableViews::load).toList());
    }

    private static List<@Nullable Object> load(TableFigures table) {
        TableStats.Snapshot stats = table.figures();
        return Rows.row(
                table.name().schema(),
                table.name().table(),
                stats.loads(),
                stats.refreshes(),
                stats.loadFailures(),
                stats.loadsUnpublished(),
                stats.waits(),
                stats.rowsLoaded(),
                stats.bytesLoaded(),
                Rows.micros(table.loadTimes(), Rows.MEDIAN),
                Rows.micros(table.loadTimes(), Rows.MOST));
    }
}
