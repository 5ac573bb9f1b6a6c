package org.keyline.gateway.query;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which cells of a line's rows go into a reply, and in which order. A row is copied whole where that is the same. Immutable;
 * thread-safe.
 */
final class Projection {
    private static final int PACKET_HEADER = 4;
    private static final int BINARY_ROW_HEADER = 1;
    /** Binary rows keep the two lowest bits of their NULL bitmap unused. */
    private static final int BITMAP_SHIFT = 2;

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

    /** Writes a row as a packet with the given sequence id. */
    void write(RowFormat format, byte[] row, int offset, int length, int sequenceId, ByteBuf out) {
        int[] wanted = ordinals;
        if (wanted == null) {
            out.writeIntLE(length | (sequenceId << 24));
            out.writeBytes(row, offset, length);
            return;
        }
        int begin = out.writerIndex();
        out.writeZero(PACKET_HEADER);
        if (format.binary()) {
            binary(format, row, offset, wanted, out);
        } else {
            for (int ordinal : wanted) {
                long cell = format.cell(row, offset, ordinal);
                out.writeBytes(row, RowFormat.offset(cell), RowFormat.length(cell));
            }
        }
        out.setIntLE(begin, (out.writerIndex() - begin - PACKET_HEADER) | (sequenceId << 24));
    }

    private static void binary(RowFormat format, byte[] row, int offset, int[] wanted, ByteBuf out) {
        int bitmap = out.writerIndex() + BINARY_ROW_HEADER;
        out.writeZero(BINARY_ROW_HEADER + (wanted.length + BITMAP_SHIFT + 7) / 8);
        for (int i = 0; i < wanted.length; i++) {
            long cell = format.cell(row, offset, wanted[i]);
            if (RowFormat.isNull(cell)) {
                int at = bitmap + (i + BITMAP_SHIFT) / 8;
                out.setByte(at, out.getByte(at) | (1 << ((i + BITMAP_SHIFT) % 8)));
            } else {
                out.writeBytes(row, RowFormat.offset(cell), RowFormat.length(cell));
            }
        }
    }
}
