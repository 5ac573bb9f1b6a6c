package org.keyline.gateway.table;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.TableStats;

/** Shows whether reads use lines before writes past the gateway drop them. Thread-safe. */
final class EarlyDrops {
    /** Number of drops over which loads and hits are compared. */
    static final int COMPARED = 16;

    private final ArrayDeque<Moment> last = new ArrayDeque<>(COMPARED);

    private record Moment(long nanos, long loads, long hits) {
        static Moment of(long nowNanos, LineTable lines) {
            TableStats.Snapshot rows = lines.stats().snapshot();
            LineTable filters = lines.filters();
            return new Moment(
                    nowNanos,
                    rows.loads()
                            + (filters == null ? 0 : filters.stats().snapshot().loads()),
                    rows.hits());
        }
    }

    synchronized void dropped(long nowNanos, LineTable lines) {
        if (last.size() == COMPARED) {
            last.removeFirst();
        }
        last.addLast(Moment.of(nowNanos, lines));
    }

    /** Returns a warning if loads outnumber hits since the first counted drop; empty if not. */
    synchronized String wasted(long nowNanos, LineTable lines) {
        @Nullable Moment first = last.peekFirst();
        if (first == null || last.size() < COMPARED) {
            return "";
        }
        Moment now = Moment.of(nowNanos, lines);
        long loads = now.loads() - first.loads();
        long hits = now.hits() - first.hits();
        if (hits >= loads) {
            return "";
        }
        return "Writes that bypass Keyline dropped lines of this table " + COMPARED + " times in "
                + TimeUnit.NANOSECONDS.toSeconds(nowNanos - first.nanos()) + " s. In this time, " + loads
                + " loads served only " + hits + " further reads.";
    }
}
