package org.keyline.ycsb;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTransientConnectionException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.jspecify.annotations.Nullable;
import org.keyline.ycsb.StatementShape.Verb;
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
 * <p>The first operation opens the connection. {@link Target} describes its properties. The
 * property {@code db.key} names the key column (default {@code YCSB_KEY}).
 */
@SuppressWarnings({"JdkObsolete", "NonApiType"}) // the types are those of YCSB
public final class KeylineClient extends DB {
    private static final int MAX_STATEMENTS = 256;
    private static final int MAX_REPORTED_FAILURES = 3;

    private final Map<StatementShape, PreparedStatement> statements = new LinkedHashMap<>(16, 0.75f, true);
    private @Nullable Connection connection;
    private String keyColumn = "YCSB_KEY";
    private int fieldCount;
    private int failures;

    @Override
    public void init() {
        keyColumn = getProperties().getProperty("db.key", "YCSB_KEY");
        fieldCount = Integer.parseInt(getProperties()
                .getProperty(CoreWorkload.FIELD_COUNT_PROPERTY, CoreWorkload.FIELD_COUNT_PROPERTY_DEFAULT));
    }

    @Override
    public void cleanup() throws DBException {
        try {
            for (PreparedStatement statement : statements.values()) {
                statement.close();
            }
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
            PreparedStatement statement = prepared(Verb.READ, table, asked(fields));
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
            PreparedStatement statement = prepared(Verb.SCAN, table, asked(fields));
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
        return attempt(() -> {
            StatementShape shape = new StatementShape(Verb.INSERT, table, values.keySet());
            PreparedStatement statement = prepared(shape);
            statement.setString(1, key);
            bind(statement, 2, shape, values);
            return statement.executeUpdate() > 0 ? Status.OK : Status.UNEXPECTED_STATE;
        });
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        return attempt(() -> {
            StatementShape shape = new StatementShape(Verb.UPDATE, table, values.keySet());
            PreparedStatement statement = prepared(shape);
            bind(statement, 1, shape, values);
            statement.setString(1 + values.size(), key);
            return found(statement.executeUpdate());
        });
    }

    @Override
    public Status delete(String table, String key) {
        return attempt(() -> {
            PreparedStatement statement = prepared(Verb.DELETE, table, Set.of());
            statement.setString(1, key);
            return found(statement.executeUpdate());
        });
    }

    /** Returns {@code fields}; empty for all, which gives {@code SELECT *} as in YCSB's client. */
    private Set<String> asked(@Nullable Set<String> fields) {
        return fields == null || fields.size() == fieldCount ? Set.of() : fields;
    }

    private static Status found(int rows) {
        return rows > 0 ? Status.OK : Status.NOT_FOUND;
    }

    private static void bind(
            PreparedStatement statement, int first, StatementShape shape, Map<String, ByteIterator> values)
            throws SQLException {
        int index = first;
        for (String field : shape.orderedFields()) {
            ByteIterator value = values.get(field);
            statement.setString(index++, value == null ? null : value.toString());
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

    private PreparedStatement prepared(Verb verb, String table, Set<String> fields) throws SQLException {
        return prepared(new StatementShape(verb, table, fields));
    }

    private PreparedStatement prepared(StatementShape shape) throws SQLException {
        PreparedStatement known = statements.get(shape);
        if (known != null) {
            return known;
        }
        if (statements.size() >= MAX_STATEMENTS) {
            var eldest = statements.entrySet().iterator();
            PreparedStatement unused = eldest.next().getValue();
            eldest.remove();
            unused.close();
        }
        PreparedStatement statement = connection().prepareStatement(shape.sql(keyColumn));
        statements.put(shape, statement);
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
            return operation.run();
        } catch (SQLException failed) {
            if (failures++ < MAX_REPORTED_FAILURES) {
                System.err.println(
                        "error " + failed.getErrorCode() + " (" + failed.getSQLState() + "): " + failed.getMessage());
            }
            return status(failed);
        }
    }

    private static Status status(SQLException failed) {
        if (failed instanceof SQLNonTransientConnectionException || failed instanceof SQLTransientConnectionException) {
            return Status.SERVICE_UNAVAILABLE;
        }
        if (failed instanceof SQLInvalidAuthorizationSpecException) {
            return Status.FORBIDDEN;
        }
        return failed instanceof SQLSyntaxErrorException ? Status.BAD_REQUEST : Status.ERROR;
    }
}
