package org.keyline.stores.duckdb.engine;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;

/** The rows of a running query, read in order and once. Used by one thread at a time. */
public final class EngineRows implements AutoCloseable {
    private final EngineConnection connection;
    private final String sql;
    private final ResultSet cells;

    EngineRows(EngineConnection connection, String sql, ResultSet cells) {
        this.connection = connection;
        this.sql = sql;
        this.cells = cells;
    }

    /** Columns of each row. */
    public int columns() throws SQLException {
        return cells.getMetaData().getColumnCount();
    }

    /** Names and types, as bound. */
    public ResultSetMetaData metadata() throws SQLException {
        return cells.getMetaData();
    }

    /** Steps to the next row; false after the last. */
    public boolean next() throws SQLException {
        try {
            return cells.next();
        } catch (SQLException e) {
            connection.forget(sql);
            throw e;
        }
    }

    /** The current row. */
    public ResultSet cells() {
        return cells;
    }

    @Override
    public void close() {
        connection.finished();
        try {
            cells.close();
        } catch (SQLException ignored) {
            connection.forget(sql);
        }
    }
}
