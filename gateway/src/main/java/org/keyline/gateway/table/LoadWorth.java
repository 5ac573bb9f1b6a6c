package org.keyline.gateway.table;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.rowcache.LineTable;

/**
 * Whether it pays to load a table's lines, from what was measured: a load that took longer than the read would have taken at the store has
 * to be made up for by the hits on its line. Where it does not pay, only what is missed again and again is loaded, since some keys may be
 * read often where most are not. Where that does not pay either, reads are forwarded. A small share of them is loaded for all the same, by
 * which is seen whether that changes. Loads that a reply to a client makes cost nothing and are not asked for here. Thread-safe; the clock
 * is the caller's.
 */
public final class LoadWorth {
    /*
     * With r hits a load, n loads one after the other for a read that lacks lines, and mean times of a load, a forwarded read and a hit,
     * loads pay if n r (forward - hit) > n load - forward. All are taken over windows and smoothed. Several windows in a row have to say
     * the same, by a margin, before anything changes: at the start, and after a change of traffic, lines have not had the time for their
     * hits yet.
     *
     * Where all processors are busy, statements wait for these, and a load of many rows takes hardly longer than a read of a few. A range
     * has more rows than are asked for, so the load of one is taken to last at least as long as a read of as many rows would.
     */
    private static final long WINDOW_NANOS = 2_000_000_000L;
    private static final long LOOK_AGAIN_NANOS = 100_000_000;
    /** A window with fewer loads than this goes on. */
    private static final int FEWEST_LOADS = 32;
    /** Forwarded reads by which their time is known. */
    private static final int FEWEST_FORWARDS = 16;
    /** Windows that have to agree. */
    private static final int AGREEING = 3;

    private static final double MARGIN = 1.25;
    /** Misses in succession that the next one has to follow for its key to be one that is missed again and again. */
    private static final int OFTEN = 2;
    /** Where forwarding does not pay in any case, its time need not be known. */
    private static final double MANY_HITS = 8;
    /** What a statement costs beside its rows, in rows. */
    private static final double ROWS_OF_STATEMENT = 10;

    /** What is loaded of that which is missing. */
    private enum Rule {
        /** All. */
        ALL(1, 1),
        /** Those that are missed again and again, and a few others. */
        OFTEN_MISSED(128, 1),
        /** Only so many that the outcome shows. */
        FEW(128, 16);

        /** One of so many reads is loaded for. A power of two. */
        private final int others;
        /** The same for those that are missed again and again. */
        private final int often;

        Rule(int others, int often) {
            this.others = others;
            this.often = often;
        }
    }

    /** While the time of forwarded reads is to be learned, one of so many is forwarded. A power of two. */
    private static final int PROBING = 16;

    /**
     * What the table has counted.
     *
     * @param hits reads that lines answered
     * @param loads loads of lines, however they came
     * @param rangeRows rows of those loads, where they are of ranges, which have more rows than are asked for; else 0
     * @param hitNanos mean time of a hit
     */
    public record Tally(long hits, long loads, long rangeRows, double hitNanos) {}

    private final Supplier<Tally> tally;
    private final LongAdder trips = new LongAdder();
    private final LongAdder tripNanos = new LongAdder();
    private final LongAdder waits = new LongAdder();
    private final LongAdder waitsAgain = new LongAdder();
    private final LongAdder lent = new LongAdder();
    private final LongAdder forwards = new LongAdder();
    private final LongAdder forwardNanos = new LongAdder();
    private final LongAdder forwardRows = new LongAdder();
    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicInteger turnsOfOften = new AtomicInteger();
    /** Misses that followed none, those that would have been hits if such a one had been loaded, and loads for keys not often missed. */
    private final LongAdder firsts = new LongAdder();

    private final LongAdder seconds = new LongAdder();
    private final LongAdder loadedOthers = new LongAdder();

    private final LongUnaryOperator lifeNanos;
    /** What was missed lately; null while all is loaded. */
    private volatile @Nullable RecentMisses misses;

    private volatile Rule rule = Rule.ALL;
    private volatile boolean probing;
    /** When it is to be looked whether the window is over. */
    private volatile long lookNanos;

    private volatile boolean begun;

    // Guarded by this: the counts at the window's begin, and means so far; negative while unknown.
    private Counts before = Counts.NONE;
    private double hitsPerLoad = -1;
    /** Loads of a read beyond its first. */
    private double loadsAgain = -1;

    private double loadTime = -1;
    private double forwardTime = -1;
    private double rowsPerLoad = -1;
    private double rowsPerForward = -1;
    private int agreeing;

    private record Counts(
            long firsts,
            long seconds,
            long loadedOthers,
            long hits,
            long loads,
            long rangeRows,
            long waits,
            long waitsAgain,
            long lent,
            long trips,
            long tripNanos,
            long forwards,
            long forwardNanos,
            long forwardRows) {
        static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    /**
     * @param tally what the table has counted up to now
     * @param lifeNanos how long a line lives that nothing drops, given the time
     */
    public LoadWorth(Supplier<Tally> tally, LongUnaryOperator lifeNanos) {
        this.tally = tally;
        this.lifeNanos = lifeNanos;
    }

    /** A load had a trip to the store of its own, which took so long. */
    public void loadTook(long nanos) {
        trips.increment();
        tripNanos.add(nanos);
    }

    /**
     * A read of lines next to each other waits for a load.
     *
     * @param again after another one, which did not bring all of them
     */
    public void waits(boolean again) {
        (again ? waitsAgain : waits).increment();
    }

    /** A load had no trip to the store, since another gateway had made it: its read was answered as by a line. */
    public void lent() {
        lent.increment();
    }

    /** A read that could have been loaded for was forwarded, which took so long and had so many rows. */
    public void forwardTook(long nanos, long rows) {
        forwards.increment();
        forwardNanos.add(nanos);
        forwardRows.add(rows);
    }

    /**
     * Whether a read whose line is missing is to be loaded for; else it is forwarded.
     *
     * @param keyHash {@link LineTable#keyHash} of what is missing
     */
    public boolean admits(long keyHash, long nowNanos) {
        if (!begun || nowNanos - lookNanos >= 0) {
            decide(nowNanos);
        }
        RecentMisses remembered = misses;
        if (remembered == null) {
            return !probing || !isTurn(turns, PROBING);
        }
        Rule current = rule;
        int followed = remembered.missed(keyHash, nowNanos, lifeNanos.applyAsLong(nowNanos), OFTEN);
        if (followed == 0) {
            firsts.increment();
        } else if (followed <= OFTEN) {
            seconds.increment();
        }
        if (followed >= OFTEN) {
            return isTurn(turnsOfOften, current.often);
        }
        boolean admitted = isTurn(turns, current.others);
        if (admitted) {
            loadedOthers.increment();
        }
        return admitted;
    }

    private static boolean isTurn(AtomicInteger turns, int every) {
        return (turns.incrementAndGet() & (every - 1)) == 0;
    }

    /** Whether all that is missing is loaded; if not, most reads that lack lines are forwarded. */
    public boolean loadsAll() {
        return rule == Rule.ALL;
    }

    /** Whether those loads pay that are made. */
    public boolean pays() {
        return rule != Rule.FEW;
    }

    private synchronized void decide(long nowNanos) {
        Tally told = tally.get();
        long borrowed = lent.sum();
        Counts now = new Counts(
                firsts.sum(),
                seconds.sum(),
                loadedOthers.sum(),
                told.hits() + borrowed,
                Math.max(0, told.loads() - borrowed),
                told.rangeRows(),
                waits.sum(),
                waitsAgain.sum(),
                borrowed,
                trips.sum(),
                tripNanos.sum(),
                forwards.sum(),
                forwardNanos.sum(),
                forwardRows.sum());
        if (!begun) {
            begin(now, nowNanos);
            begun = true;
            return;
        }
        if (nowNanos - lookNanos < 0) {
            return;
        }
        long made = now.loads() - before.loads();
        long had = now.lent() - before.lent();
        // Those that others had count as well: while loads do not pay, they may be all that comes of the few that are
        // made.
        if (made + had < FEWEST_LOADS) {
            lookNanos = nowNanos + LOOK_AGAIN_NANOS;
            return;
        }
        hitsPerLoad = smoothed(hitsPerLoad, now.hits() - before.hits(), Math.max(1, made));
        loadsAgain = smoothed(loadsAgain, now.waitsAgain() - before.waitsAgain(), now.waits() - before.waits());
        loadTime = smoothed(loadTime, now.tripNanos() - before.tripNanos(), now.trips() - before.trips());
        rowsPerLoad = smoothed(rowsPerLoad, now.rangeRows() - before.rangeRows(), made + had);
        long forwarded = now.forwards() - before.forwards();
        if (forwarded >= FEWEST_FORWARDS) {
            forwardTime = smoothed(forwardTime, now.forwardNanos() - before.forwardNanos(), forwarded);
            rowsPerForward = smoothed(rowsPerForward, now.forwardRows() - before.forwardRows(), forwarded);
        }
        probing = rule == Rule.ALL && forwarded < FEWEST_FORWARDS && hitsPerLoad < MANY_HITS;
        if (loadTime >= 0 && forwardTime >= 0) {
            weigh(now, told.hitNanos());
        }
        begin(now, nowNanos);
    }

    private void weigh(Counts now, double hitTime) {
        double load = Math.max(loadTime, timeByRows());
        double gain = hitsPerLoad * (forwardTime - hitTime);
        double cost = load - forwardTime / (1 + Math.max(0, loadsAgain));
        boolean fewer = rule != Rule.FEW && gain * MARGIN < cost;
        boolean more = rule != Rule.ALL && gain > cost * MARGIN && (rule == Rule.FEW || firstsPay(now, load, hitTime));
        agreeing = fewer || more ? agreeing + 1 : 0;
        if (agreeing >= AGREEING) {
            Rule next = fewer ? Rule.FEW : Rule.ALL;
            change(rule == Rule.OFTEN_MISSED ? next : Rule.OFTEN_MISSED);
        }
    }

    /**
     * Whether it would pay to load all: misses that followed one would be hits then. Where hardly anything is missed again, since lines
     * have more than one key, the loads that were made tell.
     */
    private boolean firstsPay(Counts now, double load, double hitTime) {
        long made = now.loads() - before.loads() + now.lent() - before.lent();
        return 2 * (now.loadedOthers() - before.loadedOthers()) > made
                || (now.seconds() - before.seconds()) * (forwardTime - hitTime)
                        >= MARGIN * (now.firsts() - before.firsts()) * (load - forwardTime);
    }

    private void change(Rule next) {
        if (next == Rule.ALL) {
            misses = null;
        } else if (misses == null) {
            misses = new RecentMisses();
        }
        rule = next;
        probing = false;
        agreeing = 0;
        hitsPerLoad = -1;
    }

    /** How long a forwarded read would take that has the rows of a load; 0 where loads are not of ranges. */
    private double timeByRows() {
        return rowsPerLoad <= 0
                ? 0
                : forwardTime * (ROWS_OF_STATEMENT + rowsPerLoad) / (ROWS_OF_STATEMENT + rowsPerForward);
    }

    private void begin(Counts now, long nowNanos) {
        before = now;
        lookNanos = nowNanos + WINDOW_NANOS;
    }

    private static double smoothed(double mean, long sum, long count) {
        if (count == 0) {
            return mean;
        }
        double latest = (double) sum / count;
        return mean < 0 ? latest : (mean + latest) / 2;
    }
}
