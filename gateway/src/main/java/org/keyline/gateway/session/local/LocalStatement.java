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
 * @param columns of its result; empty for an OK
 * @param read a statement that its client must be allowed to run; null for none
 * @param run computes the result, now or later; its columns are {@code columns}
 * @param right the required right to the gateway itself
 * @param change description of its change of the gateway, for the log; else empty
 * @param view its read of views, which runs elsewhere; null for all others
 */
public record LocalStatement(
        List<String> columns,
        Supplier<byte @Nullable []> read,
        Supplier<CompletionStage<LocalResult>> run,
        Right right,
        String change,
        @Nullable ViewRead view) {
    private static final Logger LOG = LoggerFactory.getLogger(LocalStatement.class);

    /** A right to the gateway itself. */
    public enum Right {
        /** The right of every client. */
        NONE,
        /** To read its views. */
        VIEWS,
        /** To change it. */
        CHANGES,
        /** To send messages as another gateway of the same store. */
        MEMBER
    }

    /** Creates a statement without information on tables. */
    static LocalStatement of(List<String> columns, Supplier<LocalResult> run) {
        return later(columns, () -> CompletableFuture.completedFuture(run.get()));
    }

    /** Creates a statement that runs off the event loop, since it may take a while. */
    static LocalStatement apart(List<String> columns, Supplier<LocalResult> run) {
        return later(columns, () -> CompletableFuture.supplyAsync(run));
    }

    private static LocalStatement later(List<String> columns, Supplier<CompletionStage<LocalResult>> run) {
        return new LocalStatement(columns, () -> null, run, Right.NONE, "", null);
    }

    static LocalStatement of(ViewRead view, Right right) {
        return new LocalStatement(
                List.of(),
                () -> null,
                () -> CompletableFuture.completedFuture(new LocalResult(List.of(), List.of())),
                right,
                "",
                view);
    }

    /** Returns a copy that needs the right of changes. */
    LocalStatement changing(String what) {
        return new LocalStatement(columns, read, run, Right.CHANGES, what, view);
    }

    /** Returns a copy for other gateways. */
    LocalStatement ofMembers() {
        return new LocalStatement(columns, read, run, Right.MEMBER, change, view);
    }

    /** Runs it and writes the reply. */
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
            LOG.error("A KEYLINE statement failed; its client got error 1105.", failure);
            reply.error(ErrPacket.of(
                    ErrorCode.ER_UNKNOWN_ERROR, "Keyline could not run this statement; its log has the cause"));
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
