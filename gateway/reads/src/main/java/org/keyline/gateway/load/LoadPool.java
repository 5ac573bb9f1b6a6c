package org.keyline.gateway.load;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.filter.FilterSelect;
import org.keyline.gateway.table.CachedTable;
import org.keyline.planner.TableName;
import org.keyline.rowcache.Load;
import org.keyline.rowcache.Loader;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreTrait;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store sessions of one event loop that load lines, under the gateway's own account. A job
 * takes an idle session, or opens one up to the maximum. If all are busy, the pool declines the
 * job, and the clients' own store sessions answer the reads. On some stores, loads of single rows
 * that begin in one turn of the event loop form one job. Confined to its event loop.
 */
public final class LoadPool {
    private static final Logger LOG = LoggerFactory.getLogger(LoadPool.class);

    private static final long LOG_AGAIN_NANOS = 1_000_000_000;
    /** Maximum number of single rows in one job. */
    private static final int MAX_TOGETHER = 64;

    private final Store store;
    private final EventLoop loop;
    private final SessionIdentity identity;
    private final int maxSessions;
    private final Supplier<Duration> timeout;
    private final LongSupplier clock;
    /** A hint that makes the store's replies complete; empty if they always are. */
    private final byte[] reliableReadHint;

    private final ArrayDeque<LoadSession> idle = new ArrayDeque<>();
    /** Jobs that wait for a session to open, or for a second attempt. */
    private final ArrayDeque<LoadJob> queue = new ArrayDeque<>();
    /** Jobs of this turn of the event loop. Further loads may join them. */
    private final List<LoadJob> gathering = new ArrayList<>();

    private final Circuit circuit = new Circuit();
    private long loggedNanos;
    private int sessions;
    private boolean closed;

    /**
     * @param maxSessions the maximum number of open sessions
     * @param timeout returns the time limit of a load, including waits; called for each load
     * @param clock the cache's ticker, in nanoseconds
     */
    public LoadPool(
            Store store,
            EventLoop loop,
            SessionIdentity identity,
            int maxSessions,
            Supplier<Duration> timeout,
            LongSupplier clock) {
        this.store = store;
        this.loop = loop;
        this.identity = identity;
        this.maxSessions = maxSessions;
        this.timeout = timeout;
        this.clock = clock;
        String hint = store.reliableReadHint();
        this.reliableReadHint = (hint.isEmpty() ? hint : " " + hint).getBytes(StandardCharsets.UTF_8);
        this.loggedNanos = clock.getAsLong() - 2 * LOG_AGAIN_NANOS;
    }

    public EventLoop loop() {
        return loop;
    }

    /** Returns whether a prepared statement might continue to read a table that was renamed. */
    boolean preparesAfresh() {
        return store.has(StoreTrait.PLANS_OUTLIVE_NAMES);
    }

    /** Returns whether the job must be repeated with the hint, because rows may be missing. */
    boolean needsHint(LoadJob job) {
        return reliableReadHint.length > 0 && job.mayMissRows();
    }

    public Loader loader(CachedTable table, boolean binary) {
        return loadsTogether(table)
                ? load -> gather(table, binary, load)
                : load -> start(new LoadJob(table, binary, load, null));
    }

    /** Returns whether loads of a table that begin in one turn of the loop form one job. */
    public boolean loadsTogether(CachedTable table) {
        return table.select().ofSingleRows() && store.has(StoreTrait.PREFERS_MANY_KEYS);
    }

    public Loader loader(CachedTable table, boolean binary, FilterSelect filter) {
        return load -> start(new LoadJob(table, binary, load, filter));
    }

    private void gather(CachedTable table, boolean binary, Load load) {
        assert loop.inEventLoop();
        for (LoadJob job : gathering) {
            if (job.takes(table, binary, MAX_TOGETHER)) {
                job.loads.add(load);
                return;
            }
        }
        if (gathering.isEmpty()) {
            loop.execute(this::startGathered);
        }
        gathering.add(new LoadJob(table, binary, load, null));
    }

    private void startGathered() {
        List<LoadJob> jobs = List.copyOf(gathering);
        gathering.clear();
        jobs.forEach(job -> guarded(job, () -> start(job)));
    }

    /** Repeats each load of a job alone, because the reply lacked rows or had unexpected rows. */
    void singly(LoadJob job) {
        if (job.end()) {
            job.loads.forEach(load -> start(new LoadJob(job.table, job.binary, load, null)));
        }
    }

    /**
     * Returns whether most sessions are idle, so that a background load leaves sessions for reads.
     */
    public boolean hasSpareSession() {
        return (sessions == 0 || 2 * idle.size() > sessions) && queue.isEmpty();
    }

    private void start(LoadJob job) {
        assert loop.inEventLoop();
        boolean allBusy = idle.isEmpty() && sessions >= maxSessions;
        if (closed || allBusy || circuit.isOpen(clock.getAsLong())) {
            job.loads.forEach(Load::decline);
            return;
        }
        long limit = timeout.get().toNanos();
        job.watch(loop.schedule(() -> guarded(job, () -> timedOut(job)), limit, TimeUnit.NANOSECONDS));
        guarded(job, () -> run(job));
    }

    /** Runs a step of a job. If the step throws, the job fails, and its reads are forwarded. */
    private static void guarded(LoadJob job, Runnable step) {
        try {
            step.run();
        } catch (Throwable bug) {
            LOG.error(
                    "A load of table {} failed because of an error in Keyline. The reads that waited for it go to the store. Please report it.",
                    job.table.schema().name(),
                    bug);
            LoadSession session = job.session;
            job.fail(bug);
            if (session != null) {
                session.abandon();
            }
        }
    }

    private void run(LoadJob job) {
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

    /** Repeats a job once on a new connection, if its session was lost before any row arrived. */
    void again(LoadJob job, Throwable cause) {
        if (job.ended()) {
            return;
        }
        if (closed || !job.retry()) {
            failed();
            job.fail(cause);
            return;
        }
        abandonIdle();
        run(job);
    }

    private void abandonIdle() {
        for (LoadSession stale = idle.poll(); stale != null; stale = idle.poll()) {
            stale.abandon();
        }
    }

    /** Returns whether the pool accepts loads: it is open, and recent loads did not all fail. */
    public boolean isTrying() {
        return !closed && !circuit.isOpen(clock.getAsLong());
    }

    /** Starts a timer that fails a load without a job. The caller cancels the timer. */
    public Future<?> watch(Load load) {
        return loop.schedule(
                () -> {
                    failed();
                    load.fail(tooLate());
                },
                timeout.get().toNanos(),
                TimeUnit.NANOSECONDS);
    }

    private TimeoutException tooLate() {
        return new TimeoutException(
                "the store did not answer a load within " + timeout.get().toMillis() + " ms");
    }

    /** Records that the store failed a load. */
    void failed() {
        circuit.failed(clock.getAsLong());
    }

    /** Records that the store replied to a load. */
    public void succeeded() {
        circuit.succeeded();
    }

    /** Reports a changed definition to the catalog, at most once a second. */
    void definitionsChanged(TableName table) {
        long now = clock.getAsLong();
        if (now - loggedNanos > LOG_AGAIN_NANOS) {
            loggedNanos = now;
            store.definitionsChanged(List.of(table));
        }
    }

    /** Returns the time of the cache's ticker, in nanoseconds. */
    public long now() {
        return clock.getAsLong();
    }

    /** Returns the hint that makes replies complete; empty if replies are always complete. */
    byte[] reliableReadHint() {
        return reliableReadHint;
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

    /** Fails the queued jobs if no session is left that could run them. */
    private void failQueued(Throwable cause) {
        if (sessions > 0) {
            return;
        }
        for (LoadJob job = queue.poll(); job != null; job = queue.poll()) {
            job.fail(cause);
        }
    }

    void ready(LoadSession session) {
        LoadJob job = waiting();
        if (job == null) {
            idle.push(session);
        } else {
            guarded(job, () -> session.run(job));
        }
    }

    /** Returns the next waiting job that has not failed; null if there is no such job. */
    private @Nullable LoadJob waiting() {
        LoadJob job = queue.poll();
        while (job != null && job.ended()) {
            job = queue.poll();
        }
        return job;
    }

    void sessionClosed(LoadSession session) {
        sessions--;
        idle.remove(session);
        if (!closed && !queue.isEmpty() && sessions < maxSessions) {
            open();
        }
    }

    private void timedOut(LoadJob job) {
        LoadSession session = job.session;
        if (job.ended()) {
            return;
        }
        queue.remove(job);
        failed();
        job.fail(tooLate());
        if (session != null) {
            session.abandon();
            // The network may have dropped all idle connections silently. Each of them would cost a
            // read another timeout.
            abandonIdle();
        }
    }

    /** Closes idle sessions at once, and other sessions after their loads. Waiting loads fail. */
    public void close() {
        closed = true;
        for (LoadJob job = queue.poll(); job != null; job = queue.poll()) {
            job.fail(new RejectedExecutionException("the gateway is closing"));
        }
        idle.forEach(LoadSession::abandonQuietly);
        idle.clear();
    }

    boolean closed() {
        return closed;
    }
}
