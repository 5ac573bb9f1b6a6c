package org.keyline.gateway.signal;

/** A gateway does not tell another one what its change signal tells, and why: that one asks elsewhere, or reads for itself. */
public final class NotHeardException extends Exception {
    private static final long serialVersionUID = 1;

    public NotHeardException(String message) {
        super(message);
    }
}
