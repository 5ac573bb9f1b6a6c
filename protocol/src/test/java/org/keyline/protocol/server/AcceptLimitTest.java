package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.nio.NioIoHandler;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.fixtures.TinySession;
import org.keyline.protocol.memory.MemoryBudget;

/** Whether more is accepted while all places in login are taken, by a clock of the test's own and real loops. */
final class AcceptLimitTest {
    private static final int PLACES = 4;

    private final ServerContext context = new ServerContext(
            ServerOptions.of("8.0.36-keyline"),
            new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom()),
            (user, from) -> null,
            (login, peer) -> CompletableFuture.completedFuture(new TinySession(login)),
            new ServerListener() {},
            Runnable::run);
    private final AtomicLong nanos = new AtomicLong();
    private final Newcomers newcomers = new Newcomers(nanos::get);

    private void comeAndFallSilent(int number) {
        ServerConnection connection = new ServerConnection(context, number);
        newcomers.enter(connection);
        newcomers.awaited(connection);
    }

    /** What a loop without a processor has not read yet, its client may have sent long ago. */
    @Test
    void clients_areSilentOnlyUpToWhereTheirLoopsHaveRead() throws Exception {
        MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        CountDownLatch processor = new CountDownLatch(1);
        try {
            AcceptLimit limit = new AcceptLimit(
                    newcomers,
                    new MemoryBudget(8L * PLACES * ConnectionMemory.ofLogin(false)),
                    false,
                    loops,
                    nanos::get);
            EmbeddedChannel listening = new EmbeddedChannel(limit);
            for (int number = 1; number <= PLACES; number++) {
                comeAndFallSilent(number);
            }
            loops.next().execute(() -> {
                try {
                    processor.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            nanos.addAndGet(2 * Newcomers.SLOW_NANOS);
            listening.pipeline().fireChannelReadComplete();
            for (int look = 0; look < 20; look++) {
                listening.advanceTimeBy(5, TimeUnit.MILLISECONDS);
                listening.runScheduledPendingTasks();
                assertThat(listening.config().isAutoRead()).isFalse();
            }
            processor.countDown();
            await().atMost(1, TimeUnit.MINUTES).until(() -> {
                listening.advanceTimeBy(5, TimeUnit.MILLISECONDS);
                listening.runScheduledPendingTasks();
                return listening.config().isAutoRead();
            });
            listening.finish();
        } finally {
            processor.countDown();
            var unused = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }
}
