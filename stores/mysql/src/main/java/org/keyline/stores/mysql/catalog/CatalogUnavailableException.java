package org.keyline.stores.mysql.catalog;

import org.jspecify.annotations.Nullable;

/** Thrown if the definitions cannot be read. The message has the store's address and the reason. */
public final class CatalogUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CatalogUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    public CatalogUnavailableException(String message) {
        super(message);
    }

    /** Returns whether the store is unreachable. A later attempt may succeed. */
    public boolean unreachable() {
        return getCause() instanceof ReadFailure failure && failure.unreachable();
    }
}
