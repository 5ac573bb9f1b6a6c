package org.keyline.stores;

import org.keyline.protocol.ErrPacket;

/** Signals that the store refused or lost a session. Contains the error for the client. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient ErrPacket error;

    public StoreException(ErrPacket error) {
        super(error.message());
        this.error = error;
    }

    public ErrPacket error() {
        return error;
    }
}
