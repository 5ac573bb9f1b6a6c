package org.keyline.ycsb;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;
import site.ycsb.workloads.CoreWorkload;

/**
 * A database client for YCSB over JDBC. It has one connection per thread, binds every value to a
 * prepared statement, and never retries. Confined to one thread.
 *
 * <p>The first operation opens the connection. {@link Target} describes the properties of YCSB that
 * select the database. The property {@code db.key} names the key column (default {@code YCSB_KEY}).
 */
@SuppressWarnings({"JdkObsolete", "NonApiType"}) // the types are those of YCSB
public class KeylineClient extends DB {
    private static final int MAX_REPORTED_FAILURES = 3;

    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private @Nullable Connection connection;
    private String keyColumn = "YCSB_KEY";
    private String quotedKey = Identifiers.quoted(keyColumn);
    private int fieldCount;
    private int failures;

    @Override
    public void init() {
        keyColumn = getProperties().getProperty("db.key", "YCSB_KEY");
        quotedKey = Identifiers.quoted(keyColumn);
        fieldCount = Integer.parseInt(getProperties()
                .getProperty(CoreWorkload.FIELD_COUNT_PROPERTY, CoreWorkload.FIELD_COUNT_PROPERTY_DEFAULT));
    }

    @Override
    public void cleanup() throws DBException {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException failed) {
            throw new DBException(failed);
        } finally {
            statements.clear();
            connection = null;
        }
    }

    @Override
    public Status read(String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
        return attempt(() -> {
            PreparedStatement statement = select(table, fields, " = ?");
            statement.setString(1, key);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    return Status.NOT_FOUND;
                }
                readRow(rows, fields(rows), result);
                return rows.next() ? Status.UNEXPECTED_STATE : Status.OK;
            }
        });
    }

    @Override
    public Status scan(
            String table,
            String startkey,
            int recordcount,
            @Nullable Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        return attempt(() -> {
            PreparedStatement statement = select(table, fields, " >= ? ORDER BY " + quotedKey + " LIMIT ?");
            statement.setString(1, startkey);
            statement.setInt(2, recordcount);
            try (ResultSet rows = statement.executeQuery()) {
                @Nullable String[] names = fields(rows);
                while (rows.next()) {
                    HashMap<String, ByteIterator> row = new HashMap<>();
                    readRow(rows, names, row);
                    result.add(row);
                }
            }
            return result.size() > recordcount ? Status.UNEXPECTED_STATE : Status.OK;
        });
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        String sql = "INSERT INTO " + Identifiers.quoted(table) + " (" + quotedKey + each(values.keySet(), ", %s")
                + ") VALUES (?" + ", ?".repeat(values.size()) + ")";
        return attempt(() -> {
            PreparedStatement statement = prepared(sql);
            statement.setString(1, key);
            bind(statement, 2, values);
            return statement.executeUpdate() > 0 ? Status.OK : Status.UNEXPECTED_STATE;
        });
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        String sql = "UPDATE " + Identifiers.quoted(table) + " SET "
                + each(values.keySet(), ", %s = ?").substring(2) + " WHERE " + quotedKey + " = ?";
        return attempt(() -> {
            PreparedStatement statement = prepared(sql);
            bind(statement, 1, values);
            statement.setString(1 + values.size(), key);
            return found(statement.executeUpdate());
        });
    }

    @Override
    public Status delete(String table, String key) {
        String sql = "DELETE FROM " + Identifiers.quoted(table) + " WHERE " + quotedKey + " = ?";
        return attempt(() -> {
            PreparedStatement statement = prepared(sql);
            statement.setString(1, key);
            return found(statement.executeUpdate());
        });
    }

    /** Prepares a read of {@code fields}; {@code SELECT *} reads all, as in YCSB's client. */
    private PreparedStatement select(String table, @Nullable Set<String> fields, String condition) throws SQLException {
        String columns = fields == null || fields.size() == fieldCount
                ? "*"
                : each(fields, ", %s").substring(2);
        return prepared("SELECT " + columns + " FROM " + Identifiers.quoted(table) + " WHERE " + quotedKey + condition);
    }

    /** Repeats a template for each field, in their order. */
    private static String each(Set<String> fields, String template) {
        return new TreeSet<>(fields)
                .stream()
                        .map(field -> template.replace("%s", Identifiers.quoted(field)))
                        .collect(Collectors.joining());
    }

    private static Status found(int rows) {
        return rows > 0 ? Status.OK : Status.NOT_FOUND;
    }

    private static void bind(PreparedStatement statement, int first, Map<String, ByteIterator> values)
            throws SQLException {
        int index = first;
        for (ByteIterator value : new TreeMap<>(values).values()) {
            statement.setString(index++, value.toString());
        }
    }

    /** Returns the column names in lower case, as YCSB writes them; null for the key. */
    private @Nullable String[] fields(ResultSet rows) throws SQLException {
        ResultSetMetaData columns = rows.getMetaData();
        @Nullable String[] names = new String[columns.getColumnCount()];
        for (int i = 0; i < names.length; i++) {
            String name = columns.getColumnLabel(i + 1);
            names[i] = name.equalsIgnoreCase(keyColumn) ? null : name.toLowerCase(Locale.ROOT);
        }
        return names;
    }

    /** Adds the fields of a row to {@code result}, except those that are NULL. */
    private static void readRow(ResultSet row, @Nullable String[] fields, Map<String, ByteIterator> result)
            throws SQLException {
        for (int i = 0; i < fields.length; i++) {
            String field = fields[i];
            String value = field == null ? null : row.getString(i + 1);
            if (field != null && value != null) {
                result.put(field, new StringByteIterator(value));
            }
        }
    }

    private PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement statement = statements.get(sql);
        if (statement == null) {
            statement = connection().prepareStatement(sql);
            statements.put(sql, statement);
        }
        return statement;
    }

    private Connection connection() throws SQLException {
        Connection open = connection;
        if (open == null) {
            open = Target.of(getProperties()).open();
            connection = open;
        }
        return open;
    }

    private interface Operation {
        Status run() throws SQLException;
    }

    private Status attempt(Operation operation) {
        try {
            Status status = operation.run();
            Ycsb.SUCCEEDED.add(status.isOk() ? 1 : 0);
            return status;
        } catch (SQLException failed) {
            if (failures++ < MAX_REPORTED_FAILURES) {
                System.err.println(
                        "error " + failed.getErrorCode() + " (" + failed.getSQLState() + "): " + failed.getMessage());
            }
            return failed instanceof SQLSyntaxErrorException ? Status.BAD_REQUEST : Status.ERROR;
        }
    }
}
