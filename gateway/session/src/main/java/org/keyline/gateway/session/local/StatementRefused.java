package org.keyline.gateway.session.local;

import java.io.Serial;
import org.keyline.protocol.ErrPacket;

/** Refuses one of the gateway's own statements with an error. The session stays open. */
final class StatementRefused extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final transient ErrPacket error;

    StatementRefused(ErrPacket error) {
        super(error.message(), null, false, false);
        this.error = error;
    }

    ErrPacket error() {
        return error;
    }
}
