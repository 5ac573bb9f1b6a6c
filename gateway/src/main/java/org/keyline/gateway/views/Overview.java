package org.keyline.gateway.views;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the page shows, as JSON: sums, and the first rows of some views. Values of rows are in none of them. Thread-safe. */
public final class Overview {
    private static final int MOST = 20;
    private static final View.Asker NOBODY = new View.Asker(List.of());
    private static final List<String> SUMS = List.of("queries", "hits", "loads", "misses", "line_count");

    private final Map<String, View> views;
    private final ObjectMapper json = new ObjectMapper();

    /** @param views by name */
    public Overview(Map<String, View> views) {
        this.views = Map.copyOf(views);
    }

    /**
     * The figures of now, on one line.
     *
     * @param statements whether normalised texts of statements are among them
     */
    public String json(boolean statements) {
        List<Map<String, @Nullable Object>> tables = rows("tables");
        List<Map<String, @Nullable Object>> reasons = rows("reasons");
        Map<String, @Nullable Object> totals = new LinkedHashMap<>();
        for (String sum : SUMS) {
            totals.put(sum, tables.stream().mapToLong(row -> count(row, sum)).sum());
        }
        totals.put(
                "forwards",
                reasons.stream()
                        .filter(row -> "forward".equals(row.get("kind")))
                        .mapToLong(row -> count(row, "count"))
                        .sum());
        Map<String, @Nullable Object> now = new LinkedHashMap<>();
        now.put("millis", System.currentTimeMillis());
        now.put("totals", totals);
        now.put(
                "hitP99",
                tables.stream()
                        .map(row -> row.get("hit_p99_us"))
                        .filter(Objects::nonNull)
                        .mapToDouble(time -> (Double) time)
                        .max()
                        .stream()
                        .boxed()
                        .findAny()
                        .orElse(null));
        now.put("sessions", rows("clients").size());
        now.put("signal", rows("signals").get(0));
        now.put("members", rows("tier"));
        reasons.removeIf(row -> count(row, "count") == 0);
        now.put("reasons", first(reasons, "count"));
        now.put("statements", statements ? first(rows("statements"), "total_us") : null);
        now.put("tables", first(tables, "queries"));
        try {
            return json.writeValueAsString(now);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("texts and numbers that are no JSON", e);
        }
    }

    private List<Map<String, @Nullable Object>> rows(String name) {
        View view = Objects.requireNonNull(views.get(name), name);
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
