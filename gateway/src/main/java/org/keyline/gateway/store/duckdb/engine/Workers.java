package org.keyline.gateway.store.duckdb.engine;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads that may block in DuckDB. Thread-safe. */
public final class Workers implements AutoCloseable {
    private static final long IDLE_SECONDS = 60;
    private static final long END_SECONDS = 30;

    private final ThreadPoolExecutor pool;
    private final AtomicInteger waiting = new AtomicInteger();
    private final int queuedCommands;

    public Workers(int threads, int queuedCommands, ThreadFactory factory) {
        this.queuedCommands = queuedCommands;
        pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        pool.allowCoreThreadTimeOut(true);
    }

    /** Runs a new command, or answers false where too many wait. */
    public boolean begin(Runnable command) {
        if (waiting.incrementAndGet() > queuedCommands) {
            waiting.decrementAndGet();
            return false;
        }
        pool.execute(() -> {
            waiting.decrementAndGet();
            command.run();
        });
        return true;
    }

    /** Runs the rest of a command that was begun: never refused, as there are no more of them than sessions. */
    public void proceed(Runnable rest) {
        pool.execute(rest);
    }

    @Override
    public void close() {
        pool.shutdown();
        try {
            pool.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
