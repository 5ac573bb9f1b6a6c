package org.keyline.protocol.server;

import java.io.Serial;
import java.util.Objects;
import org.keyline.protocol.ErrPacket;

/** A client that was authenticated cannot have a session: unknown schema, no store, too many sessions. */
public final class LoginRefused extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final transient ErrPacket error;

    /** A refusal with what the client is told. */
    public LoginRefused(ErrPacket error) {
        super(error.message(), null, false, false);
        this.error = Objects.requireNonNull(error, "error is null");
    }

    /** What the client is told. */
    public ErrPacket error() {
        return error;
    }
}
