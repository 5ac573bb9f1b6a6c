package org.keyline.protocol.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollTcpInfo;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.channel.uring.IoUringTcpInfo;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;

/**
 * Detects peers whose machine is off, or whose connection the network has dropped silently. Their
 * channel receives an {@link IOException}.
 */
public final class VanishedPeers {
    /*
     * While no bytes are in flight, TCP keepalive probes the peer, by default after two hours.
     * While bytes are in flight, the system retransmits for a quarter of an hour. TCP_USER_TIMEOUT
     * would also close connections to live peers that do not read. So this class polls the TCP
     * state instead. A live peer acknowledges every probe, even if it does not read.
     */

    /** The shortest time that {@link #watch} accepts. Keepalive divides it into whole seconds. */
    public static final Duration LEAST = Duration.ofSeconds(8);

    /**
     * Number of keepalive probes. They begin after half of the time given to {@link #watch}, and
     * take the other half.
     */
    private static final int PROBES = 4;

    private static final int LOOKS = 4;

    private VanishedPeers() {}

    /**
     * Reports an exception on the channel when its peer is lost. Java's own transport does not
     * report bytes in flight, so the system's timeout applies while bytes are in flight.
     *
     * @param channel a socket channel; other channels are ignored
     * @param bound time after the peer's last sign of life at which it counts as lost,
     *     {@link #LEAST} or more
     */
    public static void watch(Channel channel, Duration bound) {
        int seconds = (int) bound.toSeconds();
        if (channel instanceof EpollSocketChannel epoll) {
            keepAlive(
                    channel,
                    seconds,
                    EpollChannelOption.TCP_KEEPIDLE,
                    EpollChannelOption.TCP_KEEPINTVL,
                    EpollChannelOption.TCP_KEEPCNT);
            look(channel, bound, () -> {
                EpollTcpInfo info = epoll.tcpInfo();
                return info.retransmits() + info.probes() > 0 ? info.lastAckRecv() : 0;
            });
        } else if (channel instanceof IoUringSocketChannel ring) {
            keepAlive(
                    channel,
                    seconds,
                    IoUringChannelOption.TCP_KEEPIDLE,
                    IoUringChannelOption.TCP_KEEPINTVL,
                    IoUringChannelOption.TCP_KEEPCNT);
            look(channel, bound, () -> {
                IoUringTcpInfo info = ring.tcpInfo();
                return info.retransmits() + info.probes() > 0 ? info.lastAckRecv() : 0;
            });
        } else if (channel instanceof NioSocketChannel) {
            keepAlive(
                    channel,
                    seconds,
                    NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE),
                    NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL),
                    NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT));
        }
    }

    private static void keepAlive(
            Channel channel,
            int seconds,
            ChannelOption<Integer> idle,
            ChannelOption<Integer> interval,
            ChannelOption<Integer> count) {
        channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
        channel.config().setOption(idle, seconds / 2);
        channel.config().setOption(interval, seconds / 2 / PROBES);
        channel.config().setOption(count, PROBES);
    }

    private static long owes(Silence silence) {
        try {
            return silence.millis();
        } catch (ChannelException e) {
            // The socket is closed, and the channel is notified separately.
            return 0;
        }
    }

    private interface Silence {
        /** Returns the milliseconds since the peer's last acknowledgement; 0 if none is overdue. */
        long millis();
    }

    private static void look(Channel channel, Duration bound, Silence silence) {
        long period = bound.toMillis() / LOOKS;
        Future<?> looking = channel.eventLoop()
                .scheduleWithFixedDelay(
                        () -> {
                            // At the next check, the peer would have been silent for too long.
                            if (channel.isOpen() && owes(silence) > bound.toMillis() - period) {
                                channel.pipeline()
                                        .fireExceptionCaught(new IOException(
                                                "no response from the peer for " + bound.toSeconds() + " s"));
                            }
                        },
                        period,
                        period,
                        TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(closed -> looking.cancel(false));
    }
}
