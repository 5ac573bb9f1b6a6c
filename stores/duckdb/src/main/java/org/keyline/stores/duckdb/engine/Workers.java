package org.keyline.stores.duckdb.engine;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that run commands and may block. A command that takes long, or waits for a client or
 * for another command, delays no other command: a further thread replaces its thread. Thread-safe.
 */
public final class Workers implements AutoCloseable {
    private static final long IDLE_SECONDS = 60;
    private static final long END_SECONDS = 30;
    /** The interval of the checks for commands that take long. */
    private static final long CHECK_MILLIS = 50;
    /** DuckDB plans statements on the thread's stack. Unused stack needs only address space. */
    private static final long STACK_BYTES = 16 << 20;

    private final ThreadPoolExecutor pool;
    private final ScheduledExecutorService checks =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("keyline-duckdb-checks", true));
    private final AtomicInteger started = new AtomicInteger();
    private final Set<Run> running = ConcurrentHashMap.newKeySet();
    private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();

    /** @param threads the number of commands that run at once, besides those that take long */
    public Workers(int threads) {
        pool = new ThreadPoolExecutor(
                threads, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Worker::new);
        pool.allowCoreThreadTimeOut(true);
        var unused = checks.scheduleWithFixedDelay(
                () -> running.forEach(Run::check), CHECK_MILLIS, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private final class Worker extends Thread {
        Worker(Runnable task) {
            super(null, task, "keyline-duckdb-" + started.incrementAndGet(), STACK_BYTES);
            setDaemon(true);
        }

        private <T> T waiting(Wait<T> wait) throws InterruptedException {
            waiting.add(this);
            try {
                if (pool.isShutdown()) {
                    throw new InterruptedException("the store closes");
                }
                return wait.get();
            } finally {
                waiting.remove(this);
            }
        }
    }

    /** A running command. */
    private final class Run {
        private int checks;
        private boolean ended;

        /** At the second check, lets the pool have one more thread until the command ends. */
        private synchronized void check() {
            if (!ended && ++checks == 2) {
                resize(1);
            }
        }

        private synchronized void end() {
            ended = true;
            if (checks >= 2) {
                resize(-1);
            }
        }
    }

    private void resize(int threads) {
        synchronized (pool) {
            pool.setCorePoolSize(pool.getCorePoolSize() + threads);
        }
    }

    /** Something for which a command waits. */
    public interface Wait<T> {
        T get() throws InterruptedException;
    }

    /** Waits for a client or for another command. Throws error 1317 when the store closes. */
    public static <T> T waiting(Wait<T> wait) {
        try {
            return Thread.currentThread() instanceof Worker worker ? worker.waiting(wait) : wait.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Errors.interrupted();
        }
    }

    /**
     * Runs a command, or the rest of it. The queue needs no limit, because each session has at most
     * one command.
     */
    public void run(Runnable command) {
        pool.execute(() -> {
            Run run = new Run();
            running.add(run);
            try {
                command.run();
            } finally {
                running.remove(run);
                run.end();
            }
        });
    }

    @Override
    public void close() {
        pool.shutdown();
        waiting.forEach(Thread::interrupt);
        try {
            pool.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        checks.shutdown();
    }
}
