package org.keyline.gateway.views;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.metrics.SignalFigures;
import org.keyline.gateway.metrics.StatementFigures;
import org.keyline.gateway.metrics.TableFigures;
import org.keyline.gateway.metrics.TierFigures;
import org.keyline.gateway.share.UserShares;
import org.keyline.gateway.slow.SlowStatement;
import org.keyline.gateway.slow.Spent;
import org.keyline.gateway.table.AutoPrefix;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.table.FilterFigures;
import org.keyline.gateway.table.LatencyHistogram;
import org.keyline.gateway.table.ReadFigures;
import org.keyline.planner.TableName;
import org.keyline.rowcache.LineShare;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.TableOptions;
import org.keyline.rowcache.TableStats;

/** The views there are: figures of tables, loads, reasons and clients, settings, and the asker's own last answer. Thread-safe. */
public final class GatewayViews {
    private static final double MEDIAN = 0.5;
    private static final double MOST = 0.99;
    private static final int MAX_LINES = 10_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final double NANOS_PER_MICRO = 1_000;

    private final CachedTables tables;
    private final Supplier<List<TableFigures>> figures;
    private final GatewayMetrics metrics;
    private final Supplier<SignalFigures> signal;
    private final Clients clients;
    private final Supplier<List<ConfigLoader.Setting>> settings;
    private final Supplier<List<SlowStatement>> slow;
    private final Supplier<List<UserShares.Figures>> users;

    /**
     * @param figures of all tables, now
     * @param signal what the change signal did, by now
     * @param settings what every key of the configuration is, now
     * @param slow the last statements that took long
     * @param users what each user has in use, now
     */
    public GatewayViews(
            CachedTables tables,
            Supplier<List<TableFigures>> figures,
            GatewayMetrics metrics,
            Supplier<SignalFigures> signal,
            Clients clients,
            Supplier<List<ConfigLoader.Setting>> settings,
            Supplier<List<SlowStatement>> slow,
            Supplier<List<UserShares.Figures>> users) {
        this.tables = tables;
        this.figures = figures;
        this.metrics = metrics;
        this.signal = signal;
        this.clients = clients;
        this.settings = settings;
        this.slow = slow;
        this.users = users;
    }

    /** All views, by name. */
    public Map<String, View> all() {
        Map<String, View> views = new TreeMap<>();
        for (View view : List.of(
                tables(),
                lines(),
                granularities(),
                filters(),
                clients(),
                users(),
                reasons(),
                statements(),
                loads(),
                signals(),
                tier(),
                settings(),
                slow(),
                last())) {
            views.put(view.name(), view);
        }
        return views;
    }

    private View tables() {
        return View.of(
                "tables",
                asker -> figures.get().stream().map(this::table).toList(),
                "schema_name TEXT",
                "table_name TEXT",
                "enabled INTEGER",
                "quarantined INTEGER",
                "key_columns INTEGER",
                "prefix INTEGER",
                "ttl_ms INTEGER",
                "signal_ttl_ms INTEGER",
                "queries INTEGER",
                "hits INTEGER",
                "absent_hits INTEGER",
                "misses INTEGER",
                "loads INTEGER",
                "fences INTEGER",
                "evictions INTEGER",
                "expirations INTEGER",
                "line_count INTEGER",
                "line_bytes INTEGER",
                "hit_p50_us NUMBER",
                "hit_p99_us NUMBER",
                "forward_p50_us NUMBER",
                "forward_p99_us NUMBER");
    }

    private List<@Nullable Object> table(TableFigures table) {
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
                options == null ? null : options.vouchedTtl().toMillis(),
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
                Rows.micros(reads.hits(), MEDIAN),
                Rows.micros(reads.hits(), MOST),
                Rows.micros(reads.forwards(), MEDIAN),
                Rows.micros(reads.forwards(), MOST));
    }

    /** One row a line: what it takes, and nothing of what it says. */
    private View lines() {
        return View.of(
                "lines",
                asker -> {
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
                },
                "schema_name TEXT",
                "table_name TEXT",
                "format TEXT",
                "row_count INTEGER",
                "byte_count INTEGER",
                "age_ms INTEGER");
    }

    /** One row for each granularity that a table with {@code prefix: auto} may have. */
    private View granularities() {
        return View.of(
                "granularities",
                asker -> {
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
                },
                "schema_name TEXT",
                "table_name TEXT",
                "prefix INTEGER",
                "in_force INTEGER",
                "sample_rate NUMBER",
                "reads INTEGER",
                "load_share NUMBER",
                "rows_per_load NUMBER",
                "load_us NUMBER",
                "cost_us NUMBER",
                "over_ceiling INTEGER",
                "switches INTEGER",
                "decision TEXT");
    }

    private static List<@Nullable Object> granularity(
            TableName name, AutoPrefix.Figures figures, AutoPrefix.Level level) {
        return Rows.row(
                name.schema(),
                name.table(),
                level.cells(),
                level.cells() == figures.cells(),
                figures.sampleRate(),
                figures.reads(),
                level.share(),
                level.rows(),
                level.loadNanos() < 0 ? null : level.loadNanos() / NANOS_PER_MICRO,
                level.costNanos() < 0 ? null : level.costNanos() / NANOS_PER_MICRO,
                level.overCeiling(),
                figures.switches(),
                figures.decision());
    }

    /** One row a table that has filter lines. */
    private View filters() {
        return View.of(
                "filters",
                asker -> {
                    List<List<@Nullable Object>> rows = new ArrayList<>();
                    for (TableFigures table : figures.get()) {
                        LineTable lines = tables.lines(table.name());
                        LineTable filters = lines == null ? null : lines.filters();
                        if (filters != null) {
                            rows.add(filter(table, filters));
                        }
                    }
                    return rows;
                },
                "schema_name TEXT",
                "table_name TEXT",
                "ttl_ms INTEGER",
                "line_count INTEGER",
                "line_bytes INTEGER",
                "exact_hits INTEGER",
                "contained_hits INTEGER",
                "rows_examined INTEGER",
                "rows_answered INTEGER",
                "loads INTEGER",
                "load_failures INTEGER",
                "unpublished INTEGER",
                "fences INTEGER",
                "evictions INTEGER",
                "expirations INTEGER");
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

    private View clients() {
        return View.of(
                "clients",
                asker -> clients.rows(),
                "id INTEGER",
                "user TEXT",
                "host TEXT",
                "schema_name TEXT",
                "tls INTEGER",
                "since TIME",
                "commands INTEGER");
    }

    private View users() {
        return View.of(
                "users",
                asker -> users.get().stream().map(GatewayViews::user).toList(),
                "user TEXT",
                "sessions INTEGER",
                "statements INTEGER",
                "line_count INTEGER",
                "line_rows INTEGER",
                "line_bytes INTEGER");
    }

    private static List<@Nullable Object> user(UserShares.Figures user) {
        LineShare.Charged lines = user.lines();
        return Rows.row(user.user(), user.sessions(), user.statements(), lines.lines(), lines.rows(), lines.bytes());
    }

    private View reasons() {
        return View.of(
                "reasons",
                asker -> {
                    List<List<@Nullable Object>> rows = new ArrayList<>();
                    metrics.misses()
                            .forEach((reason, count) ->
                                    rows.add(Rows.row("miss", reason.name(), count, reason.sentence())));
                    metrics.forwards()
                            .forEach((reason, count) ->
                                    rows.add(Rows.row("forward", reason.name(), count, reason.sentence())));
                    return rows;
                },
                "kind TEXT",
                "reason TEXT",
                "count INTEGER",
                "sentence TEXT");
    }

    private View statements() {
        return View.of(
                "statements",
                asker -> metrics.statements().all().stream()
                        .filter(statement -> statement.count() > 0)
                        .map(GatewayViews::statement)
                        .toList(),
                "digest TEXT",
                "schema_name TEXT",
                "text TEXT",
                "count INTEGER",
                "hits INTEGER",
                "loads INTEGER",
                "forwards INTEGER",
                "reasons TEXT",
                "errors INTEGER",
                "row_count INTEGER",
                "total_us NUMBER",
                "p50_us NUMBER",
                "p99_us NUMBER",
                "max_us NUMBER",
                "first_seen TIME",
                "last_seen TIME");
    }

    private static List<@Nullable Object> statement(StatementFigures statement) {
        Map<String, Long> forwards = statement.forwards();
        String reasons = forwards.entrySet().stream()
                .map(reason -> reason.getKey() + "=" + reason.getValue())
                .collect(Collectors.joining(" "));
        return Rows.row(
                String.format("%08x", statement.text().hashCode()),
                statement.schema(),
                statement.text(),
                statement.count(),
                statement.hits(),
                statement.loads(),
                forwards.values().stream().mapToLong(Long::longValue).sum(),
                reasons,
                statement.errors(),
                statement.rows(),
                statement.nanos() / NANOS_PER_MICRO,
                statement.micros(MEDIAN),
                statement.micros(MOST),
                statement.longestMicros(),
                Rows.time(statement.firstSeen()),
                Rows.time(statement.lastSeen()));
    }

    private View loads() {
        return View.of(
                "loads",
                asker -> figures.get().stream().map(GatewayViews::load).toList(),
                "schema_name TEXT",
                "table_name TEXT",
                "loads INTEGER",
                "refreshes INTEGER",
                "failures INTEGER",
                "unpublished INTEGER",
                "waits INTEGER",
                "rows_loaded INTEGER",
                "bytes_loaded INTEGER",
                "p50_us NUMBER",
                "p99_us NUMBER");
    }

    private static List<@Nullable Object> load(TableFigures table) {
        TableStats.Snapshot stats = table.figures();
        LatencyHistogram.Snapshot times =
                new LatencyHistogram.Snapshot(TableStats.loadTimeBoundsNanos(), stats.loadTimes(), stats.loadNanos());
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
                Rows.micros(times, MEDIAN),
                Rows.micros(times, MOST));
    }

    private View signals() {
        return View.of(
                "signals",
                asker -> {
                    SignalFigures now = signal.get();
                    return List.of(Rows.row(
                            now.live(),
                            now.lagNanos() / NANOS_PER_MILLI,
                            now.events(),
                            now.rowDrops(),
                            now.tableDrops(),
                            now.losses()));
                },
                "live INTEGER",
                "lag_ms INTEGER",
                "events INTEGER",
                "row_drops INTEGER",
                "table_drops INTEGER",
                "losses INTEGER");
    }

    /** One row another gateway. */
    private View tier() {
        return View.of(
                "tier",
                asker -> {
                    TierFigures now = metrics.tier();
                    return now.members().stream()
                            .map(member -> Rows.row(
                                    member.name(),
                                    millis(member.silentNanos()),
                                    millis(member.vouchedNanos()),
                                    now.connected(),
                                    now.values(TierFigures.Value.HIT),
                                    now.values(TierFigures.Value.MISS),
                                    now.values(TierFigures.Value.PUT),
                                    now.refused()))
                            .toList();
                },
                "member TEXT",
                "silent_ms INTEGER",
                "vouched_ms INTEGER",
                "connected INTEGER",
                "hits INTEGER",
                "misses INTEGER",
                "puts INTEGER",
                "refused INTEGER");
    }

    private static @Nullable Long millis(long nanos) {
        return nanos < 0 ? null : Long.valueOf(nanos / NANOS_PER_MILLI);
    }

    private View settings() {
        return View.of(
                "settings",
                asker -> settings.get().stream()
                        .map(setting -> Rows.row(
                                setting.path(),
                                setting.value(),
                                setting.source().name().toLowerCase(Locale.ROOT)))
                        .toList(),
                "path TEXT",
                "value TEXT",
                "source TEXT");
    }

    private View slow() {
        return View.of(
                "slow",
                asker -> slow.get().stream().map(GatewayViews::slow).toList(),
                "time TIME",
                "id INTEGER",
                "user TEXT",
                "host TEXT",
                "schema_name TEXT",
                "text TEXT",
                "outcome TEXT",
                "reason TEXT",
                "total_us NUMBER",
                "queue_us NUMBER",
                "load_us NUMBER",
                "store_us NUMBER",
                "write_us NUMBER",
                "row_count INTEGER",
                "byte_count INTEGER",
                "error INTEGER");
    }

    private static List<@Nullable Object> slow(SlowStatement slow) {
        Spent spent = slow.spent();
        return Rows.row(
                Rows.time(slow.ended()),
                slow.id(),
                slow.user(),
                slow.host(),
                slow.schema(),
                slow.text(),
                slow.outcome(),
                slow.reason(),
                spent.totalNanos() / NANOS_PER_MICRO,
                spent.queueNanos() / NANOS_PER_MICRO,
                spent.loadNanos() / NANOS_PER_MICRO,
                spent.storeNanos() / NANOS_PER_MICRO,
                spent.writeNanos() / NANOS_PER_MICRO,
                slow.rows(),
                slow.bytes(),
                slow.error());
    }

    private static View last() {
        return View.of(
                "last", asker -> List.of(asker.last()), "source TEXT", "age_ms INTEGER", "reason TEXT", "because TEXT");
    }
}
