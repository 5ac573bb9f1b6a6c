package org.keyline.stores.duckdb.engine;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only writer of small autocommit statements. It commits all queued writes together, as a
 * batch. If several clients write, the writer waits briefly for a write of each client, because a
 * commit of all writes costs little more than a commit of half. If a write of a batch fails, the
 * writer rolls the batch back and runs each half separately, so that only the failing write gets an
 * error. Large writes run in other threads and hold the {@link #gate}. Thread-safe.
 *
 * <p>If two transactions conflict, DuckDB fails the second transaction at once, while MySQL would
 * let it wait. With a single writer, small writes conflict only with explicit transactions. If a
 * small write conflicts, the writer repeats it a few times. DDL holds the {@link #gate} too,
 * because DuckDB fails writes to a table that is being altered.
 */
public final class GroupWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupWriter.class);
    private static final int ATTEMPTS = 5;
    private static final long JOIN_MILLIS = 30_000;
    private static final long MAX_PATIENCE_NANOS = 5_000_000;

    private final EngineConnection connection;
    private final int writesPerCommit;
    private final BlockingQueue<Write> queue;
    private final ReentrantLock gate = new ReentrantLock();
    private final Thread thread;
    private final LongAdder commits = new LongAdder();
    private final LongAdder writes = new LongAdder();
    private volatile boolean closed;

    public GroupWriter(EngineConnection connection, int queued, int writesPerCommit, ThreadFactory threads) {
        this.connection = connection;
        this.writesPerCommit = writesPerCommit;
        this.queue = new ArrayBlockingQueue<>(queued);
        this.thread = threads.newThread(this::run);
        thread.start();
    }

    /**
     * Queues a write, whose callback receives the outcome later.
     *
     * @throws StatementRefusedException 1205 if the queue is full, 1053 if the writer is closed
     */
    public void submit(Write write) {
        if (closed) {
            throw stopped();
        }
        if (!queue.offer(write)) {
            throw Errors.error(1205, "HY000", "Too many writes are waiting for a commit; try restarting transaction");
        }
        // The writer may have stopped before this write was queued; the write would then never run.
        if (closed && queue.remove(write)) {
            throw stopped();
        }
    }

    private static StatementRefusedException stopped() {
        return Errors.error(1053, "08S01", "Server shutdown in progress");
    }

    /** Returns the lock of writes. This writer, DDL and large writes hold it while they run. */
    public ReentrantLock gate() {
        return gate;
    }

    public long commits() {
        return commits.sum();
    }

    public long writes() {
        return writes.sum();
    }

    private void run() {
        List<Write> batch = new ArrayList<>();
        int companions = 0;
        long patienceNanos = 0;
        while (take(batch, companions, patienceNanos)) {
            gate.lock();
            try {
                long began = System.nanoTime();
                write(batch);
                patienceNanos = Math.min(MAX_PATIENCE_NANOS, (System.nanoTime() - began) / 2);
            } finally {
                gate.unlock();
                // The batch's clients waited for the commit, so all queued writes are from other
                // clients.
                companions = batch.size() + queue.size();
                batch.clear();
            }
        }
    }

    /** Waits for writes. Returns false if the writer is closed and the queue is empty. */
    private boolean take(List<Write> batch, int companions, long patienceNanos) {
        if (!closed) {
            try {
                batch.add(queue.take());
                gather(batch, companions, patienceNanos);
                return true;
            } catch (InterruptedException e) {
                // Only close() interrupts the thread. The writer still executes the queued writes.
                closed = true;
            }
        }
        queue.drainTo(batch);
        return !batch.isEmpty();
    }

    /**
     * Adds the queued writes to the batch. Waits up to {@code patienceNanos} while the batch has
     * fewer than {@code companions} writes.
     */
    private void gather(List<Write> batch, int companions, long patienceNanos) throws InterruptedException {
        queue.drainTo(batch, writesPerCommit - batch.size());
        int expected = Math.min(companions, writesPerCommit);
        long until = System.nanoTime() + patienceNanos;
        while (batch.size() < expected) {
            Write next = queue.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (next == null) {
                return;
            }
            batch.add(next);
            queue.drainTo(batch, writesPerCommit - batch.size());
        }
    }

    /**
     * Passes the outcome of a write to its callback. If the callback fails, the other writes still
     * receive their outcomes.
     */
    private static void report(Write write, Write.Outcome outcome) {
        try {
            write.done().accept(outcome);
        } catch (RuntimeException e) {
            LOG.error("A client of the embedded store does not receive the outcome of its write.", e);
        }
    }

    private void write(List<Write> batch) {
        if (batch.size() <= 1) {
            batch.forEach(this::alone);
            return;
        }
        long[] affected = new long[batch.size()];
        try {
            connection.begin();
            for (int i = 0; i < affected.length; i++) {
                affected[i] = apply(batch.get(i));
            }
            connection.commit();
        } catch (SQLException | RuntimeException | Error e) {
            connection.rollback();
            int half = batch.size() / 2;
            write(batch.subList(0, half));
            write(batch.subList(half, batch.size()));
            return;
        }
        commits.increment();
        writes.add(affected.length);
        for (int i = 0; i < affected.length; i++) {
            report(batch.get(i), new Write.Outcome(affected[i], null));
        }
    }

    private long apply(Write write) throws SQLException {
        connection.catalogIs(write.catalogVersion());
        return write.work().apply(connection);
    }

    private void alone(Write write) {
        for (int attempt = 1; ; attempt++) {
            StatementRefusedException error = attempt(write);
            if (error == null) {
                return;
            }
            if (!Errors.isConflict(error) || attempt == ATTEMPTS) {
                report(write, new Write.Outcome(0, error));
                return;
            }
        }
    }

    /**
     * Runs a write in its own transaction. Returns the error of the write; null if the write is
     * committed and its callback has received the outcome.
     */
    @Nullable
    private StatementRefusedException attempt(Write write) {
        long affected;
        try {
            connection.begin();
            affected = apply(write);
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            return atCommit(Errors.of(e), e);
        } catch (RuntimeException | Error e) {
            connection.rollback();
            if (e instanceof StatementRefusedException refused) {
                return refused;
            }
            LOG.error(
                    "A write to the embedded store failed because of an error in Keyline and was rolled back. Its"
                            + " client gets error 1105. Please report it.",
                    e);
            return Errors.error(1105, "HY000", "write failed: " + e);
        }
        commits.increment();
        writes.increment();
        report(write, new Write.Outcome(affected, null));
        return null;
    }

    /**
     * Turns a duplicate key that is found at the commit into a conflict, because another
     * transaction has written the key.
     */
    private static StatementRefusedException atCommit(StatementRefusedException error, SQLException e) {
        boolean committing = String.valueOf(e.getMessage()).contains("Failed to commit");
        return committing && error.code() == Errors.DUPLICATE_KEY ? Errors.conflict() : error;
    }

    /** Writes the queued writes, then stops. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(JOIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        connection.close();
    }
}
