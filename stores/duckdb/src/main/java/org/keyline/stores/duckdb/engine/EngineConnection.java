package org.keyline.stores.duckdb.engine;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBPreparedStatement;
import org.jspecify.annotations.Nullable;

/**
 * One DuckDB connection with the statements it keeps ready. Used by one thread at a time; only {@link #interrupt} may be
 * called from any thread.
 */
public final class EngineConnection implements AutoCloseable {
    private static final int ATTEMPTS = 3;

    private final DuckDBConnection connection;
    private final int capacity;
    private final Map<String, DuckDBPreparedStatement> statements = new LinkedHashMap<>(16, 0.75f, true);
    private long catalogVersion;
    private boolean inTransaction;
    private volatile boolean interrupted;

    /** What {@link #interrupt} ends; never the beginning or the end of a transaction. Guarded by this. */
    @Nullable
    private Statement running;

    EngineConnection(DuckDBConnection connection, int capacity) {
        this.connection = connection;
        this.capacity = capacity;
    }

    /** Statements prepared under an older catalog describe older columns: they are prepared anew. */
    public void catalogIs(long version) {
        if (version != catalogVersion) {
            catalogVersion = version;
            forgetStatements();
        }
    }

    /** A statement that is ready to be bound; it belongs to this connection, and stays valid until the next call. */
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

    /** Forgets a statement: one that failed does not run again. */
    public void forget(String sql) {
        DuckDBPreparedStatement statement = statements.remove(sql);
        if (statement != null) {
            closeQuietly(statement);
        }
    }

    /** Runs a statement that is not worth keeping; answers the rows it changed, 0 where it has none. */
    public long execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            runs(statement);
            statement.execute(sql);
            return Math.max(0, statement.getLargeUpdateCount());
        } finally {
            finished();
        }
    }

    /** Runs a statement that is not to be interrupted: whether it was done would be unknown. */
    private void transaction(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private synchronized void runs(Statement statement) {
        running = statement;
    }

    synchronized void finished() {
        running = null;
    }

    /** Binds and runs a statement that changes rows; answers how many. */
    public long update(String sql, List<? extends @Nullable Object> values) throws SQLException {
        DuckDBPreparedStatement statement = prepare(sql);
        try {
            bind(statement, values);
            runs(statement);
            return Math.max(0, statement.executeLargeUpdate());
        } catch (SQLException e) {
            forget(sql);
            throw e;
        } finally {
            finished();
        }
    }

    /** Binds and runs a query; the caller closes the rows before it runs anything else on this connection. */
    public EngineRows query(String sql, List<? extends @Nullable Object> values) throws SQLException {
        interrupted = false;
        for (int attempt = 1; ; attempt++) {
            try {
                return start(sql, values);
            } catch (SQLException e) {
                if (!isUnexplained(e) || interrupted) {
                    throw e;
                }
                SQLException explained = explanation(sql, values, e);
                if (explained != e || inTransaction || attempt == ATTEMPTS) {
                    throw explained;
                }
            }
        }
    }

    private EngineRows start(String sql, List<? extends @Nullable Object> values) throws SQLException {
        DuckDBPreparedStatement statement = prepare(sql);
        try {
            bind(statement, values);
            runs(statement);
            return new EngineRows(this, sql, statement.executeQuery());
        } catch (SQLException e) {
            finished();
            forget(sql);
            throw e;
        }
    }

    /*
     * DuckDB's driver loses the text of an error that ends a streaming query before its first rows are ready: all that it says then is
     * "Invalid result set". Asked for chunks instead of a result set, it tells the text, but would take an error after the first
     * rows for the end of the result. So rows are read as a result set, and a query that failed without a text is asked once more for
     * chunks, none of which is read. Where the second attempt does not fail (the rows that were in its way may be gone),
     * the query starts over.
     */
    private static boolean isUnexplained(SQLException failure) {
        return String.valueOf(failure.getMessage()).contains("Invalid result set");
    }

    /** Why a query fails; {@code failure} itself where that is not to be learned. */
    private SQLException explanation(String sql, List<? extends @Nullable Object> values, SQLException failure) {
        if (!inTransaction) {
            return explanation(this, sql, values, failure);
        }
        // The error has ended the transaction, so another connection asks; it sees what is committed.
        try (EngineConnection other = new EngineConnection(connection.duplicate(), 1)) {
            other.execute(Database.USE);
            SQLException explained = explanation(other, sql, values, failure);
            boolean temporary = String.valueOf(explained.getMessage()).contains("does not exist");
            return temporary ? failure : explained;
        } catch (SQLException e) {
            return failure;
        }
    }

    private SQLException explanation(
            EngineConnection asked, String sql, List<? extends @Nullable Object> values, SQLException failure) {
        try {
            DuckDBPreparedStatement statement = asked.prepare(sql);
            bind(statement, values);
            runs(statement);
            statement.query().close();
            return failure;
        } catch (SQLException e) {
            asked.forget(sql);
            return e;
        } finally {
            finished();
        }
    }

    /** All rows of a small query of the store's own, as text; SQL NULL is Java null inside a row. */
    public List<List<@Nullable String>> texts(String sql, List<? extends @Nullable Object> values) throws SQLException {
        try (EngineRows rows = query(sql, values)) {
            List<List<@Nullable String>> all = new ArrayList<>();
            int columns = rows.columns();
            while (rows.next()) {
                List<@Nullable String> row = new ArrayList<>(columns);
                for (int column = 1; column <= columns; column++) {
                    row.add(rows.cells().getString(column));
                }
                all.add(row);
            }
            return all;
        }
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

    /** Commits; whatever happens, no transaction is open afterwards. */
    public void commit() throws SQLException {
        inTransaction = false;
        transaction("COMMIT");
    }

    /** Rolls back what is open, if anything. */
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

    /** Between {@link #begin} and the end of the transaction. */
    public boolean inTransaction() {
        return inTransaction;
    }

    /** Makes the running statement fail soon; does nothing where none runs. Thread-safe. */
    public synchronized void interrupt() {
        Statement statement = running;
        if (statement != null) {
            interrupted = true;
            try {
                statement.cancel();
            } catch (SQLException ignored) {
                // It ended in the meantime.
            }
        }
    }

    private void forgetStatements() {
        statements.values().forEach(EngineConnection::closeQuietly);
        statements.clear();
    }

    /** Rolls back and closes. */
    @Override
    public void close() {
        rollback();
        forgetStatements();
        try {
            connection.close();
        } catch (SQLException ignored) {
            // Nothing depends on it any more.
        }
    }

    private static void closeQuietly(Statement statement) {
        try {
            statement.close();
        } catch (SQLException ignored) {
            // Nothing depends on it any more.
        }
    }
}
