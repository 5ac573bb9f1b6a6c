package org.keyline.stores.mysql.signal;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.stores.PartitionSpans;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.mysql.catalog.CatalogRows;
import org.keyline.stores.mysql.catalog.ReadFailure;

/**
 * Reads the partitions of all tables from one table of StarRocks's information schema. The bounds
 * of a partition never change, so only tables with changed partitions are asked for.
 */
final class PartitionList implements VersionSource {
    private static final String FROM = " FROM information_schema.partitions_meta WHERE DB_NAME IN (";
    private static final String VERSIONS = "SELECT DB_NAME, TABLE_NAME, PARTITION_ID, VISIBLE_VERSION" + FROM;
    private static final String BOUNDS =
            "SELECT DB_NAME, TABLE_NAME, PARTITION_ID, PARTITION_KEY, PARTITION_VALUE" + FROM;

    /** If more tables than this have known bounds, bounds of tables without lines are dropped. */
    private static final int MAX_DESCRIBED = 1_000;

    /** @param partitioning the bounds; null if Keyline does not understand them */
    private record Described(Set<Long> ids, @Nullable PartitionSpans partitioning) {
        boolean isOf(@Nullable Map<Long, Long> versions) {
            return versions != null && ids.equals(versions.keySet());
        }
    }

    private final Map<TableName, Described> described = new HashMap<>();

    @Override
    public Map<TableName, PartitionVersions> read(CatalogRows rows, Collection<TableName> tables)
            throws ReadFailure, SignalRefused {
        Map<TableName, Map<Long, Long>> versions = new HashMap<>();
        try {
            rows.repeat(
                    VERSIONS + schemas(tables) + ")",
                    row -> versions.computeIfAbsent(name(row), first -> new HashMap<>())
                            .put(
                                    VersionSource.number(row, "PARTITION_ID"),
                                    VersionSource.number(row, "VISIBLE_VERSION")));
            describe(rows, tables, versions);
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
            throw new SignalRefused("information_schema.partitions_meta cannot be read: " + e.getMessage());
        }
        Map<TableName, PartitionVersions> read = new HashMap<>();
        versions.forEach((name, byId) -> {
            Described known = described.get(name);
            read.put(
                    name, new PartitionVersions(byId, known != null && known.isOf(byId) ? known.partitioning() : null));
        });
        return read;
    }

    /** Asks for the bounds of tables whose partitions are unknown or have changed. */
    private void describe(CatalogRows rows, Collection<TableName> tables, Map<TableName, Map<Long, Long>> versions)
            throws ReadFailure {
        if (described.size() > MAX_DESCRIBED) {
            described.keySet().retainAll(tables);
        }
        List<TableName> unknown = tables.stream()
                .filter(name -> versions.containsKey(name) && !isDescribed(name, versions))
                .toList();
        if (unknown.isEmpty()) {
            return;
        }
        Map<TableName, PartitionBounds> bounds = new HashMap<>();
        Map<TableName, Set<Long>> ids = new HashMap<>();
        String names = quoted(unknown, TableName::table);
        rows.query(BOUNDS + schemas(unknown) + ") AND TABLE_NAME IN (" + names + ")", row -> {
            long id = VersionSource.number(row, "PARTITION_ID");
            TableName name = name(row);
            ids.computeIfAbsent(name, first -> new HashSet<>()).add(id);
            bounds.computeIfAbsent(name, first -> new PartitionBounds())
                    .add(id, row.text("PARTITION_KEY"), row.text("PARTITION_VALUE"));
        });
        bounds.forEach((name, of) ->
                described.put(name, new Described(Set.copyOf(ids.getOrDefault(name, Set.of())), of.partitioning())));
    }

    private boolean isDescribed(TableName name, Map<TableName, Map<Long, Long>> versions) {
        Described known = described.get(name);
        return known != null && known.isOf(versions.get(name));
    }

    private static TableName name(CatalogRows.Row row) throws ReadFailure {
        return new TableName(row.required("DB_NAME"), row.required("TABLE_NAME"));
    }

    private static String schemas(Collection<TableName> tables) {
        return quoted(tables, TableName::schema);
    }

    private static String quoted(Collection<TableName> tables, Function<TableName, String> part) {
        return tables.stream().map(part).collect(Collectors.toCollection(TreeSet::new)).stream()
                .map(SqlText::quoted)
                .collect(Collectors.joining(", "));
    }
}
