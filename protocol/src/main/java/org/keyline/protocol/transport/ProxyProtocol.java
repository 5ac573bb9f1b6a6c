package org.keyline.protocol.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyMessageEncoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol;
import io.netty.util.AttributeKey;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;

/**
 * The PROXY protocol: a header before all other bytes of a connection, in which a load balancer
 * names the client. Netty's codec reads versions 1 and 2, and writes version 2.
 *
 * @see <a href="https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt">The PROXY protocol</a>
 */
public final class ProxyProtocol {
    /** Maximum size of the header's other fields (host names, TLS, ids), which are ignored. */
    private static final int MAX_EXTRA_BYTES = 2048;

    private static final Duration STOPPING = Duration.ofSeconds(2);

    private static final AttributeKey<InetSocketAddress> CLIENT = AttributeKey.valueOf(ProxyProtocol.class, "client");

    private ProxyProtocol() {}

    /**
     * Returns the address of a connection's client. This is the address in the header if a header
     * was received; if not, the peer's address.
     *
     * @return the address; null if it is not an IP address
     */
    public static @Nullable InetSocketAddress client(Channel channel) {
        InetSocketAddress client = channel.attr(CLIENT).get();
        if (client != null) {
            return client;
        }
        SocketAddress peer = channel.remoteAddress();
        return peer instanceof InetSocketAddress socket && socket.getAddress() != null ? socket : null;
    }

    /**
     * Reads the header, with which the connection must begin. Call on the channel's loop, before
     * the first read.
     *
     * @param most time limit for the header
     * @param then continues with the connection; the handlers that it adds receive the bytes after
     *     the header
     * @param failed receives the cause if the header is missing, and closes the connection
     */
    public static void await(Channel channel, Duration most, Runnable then, Consumer<Throwable> failed) {
        channel.pipeline().addLast(new HAProxyMessageDecoder(MAX_EXTRA_BYTES, true), new Header(most, then, failed));
    }

    /**
     * Writes the header. Must be called before any other write.
     *
     * @param client the client for which this connection is made; servers ignore the destination
     *     address
     */
    public static void write(ChannelHandlerContext context, InetSocketAddress client) {
        boolean four = client.getAddress() instanceof Inet4Address;
        context.pipeline().addFirst(HAProxyMessageEncoder.INSTANCE);
        var unused = context.writeAndFlush(new HAProxyMessage(
                HAProxyProtocolVersion.V2,
                HAProxyCommand.PROXY,
                four ? HAProxyProxiedProtocol.TCP4 : HAProxyProxiedProtocol.TCP6,
                NetUtil.toAddressString(client.getAddress()),
                four ? "0.0.0.0" : "::",
                client.getPort(),
                0));
        context.pipeline().remove(HAProxyMessageEncoder.INSTANCE);
    }

    private static final class Header extends SimpleChannelInboundHandler<HAProxyMessage> {
        private final Duration most;
        private final Runnable then;
        private final Consumer<Throwable> failed;
        private @Nullable ScheduledFuture<?> timeout;
        private boolean done;

        Header(Duration most, Runnable then, Consumer<Throwable> failed) {
            this.most = most;
            this.then = then;
            this.failed = failed;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            failIn(context, most);
        }

        private void failIn(ChannelHandlerContext context, Duration time) {
            timeout = context.executor()
                    .schedule(
                            () -> fail(context, breach("no PROXY header within " + time.toMillis() + " ms")),
                            time.toMillis(),
                            TimeUnit.MILLISECONDS);
        }

        private static ProtocolException breach(String message) {
            return new ProtocolException(ErrorCode.ER_HANDSHAKE_ERROR, message);
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext context) {
            if (timeout != null) {
                timeout.cancel(false);
            }
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, HAProxyMessage header) {
            done = true;
            // The source is null if the proxy itself is the client, as in health checks, or if the
            // client uses a local socket.
            InetAddress source = header.command() == HAProxyCommand.PROXY && header.sourceAddress() != null
                    ? NetUtil.createInetAddressFromIpAddressString(header.sourceAddress())
                    : null;
            if (source != null) {
                context.channel().attr(CLIENT).set(new InetSocketAddress(source, header.sourcePort()));
            }
            then.run();
            context.pipeline().remove(this);
        }

        /** Handles the peer's disconnect, or the server's stop, before the header arrives. */
        @Override
        // the channel is closed in any case
        @SuppressWarnings("FutureReturnValueIgnored")
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (done) {
                // The event belongs to the handlers that were just added.
                context.fireUserEventTriggered(event);
            } else if (event instanceof ChannelInputShutdownEvent) {
                context.close();
            } else if (!(event instanceof ChannelInputShutdownReadComplete) && timeout != null) {
                timeout.cancel(false);
                failIn(context, most.compareTo(STOPPING) < 0 ? most : STOPPING);
            }
        }

        /** Replaces the codec's error message, which the client must not receive. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fail(
                    context,
                    cause instanceof DecoderException && !(cause.getCause() instanceof Error)
                            ? breach("the PROXY header is malformed, or has more than " + MAX_EXTRA_BYTES
                                    + " bytes beside the addresses")
                            : cause);
        }

        // the channel is closed in any case
        @SuppressWarnings("FutureReturnValueIgnored")
        private void fail(ChannelHandlerContext context, Throwable cause) {
            if (done) {
                return;
            }
            done = true;
            try {
                failed.accept(cause);
            } catch (RuntimeException e) {
                context.close();
                throw e;
            }
        }
    }
}
