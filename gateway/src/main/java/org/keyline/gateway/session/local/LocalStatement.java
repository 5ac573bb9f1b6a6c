package org.keyline.gateway.session.local;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.views.ViewRead;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.server.Reply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A statement that the gateway answers itself.
 *
 * @param columns of its result; empty if it answers OK
 * @param read what its client must be allowed to read, as a statement, to be told of it; null for nothing
 * @param run makes the result, now or later; its columns are {@code columns}
 * @param right what its client must be allowed to do with the gateway itself
 * @param change what it changes in the gateway, for the log; else empty
 * @param view the read of views that it is, which runs elsewhere; null for all others
 */
public record LocalStatement(
        List<String> columns,
        Supplier<byte @Nullable []> read,
        Supplier<CompletionStage<LocalResult>> run,
        Right right,
        String change,
        @Nullable ViewRead view) {
    private static final Logger LOG = LoggerFactory.getLogger(LocalStatement.class);

    /** What a client may be allowed to do with the gateway itself. */
    public enum Right {
        /** What every client may. */
        NONE,
        /** To read its views. */
        VIEWS,
        /** To change something in it. */
        CHANGES,
        /** To speak for another gateway in front of the same store. */
        MEMBER
    }

    /** One that tells nothing of tables. */
    static LocalStatement of(List<String> columns, Supplier<LocalResult> run) {
        return later(columns, () -> CompletableFuture.completedFuture(run.get()));
    }

    /** The same, run beside the event loop, since it may take a while. */
    static LocalStatement apart(List<String> columns, Supplier<LocalResult> run) {
        return later(columns, () -> CompletableFuture.supplyAsync(run));
    }

    private static LocalStatement later(List<String> columns, Supplier<CompletionStage<LocalResult>> run) {
        return new LocalStatement(columns, () -> null, run, Right.NONE, "", null);
    }

    /** A read of views. */
    static LocalStatement of(ViewRead view, Right right) {
        return new LocalStatement(
                List.of(),
                () -> null,
                () -> CompletableFuture.completedFuture(new LocalResult(List.of(), List.of())),
                right,
                "",
                view);
    }

    /** The same for those who may change something. */
    LocalStatement changing(String what) {
        return new LocalStatement(columns, read, run, Right.CHANGES, what, view);
    }

    /** The same for other gateways. */
    LocalStatement ofMembers() {
        return new LocalStatement(columns, read, run, Right.MEMBER, change, view);
    }

    /** Runs it and writes the whole reply. */
    public void answer(Reply reply, boolean binary, boolean extendedMetadata, int status) {
        begin().whenComplete((result, failure) -> reply.run(() -> {
            if (failure == null) {
                answer(result, reply, binary, extendedMetadata, status);
            } else {
                refuse(failure.getCause() == null ? failure : failure.getCause(), reply);
            }
        }));
    }

    private CompletionStage<LocalResult> begin() {
        try {
            return run.get();
        } catch (StatementRefused refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    private static void refuse(Throwable failure, Reply reply) {
        if (failure instanceof StatementRefused refused) {
            reply.error(refused.error());
        } else {
            LOG.error("A statement of Keyline's own failed; its client was told error 1105.", failure);
            reply.error(ErrPacket.of(ErrorCode.ER_UNKNOWN_ERROR, "Keyline failed; its log tells why"));
        }
        reply.end();
    }

    private void answer(LocalResult result, Reply reply, boolean binary, boolean extendedMetadata, int status) {
        if (columns.isEmpty()) {
            reply.ok(OkPacket.of(status));
            reply.end();
        } else {
            result.answer(reply, binary, extendedMetadata, status);
        }
    }
}
