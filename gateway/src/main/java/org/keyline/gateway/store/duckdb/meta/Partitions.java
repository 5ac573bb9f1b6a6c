package org.keyline.gateway.store.duckdb.meta;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ddl.Partitioning;
import org.keyline.planner.ddl.Partitioning.Bound;
import org.keyline.planner.ddl.Partitioning.Method;
import org.keyline.planner.ddl.Partitioning.Partition;
import org.keyline.planner.ddl.TableDefinition;

/** Partitions as a condition on rows: a row that belongs to none is refused, as the store that declares them refuses it. */
final class Partitions {
    private Partitions() {}

    /** The condition that every row meets; empty where all rows are welcome. */
    static Optional<String> check(TableDefinition table) {
        Partitioning partitioning = table.partitioning();
        if (partitioning == null
                || partitioning.automatic()
                || partitioning.columns().isEmpty()
                || partitioning.partitions().isEmpty()) {
            return Optional.empty();
        }
        List<String> columns =
                partitioning.columns().stream().map(DuckDdl::name).toList();
        List<String> alternatives = new ArrayList<>();
        @Nullable List<Bound> below = null;
        for (Partition partition : partitioning.partitions()) {
            if (partitioning.method() == Method.LIST) {
                alternatives.add(list(columns, partition));
            } else {
                List<Bound> lower = partition.lower() == null ? below : partition.lower();
                alternatives.add(range(columns, lower, partition.upper()));
                below = partition.upper();
            }
        }
        return Optional.of("(" + String.join(") OR (", alternatives) + ")");
    }

    private static String list(List<String> columns, Partition partition) {
        List<String> rows = new ArrayList<>();
        for (List<Bound> values : partition.values()) {
            List<String> parts = new ArrayList<>();
            for (int i = 0; i < values.size(); i++) {
                parts.add(columns.get(i) + " IS NOT DISTINCT FROM " + literal(values.get(i)));
            }
            rows.add(String.join(" AND ", parts));
        }
        return rows.isEmpty() ? "false" : String.join(" OR ", rows);
    }

    private static String range(List<String> columns, @Nullable List<Bound> lower, @Nullable List<Bound> upper) {
        List<String> conditions = new ArrayList<>();
        if (lower != null) {
            conditions.add("NOT (" + before(columns, lower, 0) + ")");
        }
        if (upper != null) {
            conditions.add("(" + before(columns, upper, 0) + ")");
        }
        return conditions.isEmpty() ? "true" : String.join(" AND ", conditions);
    }

    /** Whether the row lies below a bound, column by column; NULL lies below everything. */
    private static String before(List<String> columns, List<Bound> bound, int from) {
        if (from >= bound.size()) {
            return "false";
        }
        Bound value = bound.get(from);
        if (value.kind() == Bound.Kind.MAXVALUE) {
            return "true";
        }
        String column = columns.get(from);
        String less = column + " IS NULL OR " + column + " < " + literal(value);
        return from + 1 >= bound.size()
                ? less
                : less + " OR (" + column + " = " + literal(value) + " AND (" + before(columns, bound, from + 1) + "))";
    }

    private static String literal(Bound bound) {
        String text = bound.text();
        return text == null ? "NULL" : DuckDdl.string(text);
    }
}
