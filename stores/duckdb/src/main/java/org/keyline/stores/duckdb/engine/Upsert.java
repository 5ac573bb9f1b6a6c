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
 * Whole rows, each of which takes the place of the row that has its key.
 *
 * <p>DuckDB's INSERT … ON CONFLICT is a MERGE with a join, which costs milliseconds for one row, and of two rows with one key
 * it keeps the first. Deleting the keys and inserting the rows is exact and several times faster, and upserts of many
 * clients become one statement each way, or a few of {@link RowCounts}.
 *
 * @param table as DuckDB names it
 * @param columns all columns of the table, in the order of the cells, quoted
 * @param keys positions of the key columns in {@code columns}
 * @param rows cells as DuckDB takes them; key cells are never null
 */
public record Upsert(String table, List<String> columns, List<Integer> keys, List<List<@Nullable Object>> rows)
        implements Work {
    public Upsert {
        columns = List.copyOf(columns);
        keys = List.copyOf(keys);
        rows = Collections.unmodifiableList(new ArrayList<>(rows));
    }

    /** Whether both write whole rows of the same table in the same form. */
    boolean joins(Upsert other) {
        return table.equals(other.table) && columns.equals(other.columns);
    }

    /** One upsert that does what these do, in their order. */
    static Upsert joined(List<Upsert> upserts) {
        Upsert first = upserts.get(0);
        List<List<@Nullable Object>> rows = new ArrayList<>();
        upserts.forEach(upsert -> rows.addAll(upsert.rows));
        return new Upsert(first.table, first.columns, first.keys, rows);
    }

    /** Answers the rows it was given: each counts, as the store that upserts them counts rows it loads. */
    @Override
    public long apply(EngineConnection connection) throws SQLException {
        return write(connection, true);
    }

    /** The same where no row has one of the keys; else it fails with a duplicate key. */
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
        if (rows.size() == 1) {
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

    /** A key as conditions have it elsewhere: whole numbers in 64 bits. */
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

    /** One column: a list, which DuckDB looks up in the index. Several: DuckDB scans, once for all rows. */
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
