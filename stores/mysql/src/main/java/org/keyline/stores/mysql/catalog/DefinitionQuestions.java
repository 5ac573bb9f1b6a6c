package org.keyline.stores.mysql.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.ProcedureText;

/**
 * Asks the store for the count of definition statements and for the texts of procedures, on a
 * separate connection. Callers that arrive during a question share the next question. Thread-safe.
 */
final class DefinitionQuestions implements AutoCloseable {
    private static final int IDLE_SECONDS = 60;

    private final CatalogOptions options;
    private final StoreReader reader;
    private final ExecutorService thread;
    private volatile @Nullable StoreConnection connection;

    // Guarded by this.
    private List<CompletableFuture<@Nullable DefinitionCount>> waiting = new ArrayList<>();
    private boolean closed;

    DefinitionQuestions(CatalogOptions options, StoreReader reader) {
        this.options = options;
        this.reader = reader;
        ThreadPoolExecutor one =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread made = new Thread(task, "keyline-definitions");
                    made.setDaemon(true);
                    return made;
                });
        one.allowCoreThreadTimeOut(true);
        thread = one;
    }

    /** Asks for the count. Never fails; completes with null if the store does not report it. */
    CompletionStage<@Nullable DefinitionCount> ask() {
        CompletableFuture<@Nullable DefinitionCount> answer = new CompletableFuture<>();
        synchronized (this) {
            if (closed) {
                answer.complete(null);
                return answer;
            }
            waiting.add(answer);
            if (waiting.size() == 1) {
                thread.execute(this::answer);
            }
        }
        return answer;
    }

    private void answer() {
        List<CompletableFuture<@Nullable DefinitionCount>> asked;
        synchronized (this) {
            asked = waiting;
            waiting = new ArrayList<>();
        }
        DefinitionCount count = asked(reader::definitionCount);
        asked.forEach(answer -> answer.complete(count));
    }

    /** Asks for a procedure's text. Never fails; completes with null if the store has no text. */
    CompletionStage<@Nullable ProcedureText> procedure(String schema, String name) {
        CompletableFuture<@Nullable ProcedureText> answer = new CompletableFuture<>();
        try {
            thread.execute(() -> answer.complete(asked(rows -> reader.procedure(rows, schema, name))));
        } catch (RejectedExecutionException closing) {
            answer.complete(null);
        }
        return answer;
    }

    private interface Question<T> {
        @Nullable
        T ask(CatalogRows rows) throws ReadFailure;
    }

    private <T> @Nullable T asked(Question<T> question) {
        if (isClosed()) {
            return null;
        }
        StoreConnection open = connection;
        if (open != null && !open.isCurrent()) {
            disconnect(open);
            open = null;
        }
        if (open != null) {
            try {
                return question.ask(open.rows());
            } catch (ReadFailure gone) {
                disconnect(open);
            }
        }
        StoreConnection opened = null;
        try {
            opened = StoreConnection.open(options);
            connection = opened;
            T answer = isClosed() ? null : question.ask(opened.rows());
            if (answer == null) {
                disconnect(opened);
            }
            return answer;
        } catch (ReadFailure unreachable) {
            // Callers treat null as the worst case.
            if (opened != null) {
                disconnect(opened);
            }
            return null;
        }
    }

    private void disconnect(StoreConnection open) {
        connection = null;
        open.close();
    }

    /** Called when another server is in use. Aborts the question to the previous server. */
    void serverChanged() {
        StoreConnection open = connection;
        if (open != null) {
            open.abort();
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Closes the connection. Waiting callers receive null. */
    @Override
    public void close() {
        List<CompletableFuture<@Nullable DefinitionCount>> left;
        synchronized (this) {
            closed = true;
            left = waiting;
            waiting = new ArrayList<>();
        }
        List<Runnable> unasked = thread.shutdownNow();
        StoreConnection open = connection;
        if (open != null) {
            open.abort();
        }
        unasked.forEach(Runnable::run);
        left.forEach(answer -> answer.complete(null));
    }
}
