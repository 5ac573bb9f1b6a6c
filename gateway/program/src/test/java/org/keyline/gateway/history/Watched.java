package org.keyline.gateway.history;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Two rows of the store, and the clients' operations on them. A history ends early if a write's
 * outcome became unknown: other rules apply from the moment at which its store connection may have
 * been lost. Thread-safe.
 */
final class Watched {
    /** The table of the rows. */
    enum Home {
        /** Rows with lines of their own. */
        SINGLES,
        /** Two rows of one line: a key of two columns, loaded by the first. */
        COUPLES,
        /**
         * Two neighbouring rows in a table whose lines are ranges of keys; rows of other pairs are
         * in the same ranges.
         */
        SPANS
    }

    private final Home home;
    private final int id;
    private final AtomicInteger values = new AtomicInteger();

    // Guarded by this.
    private final List<Call> calls = new ArrayList<>();
    private long cutNanos = Long.MAX_VALUE;

    Watched(Home home, int id) {
        this.home = home;
        this.id = id;
    }

    Home home() {
        return home;
    }

    /** Returns the number of the pair within its table. */
    int id() {
        return id;
    }

    /** Returns a value that no other write has. */
    int newValue() {
        return values.incrementAndGet();
    }

    /** Adds a call; returns the number of calls. */
    synchronized int add(Call call) {
        calls.add(call);
        return calls.size();
    }

    /** Ends the history at that moment, unless it ends earlier. */
    synchronized void cut(long nanos) {
        cutNanos = Math.min(cutNanos, nanos);
    }

    /** Returns the violation in this history; null if there is none. */
    synchronized @Nullable String violation() {
        List<Call> history = new ArrayList<>();
        for (Call call : calls) {
            if (call.endedNanos() <= cutNanos) {
                history.add(call);
            } else if (call.beganNanos() < cutNanos && !call.step().reads()) {
                // It was running at the end, so it may or may not have taken effect before.
                history.add(new Call(call.beganNanos(), Call.UNKNOWN, untold(call.step())));
            }
        }
        return Linearizability.violation(history, Pair.state(Pair.ABSENT, Pair.ABSENT));
    }

    /**
     * Returns the step without the part of its result that arrived after the end of the history.
     */
    private static Step untold(Step step) {
        return step instanceof Pair.Change change
                ? new Pair.Change(change.first(), change.second(), change.value(), Pair.NOT_TOLD)
                : step;
    }

    @Override
    public synchronized String toString() {
        return home + " " + id + ", " + calls.size() + " calls";
    }
}
