package org.keyline.stores.duckdb.engine;

import org.jspecify.annotations.Nullable;

/** Thrown if the database cannot be opened. The message is meant for the operator. */
public final class DatabaseUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DatabaseUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
