package org.keyline.gateway;

import java.io.IOException;
import java.net.BindException;
import org.keyline.stores.mysql.catalog.CatalogUnavailableException;

/** Thrown if the gateway cannot start. The message gives the operator the reason. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    StartException(String message) {
        super(message);
    }

    StartException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Returns whether only the connection to the store failed, so that a retry may succeed. */
    boolean mayPass() {
        return getCause() instanceof CatalogUnavailableException unavailable && unavailable.unreachable();
    }

    /** Returns the message of a network or file error, with its cause. */
    static String describe(IOException e) {
        Throwable cause = e.getCause();
        if (cause == null) {
            return String.valueOf(e.getMessage());
        }
        String why = String.valueOf(cause.getMessage());
        // io_uring's errors contain only the system's error number.
        boolean inUse =
                cause instanceof BindException || why.contains("Address already in use") || why.contains("(-98)");
        return e.getMessage() + ": " + (inUse ? "another program listens there" : why);
    }
}
