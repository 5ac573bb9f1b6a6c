package org.keyline.stores.mysql.catalog;

import org.keyline.protocol.client.Unreachable;

/** A query of the catalog had no answer. */
public final class ReadFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean refused;

    /** @param refused whether the store answered with an error of its own, so that the connection lives on */
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

    /** The store said no; asking something else is possible. */
    public boolean refused() {
        return refused;
    }
}
