package org.keyline.gateway.table;

import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a miss loads its line. Loads spend a credit, and hits earn it. The credit's unit
 * is the store's work for one forwarded read. Every miss loads until the credit is spent. Then a
 * pause begins, in which only repeatedly missed keys load. Each pause is twice as long as the one
 * before, unless hits restored the whole credit in between. Thread-safe.
 */
public final class LoadAdmission {
    /** Credit that loads may spend before hits have earned it. */
    static final double CREDIT = 1_024;
    /** Credit after a pause. */
    private static final double CREDIT_AGAIN = CREDIT / 4;
    /** Credit at the beginning of a pause, for loads of repeatedly missed keys. */
    private static final double CREDIT_IN_PAUSE = CREDIT / 16;
    /** The fixed work of a statement, expressed as a number of rows with the same work. */
    private static final double STATEMENT_ROWS = 20;
    /**
     * A load's time counts as at most this multiple of the mean, because one slow reply of the
     * store does not show what loads cost.
     */
    private static final double LONGEST = 8;
    /** After this many samples, every new sample has the same weight in a mean. */
    private static final double SAMPLES = 32;
    /**
     * After the first loads, one miss in {@link #PROBING} is forwarded until this many forwarded
     * reads are timed.
     */
    private static final int FEWEST_FORWARDS = 16;

    private static final int FIRST_LOADS = 64;
    private static final int PROBING = 16;
    private static final long FIRST_PAUSE_NANOS = 30_000_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 300_000_000_000L;
    /** Number of remembered keys. A power of two. */
    private static final int KEYS = 4_096;

    private final LongSupplier hits;
    private final LongUnaryOperator lifeNanos;

    // Guarded by this.
    /**
     * A hash table of two numbers: the hash of the last missed key, and a time. The time is that of
     * the miss or, after a load, of the line's expiry. Null while every miss loads.
     */
    private long @Nullable [] misses;

    private double credit = CREDIT;
    private long earned;
    private long pauseNanos = FIRST_PAUSE_NANOS;
    private long pauseEndNanos;
    private int turns;
    // Numbers of loads and forwarded reads, and means, which are negative while unknown.
    private double loads;
    private double forwards;
    private double loadNanos = -1;
    private double forwardNanos = -1;
    private double readRows = -1;
    private double loadCost = 1;

    /**
     * @param hits returns how many reads lines have answered so far
     * @param lifeNanos returns how long a line loaded at a given time lives if no write drops it
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
        double took = loadNanos < 0 ? (double) nanos : Math.min((double) nanos, LONGEST * loadNanos);
        loadNanos = mean(loadNanos, took, loads);
        double byRows = readRows < 0 ? 1 : (STATEMENT_ROWS + rows) / (STATEMENT_ROWS + readRows);
        double byTime = forwards < FEWEST_FORWARDS ? 1 : loadNanos / Math.max(1, forwardNanos);
        double cost = Math.max(byRows, byTime);
        loadCost = mean(loadCost, cost, loads);
        earn(-Math.max(0, cost - reads));
    }

    /** Records that a load did not suffice for its read, which loads again or is forwarded. */
    public synchronized void loadsAgain() {
        earn(-loadCost);
    }

    public synchronized void answeredByPeer() {
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
        long[] known = misses;
        if (known == null) {
            return forwards >= FEWEST_FORWARDS || loads < FIRST_LOADS || ++turns % PROBING != 0;
        }
        int place = 2 * ((int) keyHash & (KEYS - 1));
        long life = lifeNanos.applyAsLong(nowNanos);
        boolean admitted = credit > 0 && known[place] == keyHash && nowNanos - known[place + 1] <= life;
        known[place] = keyHash;
        known[place + 1] = admitted ? nowNanos + life : nowNanos;
        return admitted;
    }

    private void settle(long nowNanos) {
        long sum = hits.getAsLong();
        earn((double) (sum - earned));
        earned = sum;
        if (misses == null && credit <= 0) {
            misses = new long[2 * KEYS];
            credit = CREDIT_IN_PAUSE;
            pauseEndNanos = nowNanos + pauseNanos;
            pauseNanos = Math.min(LONGEST_PAUSE_NANOS, 2 * pauseNanos);
        } else if (misses != null && nowNanos - pauseEndNanos >= 0) {
            misses = null;
            credit = CREDIT_AGAIN;
        } else if (misses == null && credit >= CREDIT) {
            pauseNanos = FIRST_PAUSE_NANOS;
        }
    }

    private void earn(double reads) {
        credit = Math.min(CREDIT, credit + reads);
    }

    public synchronized boolean loadsAll() {
        return misses == null;
    }

    /** Returns the rule in force with its figures, as a sentence. */
    public synchronized String why() {
        String rule = misses == null
                ? "every miss loads"
                : (credit > 0 ? "only keys missed twice within the life of a line load" : "no miss loads")
                        + " for some time, because loads at every miss did not pay off";
        String cost = loads == 0 ? "unknown" : String.format(Locale.ROOT, "%.2f reads", loadCost);
        return String.format(
                Locale.ROOT,
                "%s (cost of a load: %s, hits: %d, credit left: %.0f of %.0f reads)",
                rule,
                cost,
                hits.getAsLong(),
                Math.max(0, credit),
                CREDIT);
    }

    private static double mean(double mean, double latest, double count) {
        return mean < 0 ? latest : mean + (latest - mean) / Math.min(SAMPLES, Math.max(1, count));
    }
}
