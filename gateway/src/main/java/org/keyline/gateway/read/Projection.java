package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.PointRead;
import org.keyline.protocol.codec.BinaryRowWriter;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.codec.RowReader;

/**
 * Which cells of a line's rows go into a reply, and in which order. A row is copied whole where that is the same. Immutable;
 * thread-safe.
 */
final class Projection {
    private static final int BINARY_ROW_HEADER = 1;

    /** Ordinals in output order; null for all in the row's order. */
    private final int @Nullable [] ordinals;

    Projection(List<Integer> ordinals, int columns) {
        int[] wanted = ordinals.stream().mapToInt(Integer::intValue).toArray();
        boolean all = wanted.length == columns;
        for (int i = 0; all && i < columns; i++) {
            all = wanted[i] == i;
        }
        this.ordinals = all ? null : wanted;
    }

    /** Whether rows are copied as they are. */
    boolean copiesRows() {
        return ordinals == null;
    }

    /** Writes a whole row as a packet. */
    static void copy(byte[] row, int offset, int length, int sequenceId, ByteBuf out) {
        out.writeIntLE(length | (sequenceId << 24));
        out.writeBytes(row, offset, length);
    }

    /** Writes the wanted cells of the row that the reader holds as a packet; the template has the literal 1. */
    void write(RowReader row, boolean binary, Template template, int sequenceId, ByteBuf out) {
        int[] wanted = ordinals;
        if (wanted == null) {
            throw new IllegalStateException("rows are copied whole");
        }
        int begin = Packets.begin(out);
        int bitmap = out.writerIndex() + BINARY_ROW_HEADER;
        if (binary) {
            out.writeZero(BINARY_ROW_HEADER + BinaryRowWriter.bitmapBytes(wanted.length));
        }
        for (int i = 0; i < wanted.length; i++) {
            int ordinal = wanted[i];
            if (ordinal == PointRead.ONE) {
                template.number(1, out);
            } else if (binary && row.isNull(ordinal)) {
                int bit = i + BinaryRowWriter.BITMAP_OFFSET;
                int at = bitmap + bit / 8;
                out.setByte(at, out.getByte(at) | (1 << (bit % 8)));
            } else {
                out.writeBytes(row.source(), row.cellOffset(ordinal), row.cellLength(ordinal));
            }
        }
        Packets.end(out, begin, sequenceId);
    }
}
