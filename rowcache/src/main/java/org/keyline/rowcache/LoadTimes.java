package org.keyline.rowcache;

/**
 * What loads of one table take, by level: the mean of each level's latest loads. That of a level which is not loaded now changes with those
 * that are, in proportion: a store that has become slower has become so for all of them, and the ratio of two levels is what choices depend
 * on. Thread-safe.
 */
final class LoadTimes {
    /*
     * The pace is a chain of ratios: each load of a level that is loaded often changes its level's mean, and the pace by as much. A level
     * remembers the pace of its own last load. So between two loads of a level its mean changes as that of the others did, and where only
     * one level is loaded nothing adds up.
     */
    /** How much the latest load counts in its level's means, at least; the first ones count more. */
    private static final double STEP = 1.0 / 64;
    /** Loads of a level whose mean tells of the pace. */
    private static final int OFTEN = 64;
    /** A load that took so many times its level's mean counts as one that took that long: a pause of the store is no property of a level. */
    private static final double LONGEST = 8;
    /** A level above whose ceiling this share of the loads is has no whole lines. */
    private static final double OVER = 0.05;
    /** The mean of a few loads is that of one long line: a level may have brought the rows of so many mean lines more. */
    private static final int FORGIVEN = 4;
    /** Of so many calls of grow after the last load of a level, it is to be loaded again. */
    private static final int SEEN_AGAIN = 60;

    /** Means over the loads of one level. */
    private static final class Level {
        int loads;
        int idle;
        double rows;
        double bytes;
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

    synchronized void add(int at, int rows, int bytes, long took, boolean whole) {
        Level level = levels[at];
        double before = level.nanos * pace / level.pace;
        double time = Math.max(1.0, (double) took);
        if (level.loads >= Ghosts.FEWEST_LOADS) {
            time = Math.min(time, LONGEST * before);
        }
        double step = Math.max(STEP, 1.0 / ++level.loads);
        level.rows += step * (rows - level.rows);
        level.bytes += step * (bytes - level.bytes);
        level.over += step * ((whole ? 0 : 1) - level.over);
        level.nanos = before + step * (time - before);
        if (level.loads > OFTEN) {
            pace *= level.nanos / before;
        }
        level.pace = pace;
        level.idle = 0;
    }

    /** Mean time of a load of a level; negative while it is not known. */
    synchronized double nanos(int level) {
        Level of = levels[level];
        return of.loads < Ghosts.FEWEST_LOADS ? -1 : of.nanos * pace / of.pace;
    }

    synchronized double rows(int level) {
        return levels[level].rows;
    }

    synchronized double bytes(int level) {
        return levels[level].bytes;
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

    /** To be called now and then: tables grow, so a level that was not loaded for long is to be loaded some times again. */
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
