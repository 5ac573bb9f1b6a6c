package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.EofPacket;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.codec.Packets;

/** A server's reply, written packet by packet with running sequence ids; for tests. */
final class FramedReply {
    final ByteBuf bytes = Unpooled.buffer();
    private final boolean deprecateEof;
    private int sequenceId;

    FramedReply(boolean deprecateEof) {
        this(deprecateEof, 1);
    }

    FramedReply(boolean deprecateEof, int firstSequenceId) {
        this.deprecateEof = deprecateEof;
        this.sequenceId = firstSequenceId;
    }

    FramedReply payload(Consumer<ByteBuf> writer) {
        ByteBuf payload = Unpooled.buffer();
        writer.accept(payload);
        sequenceId = Packets.write(bytes, payload, sequenceId);
        payload.release();
        return this;
    }

    FramedReply raw(int... payload) {
        return payload(out -> {
            for (int b : payload) {
                out.writeByte(b);
            }
        });
    }

    FramedReply ok(int status) {
        return payload(new OkPacket(7, 300, status, 2, "info")::encode);
    }

    FramedReply error(int code, String message) {
        return payload(new ErrPacket(code, "42000", message)::encode);
    }

    FramedReply columnCount(int count) {
        return payload(out -> Lenenc.writeInt(out, count));
    }

    /** Writes definitions, and the EOF packet after them, if any. */
    FramedReply definitions(int count, int status) {
        for (int i = 0; i < count; i++) {
            payload(ColumnDefinition.of("c" + i, 45, 255, ColumnType.VAR_STRING, 0, 0)::encode);
        }
        return deprecateEof ? this : payload(new EofPacket(status, 0)::encode);
    }

    FramedReply end(int status) {
        return deprecateEof
                ? payload(out -> new OkPacket(0, 0, status, 1, "").encode(out, OkPacket.HEADER_AS_EOF))
                : payload(new EofPacket(status, 1)::encode);
    }

    int nextSequenceId() {
        return sequenceId;
    }

    /** Skips the sequence ids of packets that the client sends in between. */
    FramedReply skipSequenceIds(int count) {
        sequenceId = sequenceId + count & 0xFF;
        return this;
    }
}
