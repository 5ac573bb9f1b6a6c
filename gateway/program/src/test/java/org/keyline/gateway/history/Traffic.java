package org.keyline.gateway.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * The state that all clients of a run share: the rows in use, the used rows, and counters.
 * Thread-safe.
 */
final class Traffic {
    private static final int PAIRS = 24;
    private static final int CALLS_PER_PAIR = 4_000;

    private final AtomicReferenceArray<Watched> current = new AtomicReferenceArray<>(PAIRS);
    private final AtomicInteger ids = new AtomicInteger();
    private final Collection<Watched> all = new ConcurrentLinkedQueue<>();
    private final Collection<String> wrong = new ConcurrentLinkedQueue<>();
    private final LongAdder operations = new LongAdder();
    private final LongAdder reads = new LongAdder();
    private final Map<String, Integer> failures = new TreeMap<>();

    Traffic() {
        for (int slot = 0; slot < PAIRS; slot++) {
            current.set(slot, fresh(slot));
        }
    }

    private Watched fresh(int slot) {
        Watched.Home[] homes = Watched.Home.values();
        Watched made = new Watched(homes[slot % homes.length], ids.incrementAndGet());
        all.add(made);
        return made;
    }

    /** Returns two rows for the next operation; some are much more frequent than others. */
    Watched pick(SplittableRandom random) {
        return current.get(random.nextInt(1 + random.nextInt(PAIRS)));
    }

    /**
     * Records the end of a call. Rows with a long history are replaced by new ones, which do not
     * exist yet.
     */
    void ended(Watched rows, Step step, long beganNanos) {
        operations.increment();
        if (step.reads()) {
            reads.increment();
        }
        if (rows.add(new Call(beganNanos, System.nanoTime(), step)) >= CALLS_PER_PAIR) {
            replace(rows);
        }
    }

    /**
     * Records a write of unknown outcome, by a connection that may have been lost at that moment.
     * Its rows are not used again.
     */
    void lost(Watched rows, Step step, long beganNanos, long lostNanos) {
        operations.increment();
        rows.add(new Call(beganNanos, Call.UNKNOWN, step));
        rows.cut(lostNanos);
        replace(rows);
    }

    private void replace(Watched rows) {
        for (int slot = 0; slot < PAIRS; slot++) {
            if (current.get(slot) == rows) {
                current.compareAndSet(slot, rows, fresh(slot));
            }
        }
    }

    /** Records an observation that is wrong by itself. */
    void wrong(String what) {
        wrong.add(what);
    }

    void failed(String why) {
        synchronized (failures) {
            failures.merge(why, 1, Integer::sum);
        }
    }

    Map<String, Integer> failures() {
        synchronized (failures) {
            return new TreeMap<>(failures);
        }
    }

    long operations() {
        return operations.sum();
    }

    long reads() {
        return reads.sum();
    }

    int histories() {
        return all.size();
    }

    /** Returns all violations, once all clients have stopped. */
    List<String> violations() {
        List<String> violations = new ArrayList<>(wrong);
        all.parallelStream()
                .map(rows -> {
                    String violation = rows.violation();
                    return violation == null ? "" : rows + ": " + violation;
                })
                .filter(text -> !text.isEmpty())
                .forEachOrdered(violations::add);
        return violations;
    }
}
