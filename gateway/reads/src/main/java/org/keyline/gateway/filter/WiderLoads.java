package org.keyline.gateway.filter;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.condition.Conjunction;

/**
 * Decides whether a missed read loads a wider line. A wider line has all rows that meet the read's
 * opaque conditions (those that only the store can evaluate), whatever the bounds on other columns.
 * It also answers later reads with the same opaque conditions and other bounds, which are frequent
 * in searches. Compares load times and hits of wider and narrower lines. Thread-safe.
 */
public final class WiderLoads {
    /*
     * The wider load pays off if it takes less time per answered read, counting the read that loads
     * and the hits of its line. Until that is known, wider loads are tried only for texts with an
     * earlier miss. They take only a small share of the total load time, because a load without the
     * bounds may scan the whole table.
     */
    private static final int TEXTS = 1_024;
    /** Number of narrower loads after which their mean time is used. */
    private static final int FEWEST_LOADS = 4;
    /** After this many wider loads, only their time per read decides. */
    private static final int UNMEASURED_LOADS = 32;
    /**
     * Share by which a wider load may take longer than a narrower one until enough hits are known.
     */
    private static final double ALLOWED = 0.25;
    /** Time for trials of wider loads, as a share of the time of narrower loads. */
    private static final double TRIED = 0.05;
    /**
     * While wider loads pay off, one in this many missed reads makes a narrower load, to measure
     * the time of narrower loads.
     */
    private static final int LEARNING = 32;
    /** Number of loads beyond which all sums are halved, so that later loads count more. */
    private static final int REMEMBERED = 512;

    private static final class Kind {
        private double loads;
        private double nanos;
        private double hits;

        double time() {
            return nanos / loads;
        }

        /** Returns the load time per read. The read that causes a load counts like a hit. */
        double timePerRead() {
            return nanos / (loads + hits);
        }

        void halve() {
            loads /= 2;
            nanos /= 2;
            hits /= 2;
        }
    }

    private final Kind wider = new Kind();
    private final Kind narrower = new Kind();
    private final Set<ByteBuffer> missed = recent();
    private final Set<ByteBuffer> refused = recent();
    private int turns;
    /** The remaining time for trials of wider loads. */
    private double budgetNanos;

    private static Set<ByteBuffer> recent() {
        return Collections.newSetFromMap(new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Boolean> eldest) {
                return size() > TEXTS;
            }
        });
    }

    /** Returns the conditions to load for a missed read: all of them, or only the opaque ones. */
    public synchronized Conjunction toLoad(Conjunction asked) {
        if (!isNarrower(asked) || asked.isContradiction()) {
            return asked;
        }
        ByteBuffer text = text(asked);
        return !refused.contains(text) && pays(missed.contains(text)) ? asked.opaqueAlone() : asked;
    }

    private boolean pays(boolean again) {
        if (narrower.loads < FEWEST_LOADS) {
            return false;
        }
        if (wider.loads == 0) {
            return again;
        }
        boolean cheaper = wider.timePerRead() < narrower.timePerRead();
        boolean fewLoads = wider.loads < UNMEASURED_LOADS && wider.time() < (1 + ALLOWED) * narrower.time();
        if (cheaper || fewLoads) {
            return turns % LEARNING != 0;
        }
        return again && budgetNanos >= wider.time();
    }

    /** Records a missed read that loads a line. */
    public synchronized void missed(Conjunction asked) {
        if (isNarrower(asked)) {
            turns++;
            missed.add(text(asked));
        }
    }

    /** Records that a line of the opaque conditions alone cannot be cached, or cannot answer. */
    public synchronized void refused(Conjunction wide) {
        refused.add(text(wide));
    }

    /** Records that a load of the opaque conditions alone failed. It may have been too slow. */
    public synchronized void failed(Conjunction wide, long nanos) {
        refused(wide);
        // An immediate failure says nothing about the time of such loads.
        if (nanos > narrower.time()) {
            took(wide, nanos);
        }
    }

    /** Records the time of a load. */
    synchronized void took(Conjunction loaded, long nanos) {
        Kind kind = kind(loaded);
        if (kind != null) {
            kind.loads++;
            kind.nanos += nanos;
            budgetNanos =
                    isNarrower(loaded) ? budgetNanos + TRIED * nanos : Math.max(budgetNanos - nanos, -(double) nanos);
            if (wider.loads + narrower.loads > REMEMBERED) {
                wider.halve();
                narrower.halve();
            }
        }
    }

    synchronized void hit(Conjunction of) {
        Kind kind = kind(of);
        if (kind != null) {
            kind.hits++;
        }
    }

    private @Nullable Kind kind(Conjunction conjunction) {
        if (conjunction.opaque().isEmpty()) {
            return null;
        }
        return isNarrower(conjunction) ? narrower : wider;
    }

    private static boolean isNarrower(Conjunction conjunction) {
        return !conjunction.opaque().isEmpty() && !conjunction.columns().isEmpty();
    }

    private static ByteBuffer text(Conjunction conjunction) {
        return ByteBuffer.wrap(conjunction.opaqueIdentity());
    }
}
