package org.keyline.rowcache;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A complete set of the rows of one table under one key prefix, or of one range of keys in it, sorted by key, with the
 * time its load began. Immutable, but for being dropped.
 *
 * <p>Keys are told by their suffix, the bytes behind the line's prefix. Rows are opaque bytes in the format of the line's
 * kind; rows {@code i..j} lie next to each other in {@link #bytes()}, so that a run of them is one copy.
 *
 * <p>A line says what was true when it was loaded. Whether it may answer now is for {@link LineTable#find} to say.
 */
public sealed class Line extends LineKey permits FilterLine {
    /*
     * One array holds everything; per line that costs 32 bytes for this object, 16 for the array's header and 12 for ours,
     * per row 8 for the index:
     *
     *   int rows | byte kind | byte shape | short prefix, lower, upper length (upper: -1 for none)
     *   prefix | lower | upper | index: rows x (int suffix offset, int row offset) | suffixes | rows
     *
     * Suffixes lie together so that a search touches few cache lines. A suffix ends where the next one begins, the last
     * one where the first row begins.
     */
    static final int HEADER_BYTES = 12;
    static final int INDEX_BYTES = 8;

    /** What a line costs beside its array's content, with the cache's own node: measured, see LineMemoryTest. */
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

    /** Takes over an array made by {@link LineBuilder}. */
    Line(byte[] bytes, int hash, Epoch epoch, long loadBeganNanos) {
        this.bytes = bytes;
        this.hash = hash;
        this.epoch = epoch;
        this.loadBeganNanos = loadBeganNanos;
    }

    /** Writes the head of a line's array, up to where the index begins; answers that offset. */
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

    /** Something of what a search and a copy of the line look at first. */
    int firstBytes() {
        return bytes[0] + bytes[bytes.length >> 1];
    }

    /** Number of rows; 0 for the proof that there are none. */
    public int rows() {
        return (int) Bytes.INT.get(bytes, 0);
    }

    /** The clock of the cache's ticker just before the load began: the line's age counts from here. */
    public long loadBeganNanos() {
        return loadBeganNanos;
    }

    /** The row format. */
    @Override
    public byte kind() {
        return bytes[KIND];
    }

    /** The bytes of the prefix that all its keys begin with: a copy. */
    public byte[] prefix() {
        return Arrays.copyOfRange(bytes, prefixFrom(), prefixTo());
    }

    /** The array with everything in it. Shared: to be read only, and only within the bounds that this class gives. */
    public byte[] bytes() {
        return bytes;
    }

    /** Where row {@code row} begins in {@link #bytes()}; for {@code row == rows()} where the last one ends. */
    public int rowOffset(int row) {
        int rows = rows();
        Objects.checkIndex(row, rows + 1);
        return row == rows ? bytes.length : (int) Bytes.INT.get(bytes, index() + row * INDEX_BYTES + Integer.BYTES);
    }

    /** Bytes of a row. */
    public int rowLength(int row) {
        return rowOffset(row + 1) - rowOffset(row);
    }

    /** Where the suffix of a row's key begins in {@link #bytes()}. */
    public int suffixOffset(int row) {
        Objects.checkIndex(row, rows());
        return (int) Bytes.INT.get(bytes, index() + row * INDEX_BYTES);
    }

    /** Bytes of the suffix of a row's key. */
    public int suffixLength(int row) {
        int end = row + 1 == rows() ? rowOffset(0) : suffixOffset(row + 1);
        return end - suffixOffset(row);
    }

    /**
     * The row whose key suffix is {@code key[from..to)}; if there is none, {@code -1 - i} where {@code i} is the first row
     * above it.
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

    /** The first row whose key suffix is {@code key[from..to)} or above; {@link #rows()} if there is none. */
    public int first(byte[] key, int from, int to) {
        int row = find(key, from, to);
        return row < 0 ? -1 - row : row;
    }

    /**
     * The same among the rows from {@code row} on, where those before it are below the key. The last row is looked at first: many ranges go
     * on to the end of their line.
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

    /** The first row above all whose key suffix begins with {@code key[from..to)}; {@link #rows()} if there is none. */
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

    /** The array of a line that has another row in the place of one, and is the same else. */
    byte[] with(int row, byte[] changed) {
        int from = rowOffset(row);
        int to = rowOffset(row + 1);
        int more = changed.length - (to - from);
        byte[] copy = new byte[Math.addExact(bytes.length, more)];
        System.arraycopy(bytes, 0, copy, 0, from);
        System.arraycopy(changed, 0, copy, from, changed.length);
        System.arraycopy(bytes, to, copy, to + more, bytes.length - to);
        for (int later = row + 1; later < rows(); later++) {
            Bytes.INT.set(copy, index() + later * INDEX_BYTES + Integer.BYTES, rowOffset(later) + more);
        }
        return copy;
    }

    /**
     * Whether this line holds every row whose key suffix begins with {@code key[from..to)}. True for all under the prefix
     * unless the line is a range of a split prefix.
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

    /** Where the suffix that its rows begin at, or above, begins in {@link #bytes()}. */
    public int beginOffset() {
        return lowerFrom();
    }

    /** Bytes of that suffix; 0 for a line that begins with the first row under its prefix. */
    public int beginLength() {
        return lowerTo() - lowerFrom();
    }

    /** Where the suffix that its rows are below begins in {@link #bytes()}. */
    public int endOffset() {
        return lowerTo();
    }

    /** Bytes of that suffix; negative for a line that goes on to the last row under its prefix. */
    public int endLength() {
        return (short) Bytes.SHORT.get(bytes, UPPER_LENGTH);
    }

    /** Whether this line holds everything that a probe aimed at its prefix asks for. */
    boolean covers(LineProbe probe) {
        return covers(probe.sense(), probe.key(), probe.suffixFrom(), probe.to());
    }

    /** Whether another line of the same table has the same rows under the same prefix, and is of the same kind. */
    @SuppressWarnings("ReferenceEquality") // the quick way to equality
    public boolean sameRows(Line other) {
        return this == other || (table() == other.table() && Arrays.equals(bytes, other.bytes));
    }

    /**
     * Returns whether no fence was closed over it since it was loaded, and nothing else dropped it. Its age does not count.
     */
    public boolean holds() {
        return table().stillCurrent(this);
    }

    /** Drops all lines under its prefix: it was found to be out of date. */
    public void flush() {
        table().flush(bytes, prefixFrom(), prefixTo());
    }

    /** The epoch it belongs to: the one its load began in, or none that is ever current once it is dropped. */
    Epoch epoch() {
        return epoch;
    }

    /** It never answers again, wherever it is still found. */
    void drop() {
        epoch = table().never();
    }

    boolean isDropped() {
        return epoch == table().never();
    }

    int weight() {
        return OVERHEAD_BYTES + bytes.length;
    }

    /** Returns a line with other content that takes the place of this one. */
    Line changed(byte[] content, Epoch then, long beganNanos) {
        return new Line(content, hash, then, beganNanos);
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
