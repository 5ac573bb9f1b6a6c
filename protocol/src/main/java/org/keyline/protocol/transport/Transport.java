package org.keyline.protocol.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.net.StandardSocketOptions;
import org.jspecify.annotations.Nullable;

/** The socket implementation of event loops. */
public enum Transport {
    /** io_uring on Linux 6.0 or later, or else epoll if its library loads, or else NIO. */
    AUTO,

    EPOLL,

    /**
     * io_uring, which sends all output of one iteration of an event loop in one system call. Many
     * containers forbid it.
     */
    IO_URING,

    /** Java's own transport, available everywhere. */
    NIO;

    static {
        // Without this property, one call accepts all waiting connections, even if the server has
        // memory only for a few (AcceptLimit). Netty reads the property once.
        String accept = "io.netty.iouring.acceptMultiShotEnabled";
        System.setProperty(accept, System.getProperty(accept, "false"));
    }

    /**
     * Returns this transport; for {@link #AUTO}, the transport that it selects on this machine.
     *
     * @param passed whether the service manager passes the listening socket, which only
     *     {@link #EPOLL} supports
     */
    public Transport resolved(boolean passed) {
        if (this != AUTO) {
            return this;
        }
        if (!passed && IoUring.isAvailable() && IoUring.isRecvMultishotEnabled()) {
            // This condition holds on Linux 6.0 or later. There, rings do not count as locked
            // memory, of which most processes may have only little.
            return IO_URING;
        }
        return Epoll.isAvailable() ? EPOLL : NIO;
    }

    /** Returns why the transport cannot be used on this machine; null if it can. */
    public @Nullable Throwable unavailabilityCause() {
        return switch (this) {
            case EPOLL -> Epoll.unavailabilityCause();
            case IO_URING -> IoUring.unavailabilityCause();
            case AUTO, NIO -> null;
        };
    }

    public IoHandlerFactory ioHandler() {
        return switch (resolved(false)) {
            case EPOLL -> EpollIoHandler.newFactory();
            case IO_URING -> IoUringIoHandler.newFactory();
            default -> NioIoHandler.newFactory();
        };
    }

    public Class<? extends ServerChannel> listening() {
        return switch (resolved(false)) {
            case EPOLL -> EpollServerSocketChannel.class;
            case IO_URING -> IoUringServerSocketChannel.class;
            default -> NioServerSocketChannel.class;
        };
    }

    public ChannelOption<Boolean> reusePort() {
        return resolved(false) == NIO
                ? NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT)
                : UnixChannelOption.SO_REUSEPORT;
    }

    public static Class<? extends Channel> connecting(EventLoop loop) {
        if (loop instanceof IoEventLoop io && io.isIoType(EpollIoHandler.class)) {
            return EpollSocketChannel.class;
        }
        if (loop instanceof IoEventLoop io && io.isIoType(IoUringIoHandler.class)) {
            return IoUringSocketChannel.class;
        }
        return NioSocketChannel.class;
    }
}
