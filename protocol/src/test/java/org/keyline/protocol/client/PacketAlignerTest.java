package org.keyline.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.keyline.protocol.codec.Packets;

final class PacketAlignerTest {
    private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(false);

    @Test
    void next_anyPieces_yieldTheSamePackets() {
        for (int seed = 1; seed <= 300; seed++) {
            Random random = new Random(seed);
            ByteBuf stream = Unpooled.buffer();
            for (int i = 0; i < 20; i++) {
                Packets.write(stream, Unpooled.wrappedBuffer(new byte[random.nextInt(60)]), i);
            }
            PacketAligner aligner = new PacketAligner();
            ByteBuf joined = Unpooled.buffer();
            ByteBuf in = stream.duplicate();
            while (in.isReadable()) {
                ByteBuf piece = alloc.buffer().writeBytes(in, Math.min(1 + random.nextInt(70), in.readableBytes()));
                for (ByteBuf whole = aligner.next(piece, alloc); whole != null; whole = aligner.next(piece, alloc)) {
                    int at = 0;
                    while (at < whole.readableBytes()) {
                        at += 4 + Packets.payloadLength(whole, whole.readerIndex() + at);
                    }
                    assertThat(at).as("seed %d", seed).isEqualTo(whole.readableBytes());
                    joined.writeBytes(whole);
                    whole.release();
                }
                piece.release();
            }
            assertThat(joined).as("seed %d", seed).isEqualTo(stream);
        }
        assertThat(used()).isZero();
    }

    /** A header may claim 16 MiB, but the buffer grows with the bytes that arrive. */
    @Test
    void next_longPacketAnnounced_buffersOnlyWhatArrived() {
        PacketAligner aligner = new PacketAligner();
        ByteBuf piece = alloc.buffer().writeMediumLE(0xFFFFFF).writeByte(1).writeZero(100);
        assertThat(aligner.next(piece, alloc)).isNull();
        piece.release();
        assertThat(used()).isLessThan(128 * 1024);
        aligner.release();
        aligner.release();
        assertThat(used()).isZero();
    }

    private long used() {
        return alloc.metric().usedHeapMemory() + alloc.metric().usedDirectMemory();
    }
}
