package org.keyline.ycsb;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.keyline.protocol.ServerStatus.SERVER_STATUS_AUTOCOMMIT;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.EofPacket;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.transport.Transport;

/**
 * A MySQL server that does no work: it answers every query with the first row of YCSB's table, from
 * one buffer. No other server with this transport can need less processor time. Each connection has
 * an instance of this class. All connections share one event loop.
 *
 * <p>It accepts any login, and implements only what {@link LightClient} sends.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a void promise reports failures to the pipeline
final class Responder extends ByteToMessageDecoder {
    private static final int CAPABILITIES = Capabilities.CLIENT_LONG_PASSWORD
            | Capabilities.CLIENT_CONNECT_WITH_DB
            | Capabilities.CLIENT_PROTOCOL_41
            | Capabilities.CLIENT_SECURE_CONNECTION
            | Capabilities.CLIENT_PLUGIN_AUTH;

    private static final int UTF8MB4 = 45;
    private static final int FIELDS = 10;
    private static final EofPacket EOF = new EofPacket(SERVER_STATUS_AUTOCOMMIT, 0);
    private static final ByteBuf TEXT = result(false);
    private static final ByteBuf BINARY = result(true);
    private static final ByteBuf PREPARED = prepared();

    private boolean loggedIn;

    private Responder() {}

    /** Serves until the process ends; the arguments are the port and the transport. */
    public static void main(String[] arguments) throws InterruptedException {
        Transport transport = Transport.valueOf(arguments[1].toUpperCase(Locale.ROOT));
        Channel server = new ServerBootstrap()
                .group(new MultiThreadIoEventLoopGroup(1, transport.ioHandler()))
                .channel(transport.listening())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel accepted) {
                        accepted.pipeline().addLast(new Responder());
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]))
                .sync()
                .channel();
        System.out.println(PointQueryExperiment.READY);
        server.closeFuture().sync();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        HandshakeV10 greeting = new HandshakeV10(
                "8.0-responder",
                1,
                "saltsaltsaltsaltsalt".getBytes(US_ASCII),
                CAPABILITIES,
                UTF8MB4,
                SERVER_STATUS_AUTOCOMMIT,
                "mysql_native_password");
        context.writeAndFlush(packet(Unpooled.buffer(), greeting::encode), context.voidPromise());
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> unused) {
        int start = in.readerIndex();
        if (in.readableBytes() < Packets.HEADER_BYTES
                || in.readableBytes() < Packets.HEADER_BYTES + Packets.payloadLength(in, start)) {
            return;
        }
        in.skipBytes(Packets.HEADER_BYTES + Packets.payloadLength(in, start));
        int command = loggedIn ? in.getByte(start + Packets.HEADER_BYTES) : CommandCode.COM_SLEEP;
        loggedIn = true;
        ByteBuf reply = switch (command) {
            case CommandCode.COM_STMT_EXECUTE -> BINARY.duplicate();
            case CommandCode.COM_QUERY -> TEXT.duplicate();
            case CommandCode.COM_STMT_PREPARE -> PREPARED.duplicate();
            default -> {
                ByteBuf ok = Unpooled.buffer();
                int begin = Packets.begin(ok);
                OkPacket.of(SERVER_STATUS_AUTOCOMMIT).encode(ok);
                Packets.end(ok, begin, Packets.sequenceId(in, start) + 1);
                yield ok;
            }
        };
        context.write(reply, context.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
        context.flush();
        super.channelReadComplete(context);
    }

    private static ByteBuf result(boolean binary) {
        ByteBuf reply = Unpooled.directBuffer();
        packet(reply, out -> out.writeByte(1 + FIELDS));
        columns(reply);
        packet(reply, out -> out.writeBytes(new LightClient.Rows(1).packet(0, binary)));
        packet(reply, EOF::encode);
        Packets.renumber(reply, 0, reply.writerIndex(), 1);
        return Unpooled.unreleasableBuffer(reply);
    }

    private static ByteBuf prepared() {
        ByteBuf reply = Unpooled.directBuffer();
        packet(reply, new PrepareOk(1, 1 + FIELDS, 1, 0)::encode);
        column(reply, "?");
        packet(reply, EOF::encode);
        columns(reply);
        Packets.renumber(reply, 0, reply.writerIndex(), 1);
        return Unpooled.unreleasableBuffer(reply);
    }

    private static void columns(ByteBuf reply) {
        column(reply, "YCSB_KEY");
        for (int field = 0; field < FIELDS; field++) {
            column(reply, "FIELD" + field);
        }
        packet(reply, EOF::encode);
    }

    private static void column(ByteBuf reply, String name) {
        packet(reply, ColumnDefinition.of(name, UTF8MB4, 1020, ColumnType.VAR_STRING, 0, 0)::encode);
    }

    private static ByteBuf packet(ByteBuf out, Consumer<ByteBuf> payload) {
        int begin = Packets.begin(out);
        payload.accept(out);
        Packets.end(out, begin, 0);
        return out;
    }
}
