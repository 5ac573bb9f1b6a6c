package org.keyline.protocol.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.fixtures.Hex;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.Wire;

@ExtendWith(LeakCheck.class)
final class CompressedProtocolTest {
    private final EmbeddedChannel channel = new EmbeddedChannel(new CompressedProtocol());

    private ByteBuf owned(byte[] bytes) {
        return channel.alloc().buffer(bytes.length).writeBytes(bytes);
    }

    private byte[] written(byte[] bytes) {
        channel.writeOutbound(owned(bytes));
        return ByteBufUtil.getBytes(Wire.sent(channel));
    }

    private byte[] read() {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf piece = channel.readInbound(); piece != null; piece = channel.readInbound()) {
            all.writeBytes(piece);
            piece.release();
        }
        return ByteBufUtil.getBytes(all);
    }

    /** Returns a compressed packet, made by the JDK's own stream. */
    private static byte[] packet(int id, byte[] clear, int claimed) throws Exception {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        try (DeflaterOutputStream zlib = new DeflaterOutputStream(body)) {
            zlib.write(clear);
        }
        ByteBuf out = Unpooled.buffer();
        out.writeMediumLE(body.size()).writeByte(id).writeMediumLE(claimed).writeBytes(body.toByteArray());
        return ByteBufUtil.getBytes(out);
    }

    /**
     * The example of the protocol's own documentation:
     * {@code select "012345678901234567890123456789012345"}.
     */
    @Test
    void read_documentedPacket_isTheQuery() {
        byte[] wire =
                Hex.bytes("22 00 00 00 32 00 00 78 9c d3 63 60 60 60 2e 4e cd 49 4d 2e 51 50 32 30 34 32 36 31 35 33"
                        + " b7 b0 c4 cd 52 02 00 0c d1 0a 6c");
        channel.writeInbound(owned(wire));
        assertThat(new String(read(), java.nio.charset.StandardCharsets.US_ASCII))
                .endsWith("select \"012345678901234567890123456789012345\"");
        channel.finishAndReleaseAll();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 49, 50, 1 << 16, (1 << 17) + 1, 3_000_000})
    void bytes_inAnyPieces_comeBack(int length) {
        Random random = new Random(length);
        byte[] clear = new byte[length];
        for (int i = 0; i < length; i++) {
            clear[i] = (byte) (random.nextInt(4) == 0 ? random.nextInt() : i >> 10);
        }
        byte[] wire = written(clear);
        for (int piece : new int[] {Math.max(1, wire.length), 1_000, 7, 1}) {
            if (piece < 7 && length > 200_000) {
                continue;
            }
            for (int at = 0; at < wire.length; at += piece) {
                channel.writeInbound(owned(Arrays.copyOfRange(wire, at, Math.min(wire.length, at + piece))));
            }
            assertThat(read()).isEqualTo(clear);
        }
        channel.finishAndReleaseAll();
    }

    @Test
    void read_largePacket_comesInSmallPieces() throws Exception {
        channel.writeInbound(owned(packet(0, new byte[0xFFFFFF], 0xFFFFFF)));
        int bytes = 0;
        for (ByteBuf piece = channel.readInbound(); piece != null; piece = channel.readInbound()) {
            assertThat(piece.capacity()).isLessThanOrEqualTo(64 * 1024 + 1);
            bytes += piece.readableBytes();
            piece.release();
        }
        assertThat(bytes).isEqualTo(0xFFFFFF);
        channel.finishAndReleaseAll();
    }

    @Test
    void read_whileTheChannelDoesNot_waitsCompressed() throws Exception {
        channel.config().setAutoRead(false);
        channel.writeInbound(owned(packet(0, new byte[1_000_000], 1_000_000)));
        assertThat(read()).isEmpty();
        channel.config().setAutoRead(true);
        channel.runPendingTasks();
        assertThat(read()).hasSize(1_000_000);
        channel.finishAndReleaseAll();
    }

    /** Which of the two events reports the end depends on the transport. */
    @Test
    void endOfInput_comesAfterTheBytesThatWait() throws Exception {
        for (Object end : List.of(ChannelInputShutdownEvent.INSTANCE, ChannelInputShutdownReadComplete.INSTANCE)) {
            List<String> received = new ArrayList<>();
            EmbeddedChannel paused = new EmbeddedChannel(new CompressedProtocol(), new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ReferenceCountUtil.release(message);
                    received.add("bytes");
                }

                @Override
                public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                    received.add(event.toString());
                }
            });
            paused.config().setAutoRead(false);
            paused.writeInbound(owned(packet(0, new byte[100], 100)));
            paused.pipeline().fireUserEventTriggered(end);
            assertThat(received).isEmpty();
            paused.config().setAutoRead(true);
            paused.runPendingTasks();
            assertThat(received).containsExactly("bytes", end.toString());
            paused.finishAndReleaseAll();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 99, 101, 0xFFFFFF})
    void read_otherLengthThanClaimed_isProtocolError(int claimed) throws Exception {
        byte[] wire = packet(0, new byte[100], claimed);
        assertThatThrownBy(() -> channel.writeInbound(owned(wire)))
                .isInstanceOf(ProtocolException.class)
                .extracting(e -> ((ProtocolException) e).code())
                .isEqualTo(ErrorCode.ER_NET_UNCOMPRESS_ERROR);
        channel.finishAndReleaseAll();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "04 00 00 00 64 00 00 ff ff ff ff", // no zlib stream
                "00 00 00 00 64 00 00", // nothing
                "08 00 00 00 01 00 00 78 9c 03 00 00 00 00 01" // an empty stream
            })
    void read_garbage_isProtocolError(String hex) {
        assertThatThrownBy(() -> channel.writeInbound(owned(Hex.bytes(hex)))).isInstanceOf(ProtocolException.class);
        channel.finishAndReleaseAll();
    }
}
