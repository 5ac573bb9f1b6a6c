package org.keyline.gateway.table;

import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a miss loads its line. Loads spend a credit, and hits earn it. The credit's unit
 * is the store's work for one forwarded read. Every miss loads until the credit is spent. From then
 * on, only misses of repeatedly missed keys load, and a few other misses. When loads pay off again,
 * every miss loads again. Thread-safe.
 */
public final class LoadAdmission {
    /** Credit that loads may spend before hits have earned it. */
    static final double CREDIT = 1_024;
    /** Initial credit for repeatedly missed keys, after loads of all keys did not pay off. */
    private static final double LITTLE = CREDIT / 16;
    /** The work of a statement besides its rows, expressed in rows. */
    private static final double STATEMENT_ROWS = 20;
    /**
     * A load costs nothing up to this multiple of a forwarded read's work, because means of few
     * samples vary by chance.
     */
    private static final double FREE = 1.25;
    /**
     * A load's time counts as at most this multiple of the mean, because a pause of the store is no
     * cost of loads.
     */
    private static final double LONGEST = 8;
    /** Number of samples from which on a mean gives each new sample the same weight. */
    private static final double SAMPLES = 32;
    /**
     * After the first loads, one miss in {@link #PROBING} is forwarded until this many forwarded
     * reads are timed.
     */
    private static final int FEWEST_FORWARDS = 16;

    private static final int FIRST_LOADS = 64;
    private static final int PROBING = 16;
    /** Number of loads after which their gain decides whether more of them pay off. */
    private static final int WINDOW_LOADS = 32;
    /** Number of consecutive misses after which a key counts as repeatedly missed. */
    private static final int OFTEN = 2;

    private static final int ONE_OTHER_IN = 128;
    private static final int ONE_OFTEN_IN = 16;
    private static final long SETTLE_NANOS = 1_000_000;

    private final LongSupplier hits;
    private final LongUnaryOperator lifeNanos;

    // Guarded by this.
    /** The missed keys; null while every miss loads. */
    private @Nullable RecentMisses misses;

    private double credit = CREDIT;
    private long settledNanos;
    private long earned;
    private int turns;
    private int turnsOfOften;
    // Figures of the window: loads, loads of rarely missed keys, and the gain of all loads. The
    // last figure estimates the gain if every miss had loaded.
    private long windowLoads;
    private long others;
    private double gain;
    private double firsts;
    // Numbers of loads and forwarded reads, and means, which are negative while unknown.
    private double loads;
    private double forwards;
    private double loadNanos = -1;
    private double forwardNanos = -1;
    private double readRows = -1;
    private double loadCost = 1;

    /**
     * @param hits returns how many reads lines have answered so far
     * @param lifeNanos returns how long a line lives at a given time if no write drops it
     */
    public LoadAdmission(LongSupplier hits, LongUnaryOperator lifeNanos) {
        this.hits = hits;
        this.lifeNanos = lifeNanos;
    }

    /**
     * Records a load's round trip to the store.
     *
     * @param rows the number of loaded rows
     * @param reads how many misses the load served
     */
    public synchronized void loadTook(long nanos, long rows, int reads) {
        loads++;
        windowLoads++;
        double took = loadNanos < 0 ? (double) nanos : Math.min((double) nanos, LONGEST * loadNanos);
        loadNanos = mean(loadNanos, took, loads);
        double byRows = readRows < 0 ? 1 : (STATEMENT_ROWS + rows) / (STATEMENT_ROWS + readRows);
        double byTime = forwards < FEWEST_FORWARDS ? 1 : loadNanos / Math.max(1, forwardNanos);
        double cost = Math.max(byRows, byTime);
        loadCost = mean(loadCost, cost, loads);
        earn(-Math.max(0, cost - FREE * reads));
    }

    /** Records that a load did not suffice for its read, which loads again or is forwarded. */
    public synchronized void loadsAgain() {
        earn(-loadCost);
    }

    public synchronized void answeredByPeer() {
        windowLoads++;
        earn(1);
    }

    /** Records the reply to a read that waited for loads. */
    public synchronized void answered(long rows) {
        readRows = mean(readRows, (double) rows, loads);
    }

    /** Records the time of a forwarded read that loads could have served. */
    public synchronized void forwardTook(long nanos, long rows) {
        forwards++;
        forwardNanos = mean(forwardNanos, (double) nanos, forwards);
        readRows = mean(readRows, (double) rows, forwards);
    }

    /**
     * Returns whether a read loads its missing line. If not, the session forwards the read.
     *
     * @param keyHash the hash of the missing line's key
     */
    public synchronized boolean admits(long keyHash, long nowNanos) {
        settle(nowNanos);
        RecentMisses remembered = misses;
        if (remembered == null) {
            return forwards >= FEWEST_FORWARDS || loads < FIRST_LOADS || ++turns % PROBING != 0;
        }
        int followed = remembered.missed(keyHash, nowNanos, lifeNanos.applyAsLong(nowNanos), OFTEN);
        firsts += followed == 0 ? -Math.max(0, loadCost - FREE) : followed <= OFTEN ? 1 : 0;
        if (followed >= OFTEN) {
            return credit > 0 || ++turnsOfOften % ONE_OFTEN_IN == 0;
        }
        boolean admitted = ++turns % ONE_OTHER_IN == 0;
        others += admitted ? 1 : 0;
        return admitted;
    }

    private void settle(long nowNanos) {
        if (nowNanos - settledNanos >= SETTLE_NANOS) {
            settledNanos = nowNanos;
            long sum = hits.getAsLong();
            earn((double) (sum - earned));
            earned = sum;
        }
        if (windowLoads >= WINDOW_LOADS) {
            if (misses != null && gain > 0 && (firsts >= 0 || 2 * others > windowLoads)) {
                misses = null;
                credit = CREDIT / 2;
            }
            beginWindow();
        }
    }

    private void earn(double reads) {
        gain += reads;
        credit = Math.max(0, Math.min(CREDIT, credit + reads));
        if (credit == 0 && misses == null) {
            misses = new RecentMisses();
            credit = LITTLE;
            beginWindow();
        }
    }

    private void beginWindow() {
        windowLoads = 0;
        others = 0;
        gain = 0;
        firsts = 0;
    }

    public synchronized boolean loadsAll() {
        return misses == null;
    }

    public synchronized boolean pays() {
        return misses == null || credit > 0;
    }

    /** Returns the rule in force with its figures, as a sentence. */
    public synchronized String why() {
        String rule = misses == null
                ? "every miss loads"
                : (credit > 0 ? "only keys" : "one in " + ONE_OFTEN_IN + " keys")
                        + " missed twice within the life of a line, and one in " + ONE_OTHER_IN
                        + " other misses, load, because loads at every miss did not pay off";
        String cost = loads == 0 ? "unknown" : String.format(Locale.ROOT, "%.2f reads", loadCost);
        return String.format(
                Locale.ROOT,
                "%s (cost of a load: %s, hits: %d, credit left: %.0f of %.0f reads)",
                rule,
                cost,
                hits.getAsLong(),
                credit,
                CREDIT);
    }

    private static double mean(double mean, double latest, double count) {
        return mean < 0 ? latest : mean + (latest - mean) / Math.min(SAMPLES, Math.max(1, count));
    }
}
