package org.keyline.protocol.auth;

/** Signals an unknown plugin, an invalid packet, or a password that would be sent unprotected. */
public final class AuthenticationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public AuthenticationException(String message) {
        super(message);
    }

    public AuthenticationException(String message, Throwable cause) {
        super(message, cause);
    }
}
