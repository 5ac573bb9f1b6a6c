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
 * Notices peers that have vanished without a word: their machine is off, or the network in between has forgotten the connection. Their
 * channel gets an {@link IOException}.
 */
public final class VanishedPeers {
    /*
     * Two cases. Where nothing is under way the system asks the peer (TCP keepalive); its own patience is two hours. Where bytes are under
     * way it sends them again instead, for a quarter of an hour, and no option shortens that without taking for dead a peer that lives and only
     * does not read (TCP_USER_TIMEOUT). So the system is asked what it knows: a living peer acknowledges every probe, however long it reads nothing.
     */

    /** The shortest time that seconds, the unit of keepalive, can share out. */
    public static final Duration LEAST = Duration.ofSeconds(8);

    /** Probes of keepalive that stay unanswered. They take half of the time, silence ahead of them the other half. */
    private static final int PROBES = 4;

    private static final int LOOKS = 4;

    private VanishedPeers() {}

    /**
     * Watches a connection for as long as it is open. Java's own transport does not tell about bytes under way: there it is the system's patience.
     *
     * @param channel of sockets; others have no peer that could vanish
     * @param bound how long after its last sign of life a peer is given up, {@link #LEAST} or more
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
            // The socket is gone, of which the channel hears by itself.
            return 0;
        }
    }

    /** Asks the system. */
    private interface Silence {
        /** For how many milliseconds a peer owes an answer; 0 if it owes none. */
        long millis();
    }

    private static void look(Channel channel, Duration bound, Silence silence) {
        long period = bound.toMillis() / LOOKS;
        Future<?> looking = channel.eventLoop()
                .scheduleWithFixedDelay(
                        () -> {
                            // The next look would be too late.
                            if (channel.isOpen() && owes(silence) > bound.toMillis() - period) {
                                channel.pipeline()
                                        .fireExceptionCaught(new IOException(
                                                "the peer has given no sign of life for " + bound.toSeconds() + " s"));
                            }
                        },
                        period,
                        period,
                        TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(closed -> looking.cancel(false));
    }
}
