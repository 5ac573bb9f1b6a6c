package org.keyline.stores.duckdb.session;

import org.jspecify.annotations.Nullable;
import org.keyline.protocol.codec.StatementParameters;
import org.keyline.stores.duckdb.translate.Tokens;

/** A prepared statement of one session, with its open cursor. Used by one thread at a time. */
final class Prepared {
    final int id;
    /** The database of unqualified names: the one that was selected at PREPARE, or null. */
    final @Nullable String database;

    final StatementParameters parameters;
    /** The bytes of memory that values of COM_STMT_SEND_LONG_DATA occupy. */
    long longDataBytes;
    /** Whether the last execution opened a cursor. Only a result without rows opens one. */
    boolean emptyCursor;

    private Tokens words;

    Prepared(int id, Tokens words, @Nullable String database, StatementParameters parameters) {
        this.id = id;
        this.words = words;
        this.database = database;
        this.parameters = parameters;
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
}
