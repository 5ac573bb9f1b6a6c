package org.keyline.gateway.merge;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * INSERTs that may go as one: while one of them, or a batch, is under way, others wait, and go together when it has ended. Thread-safe.
 */
final class InsertQueue {
    /*
     * What is under way has a number, the turn. Nobody waits for a turn longer than a moment: if it has not ended by then, as one that waits
     * for a lock, the next begins beside it, and its end, whenever it comes, begins nothing.
     *
     * The next also begins beside a batch that has only its COMMIT to wait for, where half as many wait as that has: so the store works on
     * one while it flushes the other, and may flush several at once. Fewer wait for its end, since small batches cost the store more a row.
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

    /** @param idle runs when nothing is under way: from then on it takes no more */
    InsertQueue(MergeKey key, MergeFigures figures, Runnable idle) {
        this.key = key;
        this.figures = figures;
        this.idle = idle;
    }

    /** Takes an INSERT, which may go at once; false if it is to go to another queue. */
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

    /** Takes back an INSERT that still waits, and so is not sent; false if it is under way. */
    synchronized boolean withdraw(WaitingInsert insert) {
        return waiting.remove(insert);
    }

    private void overdueSoon(WaitingInsert insert, long of) {
        var unused = insert.loop().schedule(() -> next(of, false), MOMENT_MS, TimeUnit.MILLISECONDS);
    }

    private void ended(long of) {
        next(of, true);
    }

    /** The rows of a turn are inserted, and wait for their COMMIT. */
    private void committing(long of, int rows) {
        boolean many;
        synchronized (this) {
            many = 2 * waiting.size() >= rows;
        }
        if (many) {
            next(of, false);
        }
    }

    /** @param ended whether the turn has ended, and not only lasts */
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

    /** As many of those that wait as may go together. */
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

    /** Sends them one by one: each when the one before is answered, or a moment after that was sent. */
    private void inOrder(List<WaitingInsert> inserts, int index, long of) {
        if (index == inserts.size()) {
            ended(of);
            return;
        }
        AtomicBoolean gone = new AtomicBoolean();
        Runnable then = () -> {
            if (gone.compareAndSet(false, true)) {
                inOrder(inserts, index + 1, of);
            }
        };
        WaitingInsert insert = inserts.get(index);
        insert.alone(then);
        if (!gone.get()) {
            var unused = insert.loop().schedule(then, MOMENT_MS, TimeUnit.MILLISECONDS);
        }
    }
}
