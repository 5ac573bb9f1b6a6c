package org.keyline.gateway.session.local;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
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
 * @param columns the columns of the result; empty if the reply is an OK
 * @param read returns a read that the store must permit to the client; null if none is necessary
 * @param run computes the result, which has {@code columns}, at once or later
 * @param right the required right
 * @param change description of the change for the log; empty without a change
 * @param view the read of views to execute; null for other statements
 */
public record LocalStatement(
        List<String> columns,
        Supplier<byte @Nullable []> read,
        Supplier<CompletionStage<LocalResult>> run,
        Right right,
        String change,
        @Nullable ViewRead view) {
    private static final Logger LOG = LoggerFactory.getLogger(LocalStatement.class);

    public enum Right {
        NONE,
        /** No right, but the session's settings must be known to explain the statement. */
        EXPLAINS,
        VIEWS,
        CHANGES,
        /** The right to send messages as another gateway of the same store. */
        MEMBER
    }

    /** Returns a statement that requires no right to tables. */
    static LocalStatement of(List<String> columns, Supplier<LocalResult> run) {
        return later(columns, () -> CompletableFuture.completedFuture(run.get()));
    }

    /** Returns a statement that runs outside the event loop, because it can take long. */
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

    LocalStatement changing(String what) {
        return new LocalStatement(columns, read, run, Right.CHANGES, what, view);
    }

    LocalStatement ofMembers() {
        return new LocalStatement(columns, read, run, Right.MEMBER, change, view);
    }

    /** Returns a copy that passes its outcome to a listener before the reply. */
    public LocalStatement reporting(Consumer<String> outcome) {
        return new LocalStatement(
                columns,
                read,
                () -> begin().whenComplete((result, failure) -> outcome.accept(outcome(failure))),
                right,
                change,
                view);
    }

    private static String outcome(@Nullable Throwable failure) {
        if (failure == null) {
            return "allowed";
        }
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        return cause instanceof StatementRefused refused
                ? "refused: " + refused.error().message()
                : "failed";
    }

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
            LOG.error(
                    "A KEYLINE statement failed because of an error in Keyline; its client got error 1105. Please report it.",
                    failure);
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
