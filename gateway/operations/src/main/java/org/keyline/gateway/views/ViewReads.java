package org.keyline.gateway.views;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.stores.StoreException;

/** Runs reads of views, one at a time, on a separate thread. Thread-safe. */
public final class ViewReads implements AutoCloseable {
    private static final Duration MAX_EXECUTION = Duration.ofSeconds(2);
    private static final int IDLE_SECONDS = 2;

    private final Map<String, View> views;
    /** The queue is unbounded, because each session has at most one read at a time. */
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DefaultThreadFactory("keyline-views", true));

    public ViewReads(Map<String, View> views) {
        this.views = Map.copyOf(views);
        thread.allowCoreThreadTimeOut(true);
    }

    /**
     * Returns the columns of a read, without its rows.
     *
     * @throws StoreException with the client's error
     */
    public ViewResult describe(ViewRead read) {
        return new ViewParser(views, read).scan().described();
    }

    /**
     * Runs a read without placeholders. A failure is a {@link StoreException} that has the client's
     * error. Cancelling the future stops the read.
     *
     * @param binary whether the rows are in the binary protocol
     */
    public CompletableFuture<ViewResult> run(ViewRead read, View.Asker asker, boolean binary) {
        CompletableFuture<ViewResult> result = new CompletableFuture<>();
        try {
            Scan scan = new ViewParser(views, read).scan();
            thread.execute(() -> answer(scan, asker, binary, result));
        } catch (RuntimeException refused) {
            result.completeExceptionally(refused);
        }
        return result;
    }

    private static void answer(Scan scan, View.Asker asker, boolean binary, CompletableFuture<ViewResult> result) {
        if (result.isDone()) {
            return;
        }
        long began = System.nanoTime();
        try {
            result.complete(scan.result(asker, binary, () -> {
                if (result.isDone()) {
                    throw new StoreException(ErrPacket.of(ErrorCode.ER_QUERY_INTERRUPTED));
                }
                if (System.nanoTime() - began > MAX_EXECUTION.toNanos()) {
                    throw new StoreException(ErrPacket.of(ErrorCode.ER_QUERY_TIMEOUT));
                }
            }));
        } catch (RuntimeException failed) {
            result.completeExceptionally(failed);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
