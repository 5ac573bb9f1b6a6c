package org.keyline.gateway;

/** The gateway cannot start; the message says why, for the operator. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    StartException(String message) {
        super(message);
    }

    StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
