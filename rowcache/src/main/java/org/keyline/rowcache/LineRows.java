package org.keyline.rowcache;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows next to each other in a line. Immutable.
 *
 * @param from the first one
 * @param to the first one behind them
 */
record LineRows(Line line, int from, int to) {
    /**
     * The array of a range that has the rows of lines of one prefix and one kind.
     *
     * @param runs in the order of their keys
     */
    static byte[] range(List<LineRows> runs, byte[] lower, byte @Nullable [] upper) {
        int rows = 0;
        int suffixes = 0;
        int content = 0;
        boolean several = runs.size() > 1;
        for (LineRows run : runs) {
            several |= !run.line.isOfOneMoment();
            rows += run.to - run.from;
            suffixes += run.suffixBytes();
            content += run.rowBytes();
        }
        Line first = runs.get(0).line;
        byte[] prefix = first.prefix();
        int head = Line.HEADER_BYTES + prefix.length + lower.length + (upper == null ? 0 : upper.length);
        byte[] bytes = new byte[Math.addExact(head, rows * Line.INDEX_BYTES + suffixes + content)];
        byte shape = several ? LineKey.RANGE | Line.SEVERAL_MOMENTS : LineKey.RANGE;
        int index = Line.writeHead(bytes, rows, first.kind(), shape, prefix, lower, upper);
        int suffixTo = index + rows * Line.INDEX_BYTES;
        int rowTo = suffixTo + suffixes;
        for (LineRows run : runs) {
            if (run.from < run.to) {
                index = run.copy(bytes, index, suffixTo, rowTo);
                suffixTo += run.suffixBytes();
                rowTo += run.rowBytes();
            }
        }
        return bytes;
    }

    /** Writes the rows, their suffixes and their part of the index, each to its place; answers where that part ends. */
    private int copy(byte[] bytes, int index, int suffixTo, int rowTo) {
        int suffixFrom = line.suffixOffset(from);
        int rowFrom = line.rowOffset(from);
        System.arraycopy(line.bytes(), suffixFrom, bytes, suffixTo, suffixBytes());
        System.arraycopy(line.bytes(), rowFrom, bytes, rowTo, rowBytes());
        int at = index;
        for (int row = from; row < to; row++) {
            Bytes.INT.set(bytes, at, suffixTo + line.suffixOffset(row) - suffixFrom);
            Bytes.INT.set(bytes, at + Integer.BYTES, rowTo + line.rowOffset(row) - rowFrom);
            at += Line.INDEX_BYTES;
        }
        return at;
    }

    private int suffixBytes() {
        if (from == to) {
            return 0;
        }
        int end = line.suffixOffset(to - 1) + line.suffixLength(to - 1);
        return end - line.suffixOffset(from);
    }

    private int rowBytes() {
        return line.rowOffset(to) - line.rowOffset(from);
    }
}
