package org.keyline.gateway;

import java.io.IOException;
import org.keyline.stores.mysql.catalog.CatalogUnavailableException;

/** The gateway cannot start; the message says why, for the operator. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    StartException(String message) {
        super(message);
    }

    StartException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Returns whether the store could not be reached, so that a later attempt may succeed. */
    boolean mayPass() {
        return getCause() instanceof CatalogUnavailableException unavailable && unavailable.unreachable();
    }

    /** What an error of the network or of a file says, and what it says of its cause. */
    static String describe(IOException e) {
        Throwable cause = e.getCause();
        return e.getMessage() + (cause == null ? "" : ": " + cause.getMessage());
    }
}
