package org.keyline.protocol.client;

import org.jspecify.annotations.Nullable;

/**
 * A command that waits for the end of its reply.
 *
 * @param firstSequenceId of the reply; {@link #UNKNOWN} until the whole command is sent
 * @param raw receives the reply as it arrived, or {@code null}
 * @param decoded receives the decoded reply, or {@code null}; exactly one of the two listeners is
 *     set
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
