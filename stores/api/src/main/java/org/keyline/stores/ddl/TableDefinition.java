package org.keyline.stores.ddl;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;

/**
 * The contents of a CREATE TABLE. Immutable.
 *
 * @param keyColumns ordinals of the columns of the primary, unique, duplicate or aggregate key, in
 * the key's order
 * @param bucketColumns ordinals of columns in DISTRIBUTED BY HASH; empty for RANDOM or MySQL
 * @param buckets the declared number of buckets, or AUTO; null if not declared
 * @param clusterBy ordinals of columns in CLUSTER BY
 * @param properties PROPERTIES of Doris or table options of MySQL, in declared order
 */
public record TableDefinition(
        TableName name,
        Flavour flavour,
        TableModel model,
        List<DeclaredColumn> columns,
        List<Integer> keyColumns,
        List<TableIndex> indexes,
        String comment,
        @Nullable Partitioning partitioning,
        List<Integer> bucketColumns,
        boolean randomDistribution,
        @Nullable String buckets,
        List<Integer> clusterBy,
        Map<String, String> properties) {

    public TableDefinition {
        columns = List.copyOf(columns);
        keyColumns = List.copyOf(keyColumns);
        indexes = List.copyOf(indexes);
        bucketColumns = List.copyOf(bucketColumns);
        clusterBy = List.copyOf(clusterBy);
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }

    public enum Flavour {
        /** An INSERT of an existing key replaces its row. */
        DORIS,
        /** An INSERT of an existing key is error 1062. */
        MYSQL
    }

    /** Returns the ordinal of a column, ignoring case; -1 if none matches. */
    public int ordinal(String column) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equalsIgnoreCase(column)) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the table as the catalog lists it. A changed definition needs a new id. */
    public TableSchema toSchema(long id) {
        List<ColumnSchema> schemas = new ArrayList<>(columns.size());
        columns.forEach(column -> schemas.add(column.schema()));
        return new TableSchema(name, id, model, schemas, keyColumns, bucketColumns, comment, properties);
    }

    public TableDefinition renamed(TableName to) {
        return new TableDefinition(
                to,
                flavour,
                model,
                columns,
                keyColumns,
                indexes,
                comment,
                partitioning,
                bucketColumns,
                randomDistribution,
                buckets,
                clusterBy,
                properties);
    }
}
