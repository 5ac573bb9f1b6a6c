package org.keyline.gateway.views;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.metrics.TableFigures;
import org.keyline.gateway.table.LatencyHistogram;
import org.keyline.gateway.table.ReadFigures;

/** Writes the figures of the operators' page as JSON, without values of rows. Thread-safe. */
public final class Overview {
    private static final int MOST = 20;
    private static final View.Asker NOBODY = new View.Asker(List.of());

    private final GatewayViews views;
    private final View signals;
    private final View tier;
    private final View reasons;
    private final View statements;
    private final Supplier<List<TableFigures>> figures;
    private final ObjectMapper json = new ObjectMapper();

    /** @param figures returns the tables, including former ones, so that sums never decrease */
    public Overview(GatewayViews views, Supplier<List<TableFigures>> figures) {
        this.views = views;
        this.signals = views.signals();
        this.tier = views.tier();
        this.reasons = views.reasons();
        this.statements = views.busiestStatements(MOST);
        this.figures = figures;
    }

    /**
     * Returns the figures on one line.
     *
     * @param withStatements whether to include normalised texts of statements
     */
    public String json(boolean withStatements) {
        List<Map<String, @Nullable Object>> why = rows(reasons);
        List<TableFigures> counted = figures.get();
        List<TableFigures> tables = counted.stream()
                .filter(table -> !table.name().equals(TableFigures.OTHERS))
                .sorted(Comparator.comparingLong(
                                (TableFigures table) -> table.figures().queries())
                        .reversed())
                .toList();
        Map<String, @Nullable Object> totals = new LinkedHashMap<>();
        totals.put("queries", sum(counted, table -> table.figures().queries()));
        totals.put("hits", sum(counted, table -> table.figures().hits()));
        totals.put("loads", sum(counted, table -> table.figures().loads()));
        totals.put("misses", sum(counted, table -> sum(table.reads().misses().values(), count -> count)));
        totals.put("line_count", sum(counted, table -> table.figures().lines()));
        totals.put(
                "forwards",
                why.stream()
                        .filter(row -> "forward".equals(row.get("kind")))
                        .mapToLong(row -> count(row, "count"))
                        .sum());
        Map<String, @Nullable Object> now = new LinkedHashMap<>();
        now.put("millis", System.currentTimeMillis());
        now.put("totals", totals);
        now.put("hitP99", slowest(tables));
        now.put(
                "times",
                Map.of(
                        "hits",
                        time(counted, ReadFigures.Snapshot::hits),
                        "store",
                        time(counted, ReadFigures.Snapshot::forwards)));
        now.put("sessions", views.sessions());
        now.put("signal", rows(signals).get(0));
        now.put("members", rows(tier));
        why.removeIf(row -> count(row, "count") == 0);
        now.put("reasons", first(why, "count"));
        now.put("statements", withStatements ? rows(statements) : null);
        now.put("tables", rows(views.tables(tables.subList(0, Math.min(tables.size(), MOST)))));
        try {
            return json.writeValueAsString(now);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the figures cannot be written as JSON", e);
        }
    }

    /** Returns the highest p99 of hits of any table; null if no hit was timed. */
    private static @Nullable Double slowest(List<TableFigures> tables) {
        Double slowest = null;
        for (TableFigures table : tables) {
            Double time = Rows.micros(table.reads().hits(), Rows.MOST);
            if (time != null && (slowest == null || time > slowest)) {
                slowest = time;
            }
        }
        return slowest;
    }

    private static <T> long sum(Collection<T> all, ToLongFunction<T> of) {
        return all.stream().mapToLong(of).sum();
    }

    /** Returns the number of timed statements since the start, and their total time. */
    private static Map<String, Long> time(
            List<TableFigures> tables, Function<ReadFigures.Snapshot, LatencyHistogram.Snapshot> of) {
        return Map.of(
                "count",
                sum(
                        tables,
                        table -> Arrays.stream(of.apply(table.reads()).counts()).sum()),
                "nanos",
                sum(tables, table -> of.apply(table.reads()).nanos()));
    }

    private static List<Map<String, @Nullable Object>> rows(View view) {
        List<Map<String, @Nullable Object>> rows = new ArrayList<>();
        for (List<@Nullable Object> cells : view.rows().apply(NOBODY)) {
            Map<String, @Nullable Object> row = new LinkedHashMap<>();
            for (int i = 0; i < cells.size(); i++) {
                row.put(view.columns().get(i).name(), cells.get(i));
            }
            rows.add(row);
        }
        return rows;
    }

    private static long count(Map<String, @Nullable Object> row, String column) {
        return row.get(column) instanceof Number number ? number.longValue() : 0;
    }

    private static List<Map<String, @Nullable Object>> first(List<Map<String, @Nullable Object>> rows, String by) {
        return rows.stream()
                .sorted(Comparator.comparingLong((Map<String, @Nullable Object> row) -> count(row, by))
                        .reversed())
                .limit(MOST)
                .toList();
    }
}
