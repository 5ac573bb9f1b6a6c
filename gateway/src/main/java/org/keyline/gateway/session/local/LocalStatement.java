package org.keyline.gateway.session.local;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.server.Reply;

/**
 * A statement that the gateway answers itself.
 *
 * @param columns of its result; empty if it answers OK
 * @param read what its client must be allowed to read, as a statement, to be told of it; null for nothing
 * @param run makes the result; its columns are {@code columns}
 */
public record LocalStatement(List<String> columns, Supplier<byte @Nullable []> read, Supplier<LocalResult> run) {
    /** One that tells nothing of tables. */
    static LocalStatement of(List<String> columns, Supplier<LocalResult> run) {
        return new LocalStatement(columns, () -> null, run);
    }

    /** Runs it and writes the whole reply. */
    public void answer(Reply reply, boolean binary, boolean extendedMetadata, int status) {
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
