package org.keyline.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.Account;
import org.keyline.protocol.server.ServerConnection;
import org.keyline.protocol.server.ServerContext;
import org.keyline.protocol.server.ServerListener;
import org.keyline.protocol.server.ServerOptions;
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
 * A hit from bytes in to bytes out: the whole gateway behind an embedded channel, YCSB's table with rows of 1 KB. One
 * operation is one read batch; {@code ServerConnectionBenchmark} of the protocol measures the same channel without a
 * gateway behind it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH sets parameters, and calls setup before all else
public class HitBenchmark {
    private static final int FLAGS = Capabilities.CLIENT_PROTOCOL_41
            | Capabilities.CLIENT_SECURE_CONNECTION
            | Capabilities.CLIENT_PLUGIN_AUTH
            | Capabilities.CLIENT_CONNECT_WITH_DB
            | Capabilities.CLIENT_DEPRECATE_EOF;
    private static final String KEY = "user6284781860667377211";
    private static final String COLUMNS =
            "FIELD0, FIELD1, FIELD2, FIELD3, FIELD4, FIELD5, FIELD6, FIELD7, FIELD8, FIELD9";
    private static final int WARM_READS = 10;

    /** Commands that arrive together. */
    @Param({"1", "16"})
    int commands;

    /** COM_QUERY with a literal, or COM_STMT_EXECUTE with a bound string. */
    @Param({"text", "prepared"})
    String protocol;

    /** What is read of a row of 1 KB: all columns, or one of ten. */
    @Param({"*", "FIELD0"})
    String columns;

    private EmbeddedChannel channel;
    private HandedOver store;
    private Gateway gateway;
    private byte[] batch;

    @Setup(Level.Trial)
    public void start() throws Exception {
        GatewayConfig config = new ConfigLoader(Map.of())
                .set("listen=127.0.0.1:0")
                .set("http=off")
                .set("demo=true")
                .set("cache.ttl=24h")
                .set("privilegeTtl=24h")
                .load();
        channel = new EmbeddedChannel();
        store = new HandedOver(Stores.open(config), channel.eventLoop());
        gateway = new Gateway(config, store);
        Account root = new Account("root@%", Credential.empty(AuthPlugin.NATIVE_PASSWORD));
        ServerContext context = new ServerContext(
                ServerOptions.of(store.serverVersion()),
                new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom()),
                (user, from) -> root,
                gateway.sessions(),
                ServerListener.NONE,
                Runnable::run);
        channel.pipeline().addLast(new ServerConnection(context, 1));
        ask(login());
        String value = "x".repeat(100);
        ask(command(
                CommandCode.COM_QUERY,
                "INSERT INTO usertable (YCSB_KEY, " + COLUMNS + ") VALUES ('" + KEY + "'"
                        + (", '" + value + "'").repeat(10) + ")"));
        ByteBuf read;
        if (protocol.equals("text")) {
            read = command(
                    CommandCode.COM_QUERY, "SELECT " + columns + " FROM usertable WHERE YCSB_KEY = '" + KEY + "'");
        } else {
            ask(command(CommandCode.COM_STMT_PREPARE, "SELECT " + columns + " FROM usertable WHERE YCSB_KEY = ?"));
            read = execute();
        }
        for (int i = 0; i < WARM_READS; i++) {
            ask(read.duplicate());
        }
        ByteBuf bytes = Unpooled.buffer();
        for (int i = 0; i < commands; i++) {
            bytes.writeBytes(read, 0, read.readableBytes());
        }
        batch = ByteBufUtil.getBytes(bytes);
        if (hit() < commands * 100) {
            throw new IllegalStateException("the reads are no hits");
        }
    }

    @TearDown(Level.Trial)
    public void stop() {
        channel.finishAndReleaseAll();
        gateway.close();
    }

    /** A batch of hits. */
    @Benchmark
    public int hit() {
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

    /** Sends and waits for whatever comes back, which the store may have to say. */
    private void ask(ByteBuf packets) {
        channel.pipeline().fireChannelRead(channel.alloc().ioBuffer().writeBytes(packets));
        channel.pipeline().fireChannelReadComplete();
        while (drain() == 0) {
            store.deliver();
            channel.runPendingTasks();
            Thread.onSpinWait();
        }
    }

    private static ByteBuf login() {
        ByteBuf packet = Unpooled.buffer();
        int begin = Packets.begin(packet);
        new HandshakeResponse41(
                        FLAGS,
                        0,
                        Collation.UTF8MB4_GENERAL_CI,
                        "root",
                        new byte[0],
                        "ycsb",
                        "mysql_native_password",
                        Map.of())
                .encode(packet);
        Packets.end(packet, begin, 1);
        return packet;
    }

    private static ByteBuf command(int code, String text) {
        ByteBuf packet = Unpooled.buffer();
        int begin = Packets.begin(packet);
        packet.writeByte(code).writeCharSequence(text, StandardCharsets.UTF_8);
        Packets.end(packet, begin, 0);
        return packet;
    }

    private static ByteBuf execute() {
        ByteBuf packet = Unpooled.buffer();
        int begin = Packets.begin(packet);
        packet.writeByte(CommandCode.COM_STMT_EXECUTE)
                .writeIntLE(1)
                .writeByte(0)
                .writeIntLE(1)
                .writeByte(0)
                .writeByte(1)
                .writeShortLE(ColumnType.VAR_STRING);
        Lenenc.writeString(packet, KEY);
        Packets.end(packet, begin, 0);
        return packet;
    }
}
