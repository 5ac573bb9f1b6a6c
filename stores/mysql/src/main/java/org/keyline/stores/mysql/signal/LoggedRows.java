package org.keyline.stores.mysql.signal;

import com.github.shyiko.mysql.binlog.event.DeleteRowsEventData;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.UpdateRowsEventData;
import com.github.shyiko.mysql.binlog.event.WriteRowsEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.ColumnType;
import java.io.Serializable;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteScope;
import org.keyline.stores.ChangeListener;
import org.keyline.stores.RowImage;

/** Reports the changed rows in row events of the log, with their keys. Confined to one thread. */
final class LoggedRows {
    /*
     * A row event has no column names, so the catalog's definition determines the key columns. A
     * definition newer than the event does no harm. The change of the definition waited for the
     * event's transaction, so lines with the new definition were loaded after this transaction. The
     * definition cannot be older, because its change was logged and reported before the event.
     */

    /** The schema of the server's own tables, from which nothing cascades. */
    private static final String SYSTEM = "mysql";

    private static final int MAX_MISMATCHED = 10_000;

    private static final byte[] UNKNOWN = RowImage.UNKNOWN;

    /** @param included the columns that the image contains */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Image(TableSchema schema, BitSet included, Serializable[] values) implements RowImage {
        @Override
        public byte @Nullable [] cell(int ordinal) {
            // A computed column can have another value in the log than readers see.
            if (!included.get(ordinal) || schema.columns().get(ordinal).computed()) {
                return UNKNOWN;
            }
            return LoggedRows.cell(
                    schema, ordinal, values[included.get(0, ordinal).cardinality()]);
        }
    }

    private final Catalog catalog;
    private final ChangeListener listener;
    private final Map<Long, TableMapEventData> maps = new HashMap<>();
    private final Set<Long> mismatched = new HashSet<>();
    /** Whether events may refer to ids that {@link #maps} does not have. */
    private boolean missed;

    LoggedRows(Catalog catalog, ChangeListener listener) {
        this.catalog = catalog;
        this.listener = listener;
    }

    void map(TableMapEventData map) {
        maps.put(map.getTableId(), map);
    }

    /** Called for a table map that was not understood, and whose id is therefore unknown. */
    void unmapped() {
        missed = true;
    }

    void forget() {
        maps.clear();
        missed = false;
    }

    /** Reports unreadable rows as a change of all tables that this transaction has named. */
    void reportUnread() {
        if (missed || maps.isEmpty()) {
            listener.everything();
            return;
        }
        for (long id : maps.keySet()) {
            Target target = target(id, true);
            if (target != null) {
                listener.table(target.name());
            }
            reportCascades(id);
        }
    }

    /** Reports the rows of an event. Returns false if the event has no rows. */
    boolean report(EventData event) {
        if (event instanceof WriteRowsEventData write) {
            Target target = target(write.getTableId(), false);
            if (target != null) {
                report(target, write.getIncludedColumns(), write.getRows());
            }
        } else if (event instanceof DeleteRowsEventData delete) {
            Target target = target(delete.getTableId(), true);
            if (target != null) {
                report(target, delete.getIncludedColumns(), delete.getRows());
            }
            reportCascades(delete.getTableId());
        } else if (event instanceof UpdateRowsEventData update) {
            Target target = target(update.getTableId(), true);
            if (target != null) {
                reportUpdates(target, update);
            }
            if (target == null || mayCascade(target.schema(), update)) {
                reportCascades(update.getTableId());
            }
        } else {
            return false;
        }
        return true;
    }

    /** A table whose keys can be read from row events. */
    private record Target(TableSchema schema) {
        TableName name() {
            return schema.name();
        }
    }

    /**
     * Returns the table with this id. Null if its rows need no report: the table has no lines, or
     * this method has already reported the whole table or everything as changed.
     *
     * @param cascades whether the event's change can cascade to other tables, whose changes the log
     * does not show
     */
    private @Nullable Target target(long id, boolean cascades) {
        TableMapEventData map = maps.get(id);
        if (map == null || !readable(map.getDatabase()) || !readable(map.getTable())) {
            listener.everything();
            return null;
        }
        TableSchema schema = catalog.table(map.getDatabase(), map.getTable());
        if (schema == null) {
            if (cascades && !map.getDatabase().equals(SYSTEM)) {
                listener.everything();
            } else {
                listener.table(new TableName(map.getDatabase(), map.getTable()));
            }
            return null;
        }
        if (cascades && schema.writeScope() == WriteScope.ANYWHERE) {
            listener.everything();
            return null;
        }
        if (map.getColumnTypes().length != schema.columns().size()) {
            mismatch(schema);
            return null;
        }
        if (schema.model() != TableModel.UNIQUE) {
            return null;
        }
        for (byte type : map.getColumnTypes()) {
            if (isUncertain(type)) {
                listener.table(schema.name());
                return null;
            }
        }
        return new Target(schema);
    }

    /** Reports the tables to which foreign keys cascade, because the log omits their rows. */
    private void reportCascades(long id) {
        TableMapEventData map = maps.get(id);
        TableSchema schema = map == null ? null : catalog.table(map.getDatabase(), map.getTable());
        if (schema != null) {
            schema.cascades().forEach(listener::table);
        }
    }

    private static boolean mayCascade(TableSchema schema, UpdateRowsEventData update) {
        return !schema.cascades().isEmpty()
                && update.getRows().stream().anyMatch(row -> schema.mayCascade(changed(update, row)));
    }

    /** Returns the ordinals of columns whose cells differ, or possibly differ, after the update. */
    private static Set<Integer> changed(UpdateRowsEventData update, Map.Entry<Serializable[], Serializable[]> row) {
        BitSet before = update.getIncludedColumnsBeforeUpdate();
        BitSet after = update.getIncludedColumns();
        Set<Integer> changed = new HashSet<>();
        for (int ordinal = after.nextSetBit(0); ordinal >= 0; ordinal = after.nextSetBit(ordinal + 1)) {
            Serializable is = row.getValue()[after.get(0, ordinal).cardinality()];
            boolean same = before.get(ordinal)
                    && Objects.deepEquals(row.getKey()[before.get(0, ordinal).cardinality()], is);
            if (!same) {
                changed.add(ordinal);
            }
        }
        return changed;
    }

    /**
     * Returns whether the library, which decodes names in the platform's character set, decoded
     * this name correctly.
     */
    private static boolean readable(String name) {
        return Charset.defaultCharset().equals(StandardCharsets.UTF_8)
                || name.chars().allMatch(at -> at < 0x80);
    }

    /**
     * Returns whether the length of the type's cells is unknown. MariaDB can store these types in
     * the format of MySQL before 5.6, which has several lengths.
     */
    private static boolean isUncertain(byte type) {
        int code = type & 0xFF;
        return code == ColumnType.TIME.getCode()
                || code == ColumnType.DATETIME.getCode()
                || code == ColumnType.TIMESTAMP.getCode();
    }

    /**
     * Reports a table with more or fewer columns than in the catalog. Only the first report
     * requests the definition again. If it is unchanged, invisible columns explain the difference.
     */
    private void mismatch(TableSchema schema) {
        if (mismatched.size() < MAX_MISMATCHED && mismatched.add(schema.id())) {
            listener.definitions(List.of(schema.name()));
        } else {
            listener.table(schema.name());
        }
    }

    private void report(Target target, BitSet included, List<Serializable[]> rows) {
        for (Serializable[] row : rows) {
            List<byte @Nullable []> key = key(target, included, row, null);
            if (key == null) {
                listener.table(target.name());
                return;
            }
            listener.row(target.schema(), key, List.of(new Image(target.schema(), included, row)));
        }
    }

    private void reportUpdates(Target target, UpdateRowsEventData update) {
        for (Map.Entry<Serializable[], Serializable[]> row : update.getRows()) {
            List<byte @Nullable []> before = key(target, update.getIncludedColumnsBeforeUpdate(), row.getKey(), null);
            List<byte @Nullable []> after =
                    before == null ? null : key(target, update.getIncludedColumns(), row.getValue(), before);
            if (before == null || after == null) {
                listener.table(target.name());
                return;
            }
            RowImage was = new Image(target.schema(), update.getIncludedColumnsBeforeUpdate(), row.getKey());
            RowImage is = new Image(target.schema(), update.getIncludedColumns(), row.getValue());
            if (Arrays.deepEquals(before.toArray(), after.toArray())) {
                listener.row(target.schema(), before, List.of(was, is));
            } else {
                listener.row(target.schema(), before, List.of(was));
                listener.row(target.schema(), after, List.of(is));
            }
        }
    }

    /**
     * Returns the cells of the key columns; null if one of them is not exact.
     *
     * @param included the columns of the image
     * @param unchanged the key whose cells replace columns that the image lacks; null if unknown
     */
    private static @Nullable List<byte @Nullable []> key(
            Target target, BitSet included, Serializable[] image, @Nullable List<byte @Nullable []> unchanged) {
        List<byte @Nullable []> key = new ArrayList<>();
        List<Integer> ordinals = target.schema().keyColumns();
        for (int i = 0; i < ordinals.size(); i++) {
            int ordinal = ordinals.get(i);
            byte[] cell;
            if (included.get(ordinal)) {
                int at = included.get(0, ordinal).cardinality();
                cell = cell(target.schema(), ordinal, image[at]);
            } else {
                cell = unchanged == null ? UNKNOWN : unchanged.get(i);
            }
            if (cell == UNKNOWN) {
                return null;
            }
            key.add(cell);
        }
        return key;
    }

    private static byte @Nullable [] cell(TableSchema schema, int ordinal, @Nullable Serializable value) {
        if (value == null) {
            return null;
        }
        byte[] text = BinlogCells.text(schema.columns().get(ordinal).type(), value);
        return text == null ? UNKNOWN : text;
    }
}
