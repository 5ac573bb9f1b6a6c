package org.keyline.gateway.admin;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * HTTP for operators: {@code /metrics} and {@code /health}. Its requests run on a loop of their own, so that a scrape
 * never delays a client; connections, request sizes and silence are bounded. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close shows as channelInactive
public final class AdminServer implements AutoCloseable {
    private static final int MAX_CONNECTIONS = 64;
    private static final int MAX_LINE_BYTES = 4096;
    private static final int MAX_HEADER_BYTES = 16_384;
    private static final int MAX_BODY_BYTES = 4096;
    private static final int READ_TIMEOUT_SECONDS = 30;

    private final Channel acceptor;
    private final AtomicInteger connections = new AtomicInteger();

    /**
     * Binds at once.
     *
     * @param group NIO loops that nothing on the query path uses
     * @param metrics the whole text of a scrape
     * @param health completes on any thread, never exceptionally
     */
    public AdminServer(
            InetSocketAddress address,
            EventLoopGroup group,
            Supplier<String> metrics,
            Supplier<CompletionStage<Health>> health)
            throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        if (connections.incrementAndGet() > MAX_CONNECTIONS) {
                            connections.decrementAndGet();
                            channel.close();
                            return;
                        }
                        channel.closeFuture().addListener(closed -> connections.decrementAndGet());
                        channel.pipeline()
                                .addLast(new ReadTimeoutHandler(READ_TIMEOUT_SECONDS))
                                .addLast(new HttpServerCodec(MAX_LINE_BYTES, MAX_HEADER_BYTES, MAX_BODY_BYTES))
                                .addLast(new HttpObjectAggregator(MAX_BODY_BYTES))
                                .addLast(new Requests(metrics, health));
                    }
                });
        try {
            acceptor = bootstrap.bind(address).syncUninterruptibly().channel();
        } catch (Exception e) {
            // Netty throws the checked BindException without declaring it.
            throw e instanceof IOException io ? io : new IOException(e);
        }
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) acceptor.localAddress();
    }

    @Override
    public void close() {
        acceptor.close().syncUninterruptibly();
    }

    private static final class Requests extends SimpleChannelInboundHandler<FullHttpRequest> {
        private final Supplier<String> metrics;
        private final Supplier<CompletionStage<Health>> health;

        Requests(Supplier<String> metrics, Supplier<CompletionStage<Health>> health) {
            this.metrics = metrics;
            this.health = health;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
            if (request.decoderResult().isFailure()) {
                answer(ctx, HttpResponseStatus.BAD_REQUEST, "text/plain", "bad request\n");
                return;
            }
            if (!request.method().equals(HttpMethod.GET)) {
                answer(ctx, HttpResponseStatus.METHOD_NOT_ALLOWED, "text/plain", "GET only\n");
                return;
            }
            String path = request.uri().split("\\?", 2)[0];
            switch (path) {
                case "/metrics" ->
                    answer(ctx, HttpResponseStatus.OK, "text/plain; version=0.0.4; charset=utf-8", metrics.get());
                case "/health" ->
                    health.get()
                            .thenAccept(told -> answer(
                                    ctx,
                                    told.up() ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE,
                                    "application/json",
                                    told.json()));
                default -> answer(ctx, HttpResponseStatus.NOT_FOUND, "text/plain", "/metrics or /health\n");
            }
        }

        /** One request per connection: scrapes are rare, and an idle connection would hold a place. */
        private static void answer(ChannelHandlerContext ctx, HttpResponseStatus status, String type, String text) {
            ByteBuf body = ByteBufUtil.writeUtf8(ctx.alloc(), text);
            FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
            response.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, type)
                    .set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes())
                    .set(HttpHeaderNames.CONNECTION, "close");
            ctx.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
