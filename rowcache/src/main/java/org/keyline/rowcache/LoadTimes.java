package org.keyline.rowcache;

/**
 * The mean load times of one table, one mean for the latest loads of each level of {@link Ghosts}.
 * A slower store is slower at all levels, so the mean of a level without loads changes in
 * proportion to the means of the other levels. Thread-safe.
 */
final class LoadTimes {
    /*
     * The pace is a running product of ratios that follows the speed of the store. A load of a
     * frequently loaded level changes the mean of this level, and multiplies the pace by the same
     * ratio. Each level stores the pace at its last load; the change of the pace since then
     * multiplies the level's mean. The mean therefore changes like the means of the other levels.
     * No error accumulates if only one level is loaded.
     */
    /** The minimum weight of the latest load. The first loads weigh more. */
    private static final double STEP = 1.0 / 64;
    /** The number of loads after which a level's mean contributes to the pace. */
    private static final int OFTEN = 64;
    /**
     * A load's time counts as at most this multiple of the mean, because a pause of the store would
     * otherwise distort the mean of one level.
     */
    private static final double LONGEST = 8;
    /** A level exceeds the limits of a line if more than this share of its loads does. */
    private static final double OVER = 0.05;
    /** Number added to a level's loads, so that one long line cannot dominate a mean. */
    private static final int FORGIVEN = 4;
    /** Number of calls of {@link #grow} without a load after which a level is measured again. */
    private static final int SEEN_AGAIN = 60;

    private static final class Level {
        int loads;
        int idle;
        double rows;
        double nanos;
        double over;
        double pace = 1;
    }

    private final Level[] levels;
    private double pace = 1;

    LoadTimes(int count) {
        levels = new Level[count + 1];
        for (int level = 0; level <= count; level++) {
            levels[level] = new Level();
        }
    }

    synchronized void add(int at, int rows, long took, boolean whole) {
        Level level = levels[at];
        double before = level.nanos * pace / level.pace;
        double time = Math.max(1.0, (double) took);
        if (level.loads >= Ghosts.FEWEST_LOADS) {
            time = Math.min(time, LONGEST * before);
        }
        double step = Math.max(STEP, 1.0 / ++level.loads);
        level.rows += step * (rows - level.rows);
        level.over += step * ((whole ? 0 : 1) - level.over);
        level.nanos = before + step * (time - before);
        if (level.loads > OFTEN) {
            pace *= level.nanos / before;
        }
        level.pace = pace;
        level.idle = 0;
    }

    /** Returns the mean time of a load; negative while unknown. */
    synchronized double nanos(int level) {
        Level of = levels[level];
        return of.loads < Ghosts.FEWEST_LOADS ? -1 : of.nanos * pace / of.pace;
    }

    synchronized double rows(int level) {
        return levels[level].rows;
    }

    synchronized int loads(int level) {
        return levels[level].loads;
    }

    synchronized boolean isOverCeiling(int level) {
        return levels[level].over > OVER;
    }

    synchronized boolean exceeds(int at, int meanRows) {
        Level level = levels[at];
        boolean over = level.over > OVER && level.over * level.loads > 1;
        return over || level.rows * level.loads > (double) meanRows * (level.loads + FORGIVEN);
    }

    /**
     * Lets levels without recent loads be measured again, because tables grow. Called periodically.
     */
    synchronized void grow() {
        for (Level level : levels) {
            if (++level.idle >= SEEN_AGAIN && level.loads > Ghosts.FEWEST_LOADS) {
                level.loads = Ghosts.FEWEST_LOADS;
                level.over = 0;
                level.idle = 0;
            }
        }
    }
}
