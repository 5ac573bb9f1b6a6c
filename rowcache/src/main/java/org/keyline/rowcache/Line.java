package org.keyline.rowcache;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All rows of one table under one key prefix, or in one range of keys under it, sorted by key.
 * Immutable, except that a line can be dropped.
 *
 * <p>A line contains only the suffix of each key, the bytes after the line's prefix. Rows are
 * opaque bytes in the format of the line's kind. Rows {@code i..j} are adjacent in
 * {@link #bytes()}. {@link LineTable#find} decides whether a line may answer.
 */
public sealed class Line extends LineKey permits FilterLine {
    /*
     * One array contains the whole line:
     *
     * - int rows, byte kind, byte shape
     * - short length of prefix, of lower, and of upper (-1 for none)
     * - prefix, lower, upper
     * - index: for each row an int offset of its suffix and an int offset of the row
     * - suffixes
     * - rows
     *
     * A line costs 32 bytes for this object, 16 for the array's header, 12 for the header within
     * the array, and 8 per row for the index. Suffixes are adjacent, so that a search accesses few
     * cache lines. A suffix ends where the next one begins; the last one ends where the first row
     * begins.
     */
    static final int HEADER_BYTES = 12;
    static final int INDEX_BYTES = 8;

    /**
     * Heap bytes of a line in addition to its array, including the cache's node. Measured by
     * LineMemoryTest.
     */
    static final int OVERHEAD_BYTES = 144;

    private static final int KIND = 4;
    private static final int SHAPE = 5;
    private static final int PREFIX_LENGTH = 6;
    private static final int LOWER_LENGTH = 8;
    private static final int UPPER_LENGTH = 10;

    private final int hash;
    private volatile Epoch epoch;
    private final long loadBeganNanos;
    private final byte[] bytes;

    /** @param bytes an array made by {@link LineBuilder}; this object takes ownership */
    Line(byte[] bytes, int hash, Epoch epoch, long loadBeganNanos) {
        this.bytes = bytes;
        this.hash = hash;
        this.epoch = epoch;
        this.loadBeganNanos = loadBeganNanos;
    }

    /** Writes everything before the index. Returns the offset of the index. */
    static int writeHead(
            byte[] bytes, int rows, byte kind, byte shape, byte[] prefix, byte[] lower, byte @Nullable [] upper) {
        Bytes.INT.set(bytes, 0, rows);
        bytes[KIND] = kind;
        bytes[SHAPE] = shape;
        Bytes.SHORT.set(bytes, PREFIX_LENGTH, (short) prefix.length);
        Bytes.SHORT.set(bytes, LOWER_LENGTH, (short) lower.length);
        Bytes.SHORT.set(bytes, UPPER_LENGTH, (short) (upper == null ? -1 : upper.length));
        int to = HEADER_BYTES;
        System.arraycopy(prefix, 0, bytes, to, prefix.length);
        to += prefix.length;
        System.arraycopy(lower, 0, bytes, to, lower.length);
        to += lower.length;
        if (upper != null) {
            System.arraycopy(upper, 0, bytes, to, upper.length);
            to += upper.length;
        }
        return to;
    }

    /** Prefetches bytes that a search reads. Returns a meaningless value computed from them. */
    int firstBytes() {
        return bytes[0] + bytes[bytes.length >> 1];
    }

    /** Returns the number of rows; 0 if the store had no row of this prefix or range. */
    public int rows() {
        return (int) Bytes.INT.get(bytes, 0);
    }

    /** Returns the ticker's time just before the load began. The line's age counts from it. */
    public long loadBeganNanos() {
        return loadBeganNanos;
    }

    @Override
    public byte kind() {
        return bytes[KIND];
    }

    public byte[] prefix() {
        return Arrays.copyOfRange(bytes, prefixFrom(), prefixTo());
    }

    /**
     * Returns the array with all rows. The caller must not modify it, or read outside of the
     * offsets that this class returns.
     */
    public byte[] bytes() {
        return bytes;
    }

    /** Returns the offset of a row; for {@code row == rows()}, the end of the last row. */
    public int rowOffset(int row) {
        int rows = rows();
        Objects.checkIndex(row, rows + 1);
        return row == rows ? bytes.length : (int) Bytes.INT.get(bytes, index() + row * INDEX_BYTES + Integer.BYTES);
    }

    /** Returns whether writes can add rows; false if the line's prefix is a row's whole key. */
    boolean mayGrow() {
        return rows() != 1 || suffixLength(0) > 0;
    }

    public int rowLength(int row) {
        return rowOffset(row + 1) - rowOffset(row);
    }

    public int suffixOffset(int row) {
        Objects.checkIndex(row, rows());
        return (int) Bytes.INT.get(bytes, index() + row * INDEX_BYTES);
    }

    public int suffixLength(int row) {
        int end = row + 1 == rows() ? rowOffset(0) : suffixOffset(row + 1);
        return end - suffixOffset(row);
    }

    /**
     * Returns the index of the row with this key suffix. If no row has it, returns {@code -1 - i};
     * {@code i} is the index of the next row.
     */
    public int find(byte[] key, int from, int to) {
        int low = 0;
        int high = rows() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int suffix = suffixOffset(middle);
            int order = Arrays.compareUnsigned(bytes, suffix, suffix + suffixLength(middle), key, from, to);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1 - low;
    }

    /** Returns the first row at or above this key suffix; {@link #rows()} if there is none. */
    public int first(byte[] key, int from, int to) {
        int row = find(key, from, to);
        return row < 0 ? -1 - row : row;
    }

    /**
     * Returns the first row at or above this key suffix. Searches from {@code row} on; the rows
     * before it must be below the key. Checks the last row first, because many ranges extend to the
     * end of their line.
     */
    public int first(int row, byte[] key, int from, int to) {
        int low = row;
        int high = rows();
        if (low < high && isBelow(high - 1, key, from, to)) {
            return high;
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (isBelow(middle, key, from, to)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean isBelow(int row, byte[] key, int from, int to) {
        int suffix = suffixOffset(row);
        return Arrays.compareUnsigned(bytes, suffix, suffix + suffixLength(row), key, from, to) < 0;
    }

    /** Returns the first row above all keys that begin with the suffix; {@link #rows()} if none. */
    public int firstAfter(byte[] key, int from, int to) {
        int low = 0;
        int high = rows();
        while (low < high) {
            int middle = (low + high) >>> 1;
            int suffix = suffixOffset(middle);
            int compared = Math.min(suffixLength(middle), to - from);
            if (Arrays.compareUnsigned(bytes, suffix, suffix + compared, key, from, to) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Returns whether the line's bounds contain the key. Always true for a line of a whole prefix.
     */
    public boolean covers(byte[] key, int from, int to) {
        return covers(LineProbe.Sense.ALL, key, from, to);
    }

    boolean covers(LineProbe.Sense sense, byte[] key, int from, int to) {
        int upper = lowerTo();
        int upperLength = (short) Bytes.SHORT.get(bytes, UPPER_LENGTH);
        return sense.isWithin(
                bytes,
                lowerFrom(),
                upper,
                upperLength < 0 ? null : bytes,
                upper,
                upper + Math.max(0, upperLength),
                key,
                from,
                to);
    }

    /** Returns the offset of the inclusive lower bound of the line's suffixes. */
    public int beginOffset() {
        return lowerFrom();
    }

    /** Returns the length of the lower bound; 0 if the line begins with its prefix's first row. */
    public int beginLength() {
        return lowerTo() - lowerFrom();
    }

    /** Returns the offset of the exclusive upper bound of the line's suffixes. */
    public int endOffset() {
        return lowerTo();
    }

    /** Returns the length of the upper bound; -1 for a line up to the last row under its prefix. */
    public int endLength() {
        return (short) Bytes.SHORT.get(bytes, UPPER_LENGTH);
    }

    boolean covers(LineProbe probe) {
        return covers(probe.sense(), probe.key(), probe.suffixFrom(), probe.to());
    }

    /** Returns whether two lines of one table and kind have the same prefix, bounds and rows. */
    @SuppressWarnings("ReferenceEquality") // a shortcut before the full comparison
    public boolean sameRows(Line other) {
        return this == other || (table() == other.table() && Arrays.equals(bytes, other.bytes));
    }

    /** Returns whether nothing has dropped or closed the line. Ignores its age. */
    public boolean holds() {
        return table().stillCurrent(this);
    }

    /** Drops all lines under the prefix of this line, because this line proved to be outdated. */
    public void flush() {
        table().flush(bytes, prefixFrom(), prefixTo());
    }

    /** Returns the epoch of the load; for a dropped line, an epoch that is never current. */
    Epoch epoch() {
        return epoch;
    }

    /** Prevents the line from answering, even if a reader still finds the line. */
    void drop() {
        epoch = table().never();
    }

    boolean isDropped() {
        return epoch == table().never();
    }

    int weight() {
        return OVERHEAD_BYTES + bytes.length;
    }

    @Override
    int hash() {
        return hash;
    }

    @Override
    LineTable table() {
        return epoch.table();
    }

    @Override
    byte shape() {
        return bytes[SHAPE];
    }

    @Override
    byte[] prefixBytes() {
        return bytes;
    }

    @Override
    int prefixFrom() {
        return HEADER_BYTES;
    }

    @Override
    int prefixTo() {
        return HEADER_BYTES + (short) Bytes.SHORT.get(bytes, PREFIX_LENGTH);
    }

    @Override
    byte[] lowerBytes() {
        return bytes;
    }

    @Override
    int lowerFrom() {
        return prefixTo();
    }

    @Override
    int lowerTo() {
        return prefixTo() + (short) Bytes.SHORT.get(bytes, LOWER_LENGTH);
    }

    private int index() {
        return lowerTo() + Math.max(0, (short) Bytes.SHORT.get(bytes, UPPER_LENGTH));
    }

    @Override
    public String toString() {
        return "Line[table=" + table().id() + ", kind=" + kind() + ", rows=" + rows() + ", bytes=" + bytes.length + "]";
    }
}
