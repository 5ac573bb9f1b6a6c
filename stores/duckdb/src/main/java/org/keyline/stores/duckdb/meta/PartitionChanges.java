package org.keyline.stores.duckdb.meta;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.ddl.Partitioning;
import org.keyline.stores.ddl.Partitioning.Bound;
import org.keyline.stores.ddl.Partitioning.Partition;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.translate.PartitionConditions;

/** ADD PARTITION and DROP PARTITION. The partitions that are left keep their bounds, so each range is written with both. */
final class PartitionChanges {
    private final TableDefinition table;
    private final Partitioning before;
    private final List<ColumnSchema> columns = new ArrayList<>();
    private final List<Partition> partitions = new ArrayList<>();

    PartitionChanges(TableDefinition table) {
        Partitioning partitioning = table.partitioning();
        if (partitioning == null) {
            throw refused("Table '" + table.name().table() + "' is not partitioned");
        }
        if (partitioning.automatic()) {
            throw StatementRefusedException.unsupported("changes of the partitions of an AUTO PARTITION table");
        }
        this.table = table;
        this.before = partitioning;
        for (String name : partitioning.columns()) {
            columns.add(table.columns().get(table.ordinal(name)).schema());
        }
        @Nullable List<Bound> end = null;
        for (Partition partition : partitioning.partitions()) {
            if (partition.name().isEmpty()) {
                throw StatementRefusedException.unsupported("changes of partitions that FROM … TO … INTERVAL made");
            }
            List<Bound> lower = partition.lower() == null ? end : partition.lower();
            partitions.add(new Partition(partition.name(), lower, partition.upper(), partition.values()));
            end = partition.upper();
        }
    }

    private static StatementRefusedException refused(String message) {
        return new StatementRefusedException(1105, "HY000", message);
    }

    private int indexOf(String name) {
        for (int i = 0; i < partitions.size(); i++) {
            if (partitions.get(i).name().equalsIgnoreCase(name)) {
                return i;
            }
        }
        return -1;
    }

    /** With a partition more; null if there is one of its name and that may be. */
    @Nullable
    Partitioning added(Partition added, boolean ifNotExists) {
        if (indexOf(added.name()) >= 0) {
            if (ifNotExists) {
                return null;
            }
            throw refused("Partition " + added.name() + " already exists in table "
                    + table.name().table());
        }
        if ((before.method() == Partitioning.Method.LIST) == added.values().isEmpty()) {
            throw refused("Partition " + added.name() + " is not of the kind " + before.method());
        }
        if (before.method() == Partitioning.Method.LIST) {
            addList(added);
        } else {
            addRange(added);
        }
        return changed();
    }

    /** Without a partition; null if there is none of this name and that may be. */
    @Nullable
    Partitioning dropped(String name, boolean ifExists) {
        int index = indexOf(name);
        if (index < 0) {
            if (ifExists) {
                return null;
            }
            throw refused("Partition " + name + " doesn't exist in table "
                    + table.name().table());
        }
        if (partitions.size() == 1) {
            throw StatementRefusedException.unsupported("DROP PARTITION of the last partition");
        }
        partitions.remove(index);
        return changed();
    }

    private void addList(Partition added) {
        for (Partition partition : partitions) {
            for (List<Bound> row : partition.values()) {
                if (added.values().stream().anyMatch(other -> compare(row, other) == 0)) {
                    throw refused("Partition " + added.name() + " has a value of partition " + partition.name());
                }
            }
        }
        partitions.add(added);
    }

    private void addRange(Partition added) {
        List<Bound> upper = added.upper();
        @Nullable List<Bound> lower = added.lower();
        int place = 0;
        while (place < partitions.size() && compareEnds(partitions.get(place).upper(), upper) < 0) {
            place++;
        }
        if (lower == null && place > 0) {
            lower = partitions.get(place - 1).upper();
        }
        boolean meetsNext = place < partitions.size()
                && (partitions.get(place).lower() == null
                        || compareEnds(partitions.get(place).lower(), upper) < 0);
        boolean meetsLast = place > 0
                && lower != null
                && compareEnds(partitions.get(place - 1).upper(), lower) > 0;
        if (meetsNext || meetsLast || (lower != null && compareEnds(lower, upper) >= 0)) {
            throw refused("Range of partition " + added.name() + " is intersected with another range, or empty");
        }
        partitions.add(place, new Partition(added.name(), lower, upper, List.of()));
    }

    /** A range that says no end has none. */
    private int compareEnds(@Nullable List<Bound> a, @Nullable List<Bound> b) {
        List<Bound> most = List.of(new Bound(Bound.Kind.MAXVALUE, null));
        return compare(a == null ? most : a, b == null ? most : b);
    }

    private int compare(List<Bound> a, List<Bound> b) {
        for (int i = 0; i < columns.size(); i++) {
            int order = Integer.compare(rank(a, i), rank(b, i));
            if (order == 0 && rank(a, i) == 1) {
                order = compare(comparable(a.get(i), columns.get(i)), comparable(b.get(i), columns.get(i)));
            }
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** What is not given, and NULL, is before every value; MAXVALUE is after. */
    private static int rank(List<Bound> bounds, int i) {
        if (i >= bounds.size()) {
            return !bounds.isEmpty() && bounds.get(bounds.size() - 1).kind() == Bound.Kind.MAXVALUE ? 2 : 0;
        }
        return switch (bounds.get(i).kind()) {
            case NULL -> 0;
            case VALUE -> 1;
            case MAXVALUE -> 2;
        };
    }

    private static Object comparable(Bound bound, ColumnSchema column) {
        Object value = PartitionConditions.typed(bound, column);
        return value instanceof Number number ? new BigDecimal(number.toString()) : String.valueOf(value);
    }

    private static int compare(Object a, Object b) {
        return a instanceof BigDecimal number && b instanceof BigDecimal other
                ? number.compareTo(other)
                : a.toString().compareTo(b.toString());
    }

    private Partitioning changed() {
        String names =
                String.join(", ", before.columns().stream().map(SqlText::name).toList());
        List<String> lines = partitions.stream().map(this::text).toList();
        String text = "PARTITION BY " + before.method() + "(" + names + ")\n(" + String.join(",\n", lines) + ")";
        return new Partitioning(before.method(), false, before.columns(), text, partitions);
    }

    private String text(Partition partition) {
        String head = "PARTITION " + SqlText.name(partition.name()) + " VALUES ";
        if (before.method() == Partitioning.Method.LIST) {
            return head + "IN ("
                    + String.join(
                            ", ",
                            partition.values().stream()
                                    .map(PartitionChanges::row)
                                    .toList()) + ")";
        }
        List<Bound> upper = partition.upper();
        String end = upper == null ? "(MAXVALUE)" : row(upper);
        List<Bound> lower = partition.lower();
        return lower == null ? head + "LESS THAN " + end : head + "[" + row(lower) + ", " + end + ")";
    }

    private static String row(List<Bound> bounds) {
        return "("
                + String.join(
                        ", ",
                        bounds.stream()
                                .map(bound -> bound.kind() == Bound.Kind.VALUE
                                        ? SqlText.doubleQuoted(String.valueOf(bound.text()))
                                        : bound.kind().name())
                                .toList())
                + ")";
    }
}
