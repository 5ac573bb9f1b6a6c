package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The definition of a base table. Immutable.
 *
 * @param id changes with every DDL on the table, so that what is keyed by it dies with the old definition
 * @param columns those that {@code SELECT *} answers, in its order
 * @param keyColumns ordinals into {@code columns}, in key order
 * @param bucketColumns ordinals into {@code columns} of what the store distributes by; empty where it does not
 * @param writeReach how far writes to it reach but for what its triggers do
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
        WriteReach writeReach,
        List<TriggerText> triggers) {
    public TableSchema {
        requireNonNull(name, "name is null");
        requireNonNull(model, "model is null");
        columns = List.copyOf(columns);
        keyColumns = ordinals("keyColumns", keyColumns, columns.size());
        bucketColumns = ordinals("bucketColumns", bucketColumns, columns.size());
        requireNonNull(comment, "comment is null");
        properties = Map.copyOf(properties);
        requireNonNull(writeReach, "writeReach is null");
        triggers = List.copyOf(triggers);
        if (model == TableModel.UNIQUE && keyColumns.isEmpty()) {
            throw new IllegalArgumentException("keyColumns: none (expected: at least one in a UNIQUE table)");
        }
    }

    /** A table without triggers. */
    public TableSchema(
            TableName name,
            long id,
            TableModel model,
            List<ColumnSchema> columns,
            List<Integer> keyColumns,
            List<Integer> bucketColumns,
            String comment,
            Map<String, String> properties,
            WriteReach writeReach) {
        this(name, id, model, columns, keyColumns, bucketColumns, comment, properties, writeReach, List.of());
    }

    /** A table whose writes reach no further than the rows they name. */
    public TableSchema(
            TableName name,
            long id,
            TableModel model,
            List<ColumnSchema> columns,
            List<Integer> keyColumns,
            List<Integer> bucketColumns,
            String comment,
            Map<String, String> properties) {
        this(name, id, model, columns, keyColumns, bucketColumns, comment, properties, WriteReach.ROWS);
    }

    /**
     * In the properties of a table that the store may read in another order than its key's: the ordinals of each other index's columns,
     * with {@code ,} between them and {@code ;} between indexes; or {@link #ANY_ORDER}. {@code *} follows a column of which the index has
     * the beginning only, {@code -} one that it has in descending order; {@code ?} stands for an expression.
     */
    public static final String OTHER_INDEXES = "OTHER_INDEXES";

    /** The value of {@link #OTHER_INDEXES} for a table whose rows are not stored in the order of its key, or are partitioned. */
    public static final String ANY_ORDER = "*";

    /** In the properties of a table whose rows are known to be stored in the order of its key. */
    public static final String IN_KEY_ORDER = "IN_KEY_ORDER";

    /** In the properties of a table of which an UPDATE changes no cells but those that it assigns. */
    public static final String CHANGES_AS_ASSIGNED = "CHANGES_AS_ASSIGNED";

    /**
     * In the properties of a table whose rows are not cached though it may have a unique key: the name of the {@link ForwardReason} of its
     * reads.
     */
    public static final String KEPT_OUT = "KEPT_OUT";

    /** In the properties of a table with {@link #KEPT_OUT}, where there is more to say: why, as a sentence. */
    public static final String KEPT_OUT_BECAUSE = "KEPT_OUT_BECAUSE";

    /** Returns why its rows are not cached though it may have a unique key; null if that is not so. */
    public @Nullable ForwardReason keptOut() {
        String reason = properties.get(KEPT_OUT);
        return reason == null ? null : ForwardReason.valueOf(reason);
    }

    /** Whether the store may read it by another index than its key's. */
    public boolean hasOtherIndexes() {
        return properties.containsKey(OTHER_INDEXES);
    }

    /** Returns whether an UPDATE changes no cells but those that it assigns, as far as is known. */
    public boolean changesAsAssigned() {
        // A trigger may be found after the columns were read.
        return triggers.isEmpty() && properties.containsKey(CHANGES_AS_ASSIGNED);
    }

    /** The ordinal of the column of this name, exactly or else, if only one is, without regard to case; -1 if none is. */
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

    /** The position of a column within the key, or -1 if it is no key column. */
    public int keyPosition(int ordinal) {
        return keyColumns.indexOf(ordinal);
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
