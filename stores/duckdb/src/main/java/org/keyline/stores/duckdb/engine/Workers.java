package org.keyline.stores.duckdb.engine;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads that run commands and may block. Each lane has its own threads. Thread-safe. */
public final class Workers implements AutoCloseable {
    /** A group of commands with its own threads. A command waits only for commands of its lane. */
    public enum Lane {
        /** SHOW and KILL, which must also run while all other threads are busy. */
        CONTROL,
        /** Commands that read or change few rows, or none. */
        SHORT,
        /** Commands that can take any time. */
        LONG
    }

    private static final long IDLE_SECONDS = 60;
    private static final long END_SECONDS = 30;
    private static final int CONTROL_THREADS = 2;
    /** DuckDB plans statements on the thread's stack. Unused stack needs only address space. */
    private static final long STACK_BYTES = 16 << 20;

    private final Map<Lane, ThreadPoolExecutor> pools = new EnumMap<>(Lane.class);

    /** @param threads the number of threads of each of the lanes SHORT and LONG */
    public Workers(int threads) {
        for (Lane lane : Lane.values()) {
            pools.put(lane, new Pool(lane == Lane.CONTROL ? CONTROL_THREADS : threads, lane));
        }
    }

    private static final class Pool extends ThreadPoolExecutor {
        private final AtomicInteger started = new AtomicInteger();
        private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();

        Pool(int threads, Lane lane) {
            super(threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
            String name = "keyline-duckdb-" + lane.name().toLowerCase(Locale.ROOT) + "-";
            setThreadFactory(task -> new Worker(this, task, name + started.incrementAndGet()));
            allowCoreThreadTimeOut(true);
        }

        @Override
        public void shutdown() {
            super.shutdown();
            waiting.forEach(Thread::interrupt);
        }

        private <T> T waiting(Wait<T> wait) throws InterruptedException {
            try {
                waiting.add(Thread.currentThread());
                add(1);
                if (isShutdown()) {
                    throw new InterruptedException("the store closes");
                }
                return wait.get();
            } finally {
                add(-1);
                waiting.remove(Thread.currentThread());
            }
        }

        private synchronized void add(int threads) {
            int more = Math.max(threads, 0);
            setMaximumPoolSize(getMaximumPoolSize() + more);
            setCorePoolSize(getCorePoolSize() + threads);
            setMaximumPoolSize(getMaximumPoolSize() + threads - more);
        }
    }

    private static final class Worker extends Thread {
        private final Pool pool;

        Worker(Pool pool, Runnable task, String name) {
            super(null, task, name, STACK_BYTES);
            this.pool = pool;
            setDaemon(true);
        }
    }

    /** Something for which a command waits. */
    public interface Wait<T> {
        T get() throws InterruptedException;
    }

    /**
     * Waits for a client or for another command. The lane has one more thread meanwhile, so that
     * its other commands do not wait too. Throws error 1317 when the store closes.
     */
    public static <T> T waiting(Wait<T> wait) {
        try {
            return Thread.currentThread() instanceof Worker worker ? worker.pool.waiting(wait) : wait.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Errors.interrupted();
        }
    }

    private ThreadPoolExecutor pool(Lane lane) {
        return java.util.Objects.requireNonNull(pools.get(lane), "lane");
    }

    /**
     * Runs a command, or the rest of it, on a thread of its lane. The queue needs no limit, because
     * each session has at most one command.
     */
    public void run(Lane lane, Runnable command) {
        pool(lane).execute(command);
    }

    @Override
    public void close() {
        pools.values().forEach(ThreadPoolExecutor::shutdown);
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
        try {
            for (ThreadPoolExecutor pool : pools.values()) {
                pool.awaitTermination(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
