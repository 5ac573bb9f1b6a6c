package org.keyline.gateway.table;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/** A histogram of latencies. Thread-safe; counting does not contend. */
public final class LatencyHistogram {
    private final long[] bounds;
    private final LongAdder[] counts;
    private final LongAdder nanos = new LongAdder();

    /**
     * The counts of one moment.
     *
     * @param boundsNanos inclusive upper bounds of the buckets, ascending; the last bucket has no
     * bound
     */
    @SuppressWarnings("ArrayRecordComponent") // numbers for a report, never compared
    public record Snapshot(long[] boundsNanos, long[] counts, long nanos) {
        public Snapshot plus(Snapshot other) {
            long[] sums = counts.clone();
            Arrays.setAll(sums, i -> counts[i] + other.counts[i]);
            return new Snapshot(boundsNanos, sums, nanos + other.nanos);
        }
    }

    /** @param boundsNanos upper bounds of the buckets, inclusive, ascending */
    public LatencyHistogram(long... boundsNanos) {
        bounds = boundsNanos.clone();
        counts = new LongAdder[bounds.length + 1];
        Arrays.setAll(counts, i -> new LongAdder());
    }

    public void took(long elapsedNanos) {
        int bucket = 0;
        while (bucket < bounds.length && elapsedNanos > bounds[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        nanos.add(elapsedNanos);
    }

    /** Returns the mean in nanoseconds; 0 if nothing was counted. */
    public double mean() {
        long sum = Arrays.stream(counts).mapToLong(LongAdder::sum).sum();
        return sum == 0 ? 0 : (double) nanos.sum() / sum;
    }

    /** Returns approximate figures. */
    public Snapshot snapshot() {
        return new Snapshot(
                bounds.clone(), Arrays.stream(counts).mapToLong(LongAdder::sum).toArray(), nanos.sum());
    }
}
