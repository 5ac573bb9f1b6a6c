package org.keyline.gateway.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.keyline.rowcache.Ghosts;

/**
 * Chooses the load granularity of a table with {@code prefix: auto}. At first, the granularity is
 * the coarsest prefix that a statement in use binds; after enough measured reads, the level with
 * the cheapest loads. A level whose lines are too long, or whose loads do not pay off, is excluded
 * for a while, each time twice as long. Thread-safe; the caller passes the time.
 */
public final class AutoPrefix {
    /*
     * If all processors are busy, a load of many rows takes hardly longer than a load of few,
     * although it is more work. So each load counts as at least the time that its number of rows
     * implies, compared with a load by the whole key.
     */
    static final long WINDOW_NANOS = 5_000_000_000L;
    /**
     * Number of measured reads that a decision needs. Below {@link #MANY_READS}, a new level must
     * cost much less than the current one.
     */
    private static final long FEW_READS = 500;

    private static final long MANY_READS = 2_000;
    private static final double FAR_CHEAPER = 0.5;
    private static final double CHEAPER = 0.8;
    private static final long LEAST_REFUSAL_NANOS = 30_000_000_000L;
    private static final long LONGEST_REFUSAL_NANOS = 3_600_000_000_000L;
    /** The minimum cost of a statement besides its rows, expressed in rows. */
    private static final double ROWS_OF_STATEMENT = 100;

    /**
     * Lines become ranges if one in this many reads is a range read. They become prefixes again if
     * the share of range reads falls below a quarter of that.
     */
    private static final int RANGES_IN = 8;
    /** Approximate number of recent reads that count for the share of range reads. */
    private static final int LATEST = 4_096;

    /** With at most this many recent reads, the share of range reads counts as large. */
    private static final int FEW = 64;

    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * The measured cost of a level: a possible granularity.
     *
     * @param cells the number of key columns that name a line
     * @param share the share of reads that would load, or go to the store because they bind fewer
     * columns
     * @param rows mean rows of a load
     * @param loadNanos mean time of a load; negative while unknown
     * @param costNanos mean load time per read; negative while unknown
     * @param tooLong whether lines exceed their maximum size or their maximum average number of
     * rows; such a level is never chosen
     */
    public record Level(int cells, double share, double rows, double loadNanos, double costNanos, boolean tooLong) {}

    /**
     * The measurements and the decision.
     *
     * @param levels coarsest first; empty before enough reads were measured
     * @param reads sampled reads by which the levels are compared
     * @param sampleRate share of the prefixes in the sample
     * @param switches how often the level changed
     * @param decision the latest change and its reason, as text for people
     */
    public record Figures(
            int cells, List<Level> levels, long reads, double sampleRate, long switches, String decision) {
        public Figures {
            levels = List.copyOf(levels);
        }

        /**
         * Returns the level with this number of cells, or the next finer level; null if neither
         * exists.
         */
        @Nullable
        Level level(int of) {
            return levels.stream()
                    .filter(level -> level.cells() >= of)
                    .findFirst()
                    .orElse(null);
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
    /** For each number of cells, the time until which the level is excluded. */
    private final long[] refusedUntil;

    private final long[] refusal;
    private double recent;
    private double recentRanges;
    private long queriesSeen;
    private long rangesSeen;
    private int cells;
    private Ghosts.Snapshot base;
    private long begunNanos;
    private long settledNanos;

    /**
     * @param cells the initial granularity
     * @param maxMeanRows maximum average rows of lines
     */
    AutoPrefix(Ghosts ghosts, int cells, int maxMeanRows, long nowNanos) {
        this.ghosts = ghosts;
        this.keyCells = ghosts.cells(ghosts.levels());
        this.maxMeanRows = maxMeanRows;
        this.cells = cells;
        this.refusedUntil = new long[keyCells + 1];
        this.refusal = new long[keyCells + 1];
        Arrays.fill(refusedUntil, nowNanos);
        Arrays.fill(refusal, LEAST_REFUSAL_NANOS);
        this.base = ghosts.snapshot();
        this.begunNanos = nowNanos;
        this.settledNanos = nowNanos;
        this.figures = new Figures(cells, List.of(), 0, base.sampleRate(), 0, "no statement in use binds fewer");
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

    /** Returns the number of key columns that name a line, by the latest decision. */
    synchronized int cells() {
        return cells;
    }

    /** Records a read that binds no key column by {@code =}. */
    public void readsRange() {
        ranges.increment();
    }

    /** Returns whether at least one in {@code oneIn} recent reads is a range read. */
    private boolean isRead(int oneIn, long queries) {
        recent += Math.max(0, queries - queriesSeen);
        queriesSeen = queries;
        long sum = ranges.sum();
        recentRanges += sum - rangesSeen;
        rangesSeen = sum;
        for (; recent > LATEST; recent /= 2) {
            recentRanges /= 2;
        }
        return oneIn * recentRanges + FEW >= recent;
    }

    /** Records that a statement in use binds this many key columns by {@code =}. */
    public synchronized void inUse(int bound) {
        inUse.set(bound);
    }

    /**
     * Records that lines are too fine for a statement in use.
     *
     * @param bound the number of key columns that the statement binds
     * @param queries the number of reads of the table up to now
     * @return whether {@link #cells} is now {@code bound}
     */
    synchronized boolean asked(int bound, long queries, long nowNanos) {
        if (bound >= cells || (bound == 0 && !isRead(RANGES_IN, queries)) || refuses(bound, nowNanos)) {
            return false;
        }
        go(bound, nowNanos, "chose " + bound + " because a statement binds this many key columns");
        return true;
    }

    /** Returns whether lines of this many key columns are excluded, too long, or too costly. */
    public synchronized boolean refuses(int bound, long nowNanos) {
        Level level = figures.level(bound);
        Level current = figures.level(cells);
        boolean dearer = bound > 0 && level != null && current != null && isCheaper(current, CHEAPER, level);
        return dearer || nowNanos - refusedUntil[bound] < 0 || ghosts.exceeds(bound, maxMeanRows);
    }

    /**
     * Leaves a level whose lines are too long, or whose loads do not pay off while other statements
     * bind more key columns. Must be called on each miss.
     *
     * @param pays whether loads at the current level pay off
     * @return whether {@link #cells} has changed
     */
    synchronized boolean givesUp(boolean pays, long nowNanos) {
        boolean tooLong = cells > 0 && cells < keyCells && ghosts.exceeds(cells, maxMeanRows);
        if (!tooLong && (pays || inUse.nextSetBit(cells + 1) < 0)) {
            return false;
        }
        String decision = tooLong
                ? "left " + cells + " because its lines had more than " + maxMeanRows
                        + " rows on average, or one was too big"
                : "left " + cells + " because its loads did not pay off";
        go(finer(), nowNanos, decision);
        return true;
    }

    private int finer() {
        int next = inUse.nextSetBit(cells + 1);
        return next < 0 ? keyCells : next;
    }

    private void go(int next, long nowNanos, String decision) {
        if (next > cells) {
            refusedUntil[cells] = nowNanos + refusal[cells];
            refusal[cells] = Math.min(LONGEST_REFUSAL_NANOS, 2 * refusal[cells]);
        }
        cells = next;
        begin(ghosts.snapshot(), nowNanos);
        Figures known = figures;
        figures = new Figures(next, known.levels(), known.reads(), known.sampleRate(), known.switches() + 1, decision);
    }

    private void begin(Ghosts.Snapshot now, long nowNanos) {
        base = now;
        begunNanos = nowNanos;
    }

    /**
     * Makes a measured decision if it is due. Must be called about once a second.
     *
     * @param ttlNanos how long a line lives
     * @param queries the number of reads of the table up to now
     * @return whether {@link #cells} has changed
     */
    synchronized boolean decide(long ttlNanos, long queries, long nowNanos) {
        if (cells == 0) {
            boolean finer = !isRead(4 * RANGES_IN, queries);
            if (finer) {
                go(finer(), nowNanos, "left ranges because few reads are of ranges");
            }
            return finer;
        }
        if (nowNanos - settledNanos >= WINDOW_NANOS) {
            settledNanos = nowNanos;
            ghosts.adjustRate(ttlNanos, nowNanos);
        }
        Ghosts.Snapshot now = ghosts.snapshot();
        long reads =
                Arrays.stream(now.reads()).sum() - Arrays.stream(base.reads()).sum();
        if (!ghosts.isActive() || now.generation() != base.generation()) {
            begin(now, nowNanos);
            return false;
        }
        boolean few = reads < MANY_READS || nowNanos - begunNanos < WINDOW_NANOS;
        if (reads < FEW_READS) {
            return false;
        }
        List<Level> levels = levels(now, reads);
        Figures known = new Figures(cells, levels, reads, now.sampleRate(), figures.switches(), figures.decision());
        Level current = known.level(cells);
        Level best = current;
        for (Level level : levels) {
            boolean allowed = !level.tooLong() && nowNanos - refusedUntil[level.cells()] >= 0;
            best = allowed && best != null && isCheaper(level, 1, best) ? level : best;
        }
        if (current == null
                || best == null
                || best.equals(current)
                || !isCheaper(best, few ? FAR_CHEAPER : CHEAPER, current)) {
            if (!few) {
                begin(now, nowNanos);
                figures = known;
            }
            return false;
        }
        figures = known;
        String decision = String.format(
                Locale.ROOT,
                "changed from %d to %d: %s instead of %s ms of load time per read",
                cells,
                best.cells(),
                millis(best.costNanos()),
                millis(current.costNanos()));
        go(best.cells(), nowNanos, decision);
        return true;
    }

    /** Returns whether a level costs less than {@code part} of the other; false if unknown. */
    private static boolean isCheaper(Level level, double part, Level than) {
        return level.costNanos() >= 0 && than.costNanos() >= 0 && level.costNanos() < part * than.costNanos();
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
            boolean known = forwardedNanos >= 0 && (nanos >= 0 || loads == 0);
            levels.add(new Level(
                    ghosts.cells(level),
                    (loads + forwarded) / reads,
                    now.rows()[level],
                    nanos,
                    known ? (loads * least + forwardedNanos) / reads : -1,
                    now.overCeiling()[level] || ghosts.exceeds(ghosts.cells(level), maxMeanRows)));
            double bound = now.reads()[level] - base.reads()[level];
            forwarded += bound;
            forwardedNanos = nanos < 0 && bound > 0 ? -1 : forwardedNanos + bound * Math.max(nanos, 0);
        }
        return levels;
    }

    private static String millis(double nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / NANOS_PER_MILLI);
    }

    /** Returns the reason for the granularity as text for people. */
    public String why() {
        Figures known = figures;
        StringBuilder why = new StringBuilder("auto, ").append(known.decision());
        for (Level level : known.levels()) {
            String cost = level.costNanos() < 0 ? "unknown" : millis(level.costNanos()) + " ms per read";
            why.append(String.format(
                    Locale.ROOT, "; %d: %.1f %% of reads load, %s", level.cells(), 100 * level.share(), cost));
        }
        return why.toString();
    }
}
