package org.keyline.protocol.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.AuthSwitchRequest;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.fixtures.Rows;

/** The client against a scripted server, without sockets. */
final class ClientConnectionTest {
    private static final byte[] SCRAMBLE = "abcdefghijklmnopqrst".getBytes(StandardCharsets.US_ASCII);
    private static final int SERVER = ClientOptions.DEFAULT_CAPABILITIES | Capabilities.CLIENT_CONNECT_WITH_DB;

    private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(false);
    private final CompletableFuture<ClientConnection> connected = new CompletableFuture<>();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    @AfterEach
    void nothingIsLeftBehind() {
        channel.finishAndReleaseAll();
        assertThat(alloc.metric().usedHeapMemory() + alloc.metric().usedDirectMemory())
                .isZero();
    }

    private static ClientOptions.Builder options() {
        return ClientOptions.of(new EmbeddedSocketAddressOfTest(), "user").password("secret");
    }

    private void begin(ClientOptions options) {
        channel.config().setAllocator(alloc);
        channel.pipeline().addLast(new ClientHandshake(options, connected));
    }

    private void greet(int capabilities, String plugin) {
        receive(0, new HandshakeV10("8.0.0", 7, SCRAMBLE, capabilities, 45, 2, plugin)::encode);
    }

    private void receive(int sequenceId, Consumer<ByteBuf> payload) {
        ByteBuf out = alloc.buffer();
        int begin = Packets.begin(out);
        payload.accept(out);
        Packets.end(out, begin, sequenceId);
        channel.writeInbound(out);
    }

    private void receive(ByteBuf reply) {
        channel.writeInbound(alloc.buffer().writeBytes(reply, 0, reply.writerIndex()));
    }

    /** Returns the next write of the client. */
    private ByteBuf sent() {
        ByteBuf out = requireNonNull(channel.readOutbound(), "nothing was sent");
        ByteBuf copy = Unpooled.copiedBuffer(out);
        out.release();
        return copy;
    }

    private ClientConnection login(ClientOptions options) {
        begin(options);
        greet(SERVER, "mysql_native_password");
        sent();
        receive(2, OkPacket.of(2)::encode);
        return connected.join();
    }

    private void assertFailure(Class<? extends Throwable> type, String message) {
        assertThat(connected).isCompletedExceptionally();
        assertThatThrownBy(connected::join).hasCauseInstanceOf(type).hasMessageContaining(message);
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void login_capabilitiesThatTheServerLacks_areNotAskedFor() {
        begin(options().build());
        greet(SERVER & ~Capabilities.CLIENT_DEPRECATE_EOF, "mysql_native_password");
        HandshakeResponse41 response = HandshakeResponse41.decode(sent().skipBytes(4));
        assertThat(response.capabilities() & Capabilities.CLIENT_DEPRECATE_EOF).isZero();
        receive(2, OkPacket.of(2)::encode);
        assertThat(connected.join().capabilities()).isEqualTo(response.capabilities());
    }

    @Test
    void login_byteByByte_works() {
        begin(options().build());
        ByteBuf greeting = Unpooled.buffer();
        int begin = Packets.begin(greeting);
        new HandshakeV10("8.0.0", 7, SCRAMBLE, SERVER, 45, 2, "mysql_native_password").encode(greeting);
        Packets.end(greeting, begin, 0);
        while (greeting.isReadable()) {
            channel.writeInbound(alloc.buffer().writeByte(greeting.readByte()));
        }
        sent();
        receive(2, OkPacket.of(2)::encode);
        assertThat(connected).isCompleted();
    }

    @ParameterizedTest
    @ValueSource(ints = {1040, 1129})
    void greeting_isAnError_isReportedUnchanged(int code) {
        begin(options().build());
        receive(0, new ErrPacket(code, "08004", "no room")::encodeBeforeHandshake);
        assertFailure(ServerErrorException.class, code + "");
        assertThatThrownBy(connected::join)
                .cause()
                .satisfies(cause -> assertThat(
                                ((ServerErrorException) cause).error().message())
                        .isEqualTo("no room"));
    }

    @Test
    void authSwitch_toUnknownPlugin_fails() {
        begin(options().build());
        greet(SERVER, "mysql_native_password");
        sent();
        receive(2, new AuthSwitchRequest("dialog", SCRAMBLE)::encode);
        assertFailure(IOException.class, "dialog");
    }

    @Test
    void tls_requiredButNotOffered_sendsNothingAndFails() {
        begin(options().tls(TlsMode.REQUIRED, null).build());
        greet(SERVER, "mysql_native_password");
        assertThat(channel.<Object>readOutbound()).isNull();
        assertFailure(IOException.class, "TLS");
    }

    @Test
    void handshake_garbage_fails() {
        begin(options().build());
        channel.writeInbound(
                alloc.buffer().writeBytes("HTTP/1.1 400 Bad Request\r\n".getBytes(StandardCharsets.US_ASCII)));
        assertFailure(IOException.class, "packet length");
    }

    @Test
    void handshake_closedByServer_fails() {
        begin(options().build());
        var unused = channel.close();
        assertFailure(IOException.class, "closed");
    }

    @Test
    void handshake_silence_endsAtTheTimeout() {
        begin(options().connectTimeout(Duration.ofMillis(500)).build());
        channel.advanceTimeBy(501, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        assertFailure(IOException.class, "500 ms");
    }

    @Test
    void send_repliesInAnyPieces_arriveAtTheirListenersInOrder() {
        ByteBuf replies = Unpooled.buffer();
        for (int i = 0; i < 20; i++) {
            FramedReply reply = new FramedReply(true);
            if (i % 3 == 0) {
                reply.error(1064, "error " + i);
            } else {
                reply.columnCount(1).definitions(1, 2).raw(1, 'a' + i).end(2);
            }
            replies.writeBytes(reply.bytes);
        }
        ClientConnection connection = login(options().build());
        List<Rows> listeners = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Rows rows = new Rows();
            listeners.add(rows);
            connection.query("SELECT " + i, rows);
            connection.closeStatement(i);
            channel.releaseOutbound();
        }
        Random random = new Random(5);
        while (replies.isReadable()) {
            int length = Math.min(1 + random.nextInt(40), replies.readableBytes());
            channel.writeInbound(alloc.buffer().writeBytes(replies, length));
        }
        for (int i = 0; i < 20; i++) {
            Rows rows = listeners.get(i);
            if (i % 3 == 0) {
                assertThat(rows.error).isEqualTo(new ErrPacket(1064, "42000", "error " + i));
            } else {
                assertThat(rows.rows).containsExactly(new byte[] {1, (byte) ('a' + i)});
            }
        }
        assertThat(connection.inFlight()).isZero();
    }

    @Test
    void send_fromWithinAnEnd_waitsForItsOwnReply() {
        ClientConnection connection = login(options().build());
        Rows second = new Rows();
        List<String> order = new ArrayList<>();
        connection.send(Unpooled.wrappedBuffer(new byte[] {CommandCode.COM_PING}), new Relay(order, "first") {
            @Override
            public void end(ReplyScanner reply) {
                connection.query("SELECT 2", second);
                order.add("status " + reply.summary().status());
            }
        });
        receive(new FramedReply(true).ok(0x22).bytes);
        receive(new FramedReply(true).ok(2).bytes);
        assertThat(order).containsExactly("first 18", "status 34");
        assertThat(second.results).isEqualTo(1);
    }

    /** Records the packets that it receives. */
    private static class Relay implements PacketListener {
        private final List<String> events;
        private final String name;

        Relay(List<String> events, String name) {
            this.events = events;
            this.name = name;
        }

        @Override
        public void packets(ByteBuf framed, ReplyScanner reply) {
            events.add(name + " " + framed.readableBytes());
            framed.release();
        }

        @Override
        public void end(ReplyScanner reply) {
            events.add(name + " end");
        }

        @Override
        public void failed(Throwable cause) {
            events.add(name + " failed: " + cause.getClass().getSimpleName());
        }
    }

    @Test
    void relay_getsWholePacketsOnly() {
        ClientConnection connection = login(options().build());
        List<String> events = new ArrayList<>();
        connection.send(Unpooled.copiedBuffer("\3SELECT", StandardCharsets.US_ASCII), new Relay(events, "packets"));
        FramedReply reply = new FramedReply(true).columnCount(1).definitions(1, 2);
        int head = reply.bytes.writerIndex();
        reply.payload(out -> Lenenc.writeBytes(out, new byte[1000])).end(2);
        int length = reply.bytes.writerIndex();
        channel.writeInbound(alloc.buffer().writeBytes(reply.bytes, 0, head + 2));
        channel.writeInbound(alloc.buffer().writeBytes(reply.bytes, head + 2, 500));
        channel.writeInbound(alloc.buffer().writeBytes(reply.bytes, head + 502, length - head - 502));
        int row = 4 + 3 + 1000;
        assertThat(events)
                .containsExactly(
                        "packets " + head, "packets " + row, "packets " + (length - head - row), "packets end");
    }

    @Test
    void sendAhead_leavesWithTheNextCommand_andIsAnsweredBefore() {
        ClientConnection connection = login(options().build());
        List<String> events = new ArrayList<>();
        connection.sendAhead(Unpooled.wrappedBuffer(new byte[] {CommandCode.COM_PING}), new Relay(events, "ahead"));
        assertThat(channel.outboundMessages()).isEmpty();
        connection.send(Unpooled.wrappedBuffer(new byte[] {CommandCode.COM_PING}), new Relay(events, "next"));
        assertThat(channel.outboundMessages()).hasSize(2);
        receive(new FramedReply(true).ok(1).bytes);
        receive(new FramedReply(true).ok(2).bytes);
        assertThat(events).containsExactly("ahead 18", "ahead end", "next 18", "next end");
    }

    private static ByteBuf command(int code) {
        return Unpooled.wrappedBuffer(new byte[] {(byte) code});
    }

    private ClientConnection loginWhereCommandsAreReordered() {
        return login(
                options().traits(new ServerTraits(false, 0, Set.of(), true)).build());
    }

    @Test
    void serverThatReordersCommands_getsEachOneAfterAllEarlierReplies() {
        ClientConnection connection = loginWhereCommandsAreReordered();
        List<String> events = new ArrayList<>();
        connection.sendAhead(command(CommandCode.COM_PING), new Relay(events, "ahead"));
        connection.send(command(CommandCode.COM_STATISTICS), new Relay(events, "next"));
        connection.closeStatement(7);
        connection.send(command(CommandCode.COM_RESET_CONNECTION), new Relay(events, "last"));
        assertThat(ByteBufUtil.hexDump(sent())).isEqualTo("010000000e");
        assertThat(channel.outboundMessages()).isEmpty();
        receive(new FramedReply(true).ok(1).bytes);
        assertThat(ByteBufUtil.hexDump(sent())).isEqualTo("0100000009");
        assertThat(channel.outboundMessages()).isEmpty();
        receive(1, payload -> payload.writeBytes("Uptime: 1".getBytes(StandardCharsets.US_ASCII)));
        assertThat(ByteBufUtil.hexDump(sent())).isEqualTo("050000001907000000");
        assertThat(ByteBufUtil.hexDump(sent())).isEqualTo("010000001f");
        receive(new FramedReply(true).ok(3).bytes);
        assertThat(events)
                .filteredOn(event -> event.endsWith(" end"))
                .containsExactly("ahead end", "next end", "last end");
        connection.send(command(CommandCode.COM_PING), new Relay(events, "at once"));
        assertThat(ByteBufUtil.hexDump(sent())).isEqualTo("010000000e");
    }

    @Test
    void serverThatReordersCommands_getsALargeCommandAfterTheReplyBefore_andItsSenderWaits() {
        ClientConnection connection = loginWhereCommandsAreReordered();
        List<String> events = new ArrayList<>();
        connection.send(command(CommandCode.COM_PING), new Relay(events, "small"));
        sent();
        ByteBuf first = Unpooled.buffer().writeByte(CommandCode.COM_QUERY).writeZero(Packets.MAX_PAYLOAD_BYTES - 1);
        connection.begin(first, new Relay(events, "large"));
        assertThat(connection.isWritable()).isFalse();
        connection.onWritable(() -> connection.continueCommand(Unpooled.wrappedBuffer(new byte[] {1})));
        assertThat(channel.outboundMessages()).isEmpty();
        receive(new FramedReply(true).ok(1).bytes);
        assertThat(sent().readableBytes()).isEqualTo(Packets.HEADER_BYTES + Packets.MAX_PAYLOAD_BYTES);
        assertThat(ByteBufUtil.hexDump(sent())).isEqualTo("0100000101");
        receive(2, OkPacket.of(2)::encode);
        assertThat(events).filteredOn(event -> event.endsWith(" end")).containsExactly("small end", "large end");
    }

    @Test
    void serverThatReordersCommands_isLost_deferredCommandsFail() {
        ClientConnection connection = loginWhereCommandsAreReordered();
        List<String> events = new ArrayList<>();
        connection.send(command(CommandCode.COM_PING), new Relay(events, "a"));
        connection.send(command(CommandCode.COM_PING), new Relay(events, "b"));
        sent();
        connection.abort();
        assertThat(events).hasSize(2);
        assertThat(channel.outboundMessages()).isEmpty();
    }

    @Test
    void close_betweenCommands_saysGoodBye() {
        ClientConnection connection = login(options().build());
        connection.close();
        assertThat(ByteBufUtil.hexDump(sent())).isEqualTo("0100000001");
    }

    /**
     * A server that checks its client during a statement would take a COM_QUIT after it for a sign
     * of life.
     */
    @Test
    void close_underCommands_failsAllThatWaitInOrderAndSendsNothing() {
        ClientConnection connection = login(options().build());
        List<String> events = new ArrayList<>();
        connection.send(Unpooled.wrappedBuffer(new byte[] {CommandCode.COM_PING}), new Relay(events, "a"));
        connection.send(Unpooled.wrappedBuffer(new byte[] {CommandCode.COM_PING}), new Relay(events, "b"));
        channel.releaseOutbound();
        connection.close();
        assertThat(channel.outboundMessages()).isEmpty();
        assertThat(events).containsExactly("a failed: ClosedChannelException", "b failed: ClosedChannelException");
        connection.send(Unpooled.wrappedBuffer(new byte[] {CommandCode.COM_PING}), new Relay(events, "c"));
        assertThat(events).last().isEqualTo("c failed: ClosedChannelException");
        assertThat(connection.closed().toCompletableFuture().join()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void close_fromWithinADecodedEnd_notifiesEachListenerOnce() {
        ClientConnection connection = login(options().build());
        Rows waiting = new Rows();
        Rows closing = new Rows() {
            @Override
            public void end(ReplySummary summary) {
                super.end(summary);
                connection.close();
            }
        };
        connection.query("SELECT 1", closing);
        connection.query("SELECT 2", waiting);
        receive(new FramedReply(true).ok(2).bytes);
        assertThat(closing.results).isEqualTo(1);
        assertThatThrownBy(waiting::await).hasCauseInstanceOf(ClosedChannelException.class);
    }

    @Test
    void server_closesAnIdleConnectionWithAnError_isReported() {
        ClientConnection connection = login(options().build());
        receive(0, new ErrPacket(4031, "HY000", "The client was disconnected because of inactivity")::encode);
        assertThat(connection.closed().toCompletableFuture().join())
                .isInstanceOf(ServerErrorException.class)
                .hasMessageContaining("4031");
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    void server_breaksTheProtocol_failsAllThatWait() {
        ClientConnection connection = login(options().build());
        Rows first = new Rows();
        Rows second = new Rows();
        connection.query("SELECT 1", first);
        connection.query("SELECT 2", second);
        receive(9, OkPacket.of(2)::encode);
        assertThatThrownBy(first::await).hasCauseInstanceOf(ProtocolException.class);
        assertThatThrownBy(second::await).hasCauseInstanceOf(ProtocolException.class);
    }

    @Test
    void row_longerThanAllowed_failsTheConnection() {
        ClientConnection connection = login(options().maxPacketBytes(1000).build());
        Rows rows = new Rows();
        connection.query("SELECT 1", rows);
        receive(new FramedReply(true)
                .columnCount(1)
                .definitions(1, 2)
                .payload(out -> Lenenc.writeBytes(out, new byte[1001]))
                .bytes);
        assertThatThrownBy(rows::await).hasCauseInstanceOf(ProtocolException.class);
    }

    /** An address that is not one of TCP. */
    private static final class EmbeddedSocketAddressOfTest extends java.net.SocketAddress {
        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
            return "script";
        }
    }
}
