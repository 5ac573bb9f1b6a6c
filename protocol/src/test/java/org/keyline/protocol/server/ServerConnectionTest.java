package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.INTEGER;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.TinySession;
import org.keyline.protocol.fixtures.Wire;

/** Commands after login: order, batches, waiting, limits, close. */
@ExtendWith(LeakCheck.class)
final class ServerConnectionTest {
    private static final int OK_BYTES = 4 + 7;

    @Test
    void commands_thatArriveTogether_areAnsweredInOrderByOneWrite() {
        try (TestClient client = TestClient.loggedIn()) {
            ByteBuf batch = Unpooled.buffer();
            for (int i = 0; i < 50; i++) {
                batch.writeBytes(
                        Wire.command(CommandCode.COM_QUERY, ("SELECT ROWS 1 " + i).getBytes(StandardCharsets.UTF_8)));
            }
            client.channel.writeInbound(client.copy(batch));
            assertThat(client.channel.outboundMessages()).hasSize(1);
            List<Wire.Packet> packets = client.answers();
            assertThat(packets).hasSize(50 * 4);
            for (int i = 0; i < 50; i++) {
                assertThat(packets.get(4 * i).sequenceId()).isEqualTo(1);
                assertThat(packets.get(4 * i + 2).payload()[0]).isEqualTo((byte) i);
                assertThat(packets.get(4 * i + 3).header()).isEqualTo(OkPacket.HEADER_AS_EOF);
                assertThat(packets.get(4 * i + 3).sequenceId()).isEqualTo(4);
            }
        }
    }

    @Test
    void manyCommands_thatArriveTogether_leaveOthersTheirTurn() {
        try (TestClient client = TestClient.loggedIn()) {
            int sent = 10 * ServerConnection.PACKETS_PER_TURN + 1;
            ByteBuf batch = Unpooled.buffer();
            for (int i = 0; i < sent; i++) {
                batch.writeBytes(Wire.command(CommandCode.COM_PING, new byte[0]));
            }
            List<Integer> answeredBytes = new ArrayList<>();
            EventLoop loop = client.channel.eventLoop();
            // The others' turn is before this client's second one. The reply of the first one is
            // sent after the others' tasks.
            loop.execute(() -> loop.execute(() -> answeredBytes.add(client.channel.outboundMessages().stream()
                    .mapToInt(message -> ((ByteBuf) message).readableBytes())
                    .sum())));
            client.channel.writeInbound(client.copy(batch));
            assertThat(answeredBytes).singleElement(INTEGER).isBetween(OK_BYTES, sent * OK_BYTES / 2);
            assertThat(client.answers()).hasSize(sent);
        }
    }

    @Test
    void commands_oneByteAtATime_areAnswered() {
        try (TestClient client = TestClient.loggedIn()) {
            ByteBuf bytes = Wire.command(CommandCode.COM_QUERY, "SELECT USER()".getBytes(StandardCharsets.UTF_8));
            bytes.writeBytes(Wire.command(CommandCode.COM_PING, new byte[0]));
            while (bytes.isReadable()) {
                client.channel.writeInbound(client.copy(bytes.readSlice(1)));
            }
            List<Wire.Packet> packets = client.answers();
            assertThat(packets).hasSize(5);
            assertThat(new String(packets.get(2).payload(), StandardCharsets.UTF_8))
                    .endsWith("root@%");
            assertThat(packets.get(4).header()).isZero();
        }
    }

    @Test
    void command_whileAReplyIsPending_waits() {
        try (TestClient client = TestClient.loggedIn()) {
            client.query("LATER");
            client.query("SELECT USER()");
            assertThat(client.answers()).isEmpty();
            session(client).answer();
            List<Wire.Packet> packets = client.answers();
            assertThat(packets).hasSize(5);
            assertThat(packets.get(0).header()).isZero();
            assertThat(packets.get(1).sequenceId()).isEqualTo(1);
        }
    }

    @Test
    void input_whileAReplyIsPending_isBoundedByNotReading() {
        try (TestClient client = TestClient.loggedIn()) {
            client.query("LATER");
            int sent = 0;
            while (client.channel.config().isAutoRead() && sent < 1000) {
                client.channel.writeInbound(client.copy(Wire.command(CommandCode.COM_PING, new byte[1000])));
                sent++;
            }
            assertThat(client.channel.config().isAutoRead()).isFalse();
            assertThat(sent * 1004).isLessThan(3 * ConnectionInput.MAX_WAITING_BYTES);
            session(client).answer();
            assertThat(client.answers()).hasSize(sent + 1);
            assertThat(client.channel.config().isAutoRead()).isTrue();
        }
    }

    /**
     * Many bytes at once pause a connection until the loop's next period; commands sent one by one
     * do not.
     */
    @Test
    void longReads_beyondWhatALoopReadsInAPeriod_restUntilTheNext() {
        try (TestClient client = TestClient.loggedIn()) {
            client.channel.freezeTime();
            for (int i = 0; i < ReadShare.PERIOD_BYTES / 1_000 + 1; i++) {
                client.channel.writeInbound(client.copy(Wire.command(CommandCode.COM_PING, new byte[1_000])));
                assertThat(client.channel.config().isAutoRead()).isTrue();
            }
            client.answers();
            ByteBuf packet = Wire.packet(0, new byte[900_000]);
            for (int period = 0; period < 2; period++) {
                for (int read = 0; read < ReadShare.PERIOD_BYTES; read += ReadShare.LONG_READ_BYTES) {
                    assertThat(client.channel.config().isAutoRead()).isTrue();
                    client.channel.writeInbound(packet.readBytes(ReadShare.LONG_READ_BYTES));
                }
                assertThat(client.channel.config().isAutoRead()).isFalse();
                client.channel.advanceTimeBy(ReadShare.PERIOD_NANOS, TimeUnit.NANOSECONDS);
                client.channel.runScheduledPendingTasks();
            }
            assertThat(client.channel.config().isAutoRead()).isTrue();
        }
    }

    @Test
    void reply_endedTwice_isABugThatShows() {
        try (TestClient client = TestClient.loggedIn()) {
            client.query("LATER");
            Reply reply = session(client).answer();
            assertThatThrownBy(reply::end).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void client_thatTakesNothing_isNotServedUntilItDoes() {
        try (TestClient client = TestClient.loggedIn()) {
            var socket = Objects.requireNonNull(client.channel.unsafe().outboundBuffer());
            socket.setUserDefinedWritability(1, false);
            client.channel.runPendingTasks();
            client.query("SELECT ROWS 10 100");
            client.query("SELECT ROWS 10 100");
            assertThat(client.answers()).isEmpty();
            int sent = 0;
            while (client.channel.config().isAutoRead() && sent < 1000) {
                client.channel.writeInbound(client.copy(Wire.command(CommandCode.COM_PING, new byte[1000])));
                sent++;
            }
            assertThat(client.channel.config().isAutoRead()).isFalse();
            socket.setUserDefinedWritability(1, true);
            client.channel.runPendingTasks();
            assertThat(client.answers()).hasSize(2 * 13 + sent);
            assertThat(client.channel.config().isAutoRead()).isTrue();
        }
    }

    /** Answers in two pieces, with ids of another connection, and an OK. */
    private static final class Pieces implements CommandHandler {
        private static final int BYTES = 10 + 10_000 + 2 + 4 * Packets.HEADER_BYTES;

        @Override
        public void command(ByteBuf payload, Reply reply) {
            for (int part = 0; part < 2; part++) {
                ByteBuf packets = reply.alloc().buffer();
                packets.writeBytes(Wire.packet(9 + 2 * part, new byte[part == 0 ? 10 : 10_000]));
                packets.writeBytes(Wire.packet(10 + 2 * part, new byte[] {1}));
                reply.framed(packets);
            }
            reply.ok(OkPacket.of(2));
            reply.end();
        }

        @Override
        public void changeUser(Login login, Reply reply) {
            reply.end();
        }

        @Override
        public void closed() {}
    }

    @Test
    void framed_withIdsOfAnotherConnection_isRenumbered() {
        try (TestClient client = TestClient.withHandler(new Pieces())) {
            client.query("SELECT 1");
            assertThat(client.answers()).extracting(Wire.Packet::sequenceId).containsExactly(1, 2, 3, 4, 5);
        }
    }

    @Test
    void framed_toAClientThatCompresses_isOneCompressedPacket() {
        ServerOptions options = ServerOptions.of("8.0.36-keyline").withCompression(true);
        try (TestClient client = new TestClient(options, AuthPlugin.NATIVE_PASSWORD, true)) {
            client.login("root", "", AuthPlugin.NATIVE_PASSWORD, TestClient.FLAGS | Capabilities.CLIENT_COMPRESS);
            client.opening.complete(new Pieces());
            client.channel.runPendingTasks();
            client.answers();
            ByteBuf query = Wire.command(CommandCode.COM_QUERY, new byte[] {'x'});
            ByteBuf wrapped = Unpooled.buffer()
                    .writeMediumLE(query.readableBytes())
                    .writeByte(0)
                    .writeMediumLE(0)
                    .writeBytes(query);
            client.channel.writeInbound(client.copy(wrapped));
            ByteBuf sent = Wire.sent(client.channel);
            assertThat(sent.readableBytes()).isEqualTo(7 + sent.getUnsignedMediumLE(0));
            assertThat(sent.getUnsignedMediumLE(4)).isGreaterThan(Pieces.BYTES);
        }
    }

    @Test
    void wrongSequenceId_isError1156AndTheEnd() {
        try (TestClient client = TestClient.loggedIn()) {
            client.send(3, new byte[] {CommandCode.COM_PING});
            List<Wire.Packet> packets = client.answers();
            assertThat(packets).hasSize(1);
            ErrPacket error = ErrPacket.decode(packets.get(0).buffer());
            assertThat(error.code()).isEqualTo(1156);
            assertThat(error.sqlState()).isEqualTo("08S01");
            client.send(0, new byte[] {CommandCode.COM_PING});
            assertThat(client.answers()).isEmpty();
            client.channel.advanceTimeBy(3, TimeUnit.SECONDS);
            client.channel.runScheduledPendingTasks();
            assertThat(client.channel.isOpen()).isFalse();
            assertThat(session(client).closedCount()).isEqualTo(1);
            assertThat(client.closedEvents).isEqualTo(1);
        }
    }

    @Test
    void packetOverTheLimit_isError1153AndTheRestIsDropped() {
        try (TestClient client = TestClient.withLimits(2000, Duration.ofSeconds(1), Duration.ZERO)) {
            client.login("root", "", AuthPlugin.NATIVE_PASSWORD, TestClient.FLAGS);
            client.answers();
            client.query("x".repeat(1999));
            assertThat(client.answers()).hasSize(1);
            client.query("x".repeat(2000));
            List<Wire.Packet> packets = client.answers();
            assertThat(ErrPacket.decode(packets.get(0).buffer()).code()).isEqualTo(1153);
            assertThat(packets.get(0).sequenceId()).isEqualTo(1);
            for (int i = 0; i < 100; i++) {
                client.channel.writeInbound(client.copy(Unpooled.wrappedBuffer(new byte[10_000])));
            }
            assertThat(client.channel.outboundMessages()).isEmpty();
        }
    }

    @Test
    void commandOver16MiB_isJoinedAndAnsweredWithTheNextId() {
        try (TestClient client = TestClient.loggedIn()) {
            String sql = "BYTES" + " ".repeat(Packets.MAX_PAYLOAD_BYTES - 6);
            client.query(sql);
            List<Wire.Packet> packets = client.answers();
            assertThat(packets.get(0).sequenceId()).isEqualTo(2);
            assertThat(new String(packets.get(2).payload(), StandardCharsets.UTF_8))
                    .endsWith("" + sql.length());
        }
    }

    @Test
    void rowOver16MiB_isSplit() {
        try (TestClient client = TestClient.loggedIn()) {
            client.query("SELECT ROWS 1 " + (Packets.MAX_PAYLOAD_BYTES - 4));
            List<Wire.Packet> packets = client.answers();
            assertThat(packets).extracting(Wire.Packet::sequenceId).containsExactly(1, 2, 3, 4, 5);
            assertThat(packets.get(2).payload()).hasSize(Packets.MAX_PAYLOAD_BYTES);
            assertThat(packets.get(3).payload()).isEmpty();
        }
    }

    @Test
    void unknownAndEmptyCommand_areErrorsAndTheSessionLives() {
        try (TestClient client = TestClient.loggedIn()) {
            client.send(0, new byte[] {0x55});
            client.send(0, new byte[0]);
            client.send(0, new byte[] {CommandCode.COM_PING});
            List<Wire.Packet> packets = client.answers();
            assertThat(ErrPacket.decode(packets.get(0).buffer()).code()).isEqualTo(1047);
            assertThat(ErrPacket.decode(packets.get(1).buffer()).code()).isEqualTo(1047);
            assertThat(packets.get(2).header()).isZero();
        }
    }

    @Test
    void bugInTheSession_isError1105AndTheEnd() {
        try (TestClient client = TestClient.loggedIn()) {
            client.query("BUG");
            assertThat(ErrPacket.decode(client.answers().get(0).buffer()).code())
                    .isEqualTo(1105);
            assertThat(client.failures).hasSize(1);
            assertThat(client.channel.isOpen()).isFalse();
        }
    }

    @Test
    void quit_afterOtherCommands_closesBehindTheirAnswers() {
        try (TestClient client = TestClient.loggedIn()) {
            ByteBuf batch = Wire.command(CommandCode.COM_PING, new byte[0]);
            batch.writeBytes(Wire.command(CommandCode.COM_QUIT, new byte[0]));
            batch.writeBytes(Wire.command(CommandCode.COM_PING, new byte[0]));
            client.channel.writeInbound(client.copy(batch));
            assertThat(client.answers()).hasSize(1);
            assertThat(client.channel.isOpen()).isFalse();
            assertThat(session(client).closedCount()).isEqualTo(1);
        }
    }

    @Test
    void lateReply_afterTheClientLeft_isIgnored() {
        try (TestClient client = TestClient.loggedIn()) {
            client.query("LATER");
            client.channel.close().syncUninterruptibly();
            client.channel.runPendingTasks();
            assertThat(session(client).closedCount()).isEqualTo(1);
            session(client).answer();
            assertThat(client.channel.outboundMessages()).isEmpty();
        }
    }

    @Test
    void drain_quietConnection_closesAtOnceAndBusyAfterItsReply() {
        try (TestClient quiet = unhurried();
                TestClient busy = unhurried()) {
            for (TestClient client : List.of(quiet, busy)) {
                client.login("root", "", AuthPlugin.NATIVE_PASSWORD, TestClient.FLAGS);
                pass(client, 3);
            }
            quiet.channel.pipeline().fireUserEventTriggered(ServerConnection.DRAIN);
            passMillis(quiet, 1);
            assertThat(quiet.channel.isOpen()).isFalse();
            busy.query("LATER");
            busy.channel.pipeline().fireUserEventTriggered(ServerConnection.DRAIN);
            pass(busy, 5);
            assertThat(busy.channel.isOpen()).isTrue();
            session(busy).answer();
            assertThat(busy.answers()).hasSize(2);
            assertThat(busy.channel.isOpen()).isFalse();
        }
    }

    @Test
    void drain_clientThatHasJustCome_isServedForAWhileAfterItsLogin() {
        try (TestClient asking = unhurried();
                TestClient silent = unhurried();
                TestClient mute = unhurried()) {
            for (TestClient client : List.of(asking, silent, mute)) {
                client.channel.pipeline().fireUserEventTriggered(ServerConnection.DRAIN);
                pass(client, 2);
                assertThat(client.channel.isOpen()).isTrue();
            }
            for (TestClient client : List.of(asking, silent)) {
                client.login("root", "", AuthPlugin.NATIVE_PASSWORD, TestClient.FLAGS);
                passMillis(client, 2_900);
                assertThat(client.channel.isOpen()).isTrue();
            }
            asking.send(0, new byte[] {CommandCode.COM_PING});
            assertThat(asking.answers()).hasSize(2);
            for (TestClient client : List.of(asking, silent)) {
                assertThat(client.channel.isOpen()).isTrue();
                passMillis(client, 100);
                passMillis(client, 1);
                assertThat(client.channel.isOpen()).isFalse();
            }
            passMillis(mute, 1_000);
            passMillis(mute, 1);
            assertThat(mute.channel.isOpen())
                    .as("of a client that does not log in")
                    .isFalse();
        }
    }

    @Test
    void drain_commandThatCameInTimeAndIsReadLate_isAnswered() {
        try (TestClient client = unhurried()) {
            client.login("root", "", AuthPlugin.NATIVE_PASSWORD, TestClient.FLAGS);
            pass(client, 5);
            client.send(0, new byte[] {CommandCode.COM_PING});
            client.channel.pipeline().fireUserEventTriggered(ServerConnection.DRAIN);
            // The loop had no processor: it finds the end of the quiet time before the bytes that
            // have arrived.
            passMillis(client, 1_200);
            client.send(0, new byte[] {CommandCode.COM_PING});
            assertThat(client.answers()).hasSize(3);
            passMillis(client, 900);
            assertThat(client.channel.isOpen()).isTrue();
            passMillis(client, 100);
            passMillis(client, 1);
            assertThat(client.channel.isOpen()).isFalse();
        }
    }

    @Test
    void drain_clientThatContinuesToSend_isClosedAfterAReply() {
        try (TestClient client = unhurried()) {
            client.login("root", "", AuthPlugin.NATIVE_PASSWORD, TestClient.FLAGS);
            client.channel.pipeline().fireUserEventTriggered(ServerConnection.DRAIN);
            int answered = 1;
            while (client.channel.isOpen()) {
                client.send(0, new byte[] {CommandCode.COM_PING});
                client.query("LATER");
                client.channel.advanceTimeBy(500, TimeUnit.MILLISECONDS);
                client.channel.runScheduledPendingTasks();
                session(client).answer();
                answered += 2;
            }
            assertThat(client.answers()).hasSize(answered);
            assertThat(answered).isEqualTo(1 + 2 * 6);
        }
    }

    private static TestClient unhurried() {
        TestClient client = TestClient.withLimits(2000, Duration.ofMinutes(1), Duration.ofHours(1));
        client.channel.freezeTime();
        return client;
    }

    @Test
    void idleTimeout_afterSilence_closesWithError4031() {
        try (TestClient client = TestClient.withLimits(2000, Duration.ofSeconds(1), Duration.ofSeconds(60))) {
            client.channel.freezeTime();
            client.login("root", "", AuthPlugin.NATIVE_PASSWORD, TestClient.FLAGS);
            pass(client, 50);
            client.send(0, new byte[] {CommandCode.COM_PING});
            pass(client, 50);
            client.query("LATER");
            pass(client, 200);
            session(client).answer();
            assertThat(client.answers()).hasSize(3);
            assertThat(client.channel.isOpen()).isTrue();
            pass(client, 61);
            assertThat(ErrPacket.decode(client.answers().get(0).buffer()).code())
                    .isEqualTo(4031);
            assertThat(client.channel.isOpen()).isFalse();
        }
    }

    private static void pass(TestClient client, int seconds) {
        passMillis(client, TimeUnit.SECONDS.toMillis(seconds));
    }

    private static void passMillis(TestClient client, long millis) {
        client.channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        client.channel.runScheduledPendingTasks();
    }

    private static TinySession session(TestClient client) {
        return Objects.requireNonNull(client.session);
    }
}
