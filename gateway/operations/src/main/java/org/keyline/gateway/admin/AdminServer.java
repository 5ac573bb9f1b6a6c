package org.keyline.gateway.admin;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
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
import io.netty.handler.ssl.SslContext;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.transport.OutOfMemory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP server for operators. It serves {@code /live}, {@code /ready}, {@code /health},
 * {@code /metrics} and a page with figures. Its own threads let it answer even while all event
 * loops are stuck. If too many connections are open, the oldest one is closed. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close shows as channelInactive
public final class AdminServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);

    private static final int MAX_CONNECTIONS = 64;
    private static final int MAX_LINE_BYTES = 4096;
    private static final int MAX_HEADER_BYTES = 16_384;
    private static final int MAX_BODY_BYTES = 4096;
    private static final int SILENCE_SECONDS = 10;
    private static final int MAX_SCRAPES = 4;
    private static final int STOP_SECONDS = 2;

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("keyline-admin", true), NioIoHandler.newFactory());
    private final ThreadPoolExecutor scrapes = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_SCRAPES),
            new DefaultThreadFactory("keyline-scrape", true));
    private final Channel acceptor;
    /** The open connections, the oldest first. Confined to the loop. */
    private final Set<Channel> connections = new LinkedHashSet<>();

    /**
     * Binds the address.
     *
     * @param shared whether another process may bind the address while this process still listens
     * @param tls encrypts every connection; null for plain HTTP
     * @param metrics returns the response to a scrape of {@code /metrics}
     * @param overview returns the page's figures as one line of JSON. The argument says whether to
     * include the figures of statements, which only readers with a token may see
     * @param health checks the health; completes on any thread, never exceptionally
     */
    public AdminServer(
            InetSocketAddress address,
            boolean shared,
            @Nullable SslContext tls,
            HttpAccess access,
            Supplier<String> metrics,
            Function<Boolean, String> overview,
            Supplier<CompletionStage<Health>> health)
            throws IOException {
        EventStreams streams = new EventStreams(scrapes, () -> overview.apply(access.isGuarded()));
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        connections.add(channel);
                        channel.closeFuture().addListener(closed -> connections.remove(channel));
                        if (connections.size() > MAX_CONNECTIONS) {
                            connections.iterator().next().close();
                        }
                        channel.pipeline().addLast(new ReadTimeoutHandler(SILENCE_SECONDS));
                        if (tls != null) {
                            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                        }
                        channel.pipeline()
                                .addLast(new HttpServerCodec(MAX_LINE_BYTES, MAX_HEADER_BYTES, MAX_BODY_BYTES))
                                .addLast(new HttpObjectAggregator(MAX_BODY_BYTES))
                                .addLast(new Requests(scrapes, access, metrics, streams, health));
                    }
                });
        if (shared) {
            bootstrap.option(NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT), true);
        }
        try {
            acceptor = bootstrap.bind(address).syncUninterruptibly().channel();
        } catch (Exception e) {
            stopThreads();
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
        stopThreads();
    }

    private void stopThreads() {
        scrapes.shutdown();
        loop.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static final class Requests extends SimpleChannelInboundHandler<FullHttpRequest> {
        private final Executor scrapes;
        private final HttpAccess access;
        private final Supplier<String> metrics;
        private final EventStreams streams;
        private final Supplier<CompletionStage<Health>> health;

        Requests(
                Executor scrapes,
                HttpAccess access,
                Supplier<String> metrics,
                EventStreams streams,
                Supplier<CompletionStage<Health>> health) {
            this.scrapes = scrapes;
            this.access = access;
            this.metrics = metrics;
            this.streams = streams;
            this.health = health;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
            if (request.decoderResult().isFailure()) {
                refuse(ctx, HttpResponseStatus.BAD_REQUEST, "bad request\n");
                return;
            }
            if (!access.isFor(request.headers().get(HttpHeaderNames.HOST))) {
                refuse(
                        ctx,
                        HttpResponseStatus.MISDIRECTED_REQUEST,
                        "The host of this request is not in access.httpHosts. Add it there, or use localhost.\n");
                return;
            }
            if (!request.method().equals(HttpMethod.GET)) {
                refuse(ctx, HttpResponseStatus.METHOD_NOT_ALLOWED, "GET only\n");
                return;
            }
            String path = request.uri().split("\\?", 2)[0];
            switch (path) {
                case "/live" -> health(ctx, Health::live);
                case "/ready", "/health" -> health(ctx, Health::ready);
                default -> {
                    if (access.admits(request.headers().get(HttpHeaderNames.AUTHORIZATION))) {
                        figures(ctx, path);
                    } else {
                        refuse(
                                ctx,
                                HttpResponseStatus.UNAUTHORIZED,
                                "Send the value of access.httpToken as a bearer token, or as the password of basic authentication.\n");
                    }
                }
            }
        }

        private void figures(ChannelHandlerContext ctx, String path) {
            Page.File file = Page.file(path);
            if (file != null) {
                answer(ctx, HttpResponseStatus.OK, file.type(), file.text());
            } else if (path.equals("/metrics")) {
                scrape(ctx);
            } else if (!path.equals("/events")) {
                refuse(
                        ctx,
                        HttpResponseStatus.NOT_FOUND,
                        "Not found. The paths are /, /live, /ready, /health and /metrics.\n");
            } else if (streams.hasPlace()) {
                streams.begin(ctx);
            } else {
                refuse(ctx, HttpResponseStatus.SERVICE_UNAVAILABLE, "Too many pages are open. Close one and reload.\n");
            }
        }

        private void health(ChannelHandlerContext ctx, Predicate<Health> good) {
            health.get()
                    .thenAccept(health -> answer(
                            ctx,
                            good.test(health) ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE,
                            "application/json",
                            health.json()));
        }

        private void scrape(ChannelHandlerContext ctx) {
            try {
                scrapes.execute(() -> answerScrape(ctx));
            } catch (RejectedExecutionException full) {
                refuse(ctx, HttpResponseStatus.SERVICE_UNAVAILABLE, "Too many scrapes at once. Scrape again later.\n");
            }
        }

        private void answerScrape(ChannelHandlerContext ctx) {
            String text;
            try {
                text = metrics.get();
            } catch (Throwable e) {
                OutOfMemory.report(e);
                LOG.warn("The metrics could not be computed.", e);
                refuse(
                        ctx,
                        HttpResponseStatus.INTERNAL_SERVER_ERROR,
                        "the metrics could not be computed; the gateway's log has the reason\n");
                return;
            }
            answer(ctx, HttpResponseStatus.OK, "text/plain; version=0.0.4; charset=utf-8", text);
        }

        private static void refuse(ChannelHandlerContext ctx, HttpResponseStatus status, String why) {
            answer(ctx, status, "text/plain", why);
        }

        /** Answers and closes the connection. Requests are rare, so each has its own connection. */
        private static void answer(ChannelHandlerContext ctx, HttpResponseStatus status, String type, String text) {
            ByteBuf body = ByteBufUtil.writeUtf8(ctx.alloc(), text);
            FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
            response.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, type)
                    .set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes())
                    .set(HttpHeaderNames.CONNECTION, "close");
            Page.guard(response.headers());
            if (status.equals(HttpResponseStatus.UNAUTHORIZED)) {
                response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, HttpAccess.CHALLENGE);
            }
            ctx.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            OutOfMemory.report(cause);
            ctx.close();
        }
    }
}
