package org.keyline.protocol.client;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.AuthSwitchRequest;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.auth.AuthenticationException;
import org.keyline.protocol.auth.ClientExchange;
import org.keyline.protocol.codec.Packets;

/**
 * The client's half of the connection phase, from the greeting to the server's OK; then it gives its place in the
 * pipeline to {@link ClientConnection}. Confined to one event loop.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase.html">Connection phase</a>
 */
final class ClientHandshake extends ChannelInboundHandlerAdapter {
    /** Longest packet of a server in this phase: a greeting or an error, or a public key. */
    private static final int MAX_PACKET_BYTES = 64 * 1024;

    private final ClientOptions options;
    private final CompletableFuture<ClientConnection> connected;
    private @Nullable HandshakeV10 greeting;
    private @Nullable ClientExchange exchange;
    private @Nullable ByteBuf received;
    private @Nullable ScheduledFuture<?> timeout;
    private int capabilities;
    private int sequenceId;
    private boolean done;

    ClientHandshake(ClientOptions options, CompletableFuture<ClientConnection> connected) {
        this.options = options;
        this.connected = connected;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        long timeoutMs = options.connectTimeout().toMillis();
        timeout = ctx.executor()
                .schedule(
                        () -> fail(ctx, new ConnectException("no connection within " + timeoutMs + " ms")),
                        timeoutMs,
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (timeout != null) {
            timeout.cancel(false);
        }
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
            packets(ctx, received);
        } catch (ProtocolException | AuthenticationException e) {
            fail(ctx, new IOException("handshake with " + options.address() + ": " + e.getMessage(), e));
        } finally {
            bytes.release();
        }
    }

    private void packets(ChannelHandlerContext ctx, ByteBuf in) {
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
            packet(ctx, in.readSlice(length));
        }
    }

    private void packet(ChannelHandlerContext ctx, ByteBuf payload) {
        if (!payload.isReadable()) {
            throw new ProtocolException("empty packet");
        }
        int first = payload.getUnsignedByte(payload.readerIndex());
        if (first == ErrPacket.HEADER) {
            fail(ctx, new ServerErrorException(ErrPacket.decode(payload)));
        } else if (greeting == null) {
            greet(ctx, HandshakeV10.decode(payload));
        } else {
            authenticate(ctx, payload, first);
        }
    }

    private void greet(ChannelHandlerContext ctx, HandshakeV10 received) {
        greeting = received;
        int wanted = options.capabilities() & ~(Capabilities.CLIENT_SSL | Capabilities.CLIENT_CONNECT_WITH_DB);
        if (options.database() != null) {
            wanted |= Capabilities.CLIENT_CONNECT_WITH_DB;
        }
        capabilities = wanted & received.capabilities();
        if (!Capabilities.has(capabilities, Capabilities.CLIENT_PROTOCOL_41 | Capabilities.CLIENT_SECURE_CONNECTION)) {
            throw new ProtocolException("server does not speak protocol 4.1");
        }
        boolean offered = Capabilities.has(received.capabilities(), Capabilities.CLIENT_SSL);
        switch (options.tls()) {
            case OFF -> respond(ctx, false);
            case PREFERRED -> {
                if (offered) {
                    encrypt(ctx);
                } else {
                    respond(ctx, false);
                }
            }
            case REQUIRED, VERIFY -> {
                if (!offered) {
                    throw new ProtocolException("server does not offer TLS");
                }
                encrypt(ctx);
            }
        }
    }

    private void encrypt(ChannelHandlerContext ctx) {
        capabilities |= Capabilities.CLIENT_SSL;
        SslHandler handler;
        try {
            handler = sslHandler(ctx);
        } catch (SSLException e) {
            fail(ctx, e);
            return;
        }
        ByteBuf request = ctx.alloc().buffer();
        int begin = Packets.begin(request);
        HandshakeResponse41.encodeSslRequest(request, capabilities, Packets.MAX_PAYLOAD_BYTES, options.collation());
        sequenceId = Packets.end(request, begin, sequenceId);
        var unused = ctx.writeAndFlush(request, ctx.voidPromise());
        ctx.pipeline().addFirst(handler);
        handler.handshakeFuture().addListener(future -> {
            if (future.isSuccess()) {
                respond(ctx, true);
            } else {
                fail(ctx, requireNonNull(future.cause(), "cause is null"));
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

    private void respond(ChannelHandlerContext ctx, boolean secure) {
        HandshakeV10 to = requireNonNull(greeting, "greeting is null");
        ClientExchange begun =
                new ClientExchange(options.password(), secure, options.retrievePublicKey(), options.serverKey());
        exchange = begun;
        byte[] proof = begun.begin(to.authPlugin(), to.scramble());
        HandshakeResponse41 response = new HandshakeResponse41(
                capabilities,
                Packets.MAX_PAYLOAD_BYTES,
                options.collation(),
                options.user(),
                proof,
                options.database(),
                begun.plugin().wireName(),
                options.attributes());
        ByteBuf out = ctx.alloc().buffer();
        int begin = Packets.begin(out);
        response.encode(out);
        sequenceId = Packets.end(out, begin, sequenceId);
        var unused = ctx.writeAndFlush(out, ctx.voidPromise());
    }

    private void authenticate(ChannelHandlerContext ctx, ByteBuf payload, int first) {
        ClientExchange begun = exchange;
        if (begun == null) {
            throw new ProtocolException("packet before the handshake response");
        }
        switch (first) {
            case OkPacket.HEADER -> succeed(ctx, OkPacket.decode(payload));
            case AuthSwitchRequest.HEADER -> {
                AuthSwitchRequest request = AuthSwitchRequest.decode(payload);
                send(ctx, begun.switchTo(request.plugin(), request.scramble()));
            }
            case 0x01 -> {
                payload.skipBytes(1);
                byte[] answer = begun.more(ByteBufUtil.getBytes(payload));
                if (answer != null) {
                    send(ctx, answer);
                }
            }
            default -> throw new ProtocolException("first byte: " + first + " (expected: OK, ERR or authentication)");
        }
    }

    private void send(ChannelHandlerContext ctx, byte[] payload) {
        ByteBuf out = ctx.alloc().buffer(Packets.HEADER_BYTES + payload.length);
        int begin = Packets.begin(out);
        out.writeBytes(payload);
        sequenceId = Packets.end(out, begin, sequenceId);
        var unused = ctx.writeAndFlush(out, ctx.voidPromise());
    }

    private void succeed(ChannelHandlerContext ctx, OkPacket ok) {
        done = true;
        HandshakeV10 from = requireNonNull(greeting, "greeting is null");
        ClientConnection connection = new ClientConnection(ctx.channel(), options, from, capabilities, ok.status());
        ctx.pipeline().replace(this, "connection", connection.handler());
        if (!connected.complete(connection)) {
            connection.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail(ctx, new ConnectException("closed by " + options.address() + " during the handshake"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail(ctx, cause);
    }

    private void fail(ChannelHandlerContext ctx, Throwable cause) {
        done = true;
        // First the cause, then its consequences: closing reports itself as one.
        connected.completeExceptionally(cause);
        var unused = ctx.close();
    }
}
