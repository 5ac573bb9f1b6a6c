package org.keyline.rowcache;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A reusable question to the cache: all rows of a table, in one row format, whose key begins with given bytes. The whole
 * key asks for one row or its absence, the bare prefix for everything under it. Confined to one thread at a time; a
 * lookup with it allocates nothing.
 *
 * <p>The key's bytes are borrowed: they must not change until the answer is there ({@link LineTable#load} copies what it
 * keeps before it returns).
 */
public final class LineProbe extends LineKey {
    /** A power of two. */
    private static final int USES_PER_TOLD = 32;

    /** Which rows are asked for. */
    enum Sense {
        /** All whose key begins with the bytes. */
        ALL,
        /** The next ones from the bytes up. */
        UP,
        /** The next ones below the bytes, going down. */
        DOWN;

        /** Whether a stretch of keys has what is asked for, or the first part of it. */
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
    private int rows;
    private int uses;

    // Where the probe asks for one range of a split prefix: the range's lower bound, in the array of the Ranges.
    private byte shape = WHOLE;
    private byte[] lower = Bytes.NONE;
    private int lowerFrom;
    private int lowerTo;
    private int hash;

    /** A probe that asks the given table. */
    public LineProbe(LineTable table) {
        this.table = Objects.requireNonNull(table, "table is null");
    }

    /**
     * Aims at the rows whose key begins with {@code key[from..to)}; the first part of that, up to {@code prefixTo}, is the
     * prefix of the line.
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
        rows = 0;
        aimAtWhole();
        return this;
    }

    /**
     * Aims at the rows whose key begins with the encoder's cells, of which the table's first
     * {@linkplain TableOptions#prefixCells() prefix cells} name the line.
     *
     * @throws IllegalArgumentException for a key with fewer cells than that, or one that does not fit
     */
    public LineProbe aim(LineTable table, int kind, KeyEncoder key) {
        int prefixCells = table.options().prefixCells();
        if (key.cells() < prefixCells || !key.fits()) {
            throw new IllegalArgumentException("cells of key: " + key.cells() + (key.fits() ? "" : ", too long")
                    + " (expected: >= " + prefixCells + ")");
        }
        return aim(table, kind, key.buffer(), 0, key.cellEnd(prefixCells), key.length());
    }

    /** Asks for rows whose load began at most so long ago, vouched for or not, until it is aimed anew. The table's ttl holds as well. */
    public LineProbe notOlderThan(long nanos) {
        maxAgeNanos = nanos;
        return this;
    }

    /**
     * Asks, until it is aimed anew, for the line that has the next rows from the bytes of the key up, or the proof that there is none as
     * far as it goes. The bytes are those of cells, and {@link KeyEncoder#ABOVE} may follow. For tables that are kept as ranges of keys.
     */
    public LineProbe upwards() {
        sense = Sense.UP;
        return this;
    }

    /** The same for the next rows below the bytes, going down. */
    public LineProbe downwards() {
        sense = Sense.DOWN;
        return this;
    }

    /** How many rows a load for it is to bring at least, until it is aimed anew. For tables that are kept as ranges of keys. */
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
     * Whether the cache, which keeps what is used often, is told of this use: of one in 32. That keeps the order of what is used
     * how often, and the others need not look at its nodes.
     */
    boolean tellsUse() {
        return (++uses & (USES_PER_TOLD - 1)) == 0;
    }

    /** The oldest age that may answer, in nanoseconds, beside the table's ttl. */
    long maxAgeNanos() {
        return maxAgeNanos;
    }

    /** Aims at everything under a prefix. */
    LineProbe aim(Slot.Prefix prefix, int kind) {
        return aim(table, kind, prefix.bytes(), 0, prefix.bytes().length, prefix.bytes().length);
    }

    /** The array the key is in. */
    public byte[] key() {
        return key;
    }

    /** Where the key begins. */
    public int from() {
        return from;
    }

    /** Where the key's suffix begins: what {@link Line#find} compares. */
    public int suffixFrom() {
        return prefixTo;
    }

    /** Where the key ends. */
    public int to() {
        return to;
    }

    /** Turns to the entry for the prefix as a whole. */
    void aimAtWhole() {
        shape = WHOLE;
        lower = Bytes.NONE;
        lowerFrom = 0;
        lowerTo = 0;
        hash = wholeHash;
    }

    /** Turns to the range that begins at {@code bytes[lowerFrom..lowerTo)}. */
    void aimAtRange(byte[] bytes, int lowerFrom, int lowerTo) {
        shape = RANGE;
        lower = bytes;
        this.lowerFrom = lowerFrom;
        this.lowerTo = lowerTo;
        hash = table.rangeHash(wholeHash, bytes, lowerFrom, lowerTo);
    }

    /** What the entry is found by. */
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
