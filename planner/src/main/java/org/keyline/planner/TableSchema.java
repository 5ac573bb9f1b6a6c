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
 * @param id a number that every DDL on the table changes, so that older cache entries expire
 * @param columns the columns in the order of {@code SELECT *}
 * @param keyColumns ordinals into {@code columns}, in the order of the key
 * @param bucketColumns ordinals into {@code columns} of the store's distribution key; empty if
 * there is no such key
 * @param writeScope what a write to the table may change, apart from its triggers
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
     * Property with the indexes other than the key, or {@link #ANY_ORDER}. {@code ;} separates
     * indexes, {@code ,} separates the column ordinals of an index. After an ordinal, {@code *}
     * means that only a prefix of the column is indexed, and {@code -} means descending order.
     * {@code ?} stands for an expression.
     */
    public static final String OTHER_INDEXES = "OTHER_INDEXES";

    /** Value of OTHER_INDEXES for a table that is partitioned, or not stored in the key's order. */
    public static final String ANY_ORDER = "*";

    /** Property of a table whose rows are stored in the order of the key. */
    public static final String IN_KEY_ORDER = "IN_KEY_ORDER";

    /** Property of a table in which an UPDATE changes only the cells that it assigns. */
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

    public TableSchema withId(long other) {
        return new TableSchema(
                name, other, model, columns, keyColumns, bucketColumns, comment, properties, writeScope, triggers);
    }

    public TableSchema with(Map<String, String> properties, WriteScope writeScope, List<TriggerText> triggers) {
        return new TableSchema(
                name, id, model, columns, keyColumns, bucketColumns, comment, properties, writeScope, triggers);
    }

    /** Returns why the table cannot be cached; null if only a missing key can prevent caching. */
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

    /** Returns tables to which foreign keys cascade a DELETE, or an UPDATE of indexed columns. */
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

    /** Returns whether a change of these columns can cascade by a foreign key. */
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
     * Returns the ordinal of a column; -1 if none matches. If no name matches exactly, ignores
     * case, and returns -1 if several names match.
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

    /** Returns the position within the key of the AUTO_INCREMENT column; -1 if the key has none. */
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
