package org.keyline.gateway.query;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.store.SessionIdentity;
import org.keyline.gateway.store.Store;
import org.keyline.planner.TableName;
import org.keyline.rowcache.Load;
import org.keyline.rowcache.Loader;

/**
 * The gateway's own store sessions of one event loop, which load lines. A load takes an idle session, or opens one up to the limit,
 * or waits in a bounded queue. A session whose load ran out of time is closed, since nothing else ends what it waits for. Confined
 * to its event loop.
 */
final class LoadPool {
    private static final long TELL_AGAIN_NANOS = 1_000_000_000;

    private final Store store;
    private final EventLoop loop;
    private final SessionIdentity identity;
    private final int maxSessions;
    private final int maxQueued;
    private final Duration timeout;

    private final ArrayDeque<LoadSession> idle = new ArrayDeque<>();
    private final ArrayDeque<Job> queue = new ArrayDeque<>();
    private final Circuit circuit = new Circuit();
    private long toldNanos = System.nanoTime() - 2 * TELL_AGAIN_NANOS;
    private int sessions;
    private boolean closed;

    /**
     * @param maxSessions most sessions open at a time
     * @param maxQueued most loads waiting for a session; more are declined
     * @param timeout from a load's start to its end, waiting included
     */
    LoadPool(Store store, EventLoop loop, SessionIdentity identity, int maxSessions, int maxQueued, Duration timeout) {
        this.store = store;
        this.loop = loop;
        this.identity = identity;
        this.maxSessions = maxSessions;
        this.maxQueued = maxQueued;
        this.timeout = timeout;
    }

    EventLoop loop() {
        return loop;
    }

    /** A loader for a table's lines in one row format. */
    Loader loader(CachedTable table, boolean binary) {
        return load -> start(new Job(table, binary, load));
    }

    /** Whether a load would keep no other one waiting. */
    boolean hasSpareSession() {
        return !idle.isEmpty() && queue.isEmpty();
    }

    private void start(Job job) {
        assert loop.inEventLoop();
        if (closed || queue.size() >= maxQueued || circuit.isOpen(System.nanoTime())) {
            job.load.decline();
            return;
        }
        job.watch = loop.schedule(() -> timedOut(job), timeout.toNanos(), TimeUnit.NANOSECONDS);
        run(job);
    }

    private void run(Job job) {
        LoadSession session = idle.poll();
        if (session != null) {
            session.run(job);
            return;
        }
        queue.add(job);
        if (sessions < maxSessions) {
            open();
        }
    }

    /**
     * A load's session was lost before the store answered: a connection that had been idle may have been dead for long, so the load has one
     * more try, on a fresh one.
     */
    void again(Job job, Throwable cause) {
        if (job.ended) {
            return;
        }
        if (job.retried || closed) {
            failed();
            job.fail(cause);
            return;
        }
        job.retried = true;
        job.session = null;
        for (LoadSession stale = idle.poll(); stale != null; stale = idle.poll()) {
            stale.abandon();
        }
        run(job);
    }

    /** A load failed for the store's fault. */
    void failed() {
        circuit.failed(System.nanoTime());
    }

    /** The store answered a load. */
    void succeeded() {
        circuit.succeeded();
    }

    /** A load found a table changed; the catalog is told now and then, however often loads find it so. */
    void definitionsChanged(TableName table) {
        long now = System.nanoTime();
        if (now - toldNanos > TELL_AGAIN_NANOS) {
            toldNanos = now;
            store.definitionsChanged(List.of(table));
        }
    }

    private void open() {
        sessions++;
        LoadSession session = new LoadSession(this);
        store.open(identity, loop, session::lost).whenComplete((opened, failure) -> {
            if (failure != null) {
                sessions--;
                failed();
                failQueued(failure);
            } else if (closed) {
                opened.close();
            } else {
                session.opened(opened);
                ready(session);
            }
        });
    }

    /** Without a session left nobody would serve the queue. */
    private void failQueued(Throwable cause) {
        if (sessions > 0) {
            return;
        }
        for (Job job = queue.poll(); job != null; job = queue.poll()) {
            job.fail(cause);
        }
    }

    /** A session has nothing to do. */
    void ready(LoadSession session) {
        Job job = queue.poll();
        if (job == null) {
            idle.push(session);
        } else {
            session.run(job);
        }
    }

    /** A session is gone. */
    void gone(LoadSession session) {
        sessions--;
        idle.remove(session);
        if (!closed && !queue.isEmpty() && sessions < maxSessions) {
            open();
        }
    }

    private void timedOut(Job job) {
        if (job.ended) {
            return;
        }
        queue.remove(job);
        LoadSession session = job.session;
        failed();
        job.fail(new TimeoutException("the store did not answer a load within " + timeout.toMillis() + " ms"));
        if (session != null) {
            session.abandon();
        }
    }

    /** Ends all sessions; loads under way fail. */
    void close() {
        closed = true;
        for (Job job = queue.poll(); job != null; job = queue.poll()) {
            job.fail(new RejectedExecutionException("the gateway is closing"));
        }
        idle.forEach(LoadSession::abandonQuietly);
        idle.clear();
    }

    boolean closed() {
        return closed;
    }

    /** One load on its way, with the clock that bounds it. */
    static final class Job {
        final CachedTable table;
        final boolean binary;
        final Load load;

        @Nullable
        LoadSession session;

        private io.netty.util.concurrent.@Nullable Future<?> watch;
        private boolean ended;
        private boolean retried;

        Job(CachedTable table, boolean binary, Load load) {
            this.table = table;
            this.binary = binary;
            this.load = load;
        }

        boolean ended() {
            return ended;
        }

        void succeed() {
            if (end()) {
                load.succeed();
            }
        }

        void fail(Throwable cause) {
            if (end()) {
                load.fail(cause);
            }
        }

        private boolean end() {
            if (ended) {
                return false;
            }
            ended = true;
            if (watch != null) {
                watch.cancel(false);
            }
            return true;
        }
    }
}
