package org.keyline.protocol.client;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import org.keyline.protocol.ErrPacket;

/** Signals that the server closed or refused a connection with an ERR packet. */
public final class ServerErrorException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient ErrPacket error;

    public ServerErrorException(ErrPacket error) {
        super(error.code() + " (" + error.sqlState() + "): " + error.message());
        this.error = requireNonNull(error, "error is null");
    }

    public ErrPacket error() {
        return error;
    }
}
