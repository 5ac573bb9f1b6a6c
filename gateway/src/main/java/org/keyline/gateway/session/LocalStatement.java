package org.keyline.gateway.session;

import java.util.List;
import java.util.function.Supplier;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.server.Reply;

/**
 * A statement that the gateway answers itself.
 *
 * @param columns of its result; empty if it answers OK
 * @param run makes the result; its columns are {@code columns}
 */
record LocalStatement(List<String> columns, Supplier<LocalResult> run) {
    /** Runs it and writes the whole reply. */
    void answer(Reply reply, boolean binary, boolean extendedMetadata, int status) {
        LocalResult result;
        try {
            result = run.get();
        } catch (StatementRefused refused) {
            reply.error(refused.error());
            reply.end();
            return;
        }
        if (columns.isEmpty()) {
            reply.ok(OkPacket.of(status));
            reply.end();
        } else {
            result.answer(reply, binary, extendedMetadata, status);
        }
    }
}
