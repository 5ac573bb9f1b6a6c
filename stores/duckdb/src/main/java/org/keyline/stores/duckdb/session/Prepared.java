package org.keyline.stores.duckdb.session;

import org.jspecify.annotations.Nullable;
import org.keyline.protocol.codec.StatementParameters;
import org.keyline.stores.duckdb.translate.Tokens;

/** A prepared statement of one session, with its open cursor. Used by one thread at a time. */
final class Prepared {
    private final int id;
    private Tokens words;
    private final @Nullable String database;
    private final StatementParameters parameters;

    /** The bytes of memory that values of COM_STMT_SEND_LONG_DATA occupy. */
    private long longDataBytes;

    private boolean emptyCursor;

    /**
     * @param database the database in which unqualified names are looked up, even if the session
     *     selects another one; null if none was selected at PREPARE
     */
    Prepared(int id, Tokens words, @Nullable String database, StatementParameters parameters) {
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

    /** Returns the tokens, read by the session's current sql_mode. */
    Tokens words(DuckDbState session) {
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

    /** Returns whether the last execution opened a cursor. Only a result without rows opens one. */
    boolean emptyCursor() {
        return emptyCursor;
    }

    void emptyCursor(boolean opened) {
        emptyCursor = opened;
    }

    long longDataBytes() {
        return longDataBytes;
    }

    void longDataBytes(long bytes) {
        longDataBytes = bytes;
    }
}
