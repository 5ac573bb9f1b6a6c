package org.keyline.rowcache;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Builds a line from rows in any order. Confined to the loading thread. */
final class LineBuilder {
    private static final int INITIAL_ROWS = 8;
    private static final int INITIAL_BYTES = 256;

    private byte[] suffixes = new byte[INITIAL_BYTES];
    private byte[] bytes = new byte[INITIAL_BYTES];
    /** For each row, the end offset of its suffix, and the end offset of its bytes. */
    private int[] ends = new int[2 * INITIAL_ROWS];

    private int rows;
    private boolean sorted = true;
    private boolean falling = true;

    int rows() {
        return rows;
    }

    long size() {
        return (long) suffixEnd(rows - 1) + rowEnd(rows - 1) + (long) rows * Line.INDEX_BYTES;
    }

    /** Returns whether all rows are below the suffix and arrived in strictly ascending order. */
    boolean endsBelow(byte[] suffix) {
        return sorted
                && (rows == 0
                        || Arrays.compareUnsigned(
                                        suffixes, suffixEnd(rows - 2), suffixEnd(rows - 1), suffix, 0, suffix.length)
                                < 0);
    }

    /** Returns whether the rows arrived in strictly descending order. */
    boolean falls() {
        return falling;
    }

    byte[] last() {
        return Arrays.copyOfRange(suffixes, suffixEnd(rows - 2), suffixEnd(rows - 1));
    }

    /** Removes all rows at or above a suffix. The rows must have arrived in ascending order. */
    void cut(byte[] suffix) {
        while (rows > 0 && !endsBelow(suffix)) {
            rows--;
        }
    }

    void add(byte[] key, int suffixFrom, int suffixTo, byte[] row, int rowFrom, int rowTo) {
        int suffixStart = suffixEnd(rows - 1);
        int rowStart = rowEnd(rows - 1);
        if ((sorted || falling) && rows > 0) {
            int last = suffixEnd(rows - 2);
            int order = Arrays.compareUnsigned(suffixes, last, suffixStart, key, suffixFrom, suffixTo);
            sorted &= order < 0;
            falling &= order > 0;
        }
        suffixes = append(suffixes, suffixStart, key, suffixFrom, suffixTo);
        bytes = append(bytes, rowStart, row, rowFrom, rowTo);
        if (2 * rows == ends.length) {
            ends = Arrays.copyOf(ends, 2 * ends.length);
        }
        ends[2 * rows] = suffixStart + suffixTo - suffixFrom;
        ends[2 * rows + 1] = rowStart + rowTo - rowFrom;
        rows++;
    }

    /** Returns the array of a line with the added rows; null if two rows have the same key. */
    byte @Nullable [] build(byte kind, byte shape, byte[] prefix, byte[] lower, byte @Nullable [] upper) {
        int[] order = order();
        if (!sorted && !distinct(order)) {
            return null;
        }
        int head = Line.HEADER_BYTES + prefix.length + lower.length + (upper == null ? 0 : upper.length);
        byte[] line = new byte[Math.toIntExact(head + size())];
        int index = Line.writeHead(line, rows, kind, shape, prefix, lower, upper);
        int suffixTo = index + rows * Line.INDEX_BYTES;
        int rowTo = suffixTo + suffixEnd(rows - 1);
        for (int i : order) {
            int suffixFrom = suffixEnd(i - 1);
            int suffixLength = suffixEnd(i) - suffixFrom;
            int rowFrom = rowEnd(i - 1);
            int rowLength = rowEnd(i) - rowFrom;
            Bytes.INT.set(line, index, suffixTo);
            Bytes.INT.set(line, index + Integer.BYTES, rowTo);
            System.arraycopy(suffixes, suffixFrom, line, suffixTo, suffixLength);
            System.arraycopy(bytes, rowFrom, line, rowTo, rowLength);
            index += Line.INDEX_BYTES;
            suffixTo += suffixLength;
            rowTo += rowLength;
        }
        return line;
    }

    private int[] order() {
        int[] order = new int[rows];
        boolean turned = !sorted && falling;
        Arrays.setAll(order, i -> turned ? rows - 1 - i : i);
        if (sorted || turned) {
            return order;
        }
        return Arrays.stream(order)
                .boxed()
                .sorted(this::compare)
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private boolean distinct(int[] order) {
        for (int i = 1; i < order.length; i++) {
            if (compare(order[i - 1], order[i]) == 0) {
                return false;
            }
        }
        return true;
    }

    private int compare(int left, int right) {
        return Arrays.compareUnsigned(
                suffixes, suffixEnd(left - 1), suffixEnd(left), suffixes, suffixEnd(right - 1), suffixEnd(right));
    }

    private int suffixEnd(int row) {
        return row < 0 ? 0 : ends[2 * row];
    }

    private int rowEnd(int row) {
        return row < 0 ? 0 : ends[2 * row + 1];
    }

    private static byte[] append(byte[] target, int at, byte[] source, int from, int to) {
        int needed = Math.addExact(at, to - from);
        byte[] grown = target;
        if (needed > target.length) {
            // Limits make loads far smaller than the maximum length of an array.
            grown = Arrays.copyOf(target, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(needed, 2L * target.length)));
        }
        System.arraycopy(source, from, grown, at, to - from);
        return grown;
    }
}
