package org.keyline.protocol.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.uring.IoUringChannelOption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The system's settings; {@code FaultsIT} of the gateway tests their effect. */
final class VanishedPeersTest {
    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "IO_URING", "NIO"})
    void watchedConnection_isPolledInTheSecondHalfOfItsTime(Transport transport) throws Exception {
        assumeThat(transport.unavailabilityCause()).isNull();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, transport.ioHandler());
        try {
            CompletableFuture<Channel> accepted = new CompletableFuture<>();
            Channel listening = new ServerBootstrap()
                    .group(loops)
                    .channel(transport.listening())
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            VanishedPeers.watch(channel, Duration.ofSeconds(60));
                            channel.pipeline().addLast(new ChannelInboundHandlerAdapter());
                            accepted.complete(channel);
                        }
                    })
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .sync()
                    .channel();
            try (Socket client = new Socket()) {
                client.connect(listening.localAddress());
                Channel channel = accepted.get(1, TimeUnit.MINUTES);
                assertThat(channel.config().getOption(ChannelOption.SO_KEEPALIVE))
                        .isTrue();
                assertThat(option(
                                channel,
                                switch (transport) {
                                    case EPOLL -> EpollChannelOption.TCP_KEEPIDLE;
                                    case IO_URING -> IoUringChannelOption.TCP_KEEPIDLE;
                                    default -> NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE);
                                }))
                        .isEqualTo(30);
                assertThat(option(
                                channel,
                                switch (transport) {
                                    case EPOLL -> EpollChannelOption.TCP_KEEPINTVL;
                                    case IO_URING -> IoUringChannelOption.TCP_KEEPINTVL;
                                    default -> NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL);
                                }))
                        .isEqualTo(7);
                assertThat(option(
                                channel,
                                switch (transport) {
                                    case EPOLL -> EpollChannelOption.TCP_KEEPCNT;
                                    case IO_URING -> IoUringChannelOption.TCP_KEEPCNT;
                                    default -> NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT);
                                }))
                        .isEqualTo(4);
            }
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    private static int option(Channel channel, ChannelOption<Integer> option) {
        return channel.config().getOption(option);
    }
}
