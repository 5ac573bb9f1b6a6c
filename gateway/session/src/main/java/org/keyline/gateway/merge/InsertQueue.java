package org.keyline.gateway.merge;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.metrics.MergeFigures;

/** INSERTs of one {@link MergeKey} that wait while an INSERT or batch is running. Thread-safe. */
final class InsertQueue {
    /*
     * Each INSERT or batch in progress is a turn, which has a number. An INSERT waits only a moment
     * for its turn. If the turn in progress takes longer, for example because of a lock, the next
     * turn begins before that turn ends. The end of a turn begins the next turn only if no later
     * turn has begun yet.
     *
     * The next turn also begins while a batch waits only for its COMMIT, if the number of waiting
     * rows is at least half of the batch's. So the store executes one batch while it writes another
     * batch to disk. Smaller batches would cost the store more per row.
     */
    private static final int MAX_ROWS = 256;

    private static final int MAX_CHARS = 128 << 10;
    private static final long MOMENT_MS = 20;

    private final MergeKey key;
    private final MergeFigures figures;
    private final Runnable idle;

    // Guarded by this.
    private final ArrayDeque<WaitingInsert> waiting = new ArrayDeque<>();
    private long turn;
    private boolean busy;
    private boolean retired;

    /** @param idle runs when nothing is in progress; the queue then accepts no more INSERTs */
    InsertQueue(MergeKey key, MergeFigures figures, Runnable idle) {
        this.key = key;
        this.figures = figures;
        this.idle = idle;
    }

    /** Adds an INSERT. Returns false if this queue has ended; the caller must use a new queue. */
    boolean add(WaitingInsert insert) {
        long now;
        boolean waits;
        boolean first;
        synchronized (this) {
            if (retired) {
                return false;
            }
            waits = busy;
            first = waiting.isEmpty();
            if (waits) {
                waiting.add(insert);
            } else {
                busy = true;
                turn++;
            }
            now = turn;
        }
        if (!waits) {
            insert.alone(() -> ended(now));
        } else if (first) {
            overdueSoon(insert, now);
        }
        return true;
    }

    /** Removes an INSERT. Returns false if the INSERT is in progress. */
    synchronized boolean withdraw(WaitingInsert insert) {
        return waiting.remove(insert);
    }

    private void overdueSoon(WaitingInsert insert, long of) {
        var unused = insert.loop().schedule(() -> next(of, false), MOMENT_MS, TimeUnit.MILLISECONDS);
    }

    private void ended(long of) {
        next(of, true);
    }

    /** Called when the rows of a turn are inserted and its COMMIT was sent. */
    private void committing(long of, int rows) {
        boolean many;
        synchronized (this) {
            many = 2 * waiting.size() >= rows;
        }
        if (many) {
            next(of, false);
        }
    }

    /** @param ended whether turn {@code of} has ended; if not, the next turn runs beside it */
    private void next(long of, boolean ended) {
        List<WaitingInsert> taken;
        @Nullable WaitingInsert left;
        long now;
        boolean over;
        synchronized (this) {
            if (of != turn || retired) {
                return;
            }
            taken = take();
            left = waiting.peek();
            over = taken.isEmpty() && ended;
            retired = over;
            turn += taken.isEmpty() ? 0 : 1;
            now = turn;
        }
        if (over) {
            idle.run();
        }
        if (left != null) {
            overdueSoon(left, now);
        }
        if (taken.size() == 1) {
            taken.get(0).alone(() -> ended(now));
        } else if (taken.size() > 1) {
            int rows = taken.size();
            new Batch(
                            key.head(),
                            taken,
                            figures,
                            () -> committing(now, rows),
                            () -> ended(now),
                            unsent -> inOrder(unsent, 0, now))
                    .run();
        }
    }

    /** Removes as many waiting INSERTs as fit into one batch. */
    private List<WaitingInsert> take() {
        List<WaitingInsert> taken = new ArrayList<>();
        int chars = 0;
        for (WaitingInsert next = waiting.peek(); next != null; next = waiting.peek()) {
            chars += next.row().length();
            if (taken.size() == MAX_ROWS || (chars > MAX_CHARS && !taken.isEmpty())) {
                break;
            }
            taken.add(waiting.remove());
        }
        return taken;
    }

    /** Sends INSERTs one by one. Each waits at most {@link #MOMENT_MS} for the previous reply. */
    private void inOrder(List<WaitingInsert> inserts, int index, long of) {
        if (index == inserts.size()) {
            ended(of);
            return;
        }
        AtomicBoolean begun = new AtomicBoolean();
        Runnable then = () -> {
            if (begun.compareAndSet(false, true)) {
                inOrder(inserts, index + 1, of);
            }
        };
        WaitingInsert insert = inserts.get(index);
        insert.alone(then);
        if (!begun.get()) {
            var unused = insert.loop().schedule(then, MOMENT_MS, TimeUnit.MILLISECONDS);
        }
    }
}
