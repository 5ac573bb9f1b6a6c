package org.keyline.gateway.history;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Two rows of the store and what clients did with them. A history ends early where a write's
 * outcome became unknown: from the moment at which its store connection may have been lost, other
 * rules hold. Thread-safe.
 */
final class Watched {
    /** Which table the rows are in. */
    enum Home {
        /** Rows with lines of their own. */
        SINGLES,
        /** Two rows of one line: a key of two columns, loaded by the first. */
        COUPLES,
        /**
         * Two rows next to each other in a table that is kept as ranges of keys, where those of
         * other pairs are, too.
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

    /** Names the pair within its table. */
    int id() {
        return id;
    }

    /** A value that no one else writes. */
    int newValue() {
        return values.incrementAndGet();
    }

    /** Takes a call; answers how many there are. */
    synchronized int add(Call call) {
        calls.add(call);
        return calls.size();
    }

    /** Ends the history at that moment, unless it ends earlier. */
    synchronized void cut(long nanos) {
        cutNanos = Math.min(cutNanos, nanos);
    }

    /** What is wrong with what was seen; null if nothing is. */
    synchronized @Nullable String violation() {
        List<Call> history = new ArrayList<>();
        for (Call call : calls) {
            if (call.endedNanos() <= cutNanos) {
                history.add(call);
            } else if (call.beganNanos() < cutNanos && !call.step().reads()) {
                // It was under way at the end, so it may or may not have taken effect before.
                history.add(new Call(call.beganNanos(), Call.UNKNOWN, untold(call.step())));
            }
        }
        return Linearizability.violation(history, Pair.state(Pair.ABSENT, Pair.ABSENT));
    }

    /** The step without what its caller was told after the end of the history. */
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
