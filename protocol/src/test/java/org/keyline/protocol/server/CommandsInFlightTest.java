package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.Seeds;
import org.keyline.protocol.fixtures.Wire;

/** A command is completely answered before the next one of its connection is processed. */
@ExtendWith(LeakCheck.class)
final class CommandsInFlightTest {
    /**
     * Answers each command with its number, at once or when the test requests it. Records commands
     * that arrive in between.
     */
    private static final class Numbers implements CommandHandler {
        final List<String> wrong = new ArrayList<>();
        private final Random random;
        private Reply waiting;
        private boolean inHand;
        private int next;

        @SuppressWarnings("NullAway.Init")
        Numbers(Random random) {
            this.random = random;
        }

        @Override
        public void command(ByteBuf payload, Reply reply) {
            if (inHand) {
                wrong.add("command " + next + " before the one ahead of it was done with");
            }
            inHand = true;
            waiting = reply;
            if (random.nextBoolean()) {
                answer();
            }
        }

        boolean isWaiting() {
            return inHand;
        }

        /** Calls after the end of a reply still belong to its command. */
        void answer() {
            int number = next++;
            if (random.nextInt(4) == 0) {
                ByteBuf large = waiting.alloc().buffer();
                waiting.framed(large.writeBytes(Wire.packet(1, new byte[100_000])));
            }
            waiting.ok(new OkPacket(number, 0, 2, 0));
            waiting.end();
            if (next != number + 1) {
                wrong.add("command " + (number + 1) + " from within the end of the one ahead of it");
            }
            inHand = false;
        }

        @Override
        public void changeUser(Login login, Reply reply) {
            reply.end();
        }

        @Override
        public void closed() {}
    }

    @Test
    void pipelines_answeredNowOrLater_areLookedAtOneByOne() {
        Seeds.tryAll(300, random -> {
            Numbers numbers = new Numbers(random);
            try (TestClient client = TestClient.withHandler(numbers)) {
                // A flush makes the connection writable again, which is another trigger to process
                // waiting input.
                client.channel.config().setWriteBufferWaterMark(new io.netty.channel.WriteBufferWaterMark(100, 1000));
                int sent = 0;
                List<Wire.Packet> answers = new ArrayList<>();
                for (int step = 0; step < 40; step++) {
                    if (random.nextInt(3) > 0) {
                        int depth = 1 + random.nextInt(8);
                        ByteBuf batch = Unpooled.buffer();
                        for (int i = 0; i < depth; i++) {
                            batch.writeBytes(Wire.command(CommandCode.COM_PING, new byte[0]));
                        }
                        sent += depth;
                        client.channel.writeInbound(client.copy(batch));
                    } else if (numbers.isWaiting()) {
                        numbers.answer();
                    }
                    answers.addAll(client.answers());
                }
                while (numbers.isWaiting()) {
                    numbers.answer();
                    answers.addAll(client.answers());
                }
                assertThat(numbers.wrong).isEmpty();
                List<Integer> values = answers.stream()
                        .filter(packet -> packet.payload().length < 1000)
                        .map(packet ->
                                Math.toIntExact(OkPacket.decode(packet.buffer()).affectedRows()))
                        .toList();
                assertThat(values).hasSize(sent).isSorted().doesNotHaveDuplicates();
            }
        });
    }

    /** Throws on request, and never answers by itself. */
    private static final class Faulty implements CommandHandler {
        private Reply reply;
        private int closed;

        @SuppressWarnings("NullAway.Init")
        Faulty() {}

        @Override
        public void command(ByteBuf payload, Reply to) {
            reply = to;
        }

        @Override
        public void changeUser(Login login, Reply to) {
            to.end();
        }

        @Override
        public void closed() {
            closed++;
        }
    }

    @Test
    void stepOfAReply_thatThrowsAnything_isError1105AndTheEnd() {
        List<Runnable> faults = List.of(
                () -> {
                    throw new IllegalStateException("a bug");
                },
                () -> {
                    throw new AssertionError("a bug");
                },
                () -> {
                    throw new StackOverflowError();
                });
        for (Runnable fault : faults) {
            Faulty session = new Faulty();
            try (TestClient client = TestClient.withHandler(session)) {
                client.query("SELECT 1");
                session.reply.run(fault);
                assertThat(error(client)).isEqualTo(1105);
                assertThat(client.failures).hasSize(1);
                assertThat(client.channel.isOpen()).isFalse();
                assertThat(session.closed).isEqualTo(1);
                session.reply.run(fault);
                assertThat(client.failures).hasSize(2);
            }
        }
    }

    @Test
    void stepOfAReply_inTheMidstOfARow_endsThePacketsBeforeIt() {
        Faulty session = new Faulty();
        try (TestClient client = TestClient.withHandler(session)) {
            client.query("SELECT 1");
            session.reply.run(() -> {
                session.reply.out().writeBytes(Wire.packet(1, new byte[] {1}));
                Packets.begin(session.reply.out());
                throw new IllegalStateException("a bug");
            });
            List<Wire.Packet> answers = client.answers();
            assertThat(answers).extracting(Wire.Packet::sequenceId).containsExactly(1, 2);
            assertThat(ErrPacket.decode(answers.get(1).buffer()).code()).isEqualTo(1105);
        }
    }

    @Test
    void handler_thatThrowsOutsideAnyCommand_isError1105AndTheEnd() {
        Faulty session = new Faulty();
        try (TestClient client = TestClient.withHandler(session)) {
            client.query("SELECT 1");
            client.channel.pipeline().fireExceptionCaught(new IllegalStateException("a bug"));
            assertThat(error(client)).isEqualTo(1105);
            assertThat(client.channel.isOpen()).isFalse();
            assertThat(session.closed).isEqualTo(1);
        }
    }

    private static int error(TestClient client) {
        return ErrPacket.decode(client.answers().get(0).buffer()).code();
    }

    @Test
    void clientThatSendsNoMore_withCommandsInHand_getsTheirRepliesThenTheEnd() {
        try (TestClient client = TestClient.loggedIn()) {
            client.query("LATER");
            client.query("SELECT USER()");
            client.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            assertThat(client.channel.isOpen()).isTrue();
            Objects.requireNonNull(client.session).answer();
            client.channel.runPendingTasks();
            assertThat(client.answers()).hasSize(5);
            assertThat(client.channel.isOpen()).isFalse();
        }
    }

    @Test
    void clientThatSendsNoMore_withNothingInHand_isClosed() {
        try (TestClient client = TestClient.loggedIn()) {
            ByteBuf half = Wire.command(CommandCode.COM_QUERY, "SELECT".getBytes(StandardCharsets.UTF_8));
            client.channel.writeInbound(client.copy(half.slice(0, 6)));
            client.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            client.channel.runPendingTasks();
            assertThat(client.channel.isOpen()).isFalse();
        }
    }

    @Test
    void clientThatSendsNoMore_inTheLogin_isClosed() {
        try (TestClient client = TestClient.create()) {
            client.greeting();
            client.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            client.channel.runPendingTasks();
            assertThat(client.channel.isOpen()).isFalse();
        }
    }
}
