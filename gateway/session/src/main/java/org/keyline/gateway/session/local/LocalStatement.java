package org.keyline.gateway.session.local;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.views.ViewRead;
import org.keyline.stores.StoreException;

/**
 * A statement that the gateway answers itself.
 *
 * @param columns the columns of the result; empty if the reply is an OK
 * @param read returns a read that the store must permit to the client; null if none is necessary
 * @param run computes the rows of the result, at once or later
 * @param right the required right
 * @param change the description of the change for the log; empty if the statement changes nothing
 * @param view the read of views to execute; null for other statements
 */
public record LocalStatement(
        List<String> columns,
        Supplier<byte @Nullable []> read,
        Supplier<CompletionStage<List<List<@Nullable String>>>> run,
        Right right,
        String change,
        @Nullable ViewRead view) {
    public enum Right {
        NONE,
        /** No right, but the gateway must know the session's settings to explain the statement. */
        EXPLAINS,
        VIEWS,
        CHANGES,
        /** The right to send messages as another gateway of the same store. */
        MEMBER
    }

    /** Returns a statement that requires no right to tables. */
    static LocalStatement of(List<String> columns, Supplier<List<List<@Nullable String>>> run) {
        return later(columns, () -> CompletableFuture.completedFuture(run.get()));
    }

    /** Returns a statement that runs outside the event loop, because it can take long. */
    static LocalStatement apart(List<String> columns, Supplier<List<List<@Nullable String>>> run) {
        return later(columns, () -> CompletableFuture.supplyAsync(run));
    }

    private static LocalStatement later(
            List<String> columns, Supplier<CompletionStage<List<List<@Nullable String>>>> run) {
        return new LocalStatement(columns, () -> null, run, Right.NONE, "", null);
    }

    static LocalStatement of(ViewRead view, Right right) {
        return new LocalStatement(
                List.of(), () -> null, () -> CompletableFuture.completedFuture(List.of()), right, "", view);
    }

    LocalStatement changing(String what) {
        return new LocalStatement(columns, read, run, Right.CHANGES, what, view);
    }

    LocalStatement ofMembers() {
        return new LocalStatement(columns, read, run, Right.MEMBER, change, view);
    }

    /** Runs the statement. If it is refused, the stage fails with a {@link StoreException}. */
    public CompletionStage<List<List<@Nullable String>>> begin() {
        try {
            return run.get();
        } catch (StoreException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }
}
