package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.Latin1;
import org.keyline.planner.PointRead;
import org.keyline.protocol.codec.BinaryRowWriter;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.codec.RowReader;

/** Writes the selected cells of a row to a reply, or copies the row. Immutable; thread-safe. */
final class Projection {
    private static final int BINARY_ROW_HEADER = 1;

    /** Ordinals of the table's columns, in the order of the reply. */
    private final int[] ordinals;
    /** Whether the select list is all columns in their order, so that whole rows can be copied. */
    private final boolean whole;

    Projection(List<Integer> ordinals, int columns) {
        int[] wanted = ordinals.stream().mapToInt(Integer::intValue).toArray();
        boolean all = wanted.length == columns;
        for (int i = 0; all && i < columns; i++) {
            all = wanted[i] == i;
        }
        this.ordinals = wanted;
        this.whole = all;
    }

    boolean copiesRows() {
        return whole;
    }

    static void copy(byte[] row, int offset, int length, int sequenceId, ByteBuf out) {
        out.writeIntLE(length | (sequenceId << 24));
        out.writeBytes(row, offset, length);
    }

    /**
     * Writes the selected cells as a packet.
     *
     * @param template contains the cells of literals in the select list
     * @param latin1 marks the columns whose text is converted back to latin1; null if there are
     * none
     * @return false if such a text has a character that latin1 lacks
     */
    boolean write(
            RowReader row,
            boolean binary,
            Template template,
            boolean @Nullable [] latin1,
            int sequenceId,
            ByteBuf out) {
        int[] wanted = ordinals;
        boolean fits = true;
        int constants = 0;
        int begin = Packets.begin(out);
        int bitmap = out.writerIndex() + BINARY_ROW_HEADER;
        if (binary) {
            out.writeZero(BINARY_ROW_HEADER + BinaryRowWriter.bitmapBytes(wanted.length));
        }
        for (int i = 0; i < wanted.length; i++) {
            int ordinal = wanted[i];
            if (ordinal == PointRead.ONE) {
                template.constant(constants++, out);
            } else if (binary && row.isNull(ordinal)) {
                int bit = i + BinaryRowWriter.BITMAP_OFFSET;
                int at = bitmap + bit / 8;
                out.setByte(at, out.getByte(at) | (1 << (bit % 8)));
            } else if (latin1 != null && latin1[ordinal] && !row.isNull(ordinal)) {
                fits &= Latin1.cell(row.source(), row.valueOffset(ordinal), row.valueLength(ordinal), out);
            } else {
                out.writeBytes(row.source(), row.cellOffset(ordinal), row.cellLength(ordinal));
            }
        }
        Packets.end(out, begin, sequenceId);
        return fits;
    }
}
