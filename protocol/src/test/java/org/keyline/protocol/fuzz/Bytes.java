package org.keyline.protocol.fuzz;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;
import org.keyline.protocol.codec.Packets;

/** Seeds as byte arrays. */
final class Bytes {
    private Bytes() {}

    static byte[] of(Consumer<ByteBuf> writer) {
        ByteBuf out = Unpooled.buffer();
        writer.accept(out);
        return ByteBufUtil.getBytes(out);
    }

    /** Writes a packet with its header. */
    static void packet(ByteBuf out, int sequenceId, Consumer<ByteBuf> payload) {
        int begin = Packets.begin(out);
        payload.accept(out);
        Packets.end(out, begin, sequenceId);
    }

    /** Writes a packet of these bytes. */
    static void packet(ByteBuf out, int sequenceId, int... payload) {
        packet(out, sequenceId, to -> {
            for (int b : payload) {
                to.writeByte(b);
            }
        });
    }
}
