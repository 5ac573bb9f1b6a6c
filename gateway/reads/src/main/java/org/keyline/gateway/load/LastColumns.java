package org.keyline.gateway.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.codec.Packets;

/** Decodes a reply's columns, unless they equal the last reply's. Confined to one event loop. */
final class LastColumns {
    private byte[] bytes = {};
    private List<ColumnDefinition> columns = List.of();

    // The received definitions, as packets without sequence ids.
    private byte[] received = new byte[1024];
    private int length;

    void begin() {
        length = 0;
    }

    void add(ByteBuf in, int payloadLength) {
        int end = length + Packets.HEADER_BYTES + payloadLength;
        if (end > received.length) {
            received = Arrays.copyOf(received, Math.max(end, 2 * received.length));
        }
        received[length] = (byte) payloadLength;
        received[length + 1] = (byte) (payloadLength >> 8);
        received[length + 2] = (byte) (payloadLength >> 16);
        in.readBytes(received, length + Packets.HEADER_BYTES, payloadLength);
        length = end;
    }

    /**
     * Returns an unmodifiable list: the same object as for the previous reply if the bytes of both
     * replies' definitions are equal.
     */
    List<ColumnDefinition> end() {
        if (!Arrays.equals(received, 0, length, bytes, 0, bytes.length)) {
            List<ColumnDefinition> decoded = new ArrayList<>();
            ByteBuf in = Unpooled.wrappedBuffer(received, 0, length);
            while (in.isReadable()) {
                int payloadLength = in.readUnsignedMediumLE();
                in.skipBytes(1);
                decoded.add(ColumnDefinition.decode(in.readSlice(payloadLength)));
            }
            columns = List.copyOf(decoded);
            bytes = Arrays.copyOf(received, length);
        }
        return columns;
    }
}
