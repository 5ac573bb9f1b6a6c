package org.keyline.ycsb;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Runs clients at the same time, each with a thread and a connection. Measures only the clients
 * that were added before a call of {@link #beside}. Confined to one thread.
 */
final class ClientGroups {
    /** Prepares a client's operations, which begin when all clients are prepared. */
    interface Session {
        Operation open(Connection connection) throws SQLException;
    }

    interface Operation {
        void run() throws SQLException;
    }

    private record Group(Target target, int count, double rate, Session session, boolean beside) {}

    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final List<Group> groups = new ArrayList<>();
    private boolean beside;

    /** @param rate maximum number of operations per second of all these clients; 0 for no limit */
    ClientGroups add(Target target, int count, double rate, Session session) {
        groups.add(new Group(target, count, rate / count, session, beside));
        return this;
    }

    /** Ends the list of measured clients. Clients that are added later are not measured. */
    ClientGroups beside() {
        beside = true;
        return this;
    }

    /** Runs the clients for some seconds. */
    Results run(int seconds) throws IOException {
        return run(TimeUnit.SECONDS.toNanos(seconds), Long.MAX_VALUE);
    }

    /** Runs the clients until they have executed this number of operations. */
    Results execute(long operations) throws IOException {
        return run(Long.MAX_VALUE / 2, operations);
    }

    private Results run(long nanos, long most) throws IOException {
        CyclicBarrier prepared =
                new CyclicBarrier(groups.stream().mapToInt(Group::count).sum());
        Histogram measured = new ConcurrentHistogram(LONGEST_NANOS, 3);
        Histogram ignored = new ConcurrentHistogram(LONGEST_NANOS, 3);
        AtomicLong left = new AtomicLong(most);
        ExecutorService threads = Executors.newCachedThreadPool();
        long began = System.nanoTime();
        try {
            List<Callable<Void>> clients = new ArrayList<>();
            for (Group group : groups) {
                clients.addAll(Collections.nCopies(group.count, () -> {
                    work(group, prepared, nanos, left, group.beside ? ignored : measured);
                    return null;
                }));
            }
            for (Future<Void> client : threads.invokeAll(clients)) {
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
        double seconds = most == Long.MAX_VALUE ? nanos / 1e9 : (System.nanoTime() - began) / 1e9;
        return figures(measured, seconds);
    }

    /** Returns the number, rate, mean and percentiles of operations from their latencies. */
    static Results figures(Histogram nanos, double seconds) {
        return Results.NONE
                .with("operations", (double) nanos.getTotalCount())
                .with("operations/s", nanos.getTotalCount() / seconds)
                .with("mean µs", nanos.getMean() / 1e3)
                .with("p50 µs", nanos.getValueAtPercentile(50) / 1e3)
                .with("p99 µs", nanos.getValueAtPercentile(99) / 1e3);
    }

    private static void work(Group group, CyclicBarrier prepared, long nanos, AtomicLong left, Histogram latencies)
            throws SQLException, InterruptedException, BrokenBarrierException, TimeoutException {
        try (Connection connection = group.target.open()) {
            Operation operation = group.session.open(connection);
            prepared.await(1, TimeUnit.MINUTES);
            long next = System.nanoTime();
            long until = next + nanos;
            while (left.getAndDecrement() > 0 && awaited(next, until)) {
                long began = System.nanoTime();
                operation.run();
                latencies.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - began));
                next = group.rate > 0 ? Math.max(next + (long) (1e9 / group.rate), System.nanoTime()) : began;
            }
        }
    }

    /** Waits until the next operation is due. Returns false if the run ends earlier. */
    private static boolean awaited(long next, long until) {
        for (long now = System.nanoTime(); now - next < 0 && now - until < 0; now = System.nanoTime()) {
            LockSupport.parkNanos(Math.min(next, until) - now);
        }
        return System.nanoTime() - until < 0;
    }
}
