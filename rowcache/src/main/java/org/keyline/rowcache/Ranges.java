package org.keyline.rowcache;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The cache entry of a split prefix, which is too large for one line. Contains the bounds of the
 * known ranges. Each range is a line, which answers while it carries this object's epoch. Can also
 * mark an uncacheable prefix. Immutable.
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

    static Ranges none(int hash, byte kind, byte[] prefix, Epoch tableEpoch) {
        Epoch epoch = new Epoch(tableEpoch.table(), true, tableEpoch.beganNanos());
        return new Ranges(hash, kind, prefix, tableEpoch, epoch, new byte[0][], new byte[0][], false, 0);
    }

    static Ranges uncacheable(int hash, byte kind, byte[] prefix, Epoch tableEpoch, long nowNanos) {
        Epoch epoch = new Epoch(tableEpoch.table(), true, tableEpoch.beganNanos());
        return new Ranges(hash, kind, prefix, tableEpoch, epoch, new byte[0][], new byte[0][], true, nowNanos);
    }

    /** Returns the same ranges with a new epoch, so that their present lines no longer answer. */
    Ranges renewed() {
        Epoch renewed = new Epoch(tableEpoch.table(), true, tableEpoch.beganNanos());
        return new Ranges(hash, kind, prefix, tableEpoch, renewed, lowers, uppers, uncacheable, madeNanos);
    }

    /**
     * Returns these ranges with another one, which replaces all ranges that begin in it. Beyond the
     * maximum, returns the new range alone. Returns this object if the range is already known,
     * which is so after most loads.
     */
    Ranges with(byte[] lower, byte @Nullable [] upper, int maxRanges) {
        int from = floor(lower, 0, lower.length);
        if (from >= 0 && Arrays.equals(lowers[from], lower) && Arrays.equals(uppers[from], upper)) {
            return this;
        }
        boolean cut = from >= 0 && Arrays.compareUnsigned(lowers[from], lower) < 0;
        int first = cut ? from + 1 : Math.max(from, 0);
        int next = first;
        while (next < lowers.length && (upper == null || Arrays.compareUnsigned(lowers[next], upper) < 0)) {
            next++;
        }
        int count = first + 1 + lowers.length - next;
        if (count > maxRanges) {
            return none(hash, kind, prefix, tableEpoch).with(lower, upper, 1);
        }
        byte[][] newLowers = Arrays.copyOf(lowers, count);
        byte[] @Nullable [] newUppers = Arrays.copyOf(uppers, count);
        newLowers[first] = lower;
        newUppers[first] = upper;
        System.arraycopy(lowers, next, newLowers, first + 1, lowers.length - next);
        System.arraycopy(uppers, next, newUppers, first + 1, uppers.length - next);
        if (cut && (uppers[from] == null || Arrays.compareUnsigned(uppers[from], lower) > 0)) {
            newUppers[from] = lower;
        }
        return new Ranges(hash, kind, prefix, tableEpoch, epoch, newLowers, newUppers, false, 0);
    }

    /** Returns the last range that begins at or below the key; -1 if none does. */
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

    /** Returns the index of the only range that can contain the requested keys; -1 if none can. */
    int find(LineProbe.Sense sense, byte[] key, int from, int to) {
        int range = floor(key, from, to);
        boolean here = range >= 0 && Arrays.equals(lowers[range], 0, lowers[range].length, key, from, to);
        return here && sense == LineProbe.Sense.DOWN ? range - 1 : range;
    }

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

    /** Returns the exclusive upper bound; null if the range extends to the end of the prefix. */
    byte @Nullable [] upper(int range) {
        return uppers[range];
    }

    Epoch epoch() {
        return epoch;
    }

    Epoch tableEpoch() {
        return tableEpoch;
    }

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
