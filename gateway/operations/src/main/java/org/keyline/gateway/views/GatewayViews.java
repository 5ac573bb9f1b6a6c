package org.keyline.gateway.views;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.Settings;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.metrics.SignalFigures;
import org.keyline.gateway.metrics.TableFigures;
import org.keyline.gateway.metrics.TierFigures;
import org.keyline.gateway.share.UserShares;
import org.keyline.gateway.slow.SlowStatement;
import org.keyline.gateway.table.Advice;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.table.StatementFigures;

/** The views of the schema {@code keyline}. Thread-safe. */
public final class GatewayViews {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final TableViews ofTables;
    private final GatewayMetrics metrics;
    private final Clients clients;
    private final Supplier<List<Settings.Setting>> settings;
    private final Supplier<List<SlowStatement>> slow;
    private final Supplier<List<UserShares.Figures>> users;

    public GatewayViews(
            CachedTables tables,
            GatewayMetrics metrics,
            Clients clients,
            Supplier<List<Settings.Setting>> settings,
            Supplier<List<SlowStatement>> slow,
            Supplier<List<UserShares.Figures>> users) {
        this.ofTables = new TableViews(tables);
        this.metrics = metrics;
        this.clients = clients;
        this.settings = settings;
        this.slow = slow;
        this.users = users;
    }

    public Map<String, View> all() {
        Map<String, View> views = new TreeMap<>();
        for (View view : ofTables.all()) {
            views.put(view.name(), view);
        }
        for (View view : List.of(
                clients(),
                users(),
                reasons(),
                statements(this::counted),
                signals(),
                tier(),
                settings(),
                slow(),
                last())) {
            views.put(view.name(), view);
        }
        return views;
    }

    int sessions() {
        return clients.count();
    }

    View tables(List<TableFigures> figures) {
        return ofTables.tables(() -> figures, false);
    }

    /** Returns the view of statements, limited to those that took the most time. */
    View busiestStatements(int most) {
        return statements(() -> counted()
                .map(statement -> new Timed(statement, statement.nanos()))
                .sorted(Comparator.comparingLong(Timed::nanos).reversed())
                .limit(most)
                .map(Timed::statement));
    }

    /** A statement with a copy of its time, because the live figure may change during a sort. */
    private record Timed(StatementFigures statement, long nanos) {}

    private Stream<StatementFigures> counted() {
        return metrics.statements().all().stream().filter(statement -> statement.count() > 0);
    }

    private View clients() {
        return View.of("clients", """
                id INTEGER, user TEXT, host TEXT, schema_name TEXT, tls INTEGER, since TIME,
                commands INTEGER, catalog TEXT, because TEXT, store_session INTEGER, bound TEXT""", asker -> clients.rows());
    }

    private View users() {
        return View.of(
                "users",
                "user TEXT, sessions INTEGER, statements INTEGER",
                asker -> users.get().stream().map(GatewayViews::user).toList());
    }

    private static List<@Nullable Object> user(UserShares.Figures user) {
        return Rows.row(user.user(), user.sessions(), user.statements());
    }

    View reasons() {
        return View.of("reasons", "kind TEXT, reason TEXT, count INTEGER, sentence TEXT, advice TEXT", asker -> {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            metrics.misses()
                    .forEach((reason, count) ->
                            rows.add(Rows.row("miss", reason.name(), count, reason.sentence(), Advice.of(reason))));
            metrics.forwards()
                    .forEach((reason, count) ->
                            rows.add(Rows.row("forward", reason.name(), count, reason.sentence(), Advice.of(reason))));
            return rows;
        });
    }

    private static View statements(Supplier<Stream<StatementFigures>> source) {
        return View.of(
                "statements",
                """
                digest TEXT, schema_name TEXT, text TEXT, count INTEGER, hits INTEGER,
                loads INTEGER, forwards INTEGER, reasons TEXT, errors INTEGER, row_count INTEGER,
                total_us NUMBER, p50_us NUMBER, p99_us NUMBER, max_us NUMBER, first_seen TIME,
                last_seen TIME""",
                asker -> source.get().map(GatewayViews::statement).toList());
    }

    private static List<@Nullable Object> statement(StatementFigures statement) {
        Map<String, Long> forwards = statement.forwards();
        String reasons = forwards.entrySet().stream()
                .map(reason -> reason.getKey() + "=" + reason.getValue())
                .collect(Collectors.joining(" "));
        return Rows.row(
                statement.digest(),
                statement.schema(),
                statement.text(),
                statement.count(),
                statement.hits(),
                statement.loads(),
                forwards.values().stream().mapToLong(Long::longValue).sum(),
                reasons,
                statement.errors(),
                statement.rows(),
                statement.nanos() / Rows.NANOS_PER_MICRO,
                statement.micros(Rows.MEDIAN),
                statement.micros(Rows.MOST),
                statement.longestMicros(),
                Rows.time(statement.firstSeen()),
                Rows.time(statement.lastSeen()));
    }

    View signals() {
        return View.of("signals", """
                live INTEGER, lag_ms INTEGER, events INTEGER, row_drops INTEGER,
                table_drops INTEGER, losses INTEGER, lifetime TEXT""", asker -> {
            SignalFigures now = metrics.signal();
            return List.of(Rows.row(
                    now.live(),
                    now.lagMillis(),
                    now.events(),
                    now.rowDrops(),
                    now.tableDrops(),
                    now.losses(),
                    now.lifetime()));
        });
    }

    /** Returns the view with one row for each other gateway. */
    View tier() {
        return View.of("tier", """
                member TEXT, silent_ms INTEGER, freshness_lag_ms INTEGER, connected INTEGER,
                linked INTEGER, hits INTEGER, misses INTEGER, puts INTEGER, refused INTEGER""", asker -> {
            TierFigures now = metrics.tier();
            return now.members().stream()
                    .map(member -> Rows.row(
                            member.name(),
                            millis(member.silentNanos()),
                            millis(member.freshnessLagNanos()),
                            now.connected(),
                            member.linked(),
                            now.values(TierFigures.Value.HIT),
                            now.values(TierFigures.Value.MISS),
                            now.values(TierFigures.Value.PUT),
                            now.refused()))
                    .toList();
        });
    }

    private static @Nullable Long millis(long nanos) {
        return nanos < 0 ? null : Long.valueOf(nanos / NANOS_PER_MILLI);
    }

    private View settings() {
        return View.of(
                "settings",
                "path TEXT, value TEXT, source TEXT",
                asker -> settings.get().stream()
                        .map(setting -> Rows.row(
                                setting.path(),
                                setting.value(),
                                setting.source().name().toLowerCase(Locale.ROOT)))
                        .toList());
    }

    private View slow() {
        return View.of(
                "slow",
                """
                time TIME, id INTEGER, user TEXT, host TEXT, schema_name TEXT, text TEXT,
                outcome TEXT, reason TEXT, total_us INTEGER, queue_us INTEGER, load_us INTEGER,
                store_us INTEGER, write_us INTEGER, row_count INTEGER, byte_count INTEGER,
                error INTEGER""",
                asker -> slow.get().stream().map(GatewayViews::slow).toList());
    }

    private static List<@Nullable Object> slow(SlowStatement slow) {
        return Rows.row(slow.fields().values().stream()
                .map(value -> value instanceof Instant time ? Rows.time(time) : value)
                .toArray());
    }

    private static View last() {
        return View.of(
                "last",
                "source TEXT, age_ms INTEGER, reason TEXT, because TEXT, catalog TEXT",
                asker -> List.of(asker.last()));
    }
}
