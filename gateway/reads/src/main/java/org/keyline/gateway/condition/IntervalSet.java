package org.keyline.gateway.condition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.rowcache.KeyEncoder;

/** A set of a column's values, optionally with NULL, as intervals of their key bytes. Immutable. */
public final class IntervalSet {
    /*
     * The ends are sorted: the first interval begins at the first end and stops below the second
     * end. No two intervals touch, so that each set has one representation.
     *
     * A key followed by ABOVE sorts above the key itself and below the next greater key. ABOVE by
     * itself sorts above everything.
     */
    private static final byte[] LOWEST = {};
    private static final byte[] TOP = {KeyEncoder.ABOVE};
    private static final byte[] NULL = new KeyEncoder().nullCell().toBytes();
    private static final byte[] ABOVE_NULL = above(NULL);

    public static final IntervalSet NONE = new IntervalSet(new byte[0][]);
    public static final IntervalSet ALL = of(LOWEST, TOP);
    public static final IntervalSet ONLY_NULL = of(NULL, ABOVE_NULL);
    public static final IntervalSet VALUES = of(ABOVE_NULL, TOP);

    private final byte[][] ends;

    private IntervalSet(byte[][] ends) {
        this.ends = ends;
    }

    private static IntervalSet of(byte[] from, byte[] below) {
        return Arrays.compareUnsigned(from, below) < 0 ? new IntervalSet(new byte[][] {from, below}) : NONE;
    }

    private static byte[] above(byte[] key) {
        byte[] above = Arrays.copyOf(key, key.length + 1);
        above[key.length] = KeyEncoder.ABOVE;
        return above;
    }

    public static IntervalSet only(byte[] key) {
        return of(key, above(key));
    }

    public static IntervalSet allBut(byte[] key) {
        return new IntervalSet(new byte[][] {ABOVE_NULL, key, above(key), TOP});
    }

    /** Returns the values below a value, and the value itself if {@code inclusive}; never NULL. */
    public static IntervalSet below(byte[] key, boolean inclusive) {
        return of(ABOVE_NULL, inclusive ? above(key) : key);
    }

    /** Returns the values above a value, and the value itself if {@code inclusive}. */
    public static IntervalSet above(byte[] key, boolean inclusive) {
        return of(inclusive ? key : above(key), TOP);
    }

    public static IntervalSet union(List<IntervalSet> sets) {
        if (sets.size() == 1) {
            return sets.get(0);
        }
        List<byte[][]> intervals = new ArrayList<>();
        for (IntervalSet set : sets) {
            for (int i = 0; i < set.ends.length; i += 2) {
                intervals.add(new byte[][] {set.ends[i], set.ends[i + 1]});
            }
        }
        intervals.sort((one, other) -> Arrays.compareUnsigned(one[0], other[0]));
        List<byte[]> ends = new ArrayList<>();
        for (byte[][] next : intervals) {
            int last = ends.size() - 1;
            if (last < 0 || Arrays.compareUnsigned(ends.get(last), next[0]) < 0) {
                ends.add(next[0]);
                ends.add(next[1]);
            } else if (Arrays.compareUnsigned(ends.get(last), next[1]) < 0) {
                ends.set(last, next[1]);
            }
        }
        return new IntervalSet(ends.toArray(byte[][]::new));
    }

    public IntervalSet and(IntervalSet other) {
        List<byte[]> both = new ArrayList<>();
        int one = 0;
        int two = 0;
        while (one < ends.length && two < other.ends.length) {
            byte[] from = max(ends[one], other.ends[two]);
            int order = Arrays.compareUnsigned(ends[one + 1], other.ends[two + 1]);
            byte[] below = order < 0 ? ends[one + 1] : other.ends[two + 1];
            if (Arrays.compareUnsigned(from, below) < 0) {
                both.add(from);
                both.add(below);
            }
            one += order <= 0 ? 2 : 0;
            two += order >= 0 ? 2 : 0;
        }
        return new IntervalSet(both.toArray(byte[][]::new));
    }

    private static byte[] max(byte[] one, byte[] other) {
        return Arrays.compareUnsigned(one, other) > 0 ? one : other;
    }

    public boolean contains(byte[] key, int from, int to) {
        int low = 0;
        int high = ends.length;
        // Counts the ends that are not above the key. The set contains the key if the last of these
        // ends begins an interval.
        while (low < high) {
            int middle = (low + high) >>> 1;
            byte[] end = ends[middle];
            if (Arrays.compareUnsigned(end, 0, end.length, key, from, to) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return (low & 1) == 1;
    }

    public boolean contains(IntervalSet other) {
        return other.equals(and(other));
    }

    public boolean isEmpty() {
        return ends.length == 0;
    }

    /** Returns the key bytes if the set is exactly one value, not NULL; null for other sets. */
    public byte @Nullable [] point() {
        return ends.length == 2 && isPoint(0) && !Arrays.equals(ends[0], NULL) ? ends[0] : null;
    }

    /** Returns whether the interval whose first end has the index {@code at} is a single value. */
    boolean isPoint(int at) {
        return Arrays.equals(ends[at + 1], above(ends[at]));
    }

    /** Returns pairs of ends; an interval includes its first end, but not its second. Read-only. */
    byte[][] ends() {
        return ends;
    }

    /** Returns the values that are not in this set, without NULL. */
    IntervalSet otherValues() {
        List<byte[]> others = new ArrayList<>();
        byte[] from = ABOVE_NULL;
        for (int i = 0; i < ends.length; i += 2) {
            if (Arrays.compareUnsigned(from, ends[i]) < 0) {
                others.add(from);
                others.add(ends[i]);
            }
            from = max(from, ends[i + 1]);
        }
        if (Arrays.compareUnsigned(from, TOP) < 0) {
            others.add(from);
            others.add(TOP);
        }
        return new IntervalSet(others.toArray(byte[][]::new));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IntervalSet set && Arrays.deepEquals(ends, set.ends);
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(ends);
    }

    @Override
    public String toString() {
        return "IntervalSet" + Arrays.deepToString(ends);
    }
}
