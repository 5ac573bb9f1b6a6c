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

/** The way that event loops take to their sockets. */
public enum Transport {
    /** io_uring where it works and the kernel's is a mature one, else epoll where the native library is there, else NIO. */
    AUTO,

    /** Linux's epoll. */
    EPOLL,

    /** Linux's io_uring: the sends of a loop's turn are one system call. Many containers forbid it. */
    IO_URING,

    /** Java's own: runs everywhere. */
    NIO;

    static {
        // Else one call accepts all who wait, however few the server has room for (AcceptLimit). Netty reads it once.
        String accept = "io.netty.iouring.acceptMultiShotEnabled";
        System.setProperty(accept, System.getProperty(accept, "false"));
    }

    /**
     * What stands for {@link #AUTO} on this machine; others are themselves.
     *
     * @param passed whether the service manager passes the listening socket, which {@link #EPOLL} alone can take
     */
    public Transport resolved(boolean passed) {
        if (this != AUTO) {
            return this;
        }
        if (!passed && IoUring.isAvailable() && IoUring.isRecvMultishotEnabled()) {
            // That is Linux 6.0 or later: rings no longer count as locked memory, of which few processes may have any.
            return IO_URING;
        }
        return Epoll.isAvailable() ? EPOLL : NIO;
    }

    /** Why it can't be used on this machine; null: it can. */
    public @Nullable Throwable unavailabilityCause() {
        return switch (this) {
            case EPOLL -> Epoll.unavailabilityCause();
            case IO_URING -> IoUring.unavailabilityCause();
            case AUTO, NIO -> null;
        };
    }

    /** Makes what event loops drive their channels by. */
    public IoHandlerFactory ioHandler() {
        return switch (resolved(false)) {
            case EPOLL -> EpollIoHandler.newFactory();
            case IO_URING -> IoUringIoHandler.newFactory();
            default -> NioIoHandler.newFactory();
        };
    }

    /** The type of a listening socket. */
    public Class<? extends ServerChannel> listening() {
        return switch (resolved(false)) {
            case EPOLL -> EpollServerSocketChannel.class;
            case IO_URING -> IoUringServerSocketChannel.class;
            default -> NioServerSocketChannel.class;
        };
    }

    /** Returns the option that lets several processes listen on the same address. */
    public ChannelOption<Boolean> reusePort() {
        return resolved(false) == NIO
                ? NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT)
                : UnixChannelOption.SO_REUSEPORT;
    }

    /** The type of a connecting socket that an event loop can drive. */
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
