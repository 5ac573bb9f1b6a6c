package org.keyline.gateway.session.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.keyline.protocol.memory.MemoryAccount;
import org.keyline.protocol.server.Peer;

final class StrandedClientsTest {
    private final List<Runnable> later = new ArrayList<>();
    private boolean reachable = true;
    private long now;
    private final StrandedClients clients =
            new StrandedClients(() -> CompletableFuture.completedFuture(reachable), later::add, () -> now);

    /** A client that does nothing but end. */
    private static final class Idle implements Peer {
        private boolean ended;

        @Override
        public int connectionId() {
            return 1;
        }

        @Override
        public int capabilities() {
            return 0;
        }

        @Override
        public EventLoop loop() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ByteBufAllocator alloc() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void run(Runnable step) {
            step.run();
        }

        @Override
        public MemoryAccount memory() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void closeConnection() {
            ended = true;
        }
    }

    private Idle added() {
        Idle client = new Idle();
        clients.add(client);
        return client;
    }

    private void runLater() {
        List<Runnable> due = List.copyOf(later);
        later.clear();
        due.forEach(Runnable::run);
    }

    @Test
    void add_whileTheStoreMayBeStopping_endsTheClientOnceTheStoreAnswers() {
        reachable = false;
        Idle client = added();
        runLater();
        assertThat(client.ended).isFalse();
        reachable = true;
        runLater();
        assertThat(client.ended).isTrue();
    }

    /** Others wait for the client that was killed to be gone, as it is straight at the store. */
    @Test
    void add_behindAKill_endsTheClientAtOnce() {
        Idle before = added();
        clients.killSent();
        Idle killed = added();
        assertThat(killed.ended).isTrue();
        assertThat(before.ended).isFalse();
    }

    @Test
    void add_longAfterAKill_waits() {
        clients.killSent();
        now += TimeUnit.SECONDS.toNanos(2);
        assertThat(added().ended).isFalse();
    }

    @Test
    void add_behindAKill_whereTheStoreIsGone_waits() {
        clients.killSent();
        reachable = false;
        Idle client = added();
        assertThat(client.ended).isFalse();
        reachable = true;
        runLater();
        assertThat(client.ended).isTrue();
    }
}
