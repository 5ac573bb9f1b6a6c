package org.keyline.stores.mysql.catalog;

/** The store's definitions can't be read; the message names the store's address and says why, for the operator. */
public final class CatalogUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CatalogUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }

    public CatalogUnavailableException(String message) {
        super(message);
    }
}
