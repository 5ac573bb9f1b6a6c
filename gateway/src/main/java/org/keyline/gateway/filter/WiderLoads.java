package org.keyline.gateway.filter;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.condition.Conjunction;

/**
 * Whether a missing read by a text that only the store evaluates and by bounds of columns loads what meets the text, whatever the bounds: a search
 * goes on with other bounds. Decided by what loads of both kinds took, and how many hits their lines had. Thread-safe.
 */
public final class WiderLoads {
    /*
     * The wider load pays if it takes less time for each read that it answers: its own, and the hits of its line. While that is not
     * known it is tried where a text was missed before, within a small share of the time that loads take anyway: with an index on
     * the bounded column, the text alone may be a scan of the table. Where memory is short, lines of either kind may go before
     * they have had their hits; then the hits tell that.
     */
    /** Texts that are remembered of each kind. */
    private static final int TEXTS = 1_024;
    /** Before so many narrower loads their time is not known. */
    private static final int FEWEST_LOADS = 4;
    /** Before so many wider loads their lines have not had the time for their hits. */
    private static final int UNTOLD_LOADS = 32;
    /** The share of a narrower load's time by which a wider one may take longer without any hit so far. */
    private static final double ALLOWED = 0.25;
    /** The share of the narrower loads' time that tries may take while they do not pay. */
    private static final double TRIED = 0.05;
    /** While wider loads pay, one of so many is a narrower one. */
    private static final int LEARNING = 32;
    /** After so many loads, older ones count half. */
    private static final int REMEMBERED = 512;

    /** What came of the loads of one kind. */
    private static final class Kind {
        private double loads;
        private double nanos;
        private double hits;

        double time() {
            return nanos / loads;
        }

        /** Its own read is one. */
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
    /** What tries may take. */
    private double budgetNanos;

    private static Set<ByteBuffer> recent() {
        return Collections.newSetFromMap(new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Boolean> eldest) {
                return size() > TEXTS;
            }
        });
    }

    /** What is to be loaded for a read that found no line: its own conditions, or a part of them. */
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
        boolean untold = wider.loads < UNTOLD_LOADS && wider.time() < (1 + ALLOWED) * narrower.time();
        if (cheaper || untold) {
            return turns % LEARNING != 0;
        }
        return again && budgetNanos >= wider.time();
    }

    /** A read found no line, and something is loaded for it. */
    public synchronized void missed(Conjunction asked) {
        if (isNarrower(asked)) {
            turns++;
            missed.add(text(asked));
        }
    }

    /** The line of the opaque conditions alone is too big, or its rows cannot be compared with the bounds. */
    public synchronized void refused(Conjunction wide) {
        refused.add(text(wide));
    }

    /** A load of the opaque conditions alone failed, after so long: a scan for them may take longer than loads may. */
    public synchronized void failed(Conjunction wide, long nanos) {
        refused(wide);
        // What fails at once does not tell what such loads take.
        if (nanos > narrower.time()) {
            took(wide, nanos);
        }
    }

    /** A trip to the store for a load of these conditions took so long. */
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

    /** A line of these conditions had a hit. */
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
