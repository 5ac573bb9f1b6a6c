package org.keyline.stores.mysql.catalog;

import org.keyline.protocol.client.Unreachable;

/** The failure of a catalog query. */
public final class ReadFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean refused;

    /**
     * @param refused whether the store itself returned an error, so that the connection is usable
     */
    public ReadFailure(boolean refused, String message, Throwable cause) {
        super(message, cause);
        this.refused = refused;
    }

    public ReadFailure(String message) {
        super(message);
        this.refused = true;
    }

    /** Returns whether the store could not be reached, which may pass without any change here. */
    public boolean unreachable() {
        Throwable cause = getCause();
        return !refused && cause != null && Unreachable.mayPass(cause);
    }

    /** Returns whether the store refused; other queries are possible. */
    public boolean refused() {
        return refused;
    }
}
