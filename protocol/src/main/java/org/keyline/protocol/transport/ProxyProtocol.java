package org.keyline.protocol.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyMessageEncoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol;
import io.netty.util.AttributeKey;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The PROXY protocol: ahead of all else, whoever passes a connection on says where it comes from. Versions 1 and 2 are read, version 2 is
 * written.
 *
 * @see <a href="https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt">The PROXY protocol</a>
 */
public final class ProxyProtocol {
    /** What a balancer says beside the addresses: names, TLS, ids of its own. It is not looked at. */
    private static final int MAX_EXTRA_BYTES = 2048;

    private static final Duration STOPPING = Duration.ofSeconds(2);

    private static final AttributeKey<InetSocketAddress> CLIENT = AttributeKey.valueOf(ProxyProtocol.class, "client");

    private ProxyProtocol() {}

    /**
     * Where the client of a connection is: by its header where there was one, else the peer.
     *
     * @return null where it has no IP address
     */
    public static @Nullable InetSocketAddress client(Channel channel) {
        InetSocketAddress told = channel.attr(CLIENT).get();
        if (told != null) {
            return told;
        }
        SocketAddress peer = channel.remoteAddress();
        return peer instanceof InetSocketAddress socket && socket.getAddress() != null ? socket : null;
    }

    /**
     * Reads the header of a connection that must begin with one. Called on the channel's loop, before it is read.
     *
     * @param most until the header is whole
     * @param then goes on with the connection; what follows the header comes to the handlers that it adds
     * @param failed hears, instead, why there was no header; closes the connection
     */
    public static void await(Channel channel, Duration most, Runnable then, Consumer<Throwable> failed) {
        channel.pipeline().addLast(new HAProxyMessageDecoder(MAX_EXTRA_BYTES, true), new Header(most, then, failed));
    }

    /**
     * Says to a server whose connection this is. To be called before anything else is written.
     *
     * @param client whose connection is passed on
     */
    public static void write(ChannelHandlerContext context, InetSocketAddress client) {
        boolean four = client.getAddress() instanceof Inet4Address;
        InetSocketAddress here = sameFamily(context.channel().remoteAddress(), four);
        context.pipeline().addFirst(HAProxyMessageEncoder.INSTANCE);
        var unused = context.writeAndFlush(new HAProxyMessage(
                HAProxyProtocolVersion.V2,
                HAProxyCommand.PROXY,
                four ? HAProxyProxiedProtocol.TCP4 : HAProxyProxiedProtocol.TCP6,
                NetUtil.toAddressString(client.getAddress()),
                here == null ? (four ? "0.0.0.0" : "::") : NetUtil.toAddressString(here.getAddress()),
                client.getPort(),
                here == null ? 0 : here.getPort()));
        context.pipeline().remove(HAProxyMessageEncoder.INSTANCE);
    }

    /** The protocol has both addresses of one family; a server looks at the client's alone. */
    private static @Nullable InetSocketAddress sameFamily(SocketAddress address, boolean four) {
        return address instanceof InetSocketAddress socket
                        && socket.getAddress() != null
                        && socket.getAddress() instanceof Inet4Address == four
                ? socket
                : null;
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
                            () -> fail(context, new IOException("no PROXY header within " + time.toMillis() + " ms")),
                            time.toMillis(),
                            TimeUnit.MILLISECONDS);
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
            InetSocketAddress client = source(header);
            if (client != null) {
                context.channel().attr(CLIENT).set(client);
            }
            then.run();
            context.pipeline().remove(this);
        }

        /** Null where the proxy speaks for itself, as its health checks do, or for a socket of its own host. */
        private static @Nullable InetSocketAddress source(HAProxyMessage header) {
            byte[] address = header.command() == HAProxyCommand.PROXY && header.sourceAddress() != null
                    ? NetUtil.createByteArrayFromIpAddressString(header.sourceAddress())
                    : null;
            try {
                return address == null
                        ? null
                        : new InetSocketAddress(InetAddress.getByAddress(address), header.sourcePort());
            } catch (IOException e) {
                throw new IllegalStateException("an address of " + address.length + " bytes", e);
            }
        }

        /** The peer has left, or the server stops: then it waits for what a balancer says at once, and no longer. */
        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // whatever becomes of it, the channel is closed
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (done) {
                // It is for the handlers that have just been added.
                context.fireUserEventTriggered(event);
            } else if (event instanceof ChannelInputShutdownEvent) {
                context.close();
            } else if (!(event instanceof ChannelInputShutdownReadComplete) && timeout != null) {
                timeout.cancel(false);
                failIn(context, most.compareTo(STOPPING) < 0 ? most : STOPPING);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fail(context, Objects.requireNonNullElse(cause.getCause(), cause));
        }

        @SuppressWarnings("FutureReturnValueIgnored") // whatever becomes of it, the channel is closed
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
