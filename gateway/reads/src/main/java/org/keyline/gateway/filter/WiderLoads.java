package org.keyline.gateway.filter;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.condition.Conjunction;

/**
 * The policy for a missed read with an opaque condition and bounds. It decides whether to load the
 * rows of the opaque condition alone, because a search often continues with other bounds. It
 * compares the load times of both kinds and the hits of their lines. Thread-safe.
 */
public final class WiderLoads {
    /*
     * The wider load pays off if it takes less time per answered read, counting the read that loads
     * and the hits of its line. Until that is known, the wider load is tried only for texts with an
     * earlier miss. These trials may use a small share of the total load time. With the bounds, the
     * store could use an index; without them, a load may scan the whole table. If memory is short,
     * lines are evicted earlier and so have fewer hits.
     */
    /** The maximum number of texts in each of the two sets. */
    private static final int TEXTS = 1_024;
    /** The number of narrower loads after which their mean time counts. */
    private static final int FEWEST_LOADS = 4;
    /** The number of wider loads after which the hits of their lines count. */
    private static final int UNMEASURED_LOADS = 32;
    /**
     * Until enough hits are known, a wider load may take longer than a narrower one by this share.
     */
    private static final double ALLOWED = 0.25;
    /** The share of the time of narrower loads that trials of wider ones may use. */
    private static final double TRIED = 0.05;
    /** While wider loads pay off, one in this many missed reads still makes a narrower load. */
    private static final int LEARNING = 32;
    /**
     * When the count of loads exceeds this number, all results are halved, so that later loads
     * count more.
     */
    private static final int REMEMBERED = 512;

    /** The results of the loads of one kind. */
    private static final class Kind {
        private double loads;
        private double nanos;
        private double hits;

        double time() {
            return nanos / loads;
        }

        /**
         * Returns the load time per answered read. The read that causes the load counts like a hit.
         */
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
    /** The remaining time for trials. */
    private double budgetNanos;

    private static Set<ByteBuffer> recent() {
        return Collections.newSetFromMap(new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Boolean> eldest) {
                return size() > TEXTS;
            }
        });
    }

    /**
     * Returns the conjunction to load for a read without a line: all its conditions, or only the
     * opaque ones.
     */
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

    /** Records a read without a line, for which a load follows. */
    public synchronized void missed(Conjunction asked) {
        if (isNarrower(asked)) {
            turns++;
            missed.add(text(asked));
        }
    }

    /**
     * Records that the line of the opaque conditions alone is too large, or that its rows cannot be
     * compared with the bounds.
     */
    public synchronized void refused(Conjunction wide) {
        refused.add(text(wide));
    }

    /**
     * Records a failed load of the opaque conditions alone. Its scan may have exceeded the time
     * limit of loads.
     */
    public synchronized void failed(Conjunction wide, long nanos) {
        refused(wide);
        // An immediate failure says nothing about the time of such loads.
        if (nanos > narrower.time()) {
            took(wide, nanos);
        }
    }

    /** Records the time of a round trip to the store for these conditions. */
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

    /** Records a hit of a line with these conditions. */
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
