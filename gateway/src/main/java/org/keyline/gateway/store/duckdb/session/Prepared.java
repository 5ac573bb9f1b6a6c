package org.keyline.gateway.store.duckdb.session;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.codec.StatementParameters;

/** A prepared statement of one session, with its open cursor. Used by one thread at a time. */
final class Prepared {
    /** An open cursor: the rows lie in a temporary table. */
    static final class Cursor {
        final List<ColumnDefinition> columns;
        long position;

        Cursor(List<ColumnDefinition> columns) {
            this.columns = columns;
        }
    }

    private final int id;
    private final byte[] sql;
    private final StatementParameters parameters;

    @Nullable
    private Cursor cursor;

    Prepared(int id, byte[] sql, StatementParameters parameters) {
        this.id = id;
        this.sql = sql;
        this.parameters = parameters;
    }

    int id() {
        return id;
    }

    byte[] sql() {
        return sql;
    }

    StatementParameters parameters() {
        return parameters;
    }

    @Nullable
    Cursor cursor() {
        return cursor;
    }

    void cursor(@Nullable Cursor opened) {
        cursor = opened;
    }

    /** DuckDB's name of the table that an open cursor reads. */
    String cursorTable() {
        return "__keyline_cursor_" + id;
    }
}
