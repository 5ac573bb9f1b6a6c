package org.keyline.protocol.server;

import java.io.Serial;
import java.util.Objects;
import org.keyline.protocol.ErrPacket;

/** Signals that a {@link SessionFactory} refuses a session to an authenticated client. */
public final class LoginRefused extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final transient ErrPacket error;

    public LoginRefused(ErrPacket error) {
        super(error.message(), null, false, false);
        this.error = Objects.requireNonNull(error, "error is null");
    }

    public ErrPacket error() {
        return error;
    }
}
