package org.keyline.gateway.read;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.CachedTable;
import org.keyline.planner.PointRead;
import org.keyline.planner.PointRead.Function;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.codec.BinaryRowWriter;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.codec.RowReader;
import org.keyline.rowcache.Line;

/** Computes a reply's aggregates over rows in key order. Reusable; confined to one event loop. */
final class Aggregates {
    /** Flags of a column that affect how a value is written. */
    private static final int WRITTEN = ColumnType.UNSIGNED_FLAG | ColumnType.ZEROFILL_FLAG;

    private static final int BINARY_COLLATION = 63;
    private static final int BINARY_ROW_HEADER = 1;
    private static final int NULL_CELL = 0xFB;

    private List<Function> functions = List.of();
    private List<Integer> ordinals = List.of();
    private long[] counts = {};
    private @Nullable Line[] lines = {};
    private int[] rows = {};

    void begin(PointRead plan) {
        functions = plan.functions();
        ordinals = plan.projection();
        if (counts.length < functions.size()) {
            counts = new long[functions.size()];
            lines = new Line[functions.size()];
            rows = new int[functions.size()];
        }
        Arrays.fill(counts, 0);
        Arrays.fill(lines, null);
    }

    /** Returns whether the store sends each MIN and MAX in the format of its column's cells. */
    static boolean isWrittenAlike(PointRead plan, Template template, CachedTable table, int kind) {
        for (int i = 0; i < plan.functions().size(); i++) {
            Function function = plan.functions().get(i);
            if (function == Function.MIN || function == Function.MAX) {
                if (!isWrittenAlike(
                        template.column(i), table.column(kind, plan.projection().get(i)))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Returns whether both columns have the same type and format. */
    static boolean isWrittenAlike(ColumnDefinition answered, ColumnDefinition stored) {
        return answered.type() == stored.type()
                && answered.decimals() == stored.decimals()
                && (answered.flags() & WRITTEN) == (stored.flags() & WRITTEN)
                && (answered.collation() == BINARY_COLLATION) == (stored.collation() == BINARY_COLLATION);
    }

    /** Adds the rows {@code from..to - 1} of a line, which sort after all rows added before. */
    void rows(Line line, int from, int to, RowReader cells) {
        for (int i = 0; i < functions.size(); i++) {
            int ordinal = ordinals.get(i);
            switch (functions.get(i)) {
                case ROWS -> counts[i] += to - from;
                case COUNT -> {
                    for (int row = from; row < to; row++) {
                        counts[i] += hasValue(line, row, ordinal, cells) ? 1 : 0;
                    }
                }
                case MIN -> {
                    for (int row = from; row < to && lines[i] == null; row++) {
                        keep(i, line, row, hasValue(line, row, ordinal, cells));
                    }
                }
                case MAX -> {
                    boolean found = false;
                    for (int row = to - 1; row >= from && !found; row--) {
                        found = hasValue(line, row, ordinal, cells);
                        keep(i, line, row, found);
                    }
                }
            }
        }
    }

    private void keep(int aggregate, Line line, int row, boolean found) {
        if (found) {
            lines[aggregate] = line;
            rows[aggregate] = row;
        }
    }

    private static boolean hasValue(Line line, int row, int ordinal, RowReader cells) {
        cells.read(line.bytes(), line.rowOffset(row), line.rowLength(row));
        return !cells.isNull(ordinal);
    }

    /** @param cells reads the rows; null if no row was added */
    void write(boolean binary, Template template, @Nullable RowReader cells, int sequenceId, ByteBuf out) {
        int begin = Packets.begin(out);
        int bitmap = out.writerIndex() + BINARY_ROW_HEADER;
        if (binary) {
            out.writeZero(BINARY_ROW_HEADER + BinaryRowWriter.bitmapBytes(functions.size()));
        }
        for (int i = 0; i < functions.size(); i++) {
            boolean isCount = functions.get(i) == Function.ROWS || functions.get(i) == Function.COUNT;
            Line line = lines[i];
            if (isCount) {
                template.number(counts[i], out);
            } else if (line != null) {
                RowReader row = requireNonNull(cells, "rows without a reader");
                row.read(line.bytes(), line.rowOffset(rows[i]), line.rowLength(rows[i]));
                out.writeBytes(row.source(), row.cellOffset(ordinals.get(i)), row.cellLength(ordinals.get(i)));
            } else if (binary) {
                int bit = i + BinaryRowWriter.BITMAP_OFFSET;
                int at = bitmap + bit / 8;
                out.setByte(at, out.getByte(at) | (1 << (bit % 8)));
            } else {
                out.writeByte(NULL_CELL);
            }
        }
        Packets.end(out, begin, sequenceId);
        Arrays.fill(lines, null);
    }
}
