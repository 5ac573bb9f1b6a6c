package org.keyline.gateway.table;

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

/** Figures of one normalised statement. Thread-safe; counting a hit does not contend. */
public final class StatementFigures {
    /*
     * The bound of each bucket is about a fifth above the previous bound, and doubles every four
     * buckets. Only one in N hits is timed, and counts as N hits.
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

    public void hit(long nowNanos) {
        hits.increment();
        if (nowNanos - seenNanos > SEEN_PERIOD_NANOS) {
            seen(nowNanos);
        }
    }

    /** Records the time and rows of one hit, which stands for {@code of} hits. */
    public void timedHit(long tookNanos, int of, long rowsOfOne) {
        rows.add(rowsOfOne * of);
        took(tookNanos, of);
    }

    /** Counts a reply from lines that the read had to load first. */
    public void loaded(long tookNanos, long rowsAnswered) {
        loads.increment();
        rows.add(rowsAnswered);
        took(tookNanos, 1);
        seen(System.nanoTime());
    }

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
        // Two threads may race here, which is harmless because either value is right.
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

    /**
     * Returns whether these figures were merged into others. The caller must then look up the
     * successor.
     */
    public boolean isFolded() {
        return folded;
    }

    /** Adds {@code other} to these figures. Whatever {@code other} counts later is lost. */
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

    /** Returns the hash of schema and whole text; empty for the merged statements. */
    public String digest() {
        return digest;
    }

    /** Returns the schema of unqualified names; empty if none was selected. */
    public String schema() {
        return schema;
    }

    /** Returns the text with a question mark for each value. */
    public String text() {
        return text;
    }

    public Instant firstSeen() {
        return firstSeen;
    }

    /** Returns the time of the latest execution, to about a second. */
    public Instant lastSeen() {
        return lastSeen;
    }

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

    /** Returns the number of rows in all replies; for hits, an estimate from the timed hits. */
    public long rows() {
        return rows.sum();
    }

    /** Returns the total time of all replies; for hits, an estimate from the timed hits. */
    public long nanos() {
        return nanos.sum();
    }

    public double longestMicros() {
        return longest.get() / 1_000.0;
    }

    /** Returns the number of replies from the store, by reason. */
    public Map<String, Long> forwards() {
        Map<String, Long> counts = new TreeMap<>();
        forwards.forEach((reason, count) -> counts.put(reason, count.get()));
        return counts;
    }

    /**
     * Returns the time in microseconds within which this share of the replies arrived, rounded up
     * to a bucket's bound; null without replies.
     */
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
