package org.keyline.gateway.table;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.keyline.rowcache.TableStats;

/** A table's misses by reason, and its latencies. Thread-safe; counting does not contend. */
public final class ReadFigures {
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;

    private final Map<MissReason, LongAdder> misses = new EnumMap<>(MissReason.class);
    private final LatencyHistogram hits = new LatencyHistogram(
            MICRO / 4,
            MICRO / 2,
            MICRO,
            MICRO * 5 / 2,
            5 * MICRO,
            10 * MICRO,
            25 * MICRO,
            100 * MICRO,
            MILLI,
            10 * MILLI);
    private final FilterFigures filters = new FilterFigures();
    private final LatencyHistogram forwards = new LatencyHistogram(TableStats.loadTimeBoundsNanos());

    /**
     * The figures of one moment.
     *
     * @param hits latency of sampled hits, from the end of planning to the end of the reply
     * @param forwards latency of forwarded reads at the store
     */
    public record Snapshot(
            Map<MissReason, Long> misses,
            LatencyHistogram.Snapshot hits,
            LatencyHistogram.Snapshot forwards,
            FilterFigures.Snapshot filters) {
        public Snapshot {
            misses = Map.copyOf(misses);
        }

        public Snapshot plus(Snapshot other) {
            Map<MissReason, Long> sums = new EnumMap<>(MissReason.class);
            misses.forEach((reason, count) -> sums.put(reason, count + other.misses.getOrDefault(reason, 0L)));
            return new Snapshot(
                    sums, hits.plus(other.hits), forwards.plus(other.forwards), filters.plus(other.filters));
        }
    }

    ReadFigures() {
        for (MissReason reason : MissReason.values()) {
            misses.put(reason, new LongAdder());
        }
    }

    public FilterFigures filters() {
        return filters;
    }

    public void missed(MissReason reason) {
        Objects.requireNonNull(misses.get(reason)).increment();
    }

    public LatencyHistogram hits() {
        return hits;
    }

    public LatencyHistogram forwards() {
        return forwards;
    }

    /** Returns approximate figures. */
    public Snapshot snapshot() {
        Map<MissReason, Long> sums = new EnumMap<>(MissReason.class);
        misses.forEach((reason, count) -> sums.put(reason, count.sum()));
        return new Snapshot(sums, hits.snapshot(), forwards.snapshot(), filters.snapshot());
    }
}
