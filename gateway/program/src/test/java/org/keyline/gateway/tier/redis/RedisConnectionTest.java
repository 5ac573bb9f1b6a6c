package org.keyline.gateway.tier.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers other than Redis, which send answers that Redis never would. */
final class RedisConnectionTest {
    private static final int READ_MS = 60_000;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    @AfterEach
    void stop() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void reply_ofATextOfHalfAGigabyte_isRefusedByItsLength() throws Exception {
        assertThat(answering("$536870912\r\n", 0)).hasMessageContaining("536870912 bytes");
    }

    @Test
    void reply_ofManyTextsBelowTheBound_isRefusedByTheirSum() throws Exception {
        assertThat(answering("*4096\r\n", 4096)).hasMessageContaining("in all");
    }

    /** Its owner is notified of the loss before it has the connection. */
    @Test
    void connect_toANameWithoutAnAddress_isOverWhenItReturns() throws Exception {
        AtomicReference<Throwable> lost = new AtomicReference<>();
        EventLoop loop = loops.next();
        boolean over = loop.submit(() -> RedisConnection.connect(
                                loop,
                                InetSocketAddress.createUnresolved("no such host", 6379),
                                null,
                                () -> {},
                                lost::set)
                        .isOver())
                .get(1, TimeUnit.MINUTES);
        assertThat(over).isTrue();
        assertThat(lost.get()).isNotNull();
    }

    /**
     * Returns the failure of a connection to a server that answers this, followed by this many
     * texts of a megabyte.
     */
    private Throwable answering(String head, int texts) throws Exception {
        CompletableFuture<Throwable> lost = new CompletableFuture<>();
        byte[] text = ("$1048576\r\n" + "x".repeat(1 << 20) + "\r\n").getBytes(US_ASCII);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            AtomicReference<RedisConnection> connection = new AtomicReference<>();
            EventLoop loop = loops.next();
            // On its own event loop, so that it is not connected before it is stored.
            loop.execute(() -> connection.set(RedisConnection.connect(
                    loop,
                    (InetSocketAddress) server.getLocalSocketAddress(),
                    null,
                    () -> requireNonNull(connection.get(), "not connecting")
                            .ask(reply -> {}, "GET".getBytes(US_ASCII), "k".getBytes(US_ASCII)),
                    lost::complete)));
            server.setSoTimeout(READ_MS);
            try (Socket accepted = server.accept()) {
                accepted.setSoTimeout(READ_MS);
                OutputStream out = accepted.getOutputStream();
                // The command has arrived.
                assertThat(accepted.getInputStream().read()).isEqualTo('*');
                out.write(head.getBytes(US_ASCII));
                for (int i = 0; i < texts && !lost.isDone(); i++) {
                    out.write(text);
                }
                return lost.get(1, TimeUnit.MINUTES);
            } catch (IOException closedByTheClient) {
                return lost.get(1, TimeUnit.MINUTES);
            }
        }
    }
}
