package org.keyline.protocol.auth;

/**
 * The error if the client cannot continue an exchange: the plugin is unknown, or the password must
 * not be sent this way.
 */
public final class AuthenticationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public AuthenticationException(String message) {
        super(message);
    }

    public AuthenticationException(String message, Throwable cause) {
        super(message, cause);
    }
}
