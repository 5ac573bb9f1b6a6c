package org.keyline.protocol;

import java.io.Serial;
import java.util.Objects;

/** The peer broke the protocol. The connection sends an ERR packet if possible, and closes. */
public final class ProtocolException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final ErrorCode code;

    /** Creates the error for an unreadable packet, with ER_MALFORMED_PACKET. */
    public ProtocolException(String message) {
        this(ErrorCode.ER_MALFORMED_PACKET, message);
    }

    /** Creates an error with this code. */
    public ProtocolException(ErrorCode code, String message) {
        super(message);
        this.code = Objects.requireNonNull(code, "code is null");
    }

    /** Returns the code of the ERR packet for the peer. */
    public ErrorCode code() {
        return code;
    }
}
