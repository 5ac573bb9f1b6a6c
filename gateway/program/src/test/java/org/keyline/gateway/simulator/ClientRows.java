package org.keyline.gateway.simulator;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.simulator.ModelTable.RowKey;
import org.keyline.gateway.simulator.Operation.Reading;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.codec.Packets;

/**
 * The rows of a complete reply, as a client reads them. All columns are those of the table, in its
 * order.
 */
final class ClientRows {
    private static final int EOF = 0xFE;
    private static final int MAX_EOF_BYTES = 9;

    private final ByteBuf reply;
    private final boolean deprecateEof;
    private final boolean binary;

    ClientRows(ByteBuf reply, int flags, boolean binary) {
        this.reply = reply;
        deprecateEof = Capabilities.has(flags, Capabilities.CLIENT_DEPRECATE_EOF);
        this.binary = binary;
    }

    Map<RowKey, Long> read(SimulatedClient.@Nullable Step step) {
        Reading reading = step == null ? null : step.reading();
        if (reading == null) {
            return Map.of();
        }
        ModelTable table = reading.wanted().get(0).table();
        int columns = (int) Lenenc.readInt(packet());
        for (int i = 0; i < columns + (deprecateEof ? 0 : 1); i++) {
            packet();
        }
        Map<RowKey, Long> rows = new LinkedHashMap<>();
        while (true) {
            ByteBuf packet = packet();
            if (packet.getUnsignedByte(packet.readerIndex()) == EOF && packet.readableBytes() < MAX_EOF_BYTES) {
                return rows;
            }
            long[] cells = cells(packet, columns);
            RowKey key = new RowKey(table, cells[0], columns == 3 ? cells[1] : 0);
            if (!reading.wanted().contains(key) || rows.put(key, cells[columns - 1]) != null) {
                throw new Violation("row " + key + " in the answer to " + reading.text());
            }
        }
    }

    private long[] cells(ByteBuf packet, int columns) {
        long[] cells = new long[columns];
        packet.skipBytes(binary ? 1 + (columns + 9) / 8 : 0);
        for (int i = 0; i < columns; i++) {
            cells[i] = binary ? packet.readLongLE() : Long.parseLong(text(packet));
        }
        return cells;
    }

    private static String text(ByteBuf packet) {
        int length = packet.readUnsignedByte();
        return Objects.requireNonNull(packet.readCharSequence(length, StandardCharsets.US_ASCII))
                .toString();
    }

    private ByteBuf packet() {
        int length = reply.readUnsignedMediumLE();
        reply.skipBytes(Packets.HEADER_BYTES - 3);
        return reply.readSlice(length);
    }
}
