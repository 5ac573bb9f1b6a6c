package org.keyline.gateway.tier.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.redis.BulkStringHeaderRedisMessage;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.RedisArrayAggregator;
import io.netty.handler.codec.redis.RedisBulkStringAggregator;
import io.netty.handler.codec.redis.RedisDecoder;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.transport.OutOfMemory;
import org.keyline.protocol.transport.Transport;

/**
 * A connection to a Redis or Valkey server. Replies come in order. An error that the command does
 * not expect closes the connection, because only a new connection can recover. Confined to its
 * event loop.
 */
public final class RedisConnection extends SimpleChannelInboundHandler<RedisMessage> implements RedisCommands {
    private static final int CONNECT_MS = 2_000;
    private static final int MAX_ELEMENTS = 4_096;
    private static final int MAX_DEPTH = 8;
    private static final int MAX_REPLY_BYTES = 1 << 20;
    /** One flush writes at most this many commands in one turn of the event loop. */
    private static final int MOST_TOGETHER = 64;

    private static final WriteBufferWaterMark WAITING_BYTES = new WriteBufferWaterMark(512 << 10, 1 << 20);
    private static final byte[] END = {'\r', '\n'};

    /** Rejects long replies by their announced lengths, before memory is allocated. */
    private final class ReplyBound extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof BulkStringHeaderRedisMessage text) {
                replyBytes += Math.max(0, text.bulkStringLength());
                if (replyBytes > MAX_REPLY_BYTES) {
                    fail(new IOException("a reply with a text of " + text.bulkStringLength() + " bytes, " + replyBytes
                            + " bytes in all"));
                }
            }
            if (over) {
                ReferenceCountUtil.release(message);
            } else {
                context.fireChannelRead(message);
            }
        }
    }

    private record Asked(long sinceNanos, boolean mayFail, Consumer<RedisMessage> received) {}

    private final Consumer<Throwable> lost;
    private final Deque<Asked> asked = new ArrayDeque<>();
    private @Nullable Channel channel;
    private boolean over;
    private long replyBytes;

    private RedisConnection(Consumer<Throwable> lost) {
        this.lost = lost;
    }

    /**
     * Opens a connection. Commands can be sent at once; they are lost if the connection cannot be
     * opened.
     *
     * @param address the address of the server, which this method resolves if necessary
     * @param ssl the TLS context; null without TLS
     * @param ready runs when the connection is open
     * @param lost runs when the connection has failed or the server has closed it. If the name has
     * no address, {@code lost} runs before this method returns
     */
    public static RedisConnection connect(
            EventLoop loop,
            InetSocketAddress address,
            @Nullable SslContext ssl,
            Runnable ready,
            Consumer<Throwable> lost) {
        RedisConnection connection = new RedisConnection(lost);
        var unused = new Bootstrap()
                .group(loop)
                .channel(Transport.connecting(loop))
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MS)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WAITING_BYTES)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (ssl != null) {
                            channel.pipeline()
                                    .addLast(ssl.newHandler(
                                            channel.alloc(), address.getHostString(), address.getPort()));
                        }
                        channel.pipeline()
                                .addLast(
                                        new FlushConsolidationHandler(MOST_TOGETHER, true),
                                        new RedisDecoder(),
                                        connection.new ReplyBound(),
                                        new RedisBulkStringAggregator(),
                                        new RedisArrayAggregator(MAX_ELEMENTS, MAX_DEPTH),
                                        connection);
                    }
                })
                .connect(address)
                .addListener(done -> {
                    if (done.isSuccess()) {
                        connection.begin(ready);
                    } else {
                        connection.fail(done.cause());
                    }
                });
        return connection;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        channel = context.channel();
        if (over) {
            var unused = context.close();
        }
    }

    private void begin(Runnable ready) {
        if (!over) {
            ready.run();
        }
    }

    public boolean isOver() {
        return over;
    }

    /** Returns whether the connection is open and the server reads commands fast enough. */
    public boolean writable() {
        return !over && channel != null && channel.isActive() && channel.isWritable();
    }

    /** Returns how long the oldest command has waited for its reply; 0 if none waits. */
    public long waitingNanos() {
        Asked oldest = asked.peek();
        return oldest == null ? 0 : System.nanoTime() - oldest.sinceNanos();
    }

    /** Returns the server's address; null before the connection is open. */
    public @Nullable SocketAddress address() {
        return channel == null ? null : channel.remoteAddress();
    }

    /**
     * Sends a command. If the server replies with an error, the connection is closed.
     *
     * @param received receives the reply, which is released after the call
     */
    public void send(Consumer<RedisMessage> received, byte[]... words) {
        send(false, received, words);
    }

    @Override
    public void ask(Consumer<RedisMessage> received, byte[]... words) {
        send(true, received, words);
    }

    private void send(boolean mayFail, Consumer<RedisMessage> received, byte[]... words) {
        Channel to = channel;
        if (over || to == null) {
            return;
        }
        asked.add(new Asked(System.nanoTime(), mayFail, received));
        int bytes = 16;
        for (byte[] word : words) {
            bytes += 16 + word.length;
        }
        ByteBuf command = to.alloc().buffer(bytes);
        head(command, '*', words.length);
        for (byte[] word : words) {
            head(command, '$', word.length);
            command.writeBytes(word).writeBytes(END);
        }
        to.writeAndFlush(command).addListener(done -> {
            if (!done.isSuccess()) {
                fail(done.cause());
            }
        });
    }

    private static void head(ByteBuf command, char kind, int number) {
        command.writeByte(kind);
        command.writeCharSequence(Integer.toString(number), US_ASCII);
        command.writeBytes(END);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, RedisMessage message) {
        replyBytes = 0;
        Asked answered = asked.poll();
        if (message instanceof ErrorRedisMessage error && (answered == null || !answered.mayFail())) {
            fail(new IOException(error.content()));
        } else if (answered == null) {
            fail(new IOException("a reply without a command"));
        } else if (!over) {
            answered.received().accept(message);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        fail(new ClosedChannelException());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        OutOfMemory.report(cause);
        fail(cause);
    }

    /** Closes the connection after a failure, and runs {@code lost} once. */
    public void fail(Throwable cause) {
        if (!over) {
            close();
            lost.accept(cause);
        }
    }

    /** Closes the connection without running {@code lost}. */
    public void close() {
        over = true;
        asked.clear();
        if (channel != null) {
            var unused = channel.close();
        }
    }
}
