package org.keyline.gateway.metrics;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * What became of one statement, by its normalised text. Thread-safe; counting a hit is one adder's increment, and a look at two fields
 * that hardly ever change.
 */
public final class StatementFigures {
    /*
     * Times are counted in buckets whose bounds grow by a fifth: four for each doubling. A hit stands for as many as one is timed of.
     */
    private static final int STEPS = 4;
    private static final int STEP_BITS = 2;
    private static final int BUCKETS = STEPS * 40;
    private static final long SEEN_PERIOD_NANOS = 1_000_000_000;

    private final String digest;
    private final String schema;
    private final String text;
    private final Instant firstSeen = Instant.now();
    private volatile Instant lastSeen = firstSeen;
    private long seenNanos = System.nanoTime();
    private volatile boolean folded;

    private final LongAdder hits = new LongAdder();
    private final LongAdder loads = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final LongAdder rows = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAccumulator longest = new LongAccumulator(Long::max, 0);
    private final AtomicLongArray times = new AtomicLongArray(BUCKETS);
    private final ConcurrentMap<String, AtomicLong> forwards = new ConcurrentHashMap<>();

    StatementFigures(String digest, String schema, String text) {
        this.digest = digest;
        this.schema = schema;
        this.text = text;
    }

    /** A line answered. */
    public void hit(long nowNanos) {
        hits.increment();
        if (nowNanos - seenNanos > SEEN_PERIOD_NANOS) {
            seen(nowNanos);
        }
    }

    /** How long one hit of so many took. */
    public void timedHit(long tookNanos, int of, long rowsOfOne) {
        rows.add(rowsOfOne * of);
        took(tookNanos, of);
    }

    /** Lines answered that had to be loaded first. */
    public void loaded(long tookNanos, long rowsAnswered) {
        loads.increment();
        rows.add(rowsAnswered);
        took(tookNanos, 1);
        seen(System.nanoTime());
    }

    /** The store answered. */
    public void forwarded(String reason, long tookNanos, long rowsAnswered, boolean failed) {
        forwards.computeIfAbsent(reason, unknown -> new AtomicLong()).incrementAndGet();
        rows.add(rowsAnswered);
        if (failed) {
            errors.increment();
        }
        took(tookNanos, 1);
        seen(System.nanoTime());
    }

    private void seen(long nowNanos) {
        // Of two threads that write it at a time, either is right.
        seenNanos = nowNanos;
        lastSeen = Instant.now();
    }

    private void took(long tookNanos, int weight) {
        times.addAndGet(bucket(tookNanos), weight);
        nanos.add(tookNanos * weight);
        longest.accumulate(tookNanos);
    }

    private static int bucket(long tookNanos) {
        long time = Math.max(1 << STEP_BITS, tookNanos);
        int doublings = Long.SIZE - 1 - Long.numberOfLeadingZeros(time);
        int step = (int) (time >>> (doublings - STEP_BITS)) & (STEPS - 1);
        return Math.min(BUCKETS - 1, doublings * STEPS + step);
    }

    private static double upperMicros(int bucket) {
        return (1L << (bucket / STEPS)) * (1 + (bucket % STEPS + 1) / (double) STEPS) / 1_000;
    }

    /** Whether it was folded into others: whoever holds it asks for its successor. */
    public boolean isFolded() {
        return folded;
    }

    /** Adds another's counts to these; the other is not to be counted in any more. */
    void fold(StatementFigures other) {
        other.folded = true;
        hits.add(other.hits.sum());
        loads.add(other.loads.sum());
        errors.add(other.errors.sum());
        rows.add(other.rows.sum());
        nanos.add(other.nanos.sum());
        longest.accumulate(other.longest.get());
        for (int i = 0; i < BUCKETS; i++) {
            times.addAndGet(i, other.times.get(i));
        }
        other.forwards.forEach((reason, count) ->
                forwards.computeIfAbsent(reason, unknown -> new AtomicLong()).addAndGet(count.get()));
        lastSeen = Instant.now();
    }

    /** Returns the identity of schema and text, of the whole text where {@link #text} is only its beginning; empty for others. */
    public String digest() {
        return digest;
    }

    /** The schema that its names are of; empty if none was selected. */
    public String schema() {
        return schema;
    }

    /** The text, with a question mark for each value. */
    public String text() {
        return text;
    }

    public Instant firstSeen() {
        return firstSeen;
    }

    /** To about a second. */
    public Instant lastSeen() {
        return lastSeen;
    }

    /** All answers. */
    public long count() {
        return hits.sum()
                + loads.sum()
                + forwards.values().stream().mapToLong(AtomicLong::get).sum();
    }

    public long hits() {
        return hits.sum();
    }

    public long loads() {
        return loads.sum();
    }

    public long errors() {
        return errors.sum();
    }

    /** Rows of all answers; those of hits are estimated by the timed ones. */
    public long rows() {
        return rows.sum();
    }

    /** Time of all answers; that of hits is estimated by the timed ones. */
    public long nanos() {
        return nanos.sum();
    }

    public double longestMicros() {
        return longest.get() / 1_000.0;
    }

    /** How often the store answered, by reason. */
    public Map<String, Long> forwards() {
        Map<String, Long> counts = new TreeMap<>();
        forwards.forEach((reason, count) -> counts.put(reason, count.get()));
        return counts;
    }

    /** An upper bound of the time that a share of all answers took, in microseconds; null where none was timed. */
    public @Nullable Double micros(double share) {
        long all = 0;
        for (int i = 0; i < BUCKETS; i++) {
            all += times.get(i);
        }
        long seen = 0;
        for (int i = 0; i < BUCKETS; i++) {
            seen += times.get(i);
            if (seen > 0 && seen >= share * all) {
                return upperMicros(i);
            }
        }
        return null;
    }
}
