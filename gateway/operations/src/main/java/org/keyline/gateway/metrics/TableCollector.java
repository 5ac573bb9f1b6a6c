package org.keyline.gateway.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.keyline.gateway.table.FilterFigures;
import org.keyline.gateway.table.LatencyHistogram;
import org.keyline.gateway.table.TableCounts;
import org.keyline.planner.TableName;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.TableStats;

/** The metrics of all tables. Reads the tables' counters at each scrape. Thread-safe. */
final class TableCollector implements MultiCollector {
    private static final double NANOS_PER_SECOND = 1e9;

    /** Maximum number of tables with their own metrics. Each adds about forty lines to a scrape. */
    static final int MAX_TABLES = 100;

    private final Supplier<List<TableFigures>> tables;
    /** Tables with their own metrics. None is ever removed, so that no counter vanishes. */
    private final Set<TableName> own = new HashSet<>();

    private final LatencyHistogram forwards;

    TableCollector(Supplier<List<TableFigures>> tables, LatencyHistogram forwards) {
        this.tables = tables;
        this.forwards = forwards;
    }

    @Override
    public MetricSnapshots collect() {
        List<TableFigures> now = listed(tables.get());
        List<MetricSnapshot> metrics = new ArrayList<>();
        metrics.add(counter(now, "queries", "Point reads.", TableStats.Snapshot::queries));
        metrics.add(counter(now, "hits", "Point reads answered from lines.", TableStats.Snapshot::hits));
        metrics.add(counter(now, "absent_hits", "Hits without a row.", TableStats.Snapshot::absentHits));
        metrics.add(counter(now, "loads", "Loads begun.", TableStats.Snapshot::loads));
        metrics.add(counter(
                now,
                "refreshes",
                "Loads of hot lines before they expire, without waiting readers.",
                TableStats.Snapshot::refreshes));
        metrics.add(counter(now, "load_failures", "Loads that failed.", TableStats.Snapshot::loadFailures));
        metrics.add(counter(
                now,
                "loads_unpublished",
                "Loads whose rows were discarded because of a concurrent write.",
                TableStats.Snapshot::loadsUnpublished));
        metrics.add(counter(now, "rows_loaded", "Rows of all loads.", TableStats.Snapshot::rowsLoaded));
        metrics.add(counter(now, "bytes_loaded", "Bytes of all loads.", TableStats.Snapshot::bytesLoaded));
        metrics.add(counter(now, "waits", "Reads that waited for a load of another read.", TableStats.Snapshot::waits));
        metrics.add(counter(now, "fences", "Fences closed by writes.", TableStats.Snapshot::fences));
        metrics.add(counter(
                now,
                "replacements",
                "How often a table of another definition or granularity replaced all lines.",
                TableStats.Snapshot::replacements));
        metrics.add(counter(now, "evictions", "Evicted lines.", TableStats.Snapshot::evictions));
        metrics.add(counter(now, "expirations", "Expired lines.", TableStats.Snapshot::expirations));
        metrics.add(gauge(now, "lines", "Lines in memory.", TableStats.Snapshot::lines));
        metrics.add(gauge(now, "line_bytes", "Bytes of the lines in memory.", TableStats.Snapshot::bytes));
        metrics.addAll(filters(now));
        metrics.add(declines(now));
        metrics.add(misses(now));
        metrics.add(seconds(now, "load", "Latency of loads.", TableFigures::loadTimes));
        metrics.add(seconds(
                now,
                "hit",
                "Latency of hits, sampled one in 64.",
                table -> table.reads().hits()));
        metrics.add(seconds(
                now,
                "forward",
                "The store's latency for point reads that no line answered.",
                table -> table.reads().forwards()));
        metrics.add(HistogramSnapshot.builder()
                .name("keyline_forward_seconds")
                .help("The store's latency for other statements.")
                .dataPoint(histogram(Labels.EMPTY, forwards.snapshot()))
                .build());
        return new MetricSnapshots(metrics);
    }

    /** Returns the tables that have their own metrics, and the sum of all other tables. */
    private synchronized List<TableFigures> listed(List<TableFigures> all) {
        own.retainAll(all.stream().map(TableFigures::name).toList());
        List<TableFigures> listed = new ArrayList<>();
        TableCounts others = null;
        for (TableFigures table : all) {
            boolean used = table.figures().queries() > 0 || table.figures().fences() > 0;
            if (!used) {
                continue;
            }
            boolean single = !table.name().equals(TableFigures.OTHERS);
            if (single && (own.contains(table.name()) || (own.size() < MAX_TABLES && own.add(table.name())))) {
                listed.add(table);
            } else {
                others = others == null ? table.counts() : others.plus(table.counts());
            }
        }
        if (others != null) {
            listed.add(new TableFigures(TableFigures.OTHERS, others));
        }
        return listed;
    }

    private static Labels labels(TableFigures table) {
        return Labels.of("schema", table.name().schema(), "table", table.name().table());
    }

    private static MetricSnapshot counter(
            List<TableFigures> tables, String name, String help, ToLongFunction<TableStats.Snapshot> figure) {
        return counterOf(tables, name, help, table -> figure.applyAsLong(table.figures()));
    }

    private static MetricSnapshot counterOf(
            List<TableFigures> tables, String name, String help, ToLongFunction<TableFigures> figure) {
        CounterSnapshot.Builder counter =
                CounterSnapshot.builder().name("keyline_table_" + name).help(help);
        for (TableFigures table : tables) {
            counter.dataPoint(value(labels(table), figure.applyAsLong(table)));
        }
        return counter.build();
    }

    private static CounterSnapshot.CounterDataPointSnapshot value(Labels labels, long count) {
        return CounterSnapshot.CounterDataPointSnapshot.builder()
                .labels(labels)
                .value((double) count)
                .build();
    }

    private static MetricSnapshot gauge(
            List<TableFigures> tables, String name, String help, ToLongFunction<TableStats.Snapshot> figure) {
        return gaugeOf(tables, name, help, table -> figure.applyAsLong(table.figures()));
    }

    private static MetricSnapshot gaugeOf(
            List<TableFigures> tables, String name, String help, ToLongFunction<TableFigures> figure) {
        GaugeSnapshot.Builder gauge =
                GaugeSnapshot.builder().name("keyline_table_" + name).help(help);
        for (TableFigures table : tables) {
            gauge.dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder()
                    .labels(labels(table))
                    .value((double) figure.applyAsLong(table))
                    .build());
        }
        return gauge.build();
    }

    private static ToLongFunction<TableFigures> ofFilters(ToLongFunction<TableStats.Snapshot> figure) {
        return table -> table.filters() == null ? 0 : figure.applyAsLong(table.filters());
    }

    private static List<MetricSnapshot> filters(List<TableFigures> tables) {
        List<TableFigures> filtered =
                tables.stream().filter(table -> table.filters() != null).toList();
        CounterSnapshot.Builder hits = CounterSnapshot.builder()
                .name("keyline_table_filter_hits")
                .help("Reads answered from filter lines with the same conditions, or with weaker ones.");
        for (TableFigures table : filtered) {
            FilterFigures.Snapshot figures = table.reads().filters();
            hits.dataPoint(value(labels(table).add("conditions", "same"), figures.exact()));
            hits.dataPoint(value(labels(table).add("conditions", "weaker"), figures.contained()));
        }
        return List.of(
                gaugeOf(filtered, "filter_lines", "Filter lines in memory.", ofFilters(TableStats.Snapshot::lines)),
                gaugeOf(
                        filtered,
                        "filter_line_bytes",
                        "Bytes of the filter lines in memory.",
                        ofFilters(TableStats.Snapshot::bytes)),
                counterOf(
                        filtered,
                        "filter_loads",
                        "Loads of filter lines begun.",
                        ofFilters(TableStats.Snapshot::loads)),
                hits.build(),
                counterOf(
                        filtered,
                        "filter_rows_examined",
                        "Rows of the filter lines that answered.",
                        table -> table.reads().filters().examined()),
                counterOf(
                        filtered,
                        "filter_rows_answered",
                        "Rows that met the conditions.",
                        table -> table.reads().filters().answered()));
    }

    private static MetricSnapshot declines(List<TableFigures> tables) {
        CounterSnapshot.Builder counter = CounterSnapshot.builder()
                .name("keyline_table_declines")
                .help("Point reads that the cache declined, by reason.");
        for (TableFigures table : tables) {
            for (Decline reason : Decline.values()) {
                counter.dataPoint(value(
                        labels(table).add("reason", reason.name().toLowerCase(Locale.ROOT)),
                        table.figures().declines(reason)));
            }
        }
        return counter.build();
    }

    private static MetricSnapshot misses(List<TableFigures> tables) {
        CounterSnapshot.Builder counter = CounterSnapshot.builder()
                .name("keyline_table_misses")
                .help("Point reads that no line answered, by reason.");
        for (TableFigures table : tables) {
            table.reads().misses().forEach((reason, count) -> {
                if (count > 0) {
                    counter.dataPoint(value(
                            labels(table).add("reason", reason.name().toLowerCase(Locale.ROOT)), count));
                }
            });
        }
        return counter.build();
    }

    private static MetricSnapshot seconds(
            List<TableFigures> tables,
            String name,
            String help,
            Function<TableFigures, LatencyHistogram.Snapshot> times) {
        HistogramSnapshot.Builder histogram = HistogramSnapshot.builder()
                .name("keyline_table_" + name + "_seconds")
                .help(help);
        for (TableFigures table : tables) {
            histogram.dataPoint(histogram(labels(table), times.apply(table)));
        }
        return histogram.build();
    }

    private static HistogramSnapshot.HistogramDataPointSnapshot histogram(
            Labels labels, LatencyHistogram.Snapshot times) {
        long[] bounds = times.boundsNanos();
        long[] counts = times.counts();
        ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        for (int i = 0; i < counts.length; i++) {
            double bound = i < bounds.length ? bounds[i] / NANOS_PER_SECOND : Double.POSITIVE_INFINITY;
            buckets.bucket(bound, counts[i]);
        }
        return HistogramSnapshot.HistogramDataPointSnapshot.builder()
                .labels(labels)
                .classicHistogramBuckets(buckets.build())
                .sum(times.nanos() / NANOS_PER_SECOND)
                .build();
    }
}
