package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The definition of a base table. Immutable.
 *
 * @param id changes with every DDL on the table, so that cache entries under this id expire with
 *     the definition
 * @param columns the columns of {@code SELECT *}, in its order
 * @param keyColumns ordinals into {@code columns}, in key order
 * @param bucketColumns ordinals into {@code columns} of the store's distribution key; empty if it
 *     has none
 * @param writeScope the scope of writes to the table, apart from its triggers
 */
public record TableSchema(
        TableName name,
        long id,
        TableModel model,
        List<ColumnSchema> columns,
        List<Integer> keyColumns,
        List<Integer> bucketColumns,
        String comment,
        Map<String, String> properties,
        WriteScope writeScope,
        List<TriggerText> triggers) {
    public TableSchema {
        requireNonNull(name, "name is null");
        requireNonNull(model, "model is null");
        columns = List.copyOf(columns);
        keyColumns = ordinals("keyColumns", keyColumns, columns.size());
        bucketColumns = ordinals("bucketColumns", bucketColumns, columns.size());
        requireNonNull(comment, "comment is null");
        properties = Map.copyOf(properties);
        requireNonNull(writeScope, "writeScope is null");
        triggers = List.copyOf(triggers);
        if (model == TableModel.UNIQUE && keyColumns.isEmpty()) {
            throw new IllegalArgumentException("keyColumns: none (expected: at least one in a UNIQUE table)");
        }
    }

    public TableSchema(
            TableName name,
            long id,
            TableModel model,
            List<ColumnSchema> columns,
            List<Integer> keyColumns,
            List<Integer> bucketColumns,
            String comment,
            Map<String, String> properties,
            WriteScope writeScope) {
        this(name, id, model, columns, keyColumns, bucketColumns, comment, properties, writeScope, List.of());
    }

    public TableSchema(
            TableName name,
            long id,
            TableModel model,
            List<ColumnSchema> columns,
            List<Integer> keyColumns,
            List<Integer> bucketColumns,
            String comment,
            Map<String, String> properties) {
        this(name, id, model, columns, keyColumns, bucketColumns, comment, properties, WriteScope.ROWS);
    }

    /**
     * Property of a table that the store may read in another order than its key's. Each other index
     * is a list of column ordinals, separated by {@code ,}; {@code ;} separates the indexes. A
     * {@code *} follows an indexed prefix, a {@code -} a descending column; {@code ?} is an
     * expression. Alternatively, the value is {@link #ANY_ORDER}.
     */
    public static final String OTHER_INDEXES = "OTHER_INDEXES";

    /** Value for a table that is partitioned or not stored in the order of its key. */
    public static final String ANY_ORDER = "*";

    /** Property of a table whose rows are stored in the order of the key. */
    public static final String IN_KEY_ORDER = "IN_KEY_ORDER";

    /** Property of a table in which UPDATEs change only the cells that they assign. */
    public static final String CHANGES_AS_ASSIGNED = "CHANGES_AS_ASSIGNED";

    /**
     * Property with the schema and name of each table to which foreign keys cascade, separated by
     * NUL.
     */
    public static final String CASCADES = "CASCADES";

    /**
     * Property with the name of the {@link ForwardReason} for reads of a table that cannot be
     * cached.
     */
    public static final String EXCLUDED = "EXCLUDED";

    /** Property with the exact reason for {@link #EXCLUDED} as a sentence, if known. */
    public static final String EXCLUDED_BECAUSE = "EXCLUDED_BECAUSE";

    /** Returns why the table cannot be cached although it may have a unique key; null if it can. */
    public @Nullable ForwardReason excluded() {
        String reason = properties.get(EXCLUDED);
        return reason == null ? null : ForwardReason.valueOf(reason);
    }

    public boolean hasOtherIndexes() {
        return properties.containsKey(OTHER_INDEXES);
    }

    public boolean changesAsAssigned() {
        // Triggers may have been read after the properties, so they are checked as well.
        return triggers.isEmpty() && properties.containsKey(CHANGES_AS_ASSIGNED);
    }

    /** Returns tables that change with a delete, or with a change of indexed cells. */
    public List<TableName> cascades() {
        String value = properties.get(CASCADES);
        if (value == null) {
            return List.of();
        }
        String[] parts = value.split("\0", -1);
        List<TableName> tables = new ArrayList<>();
        for (int i = 0; i < parts.length; i += 2) {
            tables.add(new TableName(parts[i], parts[i + 1]));
        }
        return tables;
    }

    /** Returns whether a foreign key may refer to these columns. */
    public boolean mayCascade(Set<Integer> changed) {
        if (!properties.containsKey(CASCADES)) {
            return false;
        }
        String indexes = properties.getOrDefault(OTHER_INDEXES, "");
        boolean known = changesAsAssigned() && !keyColumns.isEmpty();
        if (!known || indexes.equals(ANY_ORDER) || indexes.contains("?")) {
            return true;
        }
        Set<Integer> indexed = new HashSet<>(keyColumns);
        for (String part : indexes.split("[,;]", -1)) {
            if (!part.isEmpty()) {
                indexed.add(Integer.valueOf(part.replaceAll("[*-]", "")));
            }
        }
        return !Collections.disjoint(indexed, changed);
    }

    /**
     * Returns the index of a column; -1 if none matches. The name must be exact, or unique if case
     * is ignored.
     */
    public int ordinal(String column) {
        int found = -1;
        for (int i = 0; i < columns.size(); i++) {
            String name = columns.get(i).name();
            if (name.equals(column)) {
                return i;
            }
            if (name.equalsIgnoreCase(column)) {
                found = found == -1 ? i : -2;
            }
        }
        return Math.max(found, -1);
    }

    /** Returns the position of a column in the key; -1 for columns outside the key. */
    public int keyPosition(int ordinal) {
        return keyColumns.indexOf(ordinal);
    }

    /** Returns the position within the key of the column that the store numbers; -1 if none. */
    public int autoIncrementPosition() {
        for (int i = 0; i < keyColumns.size(); i++) {
            if (columns.get(keyColumns.get(i)).autoIncrement()) {
                return i;
            }
        }
        return -1;
    }

    private static List<Integer> ordinals(String what, List<Integer> ordinals, int columns) {
        List<Integer> copy = List.copyOf(ordinals);
        for (int ordinal : copy) {
            if (ordinal < 0 || ordinal >= columns) {
                throw new IllegalArgumentException(
                        what + ": " + ordinal + " (expected: 0.." + (columns - 1) + ", a column's ordinal)");
            }
        }
        if (new HashSet<>(copy).size() != copy.size()) {
            throw new IllegalArgumentException(what + ": " + copy + " (expected: each ordinal once)");
        }
        return copy;
    }
}
