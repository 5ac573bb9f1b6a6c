package org.keyline.ycsb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.net.InetAddress;
import java.util.List;

/**
 * A MySQL server that does no work: it answers every query with the first row of YCSB's table, from
 * one buffer. A server with the same transport cannot need less processor time. Each connection has
 * an instance of this class; all of them run on one event loop.
 *
 * <p>It accepts any login, and implements only what {@link LightClient} sends.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a void promise reports failures to the pipeline
final class Responder extends ByteToMessageDecoder {
    private static final int HEADER_BYTES = 4;
    private static final int COM_QUERY = 0x03;
    private static final int COM_STMT_PREPARE = 0x16;
    private static final int COM_STMT_EXECUTE = 0x17;
    /** LONG_PASSWORD, CONNECT_WITH_DB, PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH. */
    private static final int CAPABILITIES = 0x1 | 0x8 | 0x200 | 0x8000 | 0x80000;

    private static final int AUTOCOMMIT = 2;
    private static final int UTF8MB4 = 45;
    private static final int VAR_STRING = 0xFD;
    private static final int EOF = 0xFE;
    private static final int COLUMNS = 11;

    private static final ByteBuf TEXT = result(false);
    private static final ByteBuf BINARY = result(true);
    private static final ByteBuf PREPARED = prepared();

    private boolean loggedIn;

    private Responder() {}

    /** Serves until the process ends; the arguments are the port and the transport. */
    public static void main(String[] arguments) throws InterruptedException {
        boolean ring = arguments[1].equals("io_uring") || (arguments[1].equals("auto") && IoUring.isAvailable());
        IoHandlerFactory transport = ring ? IoUringIoHandler.newFactory() : EpollIoHandler.newFactory();
        Class<? extends ServerChannel> channel =
                ring ? IoUringServerSocketChannel.class : EpollServerSocketChannel.class;
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, transport);
        Channel server = new ServerBootstrap()
                .group(loop)
                .channel(channel)
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
        System.out.println(ResponderProcess.READY);
        server.closeFuture().sync();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        ByteBuf greeting = Unpooled.buffer();
        int packet = begin(greeting, 0);
        greeting.writeByte(10).writeBytes("8.0-responder\0".getBytes(US_ASCII));
        greeting.writeIntLE(1).writeBytes("saltsalt\0".getBytes(US_ASCII));
        greeting.writeShortLE(CAPABILITIES).writeByte(UTF8MB4).writeShortLE(AUTOCOMMIT);
        greeting.writeShortLE(CAPABILITIES >>> 16).writeByte(21).writeZero(10);
        greeting.writeBytes("saltsaltsalt\0mysql_native_password\0".getBytes(US_ASCII));
        end(greeting, packet);
        context.writeAndFlush(greeting, context.voidPromise());
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> unused) {
        int start = in.readerIndex();
        if (in.readableBytes() < HEADER_BYTES || in.readableBytes() < HEADER_BYTES + in.getUnsignedMediumLE(start)) {
            return;
        }
        in.skipBytes(HEADER_BYTES + in.getUnsignedMediumLE(start));
        if (!loggedIn) {
            loggedIn = true;
            context.write(ok(in.getByte(start + 3) + 1), context.voidPromise());
            return;
        }
        ByteBuf reply = switch (in.getByte(start + HEADER_BYTES)) {
            case COM_STMT_EXECUTE -> BINARY.duplicate();
            case COM_QUERY -> TEXT.duplicate();
            case COM_STMT_PREPARE -> PREPARED.duplicate();
            default -> ok(1);
        };
        context.write(reply, context.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
        context.flush();
        super.channelReadComplete(context);
    }

    // ---------------------------------------------------------------- packets

    private static ByteBuf result(boolean binary) {
        ByteBuf reply = Unpooled.directBuffer();
        int packet = begin(reply, 1);
        reply.writeByte(COLUMNS);
        end(reply, packet);
        int sequence = columns(reply, 2);
        packet = begin(reply, sequence);
        reply.writeBytes(new LightRows(1).packet(0, binary));
        end(reply, packet);
        eof(reply, sequence + 1);
        return Unpooled.unreleasableBuffer(reply);
    }

    private static ByteBuf prepared() {
        ByteBuf reply = Unpooled.directBuffer();
        int packet = begin(reply, 1);
        reply.writeByte(0)
                .writeIntLE(1)
                .writeShortLE(COLUMNS)
                .writeShortLE(1)
                .writeByte(0)
                .writeShortLE(0);
        end(reply, packet);
        column(reply, 2, "?");
        eof(reply, 3);
        columns(reply, 4);
        return Unpooled.unreleasableBuffer(reply);
    }

    /** Writes the definitions of all columns. Returns the next sequence id. */
    private static int columns(ByteBuf reply, int first) {
        column(reply, first, "YCSB_KEY");
        for (int field = 0; field < COLUMNS - 1; field++) {
            column(reply, first + 1 + field, "FIELD" + field);
        }
        eof(reply, first + COLUMNS);
        return first + COLUMNS + 1;
    }

    private static void column(ByteBuf reply, int sequence, String name) {
        int packet = begin(reply, sequence);
        for (String text : List.of("def", "ycsb", "usertable", "usertable", name, name)) {
            reply.writeByte(text.length()).writeBytes(text.getBytes(US_ASCII));
        }
        reply.writeByte(12).writeShortLE(UTF8MB4).writeIntLE(1020).writeByte(VAR_STRING);
        reply.writeShortLE(0).writeByte(0).writeShortLE(0);
        end(reply, packet);
    }

    private static void eof(ByteBuf reply, int sequence) {
        int packet = begin(reply, sequence);
        reply.writeByte(EOF).writeShortLE(0).writeShortLE(AUTOCOMMIT);
        end(reply, packet);
    }

    private static ByteBuf ok(int sequence) {
        ByteBuf reply = Unpooled.buffer();
        int packet = begin(reply, sequence);
        reply.writeByte(0).writeByte(0).writeByte(0).writeShortLE(AUTOCOMMIT).writeShortLE(0);
        end(reply, packet);
        return reply;
    }

    private static int begin(ByteBuf reply, int sequence) {
        int start = reply.writerIndex();
        reply.writeMediumLE(0).writeByte(sequence);
        return start;
    }

    private static void end(ByteBuf reply, int start) {
        reply.setMediumLE(start, reply.writerIndex() - start - HEADER_BYTES);
    }
}
