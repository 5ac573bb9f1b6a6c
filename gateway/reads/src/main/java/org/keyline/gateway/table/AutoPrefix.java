package org.keyline.gateway.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import org.keyline.rowcache.Ghosts;

/**
 * Chooses the load granularity of a table with {@code prefix: auto}. At first, it is the coarsest
 * prefix that a statement in use binds. After enough measured reads, it is the level (possible
 * granularity) with the cheapest loads. A level whose lines are too long, or whose loads do not pay
 * off, is excluded for a while, twice as long each time. Thread-safe; the caller passes the time.
 */
public final class AutoPrefix {
    /*
     * If all processors are busy, a load of many rows takes hardly longer than a load of few,
     * although it is more work. So each load counts as at least the time that is extrapolated, by
     * its number of rows, from loads by the whole key.
     */
    /** The fixed cost of a statement, expressed as a number of rows with the same cost. */
    private static final double ROWS_OF_STATEMENT = 100;

    /** Number of measured reads that a decision needs. */
    private static final long ENOUGH_READS = 500;

    private static final double CHEAPER = 0.7;
    private static final long LEAST_EXCLUSION_NANOS = 30_000_000_000L;
    private static final long LONGEST_EXCLUSION_NANOS = 3_600_000_000_000L;

    /**
     * Lines become ranges if one in this many reads is a range read. They become prefixes again if
     * the share of range reads falls below a quarter of that.
     */
    private static final int RANGES_IN = 8;
    /** Approximate number of recent reads that count for the share of range reads. */
    private static final int LATEST = 4_096;

    /** With at most this many recent reads, the share of range reads always suffices. */
    private static final int FEW = 64;

    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * A level (possible granularity) and its measured cost.
     *
     * @param cells the number of key columns in the prefix
     * @param share the share of reads that would load, or go to the store because they bind fewer
     * columns
     * @param rows mean rows of a load
     * @param loadNanos mean time of a load; negative while unknown
     * @param costNanos mean load time per read; negative while unknown, or if lines are too long
     */
    public record Level(int cells, double share, double rows, double loadNanos, double costNanos) {
        /** Returns whether this costs less than {@code part} of the other; false if unknown. */
        private boolean isCheaper(double part, Level than) {
            return costNanos >= 0 && than.costNanos >= 0 && costNanos < part * than.costNanos;
        }
    }

    /**
     * The measurements and the decision.
     *
     * @param cells the number of key columns in the prefix, by the latest decision
     * @param levels coarsest first; empty before enough reads were measured
     * @param decision the latest change and its reason, as text for people
     */
    public record Figures(int cells, List<Level> levels, String decision) {
        public Figures {
            levels = List.copyOf(levels);
        }

        /** Returns the level with this many cells, at least 1. {@code levels} must not be empty. */
        private Level level(int of) {
            return levels.get(Math.max(1, Math.min(of, levels.size())) - 1);
        }
    }

    private final Ghosts ghosts;
    private final int keyCells;
    private final int maxMeanRows;
    private final LongAdder ranges = new LongAdder();
    private volatile Figures figures;

    // Guarded by this.
    /** Numbers of key columns that the statements in use bind. */
    private final BitSet inUse = new BitSet();
    /** Until this time, levels with at most {@link #excludedCells} cells are excluded. */
    private long excludedUntil;

    private int excludedCells = -1;
    private long exclusion = LEAST_EXCLUSION_NANOS;
    private long queriesBefore;
    private long rangesBefore;
    private Ghosts.Snapshot base;

    /**
     * @param cells the initial granularity
     * @param maxMeanRows maximum average rows of lines
     */
    AutoPrefix(Ghosts ghosts, int cells, int maxMeanRows) {
        this.ghosts = ghosts;
        this.keyCells = ghosts.cells(ghosts.levels());
        this.maxMeanRows = maxMeanRows;
        this.base = ghosts.snapshot();
        this.figures = new Figures(cells, List.of(), "no statement in use binds fewer");
    }

    public Ghosts ghosts() {
        return ghosts;
    }

    public Figures figures() {
        return figures;
    }

    int maxMeanRows() {
        return maxMeanRows;
    }

    /** Records a read that binds no key column by {@code =}. */
    public void readsRange() {
        ranges.increment();
    }

    /** Returns whether at least one in {@code oneIn} recent reads is a range read. */
    private boolean areRanges(int oneIn, long queries) {
        long reads = queries - queriesBefore;
        long ofRanges = ranges.sum() - rangesBefore;
        if (reads > LATEST) {
            queriesBefore += reads / 2;
            rangesBefore += ofRanges / 2;
        }
        return oneIn * ofRanges + FEW >= reads;
    }

    /** Records that a statement in use binds this many key columns by {@code =}. */
    public synchronized void inUse(int bound) {
        inUse.set(bound);
    }

    /**
     * Asks for coarser lines, because a statement in use binds too few key columns.
     *
     * @param bound the number of key columns that the statement binds
     * @param queries the number of reads of the table up to now
     * @return whether the granularity is now {@code bound}
     */
    synchronized boolean asked(int bound, long queries, long nowNanos) {
        return bound < figures.cells()
                && (bound > 0 || areRanges(RANGES_IN, queries))
                && !refuses(bound, nowNanos)
                && choose(bound, nowNanos, "chose " + bound + " because a statement binds this many key columns");
    }

    /** Returns whether lines of this many key columns are excluded, too long, or too costly. */
    public synchronized boolean refuses(int bound, long nowNanos) {
        Figures known = figures;
        boolean dearer = bound > 0
                && !known.levels().isEmpty()
                && known.level(known.cells()).isCheaper(CHEAPER, known.level(bound));
        return dearer || isExcluded(bound, nowNanos) || ghosts.exceeds(bound, maxMeanRows);
    }

    private boolean isExcluded(int bound, long nowNanos) {
        return bound <= excludedCells && nowNanos - excludedUntil < 0;
    }

    /**
     * Leaves the current level if its lines are too long. If statements bind more key columns, also
     * leaves a level whose loads do not pay off. Must be called on each miss.
     *
     * @param pays whether loads at the current level pay off
     * @return whether the granularity has changed
     */
    synchronized boolean givesUp(boolean pays, long nowNanos) {
        int cells = figures.cells();
        boolean tooLong = cells > 0 && cells < keyCells && ghosts.exceeds(cells, maxMeanRows);
        boolean leaves = tooLong || (!pays && inUse.nextSetBit(cells + 1) >= 0);
        String why = tooLong
                ? "its lines had more than " + maxMeanRows + " rows on average, or one was too big"
                : "its loads did not pay off";
        return leaves && choose(keyCells, nowNanos, "left " + cells + " because " + why);
    }

    private boolean choose(int next, long nowNanos, String decision) {
        Figures known = figures;
        if (next > known.cells()) {
            excludedCells = known.cells();
            excludedUntil = nowNanos + exclusion;
            exclusion = Math.min(LONGEST_EXCLUSION_NANOS, 2 * exclusion);
        }
        base = ghosts.snapshot();
        figures = new Figures(next, known.levels(), decision);
        return true;
    }

    /**
     * Changes the granularity if measurements suggest it. Must be called about once a second.
     *
     * @param ttlNanos how long a line lives
     * @param queries the number of reads of the table up to now
     * @return whether the granularity has changed
     */
    synchronized boolean decide(long ttlNanos, long queries, long nowNanos) {
        Figures known = figures;
        if (known.cells() == 0) {
            return !areRanges(4 * RANGES_IN, queries)
                    && choose(keyCells, nowNanos, "left ranges because few reads are of ranges");
        }
        ghosts.adjustRate(ttlNanos, nowNanos);
        Ghosts.Snapshot now = ghosts.snapshot();
        if (now.generation() != base.generation()) {
            base = now;
        }
        long reads =
                Arrays.stream(now.reads()).sum() - Arrays.stream(base.reads()).sum();
        if (reads < ENOUGH_READS) {
            return false;
        }
        known = new Figures(known.cells(), levels(now, reads), known.decision());
        figures = known;
        base = now;
        Level current = known.level(known.cells());
        Level best = current;
        for (Level level : known.levels()) {
            best = !isExcluded(level.cells(), nowNanos) && level.isCheaper(1, best) ? level : best;
        }
        String decision = String.format(
                Locale.ROOT,
                "changed from %d to %d: %.3f instead of %.3f ms of load time per read",
                known.cells(),
                best.cells(),
                best.costNanos() / NANOS_PER_MILLI,
                current.costNanos() / NANOS_PER_MILLI);
        return best.isCheaper(CHEAPER, current) && choose(best.cells(), nowNanos, decision);
    }

    private List<Level> levels(Ghosts.Snapshot now, long reads) {
        List<Level> levels = new ArrayList<>();
        double forwarded = 0;
        double forwardedNanos = 0;
        int whole = now.loadNanos().length - 1;
        double perRow = Math.max(now.loadNanos()[whole], 0) / (ROWS_OF_STATEMENT + now.rows()[whole]);
        for (int level = 1; level <= whole; level++) {
            double loads = now.loads()[level] - base.loads()[level];
            double nanos = now.loadNanos()[level];
            double least = Math.max(nanos, perRow * (ROWS_OF_STATEMENT + now.rows()[level]));
            boolean known = forwardedNanos >= 0
                    && (nanos >= 0 || loads == 0)
                    && !ghosts.exceeds(ghosts.cells(level), maxMeanRows);
            levels.add(new Level(
                    ghosts.cells(level),
                    (loads + forwarded) / reads,
                    now.rows()[level],
                    nanos,
                    known ? (loads * least + forwardedNanos) / reads : -1));
            double bound = now.reads()[level] - base.reads()[level];
            forwarded += bound;
            forwardedNanos = nanos < 0 && bound > 0 ? -1 : forwardedNanos + bound * Math.max(nanos, 0);
        }
        return levels;
    }
}
