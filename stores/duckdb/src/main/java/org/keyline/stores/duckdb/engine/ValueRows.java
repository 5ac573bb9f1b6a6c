package org.keyline.stores.duckdb.engine;

import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * A write of rows to one table. With {@code keys}, each row replaces the stored row that has its
 * key. If {@code keys} is empty, the rows are inserted, all or none.
 *
 * <p>DuckDB's INSERT … ON CONFLICT is a MERGE with a join. It takes milliseconds even for one row.
 * If two rows of a statement have the same key, DuckDB stores the first. This class deletes the
 * stored rows and inserts the last row of each key, which is correct and several times faster. For
 * DuckDB, several rows in one statement cost little more than one row. So the rows of many clients
 * become one deletion and one insertion, or a few of each ({@link RowCounts}).
 *
 * @param table DuckDB's name of the table
 * @param columns the quoted columns of a row, in order
 * @param keys positions of the key columns in {@code columns}; empty if the rows are added
 * @param rows values for DuckDB; key cells are never null
 */
public record ValueRows(String table, List<String> columns, List<Integer> keys, List<List<@Nullable Object>> rows)
        implements Work {
    public ValueRows {
        columns = List.copyOf(columns);
        keys = List.copyOf(keys);
        rows = Collections.unmodifiableList(new ArrayList<>(rows));
    }

    /** Returns whether both writes have the same table, columns and keys. */
    boolean joins(ValueRows other) {
        return table.equals(other.table) && columns.equals(other.columns) && keys.equals(other.keys);
    }

    /** Returns one write with the rows of all these writes, in order. */
    static ValueRows joined(List<ValueRows> writes) {
        ValueRows first = writes.get(0);
        List<List<@Nullable Object>> rows = new ArrayList<>();
        writes.forEach(write -> rows.addAll(write.rows));
        return new ValueRows(first.table, first.columns, first.keys, rows);
    }

    boolean replaces() {
        return !keys.isEmpty();
    }

    /** Writes the rows and returns their number. A row that replaces a row counts once. */
    @Override
    public long apply(EngineConnection connection) throws SQLException {
        return write(connection, replaces());
    }

    /** Writes rows whose keys are expected to be new. Fails with a duplicate key if one exists. */
    long insert(EngineConnection connection) throws SQLException {
        return write(connection, false);
    }

    private long write(EngineConnection connection, boolean deleting) throws SQLException {
        List<List<@Nullable Object>> last = new ArrayList<>(lastOfEachKey());
        for (int from = 0; from < last.size(); ) {
            int count = RowCounts.of(last.size() - from);
            List<List<@Nullable Object>> some = last.subList(from, from + count);
            if (deleting) {
                connection.update(delete(count), keyValues(some));
            }
            connection.update(insert(count), values(some));
            from += count;
        }
        return rows.size();
    }

    private Collection<List<@Nullable Object>> lastOfEachKey() {
        if (rows.size() == 1 || !replaces()) {
            return rows;
        }
        Map<List<Object>, List<@Nullable Object>> last = new LinkedHashMap<>();
        for (List<@Nullable Object> row : rows) {
            List<Object> key = new ArrayList<>(keys.size());
            for (int position : keys) {
                Object value = row.get(position);
                key.add(value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : String.valueOf(value));
            }
            last.put(key, row);
        }
        return last.values();
    }

    private List<@Nullable Object> keyValues(List<List<@Nullable Object>> some) {
        List<@Nullable Object> values = new ArrayList<>(some.size() * keys.size());
        for (List<@Nullable Object> row : some) {
            keys.forEach(position -> values.add(wide(row.get(position))));
        }
        return values;
    }

    /** Returns a key cell. A whole number becomes a Long, as in other statements. */
    private static @Nullable Object wide(@Nullable Object value) {
        return value instanceof Integer || value instanceof Short || value instanceof Byte
                ? (Object) ((Number) value).longValue()
                : value;
    }

    private static List<@Nullable Object> values(List<List<@Nullable Object>> some) {
        List<@Nullable Object> values = new ArrayList<>();
        some.forEach(values::addAll);
        return values;
    }

    /**
     * Returns the statement that deletes the keys of {@code count} rows. If the key has one column,
     * DuckDB looks up the list in the index. If it has several, DuckDB scans the table once.
     */
    private String delete(int count) {
        StringJoiner names = new StringJoiner(", ");
        keys.forEach(position -> names.add(columns.get(position)));
        if (keys.size() == 1) {
            return "DELETE FROM " + table + " WHERE " + names + " IN (" + repeated("?", count) + ")";
        }
        if (count == 1) {
            StringJoiner equal = new StringJoiner(" AND ");
            keys.forEach(position -> equal.add(columns.get(position) + " = ?"));
            return "DELETE FROM " + table + " WHERE " + equal;
        }
        return "DELETE FROM " + table + " WHERE (" + names + ") IN ("
                + repeated("(" + repeated("?", keys.size()) + ")", count) + ")";
    }

    private String insert(int count) {
        return "INSERT INTO " + table + " (" + String.join(", ", columns) + ") VALUES "
                + repeated("(" + repeated("?", columns.size()) + ")", count);
    }

    private static String repeated(String part, int count) {
        return part + (", " + part).repeat(count - 1);
    }
}
