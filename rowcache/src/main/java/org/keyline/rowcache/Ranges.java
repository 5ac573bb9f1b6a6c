package org.keyline.rowcache;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Stands in the place of a line whose prefix is too big for one: where the known ranges of the prefix begin and end. It only
 * says where to look; what a range holds is said by its own line, which answers while it carries this object's epoch. Or it
 * says that the prefix cannot be kept at all. Immutable.
 */
final class Ranges extends LineKey {
    private static final int OVERHEAD_BYTES = 200;
    private static final int OVERHEAD_BYTES_PER_RANGE = 48;

    private final int hash;
    private final byte kind;
    private final byte[] prefix;
    private final Epoch tableEpoch;
    private final Epoch epoch;
    private final byte[][] lowers;
    private final byte[] @Nullable [] uppers;
    private final boolean uncacheable;
    private final long madeNanos;

    private Ranges(
            int hash,
            byte kind,
            byte[] prefix,
            Epoch tableEpoch,
            Epoch epoch,
            byte[][] lowers,
            byte[] @Nullable [] uppers,
            boolean uncacheable,
            long madeNanos) {
        this.hash = hash;
        this.kind = kind;
        this.prefix = prefix;
        this.tableEpoch = tableEpoch;
        this.epoch = epoch;
        this.lowers = lowers;
        this.uppers = uppers;
        this.uncacheable = uncacheable;
        this.madeNanos = madeNanos;
    }

    /** No range known yet. */
    static Ranges none(int hash, byte kind, byte[] prefix, Epoch tableEpoch) {
        Epoch epoch = new Epoch(tableEpoch.table(), true, tableEpoch.beganNanos());
        return new Ranges(hash, kind, prefix, tableEpoch, epoch, new byte[0][], new byte[0][], false, 0);
    }

    /** A prefix that cannot be kept. */
    static Ranges uncacheable(int hash, byte kind, byte[] prefix, Epoch tableEpoch, long nowNanos) {
        Epoch epoch = new Epoch(tableEpoch.table(), true, tableEpoch.beganNanos());
        return new Ranges(hash, kind, prefix, tableEpoch, epoch, new byte[0][], new byte[0][], true, nowNanos);
    }

    /** The same ranges, whose lines no longer answer. */
    Ranges renewed() {
        Epoch renewed = new Epoch(tableEpoch.table(), true, tableEpoch.beganNanos());
        return new Ranges(hash, kind, prefix, tableEpoch, renewed, lowers, uppers, uncacheable, madeNanos);
    }

    /** These ranges with one more, in place of what it covers; with that one alone where they would be too many. */
    Ranges with(byte[] lower, byte @Nullable [] upper, int maxRanges) {
        int from = floor(lower, 0, lower.length);
        boolean cut = from >= 0 && Arrays.compareUnsigned(lowers[from], lower) < 0;
        int kept = cut ? from + 1 : Math.max(from, 0);
        int next = kept;
        while (next < lowers.length && (upper == null || Arrays.compareUnsigned(lowers[next], upper) < 0)) {
            next++;
        }
        int count = kept + 1 + lowers.length - next;
        if (count > maxRanges) {
            return none(hash, kind, prefix, tableEpoch).with(lower, upper, 1);
        }
        byte[][] newLowers = Arrays.copyOf(lowers, count);
        byte[] @Nullable [] newUppers = Arrays.copyOf(uppers, count);
        newLowers[kept] = lower;
        newUppers[kept] = upper;
        System.arraycopy(lowers, next, newLowers, kept + 1, lowers.length - next);
        System.arraycopy(uppers, next, newUppers, kept + 1, uppers.length - next);
        if (cut && (uppers[from] == null || Arrays.compareUnsigned(uppers[from], lower) > 0)) {
            newUppers[from] = lower;
        }
        return new Ranges(hash, kind, prefix, tableEpoch, epoch, newLowers, newUppers, false, 0);
    }

    /** These with a range cut in two, or shorter, where it has keys from some suffix on and below another: without these. */
    Ranges without(int range, byte[] from, byte[] to) {
        byte[] upper = uppers[range];
        boolean below = Arrays.compareUnsigned(lowers[range], from) < 0;
        boolean above = upper == null || Arrays.compareUnsigned(upper, to) > 0;
        int more = (below ? 1 : 0) + (above ? 1 : 0) - 1;
        byte[][] newLowers = moved(lowers, range, more);
        byte[] @Nullable [] newUppers = moved(uppers, range, more);
        int at = range;
        if (below) {
            newLowers[at] = lowers[range];
            newUppers[at++] = from;
        }
        if (above) {
            newLowers[at] = to;
            newUppers[at] = upper;
        }
        return new Ranges(hash, kind, prefix, tableEpoch, epoch, newLowers, newUppers, false, 0);
    }

    /** These with one in the place of some next to each other, from a first to a last one. */
    Ranges joined(int first, int last) {
        byte[][] newLowers = moved(lowers, last, first - last);
        byte[] @Nullable [] newUppers = moved(uppers, last, first - last);
        newLowers[first] = lowers[first];
        newUppers[first] = uppers[last];
        return new Ranges(hash, kind, prefix, tableEpoch, epoch, newLowers, newUppers, false, 0);
    }

    /** A copy in which what is behind a place is moved by so many places. */
    private static byte[] @Nullable [] moved(byte[] @Nullable [] bounds, int place, int by) {
        byte[] @Nullable [] moved = Arrays.copyOf(bounds, bounds.length + by);
        System.arraycopy(bounds, place + 1, moved, place + 1 + by, bounds.length - place - 1);
        return moved;
    }

    /** Whether a range and the next one are what a write left of one. */
    boolean isCutBehind(int range) {
        byte[] upper = uppers[range];
        if (upper == null || range + 1 == lowers.length) {
            return false;
        }
        byte[] next = lowers[range + 1];
        return next.length == upper.length + 1
                && next[upper.length] == KeyEncoder.ABOVE
                && Bytes.startsWith(next, 0, next.length, upper, 0, upper.length);
    }

    /** The last range that begins at or below {@code key[from..to)}, or -1. */
    int floor(byte[] key, int from, int to) {
        int low = 0;
        int high = lowers.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(lowers[middle], 0, lowers[middle].length, key, from, to) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /** The range where what is asked for is, or would be; -1 if there is none. */
    int find(LineProbe.Sense sense, byte[] key, int from, int to) {
        int range = floor(key, from, to);
        boolean here = range >= 0 && Arrays.equals(lowers[range], 0, lowers[range].length, key, from, to);
        return here && sense == LineProbe.Sense.DOWN ? range - 1 : range;
    }

    /** The first range that ends above the bytes. */
    int firstAbove(byte[] key) {
        int range = floor(key, 0, key.length);
        boolean ends = range >= 0 && uppers[range] != null && Arrays.compareUnsigned(uppers[range], key) <= 0;
        return range < 0 || ends ? range + 1 : range;
    }

    int count() {
        return lowers.length;
    }

    byte[] lower(int range) {
        return lowers[range];
    }

    /** The first key behind a range, or null where it goes on to the end of the prefix. */
    byte @Nullable [] upper(int range) {
        return uppers[range];
    }

    Epoch epoch() {
        return epoch;
    }

    Epoch tableEpoch() {
        return tableEpoch;
    }

    /** Whether the prefix was found not to be cacheable, at most {@code maxAgeNanos} ago. */
    boolean uncacheable(long nowNanos, long maxAgeNanos) {
        return uncacheable && nowNanos - madeNanos <= maxAgeNanos;
    }

    int weight() {
        long weight = OVERHEAD_BYTES + prefix.length + (long) OVERHEAD_BYTES_PER_RANGE * lowers.length;
        for (int i = 0; i < lowers.length; i++) {
            byte[] upper = uppers[i];
            weight += lowers[i].length + (upper == null ? 0 : upper.length);
        }
        return Math.toIntExact(weight);
    }

    @Override
    int hash() {
        return hash;
    }

    @Override
    LineTable table() {
        return tableEpoch.table();
    }

    @Override
    byte kind() {
        return kind;
    }

    @Override
    byte shape() {
        return WHOLE;
    }

    @Override
    byte[] prefixBytes() {
        return prefix;
    }

    @Override
    int prefixFrom() {
        return 0;
    }

    @Override
    int prefixTo() {
        return prefix.length;
    }

    @Override
    byte[] lowerBytes() {
        return Bytes.NONE;
    }

    @Override
    int lowerFrom() {
        return 0;
    }

    @Override
    int lowerTo() {
        return 0;
    }
}
