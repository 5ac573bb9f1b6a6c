package org.keyline.stores.duckdb.engine;

import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBPreparedStatement;
import org.duckdb.ResultChunks;
import org.jspecify.annotations.Nullable;

/**
 * A DuckDB connection with its prepared statements. Used by one thread at a time; only {@link
 * #interrupt} may be called from any thread.
 */
public final class EngineConnection implements AutoCloseable {
    /** If an execution builds more bytes of text than this, its prepared statement is closed. */
    private static final long KEPT_BYTES = 64 << 10;

    private final DuckDBConnection connection;
    private final int capacity;
    private final BuiltTexts.Memory results;
    private final BuiltTexts texts;
    private final Runnable closed;
    private final Map<String, DuckDBPreparedStatement> statements = new LinkedHashMap<>(16, 0.75f, true);
    private long catalogVersion;
    private boolean inTransaction;

    /** The statement that {@link #interrupt} cancels; never BEGIN or COMMIT. Guarded by this. */
    @Nullable
    private Statement running;

    EngineConnection(
            DuckDBConnection connection, int capacity, BuiltTexts.Memory results, BuiltTexts texts, Runnable closed) {
        this.texts = texts;
        this.closed = closed;
        this.connection = connection;
        this.capacity = capacity;
        this.results = results;
    }

    /**
     * Closes the prepared statements if the catalog's version differs from that of the last call,
     * because the statements can return columns of an older catalog.
     */
    public void catalogIs(long version) {
        if (version != catalogVersion) {
            catalogVersion = version;
            forgetStatements();
        }
    }

    /**
     * Returns the prepared statement of an SQL text. The statement belongs to this connection, and
     * is valid until the next call to the connection.
     */
    public DuckDBPreparedStatement prepare(String sql) throws SQLException {
        DuckDBPreparedStatement statement = statements.get(sql);
        if (statement != null && !statement.isClosed()) {
            return statement;
        }
        statement = connection.prepare(sql);
        statements.put(sql, statement);
        if (statements.size() > capacity) {
            DuckDBPreparedStatement eldest = statements.values().iterator().next();
            statements.values().remove(eldest);
            closeQuietly(eldest);
        }
        return statement;
    }

    /** Closes a prepared statement after a failure, so that it does not run again. */
    public void forget(String sql) {
        DuckDBPreparedStatement statement = statements.remove(sql);
        if (statement != null) {
            closeQuietly(statement);
        }
    }

    /** Runs a statement without caching it; returns the number of changed rows. */
    public long execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            runs(statement);
            statement.execute(sql);
            return Math.max(0, statement.getLargeUpdateCount());
        } finally {
            finished();
        }
    }

    /** Runs a statement that must not be interrupted, because its outcome would be unknown. */
    private void transaction(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private synchronized void runs(Statement statement) {
        running = statement;
        texts.begin();
    }

    synchronized void finished() {
        running = null;
    }

    /**
     * Releases the memory of the texts that a statement built. Closes the prepared statement if the
     * texts were long, because DuckDB retains constant texts in it.
     */
    void release(String sql) {
        if (texts.release() > KEPT_BYTES) {
            forget(sql);
        }
    }

    SQLException cause(SQLException failure) {
        return texts.cause(failure);
    }

    /** Binds and runs a statement that changes rows; returns the number of changed rows. */
    public long update(String sql, List<? extends @Nullable Object> values) throws SQLException {
        DuckDBPreparedStatement statement = prepare(sql);
        try {
            bind(statement, values);
            runs(statement);
            return Math.max(0, statement.executeLargeUpdate());
        } catch (SQLException e) {
            forget(sql);
            throw texts.cause(e);
        } finally {
            finished();
            release(sql);
        }
    }

    /**
     * Appends rows to a table, within the open transaction if any. This takes a few microseconds
     * per row; INSERT would take tens of microseconds per cell. Cannot be interrupted.
     *
     * @param catalog the name of the catalog; null for the current one
     * @param rows a cell for each column: a text for VARCHAR, a Long for BIGINT and UBIGINT, an
     *     Integer for INTEGER, a LocalDateTime for TIMESTAMP, or null
     */
    public void append(
            @Nullable String catalog,
            String schema,
            String table,
            List<? extends List<? extends @Nullable Object>> rows)
            throws SQLException {
        try (DuckDBAppender appender = connection.createAppender(catalog, schema, table)) {
            for (List<? extends @Nullable Object> row : rows) {
                appender.beginRow();
                for (Object cell : row) {
                    append(appender, cell);
                }
                appender.endRow();
            }
        }
    }

    private static void append(DuckDBAppender appender, @Nullable Object cell) throws SQLException {
        if (cell == null) {
            appender.appendNull();
        } else if (cell instanceof String text) {
            appender.append(text);
        } else if (cell instanceof Integer number) {
            appender.append(number.intValue());
        } else if (cell instanceof Long number) {
            appender.append(number.longValue());
        } else if (cell instanceof LocalDateTime time) {
            appender.append(time);
        } else {
            throw new IllegalArgumentException("cell: " + cell.getClass());
        }
    }

    /** Binds and runs a query. The caller closes the rows before it uses the connection again. */
    public EngineRows query(String sql, List<? extends @Nullable Object> values) throws SQLException {
        DuckDBPreparedStatement statement = prepare(sql);
        try {
            bind(statement, values);
            runs(statement);
            return new EngineRows(this, sql, ResultChunks.of(statement), results);
        } catch (SQLException e) {
            finished();
            release(sql);
            forget(sql);
            throw texts.cause(e);
        }
    }

    /** Returns all rows of a small query as text; SQL NULL is null. */
    public List<List<@Nullable String>> texts(String sql, List<? extends @Nullable Object> values) throws SQLException {
        try (EngineRows rows = query(sql, values)) {
            List<List<@Nullable String>> all = new ArrayList<>();
            while (rows.next()) {
                List<@Nullable String> row = new ArrayList<>(rows.columns());
                for (int i = 0; i < rows.columns(); i++) {
                    row.add(rows.isNull(i) ? null : rows.text(i));
                }
                all.add(row);
            }
            return all;
        }
    }

    /** Returns the integer that is the only cell of a query's result; 0 for NULL. */
    public long number(String sql, List<? extends @Nullable Object> values) throws SQLException {
        String number = texts(sql, values).get(0).get(0);
        return number == null ? 0 : Long.parseLong(number);
    }

    private static void bind(DuckDBPreparedStatement statement, List<? extends @Nullable Object> values)
            throws SQLException {
        statement.clearParameters();
        for (int i = 0; i < values.size(); i++) {
            statement.setObject(i + 1, values.get(i));
        }
    }

    public void begin() throws SQLException {
        transaction("BEGIN TRANSACTION");
        inTransaction = true;
    }

    /** Commits. No transaction is open afterwards, even after a failure. */
    public void commit() throws SQLException {
        inTransaction = false;
        transaction("COMMIT");
    }

    /** Rolls back the open transaction, if any. */
    public void rollback() {
        if (!inTransaction) {
            return;
        }
        inTransaction = false;
        try {
            transaction("ROLLBACK");
        } catch (SQLException ignored) {
            // DuckDB has rolled back by itself.
        }
    }

    public boolean inTransaction() {
        return inTransaction;
    }

    /** Cancels the running statement, if any. Thread-safe. */
    public synchronized void interrupt() {
        Statement statement = running;
        if (statement != null) {
            try {
                statement.cancel();
            } catch (SQLException ignored) {
                // The statement has ended in the meantime.
            }
        }
    }

    private void forgetStatements() {
        statements.values().forEach(EngineConnection::closeQuietly);
        statements.clear();
    }

    @Override
    public void close() {
        rollback();
        forgetStatements();
        closed.run();
        try {
            connection.close();
        } catch (SQLException ignored) {
            // The connection is not used any more.
        }
    }

    private static void closeQuietly(Statement statement) {
        try {
            statement.close();
        } catch (SQLException ignored) {
            // The statement is not used any more.
        }
    }
}
