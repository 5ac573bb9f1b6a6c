package org.keyline.protocol.client;

import static java.util.Objects.requireNonNull;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.auth.AuthenticationException;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.compression.CompressedProtocol;
import org.keyline.protocol.transport.OutOfMemory;
import org.keyline.protocol.transport.ProxyProtocol;
import org.keyline.protocol.transport.Transport;
import org.keyline.protocol.transport.VanishedPeers;

/**
 * The common part of all logins to a server: the socket, a time limit, packets with their sequence
 * ids, and TLS. After the login, the handler of a {@link ClientConnection} replaces this handler.
 * Confined to one event loop.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase.html">Connection
 * phase</a>
 */
abstract class ConnectionPhase extends ChannelInboundHandlerAdapter {
    private static final int MAX_PACKET_BYTES = 64 * 1024;

    final ClientOptions options;
    private final @Nullable InetSocketAddress client;
    private @Nullable ChannelHandlerContext context;
    private @Nullable ByteBuf received;
    private @Nullable ScheduledFuture<?> timeout;
    private int sequenceId;
    private boolean done;

    /** @param client the client's address for the PROXY header; null to send no header */
    ConnectionPhase(ClientOptions options, @Nullable InetSocketAddress client) {
        this.options = options;
        this.client = client;
    }

    /** Handles a packet. Its payload is borrowed, not empty, and begins with {@code first}. */
    abstract void packet(ByteBuf payload, int first);

    /**
     * Called when the connection is lost or unusable, at most once and never after
     * {@link #succeed}.
     */
    abstract void failed(Throwable cause);

    final void connect(EventLoop loop) {
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .channel(options.address() instanceof LocalAddress ? LocalChannel.class : Transport.connecting(loop))
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        options.connectTimeout().toMillis())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        VanishedPeers.watch(channel, options.peerTimeout());
                        channel.pipeline().addLast(ConnectionPhase.this);
                    }
                });
        if (!(options.address() instanceof LocalAddress)) {
            bootstrap.option(ChannelOption.TCP_NODELAY, true);
        }
        ChannelFuture connecting = bootstrap.connect(options.address());
        connecting.addListener(future -> {
            Throwable cause = future.cause();
            if (cause != null && loop.inEventLoop()) {
                fail(cause);
            } else if (cause != null) {
                loop.execute(() -> fail(cause));
            }
        });
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        if (done) {
            var unused = ctx.close();
            return;
        }
        long timeoutMs = options.connectTimeout().toMillis();
        timeout = ctx.executor()
                .schedule(
                        () -> fail(new SocketTimeoutException("no connection within " + timeoutMs + " ms")),
                        timeoutMs,
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (client != null && !done) {
            ProxyProtocol.write(ctx, client);
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (timeout != null) {
            timeout.cancel(false);
        }
        release();
    }

    private void release() {
        ByteBuf rest = received;
        received = null;
        if (rest != null) {
            rest.release();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            if (done) {
                return;
            }
            if (received == null) {
                received = ctx.alloc().buffer();
            }
            received.writeBytes(bytes);
            packets(received);
        } catch (ProtocolException | AuthenticationException e) {
            fail(new IOException("handshake with " + options.address() + ": " + e.getMessage(), e));
        } finally {
            bytes.release();
            // A terminating event loop possibly never calls handlerRemoved(), so the buffer is
            // released here.
            if (done || (received != null && !received.isReadable())) {
                release();
            }
        }
    }

    private void packets(ByteBuf in) {
        while (!done && in.readableBytes() >= Packets.HEADER_BYTES) {
            int length = Packets.payloadLength(in, in.readerIndex());
            if (length > MAX_PACKET_BYTES) {
                throw new ProtocolException("packet length: " + length + " (expected: <= " + MAX_PACKET_BYTES + ")");
            }
            if (in.readableBytes() < Packets.HEADER_BYTES + length) {
                return;
            }
            sequenceId = Packets.next(Packets.sequenceId(in, in.readerIndex()));
            in.skipBytes(Packets.HEADER_BYTES);
            if (length == 0) {
                throw new ProtocolException("empty packet");
            }
            ByteBuf payload = in.readSlice(length);
            packet(payload, payload.getUnsignedByte(payload.readerIndex()));
        }
    }

    /**
     * Returns whether to use TLS.
     *
     * @param offered whether the server offers TLS
     * @throws ProtocolException if the options require TLS and the server does not offer it
     */
    final boolean usesTls(boolean offered) {
        return switch (options.tls()) {
            case OFF -> false;
            case PREFERRED -> offered;
            case REQUIRED, VERIFY -> {
                if (!offered) {
                    throw new ProtocolException("server does not offer TLS");
                }
                yield true;
            }
        };
    }

    /**
     * @param request payload of the SSLRequest; borrowed
     * @param then runs after the TLS handshake
     */
    final void startTls(ByteBuf request, Runnable then) {
        ChannelHandlerContext ctx = context();
        SslHandler handler;
        try {
            handler = sslHandler(ctx);
        } catch (SSLException e) {
            fail(e);
            return;
        }
        send(request);
        ctx.pipeline().addFirst(handler);
        handler.handshakeFuture().addListener(future -> {
            if (future.isSuccess()) {
                then.run();
            } else {
                fail(requireNonNull(future.cause(), "cause is null"));
            }
        });
    }

    private SslHandler sslHandler(ChannelHandlerContext ctx) throws SSLException {
        boolean verify = options.tls() == TlsMode.VERIFY;
        SslContext context = options.sslContext();
        if (context == null) {
            SslContextBuilder builder = SslContextBuilder.forClient();
            context = verify
                    ? builder.build()
                    : builder.trustManager(InsecureTrustManagerFactory.INSTANCE)
                            .endpointIdentificationAlgorithm("")
                            .build();
        }
        SslHandler handler = options.address() instanceof InetSocketAddress address
                ? context.newHandler(ctx.alloc(), address.getHostString(), address.getPort())
                : context.newHandler(ctx.alloc());
        var parameters = handler.engine().getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm(verify ? "HTTPS" : "");
        handler.engine().setSSLParameters(parameters);
        return handler;
    }

    final void send(ByteBuf payload) {
        ChannelHandlerContext ctx = context();
        ByteBuf out = ctx.alloc().buffer(Packets.HEADER_BYTES + payload.readableBytes());
        sequenceId = Packets.write(out, payload, sequenceId);
        var unused = ctx.writeAndFlush(out, ctx.voidPromise());
    }

    /** Ends the login after the server's OK. All further packets go to the returned connection. */
    final ClientConnection succeed(HandshakeV10 greeting, int capabilities, int extendedCapabilities, int status) {
        done = true;
        ChannelHandlerContext ctx = context();
        CompressedProtocol compression = null;
        if (Capabilities.has(capabilities, Capabilities.CLIENT_COMPRESS)) {
            compression = new CompressedProtocol();
            ctx.pipeline().addBefore(ctx.name(), "compression", compression);
        }
        ClientConnection connection = new ClientConnection(
                ctx.channel(), compression, options, greeting, capabilities, extendedCapabilities, status);
        ctx.pipeline().replace(this, "connection", connection.handler());
        return connection;
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail(new EOFException("closed by " + options.address() + " during the handshake"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        OutOfMemory.report(cause);
        fail(cause);
    }

    /** Reports {@code cause}, then closes. A close alone would be reported as a disconnect. */
    final void fail(Throwable cause) {
        if (!done) {
            done = true;
            failed(cause);
        }
        closeSocket();
    }

    final void abandon() {
        done = true;
        closeSocket();
    }

    final boolean isDone() {
        return done;
    }

    private void closeSocket() {
        ChannelHandlerContext ctx = context;
        if (ctx != null) {
            var unused = ctx.close();
        }
    }

    final boolean isWritable() {
        return context().channel().isWritable();
    }

    final @Nullable SocketAddress localAddress() {
        return context().channel().localAddress();
    }

    private ChannelHandlerContext context() {
        return requireNonNull(context, "not connected");
    }

    static void requireProtocol41(int capabilities) {
        if (!Capabilities.has(capabilities, Capabilities.CLIENT_PROTOCOL_41 | Capabilities.CLIENT_SECURE_CONNECTION)) {
            throw new ProtocolException("server does not speak protocol 4.1");
        }
    }
}
