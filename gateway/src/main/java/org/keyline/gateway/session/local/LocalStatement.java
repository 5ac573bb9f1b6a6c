package org.keyline.gateway.session.local;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.views.ViewRead;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.server.Reply;

/**
 * A statement that the gateway answers itself.
 *
 * @param columns of its result; empty if it answers OK
 * @param read what its client must be allowed to read, as a statement, to be told of it; null for nothing
 * @param run makes the result; its columns are {@code columns}
 * @param right what its client must be allowed to do with the gateway itself
 * @param change what it changes in the gateway, for the log; else empty
 * @param view the read of views that it is, which runs elsewhere; null for all others
 */
public record LocalStatement(
        List<String> columns,
        Supplier<byte @Nullable []> read,
        Supplier<LocalResult> run,
        Right right,
        String change,
        @Nullable ViewRead view) {
    /** What a client may be allowed to do with the gateway itself. */
    public enum Right {
        /** What every client may. */
        NONE,
        /** To read its views. */
        VIEWS,
        /** To change something in it. */
        CHANGES
    }

    /** One that tells nothing of tables. */
    static LocalStatement of(List<String> columns, Supplier<LocalResult> run) {
        return new LocalStatement(columns, () -> null, run, Right.NONE, "", null);
    }

    /** A read of views. */
    static LocalStatement of(ViewRead view, Right right) {
        return new LocalStatement(List.of(), () -> null, () -> new LocalResult(List.of(), List.of()), right, "", view);
    }

    /** The same for those who may change something. */
    LocalStatement changing(String what) {
        return new LocalStatement(columns, read, run, Right.CHANGES, what, view);
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
