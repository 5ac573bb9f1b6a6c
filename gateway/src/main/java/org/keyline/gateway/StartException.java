package org.keyline.gateway;

import java.io.IOException;
import org.keyline.stores.mysql.catalog.CatalogUnavailableException;

/** The gateway cannot start; the message tells the operator why. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    StartException(String message) {
        super(message);
    }

    StartException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Returns whether a later attempt may succeed, because the store could not be reached. */
    boolean mayPass() {
        return getCause() instanceof CatalogUnavailableException unavailable && unavailable.unreachable();
    }

    /** Returns the message of a network or file error, with its cause. */
    static String describe(IOException e) {
        Throwable cause = e.getCause();
        return e.getMessage() + (cause == null ? "" : ": " + cause.getMessage());
    }
}
