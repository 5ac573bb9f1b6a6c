package org.keyline.stores.mysql.signal;

/**
 * The error for a store whose settings do not allow following it; the message says what is missing.
 */
final class SignalRefused extends Exception {
    private static final long serialVersionUID = 1L;

    SignalRefused(String message) {
        super(message);
    }
}
