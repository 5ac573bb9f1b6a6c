package org.keyline.stores.mysql.signal;

/** Thrown if the store's settings do not allow a signal. The message names the missing setting. */
final class SignalRefused extends Exception {
    private static final long serialVersionUID = 1L;

    SignalRefused(String message) {
        super(message);
    }
}
