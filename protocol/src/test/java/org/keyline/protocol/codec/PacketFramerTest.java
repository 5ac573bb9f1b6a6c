package org.keyline.protocol.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.Seeds;
import org.keyline.protocol.fixtures.Wire;

@ExtendWith(LeakCheck.class)
final class PacketFramerTest {
    private static final int PIECE = Packets.MAX_PAYLOAD_BYTES;

    @Test
    void next_wholePacket_isTheInputItself() {
        try (PacketFramer framer = framer(1024)) {
            ByteBuf in = Wire.hex("03 00 00 00 03 61 62 01 00 00 00 0e");
            ByteBuf payload = framer.next(in);
            assertThat(payload).isSameAs(in);
            assertThat(ByteBufUtil.getBytes(payload)).containsExactly(3, 'a', 'b');
            framer.finish();
            assertThat(framer.nextSequenceId()).isEqualTo(1);
            framer.expectSequenceId(0);
            assertThat(ByteBufUtil.getBytes(framer.next(in))).containsExactly(0x0E);
            framer.finish();
            assertThat(in.isReadable()).isFalse();
            assertThat(framer.next(in)).isNull();
        }
    }

    @Test
    void next_anyCuts_giveTheSamePayloads() {
        Seeds.tryAll(200, random -> {
            List<byte[]> sent = new ArrayList<>();
            ByteBuf stream = Unpooled.buffer();
            for (int i = random.nextInt(20); i >= 0; i--) {
                byte[] payload = Seeds.bytes(random, random.nextInt(random.nextBoolean() ? 8 : 2000));
                sent.add(payload);
                stream.writeBytes(Wire.packet(0, payload));
            }
            boolean oneByOne = random.nextInt(4) == 0;
            assertThat(read(stream, random, oneByOne)).containsExactlyElementsOf(sent);
        });
    }

    @Test
    void next_longPayloadsInAnyPieces_areWholeAndTakeWhatHasArrived() {
        Seeds.tryAll(40, random -> {
            try (PacketFramer framer = framer(1 << 22)) {
                for (int packets = 0; packets < 3; packets++) {
                    byte[] sent = Seeds.bytes(random, 1 + random.nextInt(2_000_000));
                    ByteBuf stream = Wire.packet(0, sent);
                    ByteBuf payload = null;
                    int arrived = 0;
                    while (payload == null) {
                        int bytes = Math.min(1 + random.nextInt(150_000), stream.readableBytes());
                        payload = framer.next(stream.readSlice(bytes));
                        arrived += bytes;
                        assertThat(framer.heldCapacity()).isLessThanOrEqualTo(2 * arrived + 300_000);
                    }
                    assertThat(ByteBufUtil.getBytes(payload)).isEqualTo(sent);
                    framer.finish();
                    assertThat(framer.heldCapacity()).isZero();
                    framer.expectSequenceId(0);
                }
            }
        });
    }

    private static List<byte[]> read(ByteBuf stream, Random random, boolean oneByOne) {
        List<byte[]> got = new ArrayList<>();
        try (PacketFramer framer = framer(1 << 20)) {
            while (stream.isReadable()) {
                int bytes = oneByOne ? 1 : 1 + random.nextInt(Math.min(700, stream.readableBytes()));
                ByteBuf in = stream.readSlice(Math.min(bytes, stream.readableBytes()));
                for (ByteBuf payload = framer.next(in); payload != null; payload = framer.next(in)) {
                    got.add(ByteBufUtil.getBytes(payload));
                    framer.finish();
                    framer.expectSequenceId(0);
                }
                assertThat(in.isReadable()).isFalse();
            }
        }
        return got;
    }

    @ParameterizedTest
    @ValueSource(ints = {PIECE - 1, PIECE, PIECE + 1, 2 * PIECE - 1, 2 * PIECE, 2 * PIECE + 1})
    void next_aroundMultiplesOf0xFFFFFF_joinsAndSplitsAlike(int length) {
        byte[] sent = Seeds.bytes(new Random(length), length);
        ByteBuf stream = Wire.packet(0, sent);
        int pieces = length / PIECE + 1;
        assertThat(stream.readableBytes()).isEqualTo(length + pieces * Packets.HEADER_BYTES);
        try (PacketFramer framer = framer(1 << 30)) {
            ByteBuf payload = null;
            while (payload == null) {
                payload = framer.next(stream.readSlice(Math.min(60_000, stream.readableBytes())));
            }
            assertThat(payload.readableBytes()).isEqualTo(length);
            assertThat(ByteBufUtil.equals(payload, Unpooled.wrappedBuffer(sent)))
                    .isTrue();
            framer.finish();
            assertThat(framer.nextSequenceId()).isEqualTo(pieces);
            assertThat(stream.isReadable()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {PIECE - 1, PIECE, 2 * PIECE + 5})
    void endPacket_longPayload_splitsInPlaceAsWriteDoes(int length) {
        byte[] payload = Seeds.bytes(new Random(length), length);
        ByteBuf out = Unpooled.buffer(length + 64);
        out.writeByte(7);
        int begin = Packets.begin(out);
        out.writeBytes(payload);
        int next = Packets.end(out, begin, 254);
        out.skipBytes(1);
        assertThat(ByteBufUtil.equals(out, Wire.packet(254, payload))).isTrue();
        assertThat(next).isEqualTo((254 + length / PIECE + 1) % 256);
    }

    @Test
    void next_wrongSequenceId_isError1156() {
        for (String hex : List.of("01 00 00 01 0e", "01 00 00 01")) {
            try (PacketFramer framer = framer(1024)) {
                assertThatThrownBy(() -> {
                            ByteBuf in = Wire.hex(hex);
                            framer.next(in.readSlice(1));
                            framer.next(in);
                        })
                        .isInstanceOfSatisfying(
                                ProtocolException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.ER_NET_PACKETS_OUT_OF_ORDER));
            }
        }
    }

    @Test
    void next_overTheLimit_isError1153BeforeAnythingIsBuffered() {
        try (PacketFramer framer = framer(1024)) {
            assertThatThrownBy(() -> framer.next(Wire.hex("01 04 00 00")))
                    .isInstanceOfSatisfying(
                            ProtocolException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ER_NET_PACKET_TOO_LARGE));
            assertThat(framer.heldBytes()).isZero();
        }
    }

    @Test
    void next_secondPieceOverTheLimit_isError1153() {
        try (PacketFramer framer = framer(PIECE + 10)) {
            ByteBuf stream = Wire.packet(0, new byte[PIECE + 11]);
            assertThatThrownBy(() -> framer.next(stream))
                    .isInstanceOfSatisfying(
                            ProtocolException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ER_NET_PACKET_TOO_LARGE));
        }
    }

    @Test
    void next_headerClaims16MiB_buffersOnlyWhatArrived() {
        PooledByteBufAllocator alloc = new PooledByteBufAllocator(false);
        try (PacketFramer framer = new PacketFramer(alloc, 64 << 20)) {
            assertThat(framer.next(Wire.hex("ff ff ff 00 01 02 03"))).isNull();
            assertThat(framer.isMidPacket()).isTrue();
            assertThat(framer.heldBytes()).isEqualTo(3);
            assertThat(framer.heldCapacity()).isLessThanOrEqualTo(512);
        }
    }

    private static PacketFramer framer(int maxPayloadBytes) {
        return new PacketFramer(PooledByteBufAllocator.DEFAULT, maxPayloadBytes);
    }
}
