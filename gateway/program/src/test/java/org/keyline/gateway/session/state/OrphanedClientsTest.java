package org.keyline.gateway.session.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.keyline.protocol.memory.MemoryAccount;
import org.keyline.protocol.server.Peer;

final class OrphanedClientsTest {
    private final List<Runnable> later = new ArrayList<>();
    private boolean accepts = true;
    private int logins;
    private int waitMillis;

    private final OrphanedClients clients = new OrphanedClients(
            () -> {
                logins++;
                return CompletableFuture.completedFuture(accepts);
            },
            (task, millis) -> {
                later.add(task);
                waitMillis = millis;
            });

    /** A client that does nothing until it ends. */
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
    void add_whileTheStoreAccepts_endsTheClientAtOnce() {
        assertThat(added().ended).isTrue();
    }

    /** This works without a KILL through the gateway. */
    @Test
    void add_behindAnother_waitsForTheNextLoginOfABurst() {
        added();
        Idle next = added();
        assertThat(next.ended).isFalse();
        assertThat(logins).isEqualTo(1);
        assertThat(waitMillis).isLessThan(100);
        runLater();
        assertThat(next.ended).isTrue();
    }

    @Test
    void add_afterABurst_asksAtOnceAgain() {
        added();
        runLater();
        assertThat(added().ended).isTrue();
        assertThat(logins).isEqualTo(2);
    }

    @Test
    void add_whileTheStoreMayBeStopping_endsTheClientOnceTheStoreAccepts() {
        accepts = false;
        Idle client = added();
        runLater();
        assertThat(client.ended).isFalse();
        accepts = true;
        runLater();
        assertThat(client.ended).isTrue();
    }
}
