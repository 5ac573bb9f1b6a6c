package org.keyline.protocol.client;

import org.jspecify.annotations.Nullable;

/**
 * A command that waits for the end of its reply.
 *
 * @param firstSequenceId of the reply; {@link #UNKNOWN} while the command is not yet sent whole
 * @param raw who gets the reply as it came, or {@code null}
 * @param decoded who gets it decoded, or {@code null}; exactly one of the two is there
 */
record InFlight(
        int command,
        int firstSequenceId,
        @Nullable PacketListener raw,
        @Nullable ResultListener decoded) {
    static final int UNKNOWN = -1;

    void failed(Throwable cause) {
        if (raw != null) {
            raw.failed(cause);
        }
        if (decoded != null) {
            decoded.failed(cause);
        }
    }
}
