package org.keyline.protocol.auth;

/** The client side cannot go on with an exchange: an unknown plugin, or a password it must not send this way. */
public final class AuthenticationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public AuthenticationException(String message) {
        super(message);
    }

    public AuthenticationException(String message, Throwable cause) {
        super(message, cause);
    }
}
