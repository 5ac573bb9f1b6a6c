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
import org.junit.jupiter.api.Test;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.fixtures.TinySession;
import org.keyline.protocol.memory.MemoryBudget;

/**
 * Evictions of logins in favour of others, and when others are accepted for that, with a clock of
 * the test's own.
 */
final class NewcomersTest {
    private static final int PLACES = 4;

    private final ServerContext context = new ServerContext(
            ServerOptions.of("8.0.36-keyline"),
            new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom()),
            (user, from) -> null,
            (login, peer) -> CompletableFuture.completedFuture(new TinySession(login)),
            new ServerListener() {},
            Runnable::run);
    private long nanos = Long.MAX_VALUE - 10;
    private final Newcomers newcomers = new Newcomers(() -> nanos);
    private int number;

    private ServerConnection come() {
        ServerConnection connection = new ServerConnection(context, ++number);
        newcomers.enter(connection);
        return connection;
    }

    private ServerConnection comeAndFallSilent() {
        ServerConnection connection = come();
        newcomers.awaited(connection);
        return connection;
    }

    @Test
    void connectionThatWaitsForTheServer_isNeverSlow_andNotEvicted() {
        ServerConnection waits = come();
        ServerConnection newest = come();
        nanos += 10 * Newcomers.SLOW_NANOS;
        assertThat(newcomers.size()).isEqualTo(2);
        assertThat(newcomers.eldestIsSlow(nanos)).isFalse();
        assertThat(newcomers.takeEldest(newest)).isNull();
        newcomers.awaited(waits);
        assertThat(newcomers.eldestIsSlow(nanos)).isFalse();
        assertThat(newcomers.takeEldest(newest)).isSameAs(waits);
        assertThat(newcomers.size()).isEqualTo(1);
    }

    @Test
    void whereAllAreSilent_theEldestIsSlowSoon() {
        ServerConnection eldest = comeAndFallSilent();
        nanos += Newcomers.ALL_SILENT_NANOS / 2 + 1;
        ServerConnection next = comeAndFallSilent();
        assertThat(newcomers.eldestIsSlow(nanos)).isFalse();
        nanos += Newcomers.ALL_SILENT_NANOS / 2;
        assertThat(newcomers.eldestIsSlow(nanos)).isTrue();
        assertThat(newcomers.takeEldest(next)).isSameAs(eldest);
        assertThat(newcomers.eldestIsSlow(nanos)).isFalse();
        nanos += Newcomers.ALL_SILENT_NANOS / 2 + 1;
        assertThat(newcomers.eldestIsSlow(nanos)).isTrue();
        assertThat(newcomers.takeEldest(next)).isNull();
    }

    @Test
    void whereTheServerIsBehind_theEldestIsSlowLater() {
        comeAndFallSilent();
        ServerConnection waits = come();
        nanos += Newcomers.SLOW_NANOS;
        assertThat(newcomers.eldestIsSlow(nanos)).isFalse();
        assertThat(newcomers.leave(waits)).isTrue();
        assertThat(newcomers.eldestIsSlow(nanos)).isTrue();
    }

    @Test
    void whereOthersLogIn_theEldestIsSlowLater() {
        ServerConnection eldest = comeAndFallSilent();
        long begin = nanos;
        while (nanos - begin <= Newcomers.SLOW_NANOS) {
            assertThat(newcomers.eldestIsSlow(nanos)).isFalse();
            ServerConnection other = comeAndFallSilent();
            nanos += Newcomers.ALL_SILENT_NANOS / 2;
            newcomers.received(other);
            assertThat(newcomers.leave(other)).isTrue();
        }
        assertThat(newcomers.eldestIsSlow(nanos)).isTrue();
        assertThat(newcomers.takeEldest(come())).isSameAs(eldest);
        assertThat(newcomers.leave(eldest)).isFalse();
    }

    @Test
    void clientThatSends_isNoLongerTheEldest() {
        ServerConnection first = comeAndFallSilent();
        ServerConnection second = comeAndFallSilent();
        newcomers.received(first);
        newcomers.awaited(first);
        assertThat(newcomers.takeEldest(come())).isSameAs(second);
        assertThat(newcomers.takeEldest(come())).isSameAs(first);
    }

    @Test
    void aConnectionThatIsNoNewcomer_changesNothing() {
        ServerConnection loggedIn = comeAndFallSilent();
        newcomers.received(loggedIn);
        assertThat(newcomers.leave(loggedIn)).isTrue();
        newcomers.received(loggedIn);
        newcomers.awaited(loggedIn);
        assertThat(newcomers.size()).isZero();
        assertThat(newcomers.takeEldest(come())).isNull();
    }

    /** Bytes that a loop without a processor has not read yet may have been sent long ago. */
    @Test
    void clients_areSilentOnlyUpToWhereTheirLoopsHaveRead() throws Exception {
        MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        CountDownLatch processor = new CountDownLatch(1);
        try {
            AcceptLimit limit = new AcceptLimit(
                    newcomers, new MemoryBudget(8L * PLACES * ConnectionMemory.ofLogin(false)), false, loops);
            EmbeddedChannel listening = new EmbeddedChannel(limit);
            for (int place = 0; place < PLACES; place++) {
                comeAndFallSilent();
            }
            loops.next().execute(() -> {
                try {
                    processor.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            nanos += 2 * Newcomers.SLOW_NANOS;
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
