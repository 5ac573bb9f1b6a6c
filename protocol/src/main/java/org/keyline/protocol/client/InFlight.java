package org.keyline.protocol.client;

import org.jspecify.annotations.Nullable;

/**
 * A command that waits for the end of its reply.
 *
 * @param firstSequenceId the reply's first id; {@link #UNKNOWN} until the whole command is sent
 * @param raw receives the reply's packets; null if {@code decoded} receives the reply
 * @param decoded receives the decoded reply; null if {@code raw} receives the reply
 * @param deferred whether the command is sent only after all earlier replies
 */
record InFlight(
        int command,
        int firstSequenceId,
        @Nullable PacketListener raw,
        @Nullable ResultListener decoded,
        boolean deferred) {
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
