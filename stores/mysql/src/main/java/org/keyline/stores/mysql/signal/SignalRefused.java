package org.keyline.stores.mysql.signal;

/** The store's settings do not allow a signal; the message names the missing one. */
final class SignalRefused extends Exception {
    private static final long serialVersionUID = 1L;

    SignalRefused(String message) {
        super(message);
    }
}
