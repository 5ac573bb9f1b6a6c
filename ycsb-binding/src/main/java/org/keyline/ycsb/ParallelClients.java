package org.keyline.ycsb;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/** Runs clients in parallel, each on a thread. */
final class ParallelClients {
    /**
     * The work of one client. After it has connected, it must call {@code end}, which waits for all
     * clients and returns the time to stop, by {@link System#nanoTime}.
     */
    interface Work {
        void run(LongSupplier end) throws SQLException;
    }

    private ParallelClients() {}

    /**
     * @param seconds how long the clients work after all of them are connected
     * @throws IOException if a client failed
     */
    static void run(List<Work> works, int seconds) throws IOException {
        CyclicBarrier connected = new CyclicBarrier(works.size());
        LongSupplier end = () -> {
            try {
                connected.await(1, TimeUnit.MINUTES);
                return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new IllegalStateException("not all clients are connected within a minute", e);
            }
        };
        ExecutorService threads = Executors.newFixedThreadPool(works.size());
        try {
            List<Future<?>> running = new ArrayList<>();
            for (Work work : works) {
                running.add(threads.submit(() -> {
                    work.run(end);
                    return null;
                }));
            }
            for (Future<?> client : running) {
                client.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("a client failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            threads.shutdownNow();
        }
    }
}
