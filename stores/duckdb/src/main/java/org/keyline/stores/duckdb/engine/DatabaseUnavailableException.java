package org.keyline.stores.duckdb.engine;

import org.jspecify.annotations.Nullable;

/** The database cannot be opened; the message is for the person who starts the program. */
public final class DatabaseUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DatabaseUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
