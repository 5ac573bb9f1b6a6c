package org.keyline.rowcache;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A reusable lookup key of the cache. Requests, in one row format, all rows of a table whose key
 * begins with given bytes. Confined to one thread at a time. A lookup allocates nothing.
 *
 * <p>The key's bytes are borrowed until the lookup returns. {@link LineTable#load} copies the bytes
 * that it retains.
 */
public final class LineProbe extends LineKey {
    /** One lookup in this many is reported as a use of its line. A power of two. */
    private static final int USES_PER_REPORT = 32;

    enum Sense {
        ALL,
        /** Requests the line with the next rows at or above the key. */
        UP,
        /** Requests the line with the next rows below the key. */
        DOWN;

        boolean isWithin(
                byte[] lower,
                int lowerFrom,
                int lowerTo,
                byte @Nullable [] upper,
                int upperFrom,
                int upperTo,
                byte[] key,
                int from,
                int to) {
            int begin = Arrays.compareUnsigned(lower, lowerFrom, lowerTo, key, from, to);
            if (this == DOWN ? begin >= 0 : begin > 0) {
                return false;
            }
            if (upper == null) {
                return true;
            }
            int end = Arrays.compareUnsigned(upper, upperFrom, upperTo, key, from, to);
            return switch (this) {
                case ALL -> end > 0 && isAboveAll(upper, upperFrom, upperTo, key, from, to);
                case UP -> end > 0;
                case DOWN -> end >= 0;
            };
        }

        private static boolean isAboveAll(byte[] bound, int boundFrom, int boundTo, byte[] key, int from, int to) {
            int behind = boundFrom + to - from;
            return !Bytes.startsWith(bound, boundFrom, boundTo, key, from, to)
                    || (behind < boundTo && bound[behind] == KeyEncoder.ABOVE);
        }
    }

    private LineTable table;
    private byte kind;
    private byte[] key = Bytes.NONE;
    private int from;
    private int prefixTo;
    private int to;
    private int wholeHash;
    private long maxAgeNanos = Long.MAX_VALUE;
    private Sense sense = Sense.ALL;
    private boolean oneRow;
    private int rows;
    private int uses;

    // RANGE if the probe is aimed at a range. The next three fields are its lower bound.
    private byte shape = WHOLE;
    private byte[] lower = Bytes.NONE;
    private int lowerFrom;
    private int lowerTo;
    private int hash;

    public LineProbe(LineTable table) {
        this.table = Objects.requireNonNull(table, "table is null");
    }

    /**
     * Requests the rows whose key begins with {@code key[from..to)}. The line's prefix ends at
     * {@code prefixTo}.
     *
     * @param kind the row format, 0..{@link LineTable#MAX_KINDS} - 1
     */
    public LineProbe aim(LineTable table, int kind, byte[] key, int from, int prefixTo, int to) {
        Objects.checkFromToIndex(from, to, key.length);
        Objects.checkFromToIndex(from, prefixTo, to);
        Objects.checkIndex(kind, LineTable.MAX_KINDS);
        if (to - from > KeyEncoder.MAX_BYTES) {
            throw new IllegalArgumentException(
                    "length of key: " + (to - from) + " (expected: <= " + KeyEncoder.MAX_BYTES + ")");
        }
        this.table = table;
        this.kind = (byte) kind;
        this.key = key;
        this.from = from;
        this.prefixTo = prefixTo;
        this.to = to;
        wholeHash = table.hash(kind, key, from, prefixTo);
        maxAgeNanos = Long.MAX_VALUE;
        sense = Sense.ALL;
        oneRow = false;
        rows = 0;
        aimAtWhole();
        return this;
    }

    /**
     * Requests the rows whose key begins with the encoder's cells. The first
     * {@linkplain TableOptions#prefixCells() prefix cells} identify the line.
     *
     * @throws IllegalArgumentException if the key has fewer cells, or does not fit
     */
    public LineProbe aim(LineTable table, int kind, KeyEncoder key) {
        int prefixCells = table.options().prefixCells();
        if (key.cells() < prefixCells || !key.fits()) {
            throw new IllegalArgumentException("cells of key: " + key.cells() + (key.fits() ? "" : ", too long")
                    + " (expected: >= " + prefixCells + ")");
        }
        return aim(table, kind, key.buffer(), 0, key.cellEnd(prefixCells), key.length());
    }

    /** Limits the line's age until the next {@code aim}. The table's ttl applies as well. */
    public LineProbe notOlderThan(long nanos) {
        maxAgeNanos = nanos;
        return this;
    }

    /**
     * Sets, until the next {@code aim}, whether the caller reads one row by its whole key. A line
     * with this row can then answer, even if it may lack rows that are being added.
     */
    public LineProbe oneRow(boolean wanted) {
        oneRow = wanted;
        return this;
    }

    public boolean isOneRow() {
        return oneRow;
    }

    /**
     * Requests the line with the next rows at or above the key, until the next {@code aim}. The
     * line can be empty, which proves that the store has no row in its range. The key consists of
     * the bytes of cells, and {@link KeyEncoder#ABOVE} may follow. Only for tables that are cached
     * as ranges of keys.
     */
    public LineProbe upwards() {
        sense = Sense.UP;
        return this;
    }

    /** Like {@link #upwards}, but requests the line with the next rows below the key. */
    public LineProbe downwards() {
        sense = Sense.DOWN;
        return this;
    }

    /** Sets how many rows a load of a range should read, until the next {@code aim}. */
    public LineProbe rows(int wanted) {
        rows = wanted;
        return this;
    }

    int rows() {
        return rows;
    }

    Sense sense() {
        return sense;
    }

    /**
     * Returns true for one use in 32. This sample is enough for the eviction policy, and the other
     * uses save the access to Caffeine's nodes.
     */
    boolean reportsUse() {
        return (++uses & (USES_PER_REPORT - 1)) == 0;
    }

    /** Returns the maximum age of the line, in addition to the table's ttl. */
    long maxAgeNanos() {
        return maxAgeNanos;
    }

    LineProbe aim(Slot.Prefix prefix, int kind) {
        return aim(table, kind, prefix.bytes(), 0, prefix.bytes().length, prefix.bytes().length);
    }

    public byte[] key() {
        return key;
    }

    public int from() {
        return from;
    }

    /** Returns the offset of the key's suffix, which {@link Line#find} compares. */
    public int suffixFrom() {
        return prefixTo;
    }

    public int to() {
        return to;
    }

    void aimAtWhole() {
        shape = WHOLE;
        lower = Bytes.NONE;
        lowerFrom = 0;
        lowerTo = 0;
        hash = wholeHash;
    }

    void aimAtRange(byte[] bytes, int lowerFrom, int lowerTo) {
        shape = RANGE;
        lower = bytes;
        this.lowerFrom = lowerFrom;
        this.lowerTo = lowerTo;
        hash = table.rangeHash(wholeHash, bytes, lowerFrom, lowerTo);
    }

    @Override
    public int hash() {
        return hash;
    }

    @Override
    LineTable table() {
        return table;
    }

    @Override
    byte kind() {
        return kind;
    }

    @Override
    byte shape() {
        return shape;
    }

    @Override
    byte[] prefixBytes() {
        return key;
    }

    @Override
    int prefixFrom() {
        return from;
    }

    @Override
    int prefixTo() {
        return prefixTo;
    }

    @Override
    byte[] lowerBytes() {
        return lower;
    }

    @Override
    int lowerFrom() {
        return lowerFrom;
    }

    @Override
    int lowerTo() {
        return lowerTo;
    }
}
