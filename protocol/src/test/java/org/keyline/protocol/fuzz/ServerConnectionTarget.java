package org.keyline.protocol.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ChangeUser;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.client.StatementArguments;
import org.keyline.protocol.codec.Commands;
import org.keyline.protocol.codec.ExecuteParameters;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.codec.StatementParameters;
import org.keyline.protocol.server.Account;
import org.keyline.protocol.server.Accounts;
import org.keyline.protocol.server.CommandHandler;
import org.keyline.protocol.server.Login;
import org.keyline.protocol.server.Peer;
import org.keyline.protocol.server.Reply;
import org.keyline.protocol.server.ServerConnection;
import org.keyline.protocol.server.ServerContext;
import org.keyline.protocol.server.ServerListener;
import org.keyline.protocol.server.ServerOptions;
import org.keyline.protocol.server.SessionFactory;

/**
 * A client: a byte of flags (log in first, answer later), one for the size of the pieces, then its
 * bytes. The only exceptions are those of the protocol; buffered bytes are bounded by sent bytes;
 * answers are whole packets; sessions are closed once; nothing leaks.
 */
final class ServerConnectionTarget implements FuzzTarget {
    private static final int LOG_IN = 1;
    private static final int ANSWER_LATER = 2;
    /** Buffers of the connection itself, and of the channel. */
    private static final long MAX_FIXED_BYTES = 1 << 20;

    private static final int CAPABILITIES = Capabilities.CLIENT_PROTOCOL_41
            | Capabilities.CLIENT_SECURE_CONNECTION
            | Capabilities.CLIENT_PLUGIN_AUTH
            | Capabilities.CLIENT_CONNECT_ATTRS
            | Capabilities.CLIENT_MULTI_STATEMENTS;

    private final ServerAuthenticator authenticator =
            new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom());
    private final Credential crypt = Credential.ofPassword(AuthPlugin.CACHING_SHA2_PASSWORD, "secret", new Random(1));
    private final ServerOptions options = ServerOptions.of("8.0.0-fuzz");

    @Override
    public void run(byte[] input) {
        if (input.length < 2) {
            return;
        }
        UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(false);
        Witness witness = new Witness((input[0] & ANSWER_LATER) != 0);
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.config().setAllocator(alloc);
        ServerContext context = new ServerContext(options, authenticator, accounts(), witness, witness, Runnable::run);
        channel.pipeline().addLast(new ServerConnection(context, 1));
        if ((input[0] & LOG_IN) != 0) {
            feed(channel, alloc, Bytes.of(out -> Bytes.packet(out, 1, login("root")::encode)));
        }
        long sent = 0;
        int pieceBytes = 1 + (input[1] & 0xFF) * 4;
        for (int at = 2; at < input.length && channel.isOpen(); at += pieceBytes) {
            byte[] piece = Arrays.copyOfRange(input, at, Math.min(input.length, at + pieceBytes));
            feed(channel, alloc, piece);
            sent += piece.length;
            assertThat(used(alloc)).isLessThanOrEqualTo(MAX_FIXED_BYTES + 8 * sent);
            if ((input[0] & ANSWER_LATER) != 0) {
                witness.answer();
                channel.runPendingTasks();
            }
        }
        checkPackets(channel);
        channel.checkException();
        channel.runPendingTasks();
        channel.finishAndReleaseAll();
        assertThat(witness.failures).isEmpty();
        assertThat(witness.opened).isEqualTo(witness.closed);
        assertThat(used(alloc)).as("bytes left behind").isZero();
    }

    private static void feed(EmbeddedChannel channel, UnpooledByteBufAllocator alloc, byte[] bytes) {
        channel.writeInbound(alloc.buffer(bytes.length).writeBytes(bytes));
    }

    private static long used(UnpooledByteBufAllocator alloc) {
        return alloc.metric().usedHeapMemory() + alloc.metric().usedDirectMemory();
    }

    /** Checks that all answers are whole packets. */
    private static void checkPackets(EmbeddedChannel channel) {
        int left = 0;
        int header = 0;
        int headerBytes = 0;
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            while (out.isReadable()) {
                int b = out.readUnsignedByte();
                if (left > 0) {
                    left--;
                } else {
                    header |= b << (8 * headerBytes++);
                    if (headerBytes == Packets.HEADER_BYTES) {
                        left = header & Packets.MAX_PAYLOAD_BYTES;
                        headerBytes = 0;
                        header = 0;
                    }
                }
            }
            out.release();
        }
        assertThat(left + headerBytes).as("bytes that the last packet lacks").isZero();
    }

    private Accounts accounts() {
        return new Accounts() {
            @Override
            public @Nullable Account find(String user, InetAddress from) {
                return switch (user) {
                    case "root" -> new Account("root@%", Credential.empty(AuthPlugin.NATIVE_PASSWORD));
                    case "crypt" -> new Account("crypt@%", crypt);
                    default -> null;
                };
            }
        };
    }

    /** Sessions that read every byte of every command, and record the server's events. */
    private static final class Witness implements SessionFactory, ServerListener {
        final List<Throwable> failures = new ArrayList<>();
        private final boolean later;
        private final List<Runnable> answers = new ArrayList<>();
        int opened;
        int closed;

        Witness(boolean later) {
            this.later = later;
        }

        @Override
        public CompletionStage<CommandHandler> open(Login login, Peer peer) {
            opened++;
            return CompletableFuture.completedFuture(new ReadingSession(this));
        }

        @Override
        public void failed(int connectionId, Throwable cause) {
            if (!(cause instanceof ProtocolException)) {
                failures.add(cause);
            }
        }

        void end(Reply reply, Runnable answer) {
            Runnable task = () -> {
                answer.run();
                reply.end();
            };
            if (later) {
                answers.add(task);
            } else {
                task.run();
            }
        }

        void answer() {
            List<Runnable> due = List.copyOf(answers);
            answers.clear();
            due.forEach(Runnable::run);
        }
    }

    private static final class ReadingSession implements CommandHandler {
        private final Witness witness;
        private final StatementParameters statement = new StatementParameters(6, 1024);
        private final ExecuteParameters parameters = new ExecuteParameters();
        private boolean gone;
        private boolean pending;

        ReadingSession(Witness witness) {
            this.witness = witness;
        }

        @Override
        public void command(ByteBuf payload, Reply reply) {
            begin();
            try {
                read(payload, reply);
                end(reply, () -> reply.ok(OkPacket.of(2)));
            } catch (ProtocolException e) {
                end(reply, () -> reply.error(ErrPacket.of(ErrorCode.ER_MALFORMED_PACKET)));
            }
        }

        private void read(ByteBuf payload, Reply reply) {
            switch (Commands.code(payload)) {
                case CommandCode.COM_QUERY -> parameters.decodeQuery(payload, reply.capabilities());
                case CommandCode.COM_INIT_DB, CommandCode.COM_STMT_PREPARE ->
                    Commands.text(payload, StandardCharsets.UTF_8);
                case CommandCode.COM_FIELD_LIST -> {
                    Commands.fieldListTable(payload, StandardCharsets.UTF_8);
                    Commands.fieldListWildcard(payload, StandardCharsets.UTF_8);
                }
                case CommandCode.COM_SET_OPTION -> Commands.setOption(payload);
                case CommandCode.COM_PROCESS_KILL -> Commands.processId(payload);
                case CommandCode.COM_STMT_EXECUTE -> parameters.decode(payload, reply.capabilities(), statement);
                case CommandCode.COM_STMT_FETCH -> Commands.fetchRows(payload);
                case CommandCode.COM_STMT_SEND_LONG_DATA ->
                    statement.appendLongData(Commands.longDataParameter(payload), Commands.skipToLongData(payload));
                default -> {}
            }
        }

        @Override
        public void changeUser(Login login, Reply reply) {
            begin();
            end(reply, () -> reply.ok(OkPacket.of(2)));
        }

        private void begin() {
            assertThat(gone || pending).as("a command while another is pending").isFalse();
            pending = true;
        }

        private void end(Reply reply, Runnable answer) {
            witness.end(reply, () -> {
                pending = false;
                answer.run();
            });
        }

        @Override
        public void closed() {
            assertThat(gone).as("closed twice").isFalse();
            gone = true;
            witness.closed++;
        }
    }

    private static HandshakeResponse41 login(String user) {
        return new HandshakeResponse41(
                CAPABILITIES, 1 << 24, 45, user, new byte[0], null, "mysql_native_password", Map.of("a", "b"));
    }

    @Override
    public List<byte[]> seeds() {
        StatementArguments arguments = new StatementArguments()
                .addInt64(-1)
                .addNull()
                .addText("text")
                .addFloat64(1.5)
                .addUint64(-1)
                .addBytes(new byte[] {0, -1});
        return List.of(
                seed(0, out -> {
                    Bytes.packet(out, 1, login("root")::encode);
                    Bytes.packet(out, 0, CommandCode.COM_PING);
                }),
                seed(0, out -> {
                    Bytes.packet(out, 1, login("crypt")::encode);
                    Bytes.packet(out, 3, to -> to.writeZero(32));
                    Bytes.packet(out, 5, to -> to.writeZero(1));
                }),
                seed(LOG_IN, out -> {
                    Bytes.packet(out, 0, CommandCode.COM_QUERY, 'S');
                    Bytes.packet(out, 0, CommandCode.COM_INIT_DB, 'd');
                    Bytes.packet(out, 0, CommandCode.COM_FIELD_LIST, 't', 0, '%');
                    Bytes.packet(out, 0, CommandCode.COM_SET_OPTION, 0, 0);
                    Bytes.packet(out, 0, CommandCode.COM_STMT_SEND_LONG_DATA, 1, 0, 0, 0, 0, 0, 'x');
                    Bytes.packet(out, 0, to -> arguments.encode(to, 1));
                    Bytes.packet(out, 0, CommandCode.COM_STMT_FETCH, 1, 0, 0, 0, 9, 0, 0, 0);
                    Bytes.packet(out, 0, CommandCode.COM_PROCESS_KILL, 1, 0, 0, 0);
                    Bytes.packet(out, 0, CommandCode.COM_QUIT);
                }),
                seed(LOG_IN | ANSWER_LATER, out -> {
                    for (int i = 0; i < 20; i++) {
                        Bytes.packet(out, 0, CommandCode.COM_PING);
                    }
                }),
                seed(LOG_IN, out -> {
                    ChangeUser change =
                            new ChangeUser("root", new byte[0], null, 45, "mysql_native_password", Map.of());
                    Bytes.packet(out, 0, to -> change.encode(to, CAPABILITIES));
                    Bytes.packet(out, 2);
                    Bytes.packet(out, 0, CommandCode.COM_PING);
                }),
                seed(LOG_IN, out -> out.writeMediumLE(0xFFFFFF).writeByte(0).writeZero(100)));
    }

    private static byte[] seed(int flags, Consumer<ByteBuf> stream) {
        return Bytes.of(out -> {
            out.writeByte(flags).writeByte(4);
            stream.accept(out);
        });
    }
}
