package org.keyline.rowcache;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of one table. Thread-safe; threads that count do not contend. The caller counts queries
 * and hits, because the cache does not know queries.
 */
public final class TableStats {
    private static final long[] LOAD_TIME_BOUNDS_NANOS = {
        100_000L,
        250_000L,
        500_000L,
        1_000_000L,
        2_500_000L,
        5_000_000L,
        10_000_000L,
        25_000_000L,
        50_000_000L,
        100_000_000L,
        250_000_000L,
        500_000_000L,
        1_000_000_000L,
        2_500_000_000L,
        5_000_000_000L,
        10_000_000_000L
    };

    private final LongAdder queries = new LongAdder();
    private final LongAdder hits = new LongAdder();
    private final LongAdder absentHits = new LongAdder();
    private final LongAdder loads = new LongAdder();
    private final LongAdder refreshes = new LongAdder();
    private final LongAdder loadFailures = new LongAdder();
    private final LongAdder loadsUnpublished = new LongAdder();
    private final LongAdder loadNanos = new LongAdder();
    private final LongAdder[] loadTimes = new LongAdder[LOAD_TIME_BOUNDS_NANOS.length + 1];
    private final LongAdder rowsLoaded = new LongAdder();
    private final LongAdder bytesLoaded = new LongAdder();
    private final LongAdder waits = new LongAdder();
    private final Map<Decline, LongAdder> declines = new EnumMap<>(Decline.class);
    private final LongAdder fences = new LongAdder();
    private final LongAdder replacements = new LongAdder();
    private final LongAdder evictions = new LongAdder();
    private final LongAdder expirations = new LongAdder();
    private final LongAdder lines = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    TableStats() {
        for (int i = 0; i < loadTimes.length; i++) {
            loadTimes[i] = new LongAdder();
        }
        for (Decline reason : Decline.values()) {
            declines.put(reason, new LongAdder());
        }
    }

    public void countQuery() {
        queries.increment();
    }

    /** Counts a query that existing lines answered. */
    public void countHit() {
        hits.increment();
    }

    public long queries() {
        return queries.sum();
    }

    public long hits() {
        return hits.sum();
    }

    /** Returns the number of lines in memory, expired ones included. */
    public long lines() {
        return lines.sum();
    }

    /** Counts a hit without a row, in addition to {@link #countHit}. */
    public void countAbsentHit() {
        absentHits.increment();
    }

    /** Returns the load times' inclusive bucket bounds, ascending; the last bucket has none. */
    public static long[] loadTimeBoundsNanos() {
        return LOAD_TIME_BOUNDS_NANOS.clone();
    }

    public Snapshot snapshot() {
        return new Snapshot(
                queries.sum(),
                hits.sum(),
                absentHits.sum(),
                loads.sum(),
                refreshes.sum(),
                loadFailures.sum(),
                loadsUnpublished.sum(),
                loadNanos.sum(),
                sums(loadTimes),
                rowsLoaded.sum(),
                bytesLoaded.sum(),
                waits.sum(),
                declineSums(),
                fences.sum(),
                replacements.sum(),
                evictions.sum(),
                expirations.sum(),
                lines.sum(),
                bytes.sum());
    }

    void loadStarted() {
        loads.increment();
    }

    void refreshed() {
        refreshes.increment();
    }

    void loadEnded(long nanos) {
        loadNanos.add(nanos);
        int bucket = 0;
        while (bucket < LOAD_TIME_BOUNDS_NANOS.length && nanos > LOAD_TIME_BOUNDS_NANOS[bucket]) {
            bucket++;
        }
        loadTimes[bucket].increment();
    }

    void loadFailed() {
        loadFailures.increment();
    }

    void loadUnpublished() {
        loadsUnpublished.increment();
    }

    void loaded(int rows, int lineBytes) {
        rowsLoaded.add(rows);
        bytesLoaded.add(lineBytes);
    }

    void waited() {
        waits.increment();
    }

    void declined(Decline reason) {
        Objects.requireNonNull(declines.get(reason)).increment();
    }

    void fenceClosed() {
        fences.increment();
    }

    void added(int lineCount, int weight) {
        lines.add(lineCount);
        bytes.add(weight);
    }

    void removed(int lineCount, int weight) {
        lines.add(-lineCount);
        bytes.add(-weight);
    }

    void replaced() {
        replacements.increment();
    }

    void evicted() {
        evictions.increment();
    }

    void expired() {
        expirations.increment();
    }

    private Map<Decline, Long> declineSums() {
        Map<Decline, Long> sums = new EnumMap<>(Decline.class);
        declines.forEach((reason, adder) -> sums.put(reason, adder.sum()));
        return Collections.unmodifiableMap(sums);
    }

    private static long[] sums(LongAdder[] adders) {
        long[] sums = new long[adders.length];
        for (int i = 0; i < sums.length; i++) {
            sums[i] = adders[i].sum();
        }
        return sums;
    }

    /**
     * The counters of one moment.
     *
     * @param queries queries with a point-read plan
     * @param hits queries answered from existing lines
     * @param absentHits hits without a row
     * @param loads loads begun
     * @param refreshes loads begun before the end of a line's lifetime; {@code loads} includes them
     * @param loadsUnpublished loads whose rows answered the waiting reads but were not cached,
     * because a fence closed during the load
     * @param loadNanos total time of all ended loads
     * @param loadTimes numbers of ended loads per bucket of {@link TableStats#loadTimeBoundsNanos}
     * @param rowsLoaded rows of all successful loads
     * @param bytesLoaded size in bytes of the lines of all successful loads
     * @param waits reads that waited for a load of another read
     * @param declines the number of declined reads for each reason
     * @param fences fences closed over the table or a prefix
     * @param replacements how often a table of another definition or granularity replaced this
     * table
     * @param evictions lines evicted because of the budget
     * @param expirations lines removed or replaced because their lifetime had ended
     * @param lines lines in memory, including expired ones
     * @param bytes the size of the lines in memory with all overhead
     */
    @SuppressWarnings("ArrayRecordComponent") // numbers for a report, never compared
    public record Snapshot(
            long queries,
            long hits,
            long absentHits,
            long loads,
            long refreshes,
            long loadFailures,
            long loadsUnpublished,
            long loadNanos,
            long[] loadTimes,
            long rowsLoaded,
            long bytesLoaded,
            long waits,
            Map<Decline, Long> declines,
            long fences,
            long replacements,
            long evictions,
            long expirations,
            long lines,
            long bytes) {

        public long declines(Decline reason) {
            return declines.getOrDefault(reason, 0L);
        }

        /** Returns a copy without lines and bytes, for a table that no longer exists. */
        public Snapshot ended() {
            return new Snapshot(
                    queries,
                    hits,
                    absentHits,
                    loads,
                    refreshes,
                    loadFailures,
                    loadsUnpublished,
                    loadNanos,
                    loadTimes,
                    rowsLoaded,
                    bytesLoaded,
                    waits,
                    declines,
                    fences,
                    replacements,
                    evictions,
                    expirations,
                    0,
                    0);
        }

        public Snapshot plus(Snapshot other) {
            long[] times = loadTimes.clone();
            for (int i = 0; i < times.length; i++) {
                times[i] += other.loadTimes[i];
            }
            Map<Decline, Long> reasons = new EnumMap<>(Decline.class);
            for (Decline reason : Decline.values()) {
                reasons.put(reason, declines(reason) + other.declines(reason));
            }
            return new Snapshot(
                    queries + other.queries,
                    hits + other.hits,
                    absentHits + other.absentHits,
                    loads + other.loads,
                    refreshes + other.refreshes,
                    loadFailures + other.loadFailures,
                    loadsUnpublished + other.loadsUnpublished,
                    loadNanos + other.loadNanos,
                    times,
                    rowsLoaded + other.rowsLoaded,
                    bytesLoaded + other.bytesLoaded,
                    waits + other.waits,
                    reasons,
                    fences + other.fences,
                    replacements + other.replacements,
                    evictions + other.evictions,
                    expirations + other.expirations,
                    lines + other.lines,
                    bytes + other.bytes);
        }
    }
}
