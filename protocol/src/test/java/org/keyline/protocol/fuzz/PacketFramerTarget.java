package org.keyline.protocol.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.codec.PacketFramer;

/**
 * A stream of packets: a byte for the size of the pieces, one for the limit, then the stream. The
 * result does not depend on the pieces; buffered bytes are bounded by received bytes; nothing
 * leaks.
 */
final class PacketFramerTarget implements FuzzTarget {
    @Override
    public void run(byte[] input) {
        if (input.length < 2) {
            return;
        }
        int pieceBytes = 1 + (input[0] & 0xFF);
        int maxPayloadBytes = 8 * (1 + (input[1] & 0xFF));
        byte[] stream = Arrays.copyOfRange(input, 2, input.length);
        List<String> whole = frame(stream, Math.max(1, stream.length), maxPayloadBytes);
        assertThat(frame(stream, pieceBytes, maxPayloadBytes)).isEqualTo(whole);
        assertThat(frame(stream, 1, maxPayloadBytes)).isEqualTo(whole);
    }

    private static List<String> frame(byte[] stream, int pieceBytes, int maxPayloadBytes) {
        UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(false);
        List<String> payloads = new ArrayList<>();
        try (PacketFramer framer = new PacketFramer(alloc, maxPayloadBytes)) {
            for (int at = 0; at < stream.length; at += pieceBytes) {
                ByteBuf piece = Unpooled.wrappedBuffer(stream, at, Math.min(pieceBytes, stream.length - at));
                int end = piece.writerIndex();
                for (ByteBuf payload = framer.next(piece); payload != null; payload = framer.next(piece)) {
                    assertThat(payload.readableBytes()).isLessThanOrEqualTo(maxPayloadBytes);
                    payloads.add(ByteBufUtil.hexDump(payload));
                    framer.finish();
                    assertThat(piece.writerIndex()).isEqualTo(end);
                }
                assertThat(piece.isReadable()).isFalse();
                long used = alloc.metric().usedHeapMemory() + alloc.metric().usedDirectMemory();
                assertThat(used).isLessThanOrEqualTo(1024 + 4L * stream.length);
            }
        } catch (ProtocolException e) {
            payloads.add(e.code().name());
        }
        long left = alloc.metric().usedHeapMemory() + alloc.metric().usedDirectMemory();
        assertThat(left).as("bytes left behind").isZero();
        return payloads;
    }

    @Override
    public List<byte[]> seeds() {
        return List.of(
                Bytes.of(out -> {
                    out.writeByte(0).writeByte(3);
                    Bytes.packet(out, 0, 1, 2, 3);
                    Bytes.packet(out, 1);
                    Bytes.packet(out, 2, 4);
                }),
                Bytes.of(out -> {
                    out.writeByte(2).writeByte(0xFF);
                    Bytes.packet(out, 0, to -> to.writeZero(300));
                    Bytes.packet(out, 1, 9);
                }),
                Bytes.of(out -> out.writeByte(4)
                        .writeByte(0xFF)
                        .writeMediumLE(0xFFFFFF)
                        .writeByte(0)
                        .writeZero(50)));
    }
}
