package org.keyline.gateway.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.rowcache.Ghosts;

/**
 * The load granularity of one table with {@code prefix: auto}, chosen by what reads would cost at each: the share of loads times what a
 * load takes. Thread-safe; the clock is the caller's.
 */
public final class AutoPrefix {
    /*
     * Decisions are made over windows of reads in the sample. The first one is made as soon as there are enough, or fewer where a level
     * costs a fraction of the one in force: then each second counts. Later ones need several windows that agree, since a switch begins
     * without lines, and some time between two switches, which doubles when the second undoes the first.
     *
     * Where all processors are busy, loads wait for these, and one of many rows takes hardly longer than one of a few, though it is more
     * work. So a load is taken to last at least as long as its rows say, compared with a load by the whole key.
     */
    static final long WINDOW_NANOS = 5_000_000_000L;
    private static final long FIRST_WINDOW_NANOS = 1_000_000_000L;
    /** So long the first decision waits for levels that are being tried. */
    private static final long LONGEST_FIRST_NANOS = 2 * WINDOW_NANOS;

    private static final long FEWEST_READS = 2_000;
    /** For a first decision that goes to a level of less than {@link #FAR_CHEAPER} of the costs. */
    private static final long FEWEST_FIRST_READS = 500;

    private static final double FAR_CHEAPER = 0.25;
    private static final int AGREEING = 3;
    /** A level has to cost less than this part of the one in force. */
    private static final double CHEAPER = 0.8;

    private static final long LEAST_PAUSE_NANOS = 30_000_000_000L;
    private static final long MOST_PAUSE_NANOS = 3_600_000_000_000L;
    /** From this share of its budget on, the cache may not have room for all lines of a level. */
    private static final double TIGHT = 0.8;

    /** What a statement costs at least beside its rows, in rows. */
    private static final double ROWS_OF_STATEMENT = 100;

    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * What one level would cost.
     *
     * @param cells key columns that name a line
     * @param share of the reads that would load, or go to the store since they bind fewer columns
     * @param rows mean rows of a load
     * @param loadNanos mean time of a load; negative while unknown
     * @param costNanos mean time that a read waits for loads; negative while unknown
     * @param overCeiling whether there are more rows under its prefixes than one line may have: it is not chosen
     */
    public record Level(int cells, double share, double rows, double loadNanos, double costNanos, boolean overCeiling) {
        boolean isKnown() {
            return costNanos >= 0 || overCeiling;
        }
    }

    /**
     * What is known and was decided.
     *
     * @param levels from the coarsest on; empty before the first decision
     * @param reads reads in the sample that the levels are judged by
     * @param sampleRate share of the prefixes in the sample
     * @param switches how often another level was chosen
     * @param decision in words for people
     */
    public record Figures(
            int cells, List<Level> levels, long reads, double sampleRate, long switches, String decision) {
        public Figures {
            levels = List.copyOf(levels);
        }
    }

    /**
     * The room that there is.
     *
     * @param maxBytes budget of all lines
     * @param usedBytes bytes of all lines
     * @param ownBytes those of the table
     */
    public record Room(long maxBytes, long usedBytes, long ownBytes) {
        /** What the table's lines may take; any number where there is plenty. */
        double free() {
            return usedBytes < TIGHT * maxBytes ? Double.MAX_VALUE : Math.max(0, maxBytes - (usedBytes - ownBytes));
        }
    }

    private final Ghosts ghosts;
    private volatile Figures figures;

    // Guarded by this.
    private int cells;
    private Ghosts.Snapshot base;
    private long begunNanos;
    private long settledNanos;
    private boolean decided;
    private int wanted;
    private int agreeing;
    private int before;
    private long switchedNanos;
    private long pauseNanos = LEAST_PAUSE_NANOS;
    private long switches;

    /** @param cells the granularity in force until something is known */
    AutoPrefix(Ghosts ghosts, int cells, long nowNanos) {
        this.ghosts = ghosts;
        this.cells = cells;
        this.base = ghosts.snapshot();
        this.begunNanos = nowNanos;
        this.settledNanos = nowNanos;
        this.switchedNanos = nowNanos - LEAST_PAUSE_NANOS;
        this.figures = new Figures(cells, List.of(), 0, base.sampleRate(), 0, "nothing is known yet");
    }

    /** Simulates the levels. */
    public Ghosts ghosts() {
        return ghosts;
    }

    /** What is known, and what was decided. */
    public Figures figures() {
        return figures;
    }

    /** Key columns that name a line, by the last decision. */
    synchronized int cells() {
        return cells;
    }

    /**
     * Looks whether a decision is due, and makes it; to be called about once a second.
     *
     * @param ttlNanos how long a line answers
     * @return whether {@link #cells} has changed
     */
    synchronized boolean decide(long ttlNanos, Room room, long nowNanos) {
        if (!ghosts.isKept()) {
            begunNanos = nowNanos;
            return false;
        }
        if (nowNanos - settledNanos >= WINDOW_NANOS) {
            settledNanos = nowNanos;
            ghosts.settle(ttlNanos, nowNanos);
        }
        Ghosts.Snapshot now = ghosts.snapshot();
        if (now.generation() != base.generation()) {
            begin(now, nowNanos);
            return false;
        }
        long taken = nowNanos - begunNanos;
        long reads = sum(now.reads()) - sum(base.reads());
        if (reads < (decided ? FEWEST_READS : FEWEST_FIRST_READS)
                || taken < (decided ? WINDOW_NANOS : FIRST_WINDOW_NANOS)) {
            return false;
        }
        List<Level> levels = levels(now, reads, taken, ttlNanos, room);
        if (reads < FEWEST_READS && !isFarFromBest(levels)) {
            return false;
        }
        if (!decided && taken < LONGEST_FIRST_NANOS && !levels.stream().allMatch(Level::isKnown)) {
            // Levels that nobody loads are being tried; the first decision waits for them.
            tell(levels, reads, now.sampleRate(), "waits until each level was loaded some times");
            return false;
        }
        boolean changed = decide(levels, reads, now.sampleRate(), nowNanos);
        decided = true;
        begin(now, nowNanos);
        return changed;
    }

    private boolean isFarFromBest(List<Level> levels) {
        Level best = best(levels);
        return best != null && levels.stream().allMatch(Level::isKnown) && isCheaper(best, FAR_CHEAPER, levels);
    }

    /** Whether a level costs less than a part of the one in force. */
    private boolean isCheaper(Level than, double part, List<Level> levels) {
        Level current = levels.get(index(levels, cells));
        return than.cells() != cells
                && (current.overCeiling()
                        || (current.costNanos() >= 0 && than.costNanos() < part * current.costNanos()));
    }

    private boolean decide(List<Level> levels, long reads, double sampleRate, long nowNanos) {
        Level current = levels.get(index(levels, cells));
        Level best = best(levels);
        if (best == null || !isCheaper(best, CHEAPER, levels)) {
            agreeing = 0;
            tell(levels, reads, sampleRate, "stays: no other level costs less than " + CHEAPER + " of it");
            return false;
        }
        agreeing = best.cells() == wanted ? agreeing + 1 : 1;
        wanted = best.cells();
        boolean rested = nowNanos - switchedNanos >= pauseNanos;
        if ((decided && agreeing < AGREEING) || !rested) {
            String why = rested ? agreeing + " of " + AGREEING + " windows agree" : "the last switch was lately";
            tell(levels, reads, sampleRate, "would go to " + wanted + ": " + why);
            return false;
        }
        boolean undone = switches > 0 && wanted == before;
        pauseNanos = undone ? Math.min(MOST_PAUSE_NANOS, 2 * pauseNanos) : LEAST_PAUSE_NANOS;
        String from = String.format(
                Locale.ROOT,
                "went from %d to %d: %s instead of %s ms of load a read",
                cells,
                wanted,
                millis(best.costNanos()),
                millis(current.costNanos()));
        before = cells;
        cells = wanted;
        switchedNanos = nowNanos;
        switches++;
        agreeing = 0;
        tell(levels, reads, sampleRate, from);
        return true;
    }

    private void begin(Ghosts.Snapshot now, long nowNanos) {
        base = now;
        begunNanos = nowNanos;
    }

    private void tell(List<Level> levels, long reads, double sampleRate, String decision) {
        figures = new Figures(cells, levels, reads, sampleRate, switches, decision);
    }

    private List<Level> levels(Ghosts.Snapshot now, long reads, long taken, long ttlNanos, Room room) {
        List<Level> levels = new ArrayList<>();
        double forwarded = 0;
        double forwardedNanos = 0;
        for (int level = 1; level < now.loads().length; level++) {
            double loads = now.loads()[level] - base.loads()[level];
            double nanos = now.loadNanos()[level];
            // Of what is not resident when it is asked for again, a hit is a load.
            double resident = loads / taken * Math.max(ttlNanos, 1) / now.sampleRate() * now.bytes()[level];
            double lacking = resident <= room.free() ? 0 : 1 - room.free() / resident;
            double able = reads - forwarded;
            loads += (able - loads) * lacking;
            double share = (loads + forwarded) / reads;
            boolean known = forwardedNanos >= 0 && (nanos >= 0 || loads == 0);
            double cost = known ? (loads * Math.max(nanos, nanosByRows(now, level)) + forwardedNanos) / reads : -1;
            boolean over = now.overCeiling()[level];
            levels.add(new Level(ghosts.cells(level), share, now.rows()[level], nanos, cost, over));
            double asked = now.reads()[level] - base.reads()[level];
            forwarded += asked;
            if (asked > 0) {
                forwardedNanos = nanos < 0 || forwardedNanos < 0 ? -1 : forwardedNanos + asked * nanos;
            }
        }
        return levels;
    }

    /** How long a load takes at least; 0 where nothing is known. */
    private static double nanosByRows(Ghosts.Snapshot now, int level) {
        int whole = now.loadNanos().length - 1;
        return Math.max(now.loadNanos()[whole], 0)
                * (ROWS_OF_STATEMENT + now.rows()[level])
                / (ROWS_OF_STATEMENT + now.rows()[whole]);
    }

    private static @Nullable Level best(List<Level> levels) {
        Level best = null;
        for (Level level : levels) {
            if (level.costNanos() >= 0
                    && !level.overCeiling()
                    && (best == null || level.costNanos() < best.costNanos())) {
                best = level;
            }
        }
        return best;
    }

    /** Of a granularity between two levels, as that of a key with many columns may be at first, the finer one. */
    private static int index(List<Level> levels, int cells) {
        int at = 0;
        while (at < levels.size() - 1 && levels.get(at).cells() < cells) {
            at++;
        }
        return at;
    }

    private static String millis(double nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / NANOS_PER_MILLI);
    }

    private static long sum(long[] counts) {
        long sum = 0;
        for (long count : counts) {
            sum += count;
        }
        return sum;
    }

    /** In words for people, why the granularity is what it is. */
    public String why() {
        Figures known = figures;
        StringBuilder why = new StringBuilder("auto, ").append(known.decision());
        for (Level level : known.levels()) {
            if (level.costNanos() >= 0) {
                why.append(String.format(
                        Locale.ROOT,
                        "; %d: %.1f %% of reads load, %s ms a read",
                        level.cells(),
                        100 * level.share(),
                        millis(level.costNanos())));
            }
        }
        return why.toString();
    }
}
