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
 * Writes, for each partition, the condition that its rows meet in DuckDB. A condition is true or
 * false for every row, never NULL.
 */
final class PartitionConditions {
    private final Partitioning partitioning;
    private final List<ColumnSchema> columns = new ArrayList<>();

    private PartitionConditions(TableDefinition table, Partitioning partitioning) {
        this.partitioning = partitioning;
        for (String name : partitioning.columns()) {
            int ordinal = table.ordinal(name);
            if (ordinal < 0) {
                throw new StatementRefusedException(
                        1105, "HY000", "Partition column '" + name + "' doesn't exist in table");
            }
            columns.add(table.columns().get(ordinal).schema());
        }
    }

    /** Returns the condition that a row belongs to some partition; null if every row does. */
    static @Nullable String anyOf(TableDefinition table) {
        Partitioning partitioning = table.partitioning();
        if (partitioning == null || partitioning.automatic() || isDynamic(table.properties())) {
            return null;
        }
        PartitionConditions conditions = new PartitionConditions(table, partitioning);
        List<String> all = new ArrayList<>();
        for (int i = 0; i < partitioning.partitions().size(); i++) {
            all.add(conditions.of(i));
        }
        return all.isEmpty() ? null : String.join(" OR ", all);
    }

    private String of(int index) {
        Partition partition = partitioning.partitions().get(index);
        if (partitioning.method() == Partitioning.Method.LIST) {
            List<String> rows = partition.values().stream().map(this::equalTo).toList();
            return "(" + String.join(" OR ", rows) + ")";
        }
        List<Bound> upper = partition.upper();
        List<Bound> lower = lower(index);
        String below = upper == null ? "TRUE" : below(upper, 0);
        return lower == null ? below : "(NOT " + below(lower, 0) + " AND " + below + ")";
    }

    /**
     * Returns the lower bound of a range: the declared bound or, without it, the upper bound of the
     * previous range; null if neither exists.
     */
    private @Nullable List<Bound> lower(int index) {
        List<Bound> declared = partitioning.partitions().get(index).lower();
        return declared != null || index == 0
                ? declared
                : partitioning.partitions().get(index - 1).upper();
    }

    private String equalTo(List<Bound> row) {
        List<String> equal = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            String name = DuckDdl.quoted(columns.get(i).name());
            Bound bound = i < row.size() ? row.get(i) : new Bound(Bound.Kind.NULL, null);
            equal.add(
                    bound.kind() == Bound.Kind.NULL
                            ? name + " IS NULL"
                            : name + " IS NOT DISTINCT FROM " + value(bound, columns.get(i)));
        }
        return "(" + String.join(" AND ", equal) + ")";
    }

    /**
     * Returns the condition that the columns from index {@code i} on, compared as a row, are less
     * than a bound. NULL is less than all other values, and so is a value that the bound omits.
     */
    private String below(List<Bound> bound, int i) {
        if (i >= bound.size() || i >= columns.size()) {
            return "FALSE";
        }
        if (bound.get(i).kind() == Bound.Kind.MAXVALUE) {
            return "TRUE";
        }
        String name = DuckDdl.quoted(columns.get(i).name());
        String value = value(bound.get(i), columns.get(i));
        String less = "(" + name + " IS NULL OR " + name + " < " + value;
        return i + 1 >= Math.min(bound.size(), columns.size())
                ? less + ")"
                : less + " OR (" + name + " = " + value + " AND " + below(bound, i + 1) + "))";
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
