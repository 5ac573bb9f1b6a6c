package org.keyline.stores.mysql.signal;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.mysql.catalog.CatalogRows;
import org.keyline.stores.mysql.catalog.ReadFailure;

/** The partitions of all tables, which StarRocks lists in one table of its information schema. */
final class PartitionList implements VersionSource {
    private static final String QUESTION = "SELECT DB_NAME, TABLE_NAME, PARTITION_ID, VISIBLE_VERSION"
            + " FROM information_schema.partitions_meta WHERE DB_NAME IN (";

    @Override
    public Map<TableName, Map<Long, Long>> read(CatalogRows rows, Collection<TableName> tables)
            throws ReadFailure, SignalRefused {
        Map<TableName, Map<Long, Long>> versions = new HashMap<>();
        try {
            rows.query(question(tables), row -> {
                TableName name = new TableName(row.required("DB_NAME"), row.required("TABLE_NAME"));
                versions.computeIfAbsent(name, first -> new HashMap<>())
                        .put(VersionSource.number(row, "PARTITION_ID"), VersionSource.number(row, "VISIBLE_VERSION"));
            });
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
            throw new SignalRefused("information_schema.partitions_meta cannot be read: " + e.getMessage());
        }
        return versions;
    }

    private static String question(Collection<TableName> tables) {
        TreeSet<String> schemas = tables.stream().map(TableName::schema).collect(Collectors.toCollection(TreeSet::new));
        return schemas.stream().map(SqlText::quoted).collect(Collectors.joining(", ", QUESTION, ")"));
    }
}
