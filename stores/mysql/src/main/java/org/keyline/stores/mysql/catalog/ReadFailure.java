package org.keyline.stores.mysql.catalog;

import org.keyline.protocol.client.Unreachable;

/** The error for a failed catalog query. */
public final class ReadFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean refused;

    /**
     * Creates a failure. If {@code refused}, the store returned an error and the connection remains
     * usable.
     */
    public ReadFailure(boolean refused, String message, Throwable cause) {
        super(message, cause);
        this.refused = refused;
    }

    public ReadFailure(String message) {
        super(message);
        this.refused = true;
    }

    private ReadFailure(boolean refused, String message) {
        super(message);
        this.refused = refused;
    }

    /** Returns a failure after which the caller needs another connection. */
    static ReadFailure ofConnection(String message) {
        return new ReadFailure(false, message);
    }

    /** Returns whether the store is unreachable. A later attempt may succeed. */
    public boolean unreachable() {
        Throwable cause = getCause();
        return !refused && cause != null && Unreachable.mayPass(cause);
    }

    /** Returns whether the store itself returned an error, so that other queries are possible. */
    public boolean refused() {
        return refused;
    }
}
