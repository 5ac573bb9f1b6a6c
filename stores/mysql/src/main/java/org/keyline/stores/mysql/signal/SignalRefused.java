package org.keyline.stores.mysql.signal;

/** The store can't be followed as it is set up; the message says what is missing. */
final class SignalRefused extends Exception {
    private static final long serialVersionUID = 1L;

    SignalRefused(String message) {
        super(message);
    }
}
