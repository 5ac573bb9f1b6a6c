package org.keyline.stores.mysql.signal;

/**
 * The error for a store whose settings do not allow Keyline to follow it. The message names the
 * missing setting.
 */
final class SignalRefused extends Exception {
    private static final long serialVersionUID = 1L;

    SignalRefused(String message) {
        super(message);
    }
}
