package org.keyline.protocol;

import java.io.Serial;
import java.util.Objects;

/** The peer broke the protocol: the connection answers with an ERR packet where it still can, and closes. */
public final class ProtocolException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final ErrorCode code;

    /** A packet that cannot be read: ER_MALFORMED_PACKET. */
    public ProtocolException(String message) {
        this(ErrorCode.ER_MALFORMED_PACKET, message);
    }

    /** A breach with an error code of its own. */
    public ProtocolException(ErrorCode code, String message) {
        super(message);
        this.code = Objects.requireNonNull(code, "code is null");
    }

    /** What the peer is told. */
    public ErrorCode code() {
        return code;
    }
}
