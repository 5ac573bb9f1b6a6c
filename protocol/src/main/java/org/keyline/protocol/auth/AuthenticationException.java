package org.keyline.protocol.auth;

/** The plugin is unknown, a packet is invalid, or the password would be sent unprotected. */
public final class AuthenticationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public AuthenticationException(String message) {
        super(message);
    }

    public AuthenticationException(String message, Throwable cause) {
        super(message, cause);
    }
}
