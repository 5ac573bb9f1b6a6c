package org.keyline.stores.mysql.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store, on a connection of its own, how many statements it has begun that define something. Who asks while a question is under
 * way shares the next one with all others, so there is one at a time. Thread-safe.
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

    /** The count at a moment after this call; null if the store does not tell it. Never fails. */
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
        DefinitionCount count = count();
        asked.forEach(answer -> answer.complete(count));
    }

    /** On the connection there is, or on a new one if that is gone. */
    private @Nullable DefinitionCount count() {
        StoreConnection open = connection;
        if (open != null && !open.isCurrent()) {
            disconnect(open);
            open = null;
        }
        if (open != null) {
            try {
                return reader.definitionCount(open.rows());
            } catch (ReadFailure gone) {
                disconnect(open);
            }
        }
        StoreConnection opened = null;
        try {
            opened = StoreConnection.open(options);
            connection = opened;
            DefinitionCount count = isClosed() ? null : reader.definitionCount(opened.rows());
            if (count == null) {
                disconnect(opened);
            }
            return count;
        } catch (ReadFailure unreachable) {
            // Then it is not known whether anything was begun, which the reading of all tables settles.
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

    /** Another server is in use: nobody waits for the one before. */
    void serverChanged() {
        StoreConnection open = connection;
        if (open != null) {
            open.abort();
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** No question is asked any more; who waits hears that nothing is known. */
    @Override
    public void close() {
        List<CompletableFuture<@Nullable DefinitionCount>> left;
        synchronized (this) {
            closed = true;
            left = waiting;
            waiting = new ArrayList<>();
        }
        thread.shutdownNow();
        StoreConnection open = connection;
        if (open != null) {
            open.abort();
        }
        left.forEach(answer -> answer.complete(null));
    }
}
