package org.keyline.protocol.server;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of a connection for a command: bytes in to bytes out over an embedded channel, answered
 * by a session that copies a prepared reply. One operation is one read batch.
 */
@SuppressWarnings({"NullAway.Init", "FutureReturnValueIgnored"
}) // JMH fills the fields; an embedded write is done at once
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class ServerConnectionBenchmark {
    private static final int FLAGS = Capabilities.CLIENT_PROTOCOL_41
            | Capabilities.CLIENT_SECURE_CONNECTION
            | Capabilities.CLIENT_PLUGIN_AUTH
            | Capabilities.CLIENT_DEPRECATE_EOF;

    /** The number of commands that arrive together. */
    @Param({"1", "16"})
    int commands;

    /** Bytes of the reply to one command. */
    @Param({"200", "1200"})
    int replyBytes;

    /** The allocator of the channel: Netty's default, or pooled arenas. */
    @Param({"adaptive", "pooled"})
    String allocator;

    private EmbeddedChannel channel;
    private byte[] batch;

    @Setup(Level.Trial)
    public void start() {
        byte[] reply = new byte[replyBytes];
        reply[0] = (byte) (replyBytes - 4);
        reply[1] = (byte) ((replyBytes - 4) >> 8);
        reply[3] = 1;
        Account root = new Account("root", Credential.empty(AuthPlugin.NATIVE_PASSWORD));
        ServerContext context = new ServerContext(
                ServerOptions.of("8.0.36-keyline"),
                new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom()),
                (user, from) -> root,
                (login, peer) -> CompletableFuture.completedFuture(new Responder(reply)),
                ServerListener.NONE,
                Runnable::run);
        channel = new EmbeddedChannel();
        ByteBufAllocator alloc =
                allocator.equals("pooled") ? PooledByteBufAllocator.DEFAULT : new AdaptiveByteBufAllocator();
        channel.config().setAllocator(alloc);
        channel.pipeline().addLast(new ServerConnection(context, 1));
        ByteBuf login = alloc.buffer();
        login.writeInt(0);
        new HandshakeResponse41(FLAGS, 0, 45, "root", new byte[0], null, "mysql_native_password", Map.of())
                .encode(login);
        login.setMediumLE(0, login.readableBytes() - 4).setByte(3, 1);
        channel.writeInbound(login);
        drain();
        byte[] sql =
                "SELECT * FROM usertable WHERE YCSB_KEY = 'user6284781860667377211'".getBytes(StandardCharsets.UTF_8);
        ByteBuf bytes = alloc.buffer();
        for (int i = 0; i < commands; i++) {
            bytes.writeMediumLE(sql.length + 1)
                    .writeByte(0)
                    .writeByte(CommandCode.COM_QUERY)
                    .writeBytes(sql);
        }
        batch = ByteBufUtil.getBytes(bytes);
        bytes.release();
    }

    @TearDown(Level.Trial)
    public void stop() {
        channel.finishAndReleaseAll();
    }

    /** Measures the socket's part alone: a buffer in, a buffer of the replies' size out. */
    @Benchmark
    public int transportAlone() {
        ByteBuf in = channel.alloc().ioBuffer(batch.length).writeBytes(batch);
        in.release();
        channel.write(
                channel.alloc().ioBuffer(commands * replyBytes).writeZero(commands * replyBytes),
                channel.voidPromise());
        channel.flush();
        return drain();
    }

    /** Measures the connection. */
    @Benchmark
    public int answered() {
        channel.pipeline()
                .fireChannelRead(channel.alloc().ioBuffer(batch.length).writeBytes(batch));
        channel.pipeline().fireChannelReadComplete();
        return drain();
    }

    private int drain() {
        int bytes = 0;
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            bytes += out.readableBytes();
            out.release();
        }
        return bytes;
    }

    /** Reads every byte of the command, as a digest does, and answers. */
    private static final class Responder implements CommandHandler {
        private final byte[] reply;

        Responder(byte[] reply) {
            this.reply = reply;
        }

        @Override
        public void command(ByteBuf payload, Reply answer) {
            int sum = 0;
            for (int i = payload.readerIndex(); i < payload.writerIndex(); i++) {
                sum += payload.getByte(i);
            }
            if (sum != 0 && answer.nextSequenceId() == 1) {
                answer.out().writeBytes(reply);
            }
            answer.end();
        }

        @Override
        public void changeUser(Login login, Reply answer) {
            answer.end();
        }

        @Override
        public void closed() {}
    }
}
