package org.keyline.stores.duckdb.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.ddl.Partitioning;
import org.keyline.stores.ddl.Partitioning.Bound;
import org.keyline.stores.ddl.Partitioning.Partition;
import org.keyline.stores.ddl.TableDefinition;

/**
 * Writes the condition that a row belongs to a partition. The condition is true or false for every
 * row, never NULL.
 */
final class PartitionConditions {
    private PartitionConditions() {}

    /** Returns the condition that a row belongs to some partition; null if every row does. */
    static @Nullable String anyOf(TableDefinition table) {
        Partitioning partitioning = table.partitioning();
        if (partitioning == null || partitioning.automatic() || isDynamic(table.properties())) {
            return null;
        }
        if (partitioning.columns().size() > 1) {
            throw StatementRefusedException.unsupported("PARTITION BY several columns");
        }
        String name = partitioning.columns().get(0);
        int ordinal = table.ordinal(name);
        if (ordinal < 0) {
            throw new StatementRefusedException(
                    1105, "HY000", "Partition column '" + name + "' doesn't exist in table");
        }
        ColumnSchema column = table.columns().get(ordinal).schema();
        List<String> all = new ArrayList<>();
        @Nullable List<Bound> before = null;
        for (Partition partition : partitioning.partitions()) {
            if (partitioning.method() == Partitioning.Method.LIST) {
                partition.values().forEach(row -> all.add(equal(row.get(0), column)));
                continue;
            }
            // Without a declared lower bound, a range begins at the end of the previous range.
            List<Bound> lower = partition.lower() == null ? before : partition.lower();
            String below = below(partition.upper(), column);
            all.add(lower == null ? below : "(NOT " + below(lower, column) + " AND " + below + ")");
            before = partition.upper();
        }
        return all.isEmpty() ? null : String.join(" OR ", all);
    }

    private static String equal(Bound bound, ColumnSchema column) {
        String name = DuckDdl.quoted(column.name());
        return bound.kind() == Bound.Kind.NULL
                ? name + " IS NULL"
                : name + " IS NOT DISTINCT FROM " + value(bound, column);
    }

    /** Returns the condition that the column is less than a bound. NULL is the least value. */
    private static String below(@Nullable List<Bound> bound, ColumnSchema column) {
        if (bound == null || bound.get(0).kind() == Bound.Kind.MAXVALUE) {
            return "TRUE";
        }
        String name = DuckDdl.quoted(column.name());
        return "(" + name + " IS NULL OR " + name + " < " + value(bound.get(0), column) + ")";
    }

    private static boolean isDynamic(Map<String, String> properties) {
        return properties
                .getOrDefault("dynamic_partition.enable", "false")
                .toLowerCase(Locale.ROOT)
                .equals("true");
    }

    private static String value(Bound bound, ColumnSchema column) {
        return DuckLiterals.text(typed(bound, column));
    }

    /** Returns a bound as a value of its column's type. */
    private static @Nullable Object typed(Bound bound, ColumnSchema column) {
        ColumnSchema nullable = new ColumnSchema(column.name(), column.type(), true, null, false, "");
        return Values.converted(
                bound.text(), Parameter.slot(0, Conversion.STORE).storedIn(nullable));
    }
}
