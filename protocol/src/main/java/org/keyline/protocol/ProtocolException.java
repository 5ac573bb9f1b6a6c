package org.keyline.protocol;

import java.io.Serial;
import java.util.Objects;

/**
 * Reports that the peer broke the protocol. The connection answers with an ERR packet where it
 * still can, and closes.
 */
public final class ProtocolException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final ErrorCode code;

    /** Reports a packet that cannot be read, with ER_MALFORMED_PACKET. */
    public ProtocolException(String message) {
        this(ErrorCode.ER_MALFORMED_PACKET, message);
    }

    /** Reports a breach with another error code. */
    public ProtocolException(ErrorCode code, String message) {
        super(message);
        this.code = Objects.requireNonNull(code, "code is null");
    }

    /** Returns the code of the ERR packet for the peer. */
    public ErrorCode code() {
        return code;
    }
}
