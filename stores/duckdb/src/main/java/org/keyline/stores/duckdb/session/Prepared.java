package org.keyline.stores.duckdb.session;

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
    private Words words;
    private final @Nullable String database;
    private final StatementParameters parameters;

    @Nullable
    private Cursor cursor;

    /** Bytes of values that came ahead. */
    private long longDataBytes;

    /** @param database that names without one belong to, whatever is current when it is executed; null for none */
    Prepared(int id, Words words, @Nullable String database, StatementParameters parameters) {
        this.id = id;
        this.words = words;
        this.database = database;
        this.parameters = parameters;
    }

    int id() {
        return id;
    }

    byte[] sql() {
        return words.bytes();
    }

    /** Returns the tokens by the sql_mode that holds now. */
    Words words(DuckDbState session) {
        if (!words.mode().equals(session.variables().sqlMode())) {
            words = session.words(words.bytes());
        }
        return words;
    }

    @Nullable
    String database() {
        return database;
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

    long longDataBytes() {
        return longDataBytes;
    }

    void longDataBytes(long bytes) {
        longDataBytes = bytes;
    }

    /** DuckDB's name of the table that an open cursor reads. */
    String cursorTable() {
        return "__keyline_cursor_" + id;
    }
}
