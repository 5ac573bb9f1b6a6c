package org.keyline.gateway.session.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.IdlePeer;

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

    private IdlePeer added() {
        IdlePeer client = new IdlePeer();
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
        assertThat(added().ended()).isTrue();
    }

    /** This works without a KILL through the gateway. */
    @Test
    void add_behindAnother_waitsForTheNextLoginOfABurst() {
        added();
        IdlePeer next = added();
        assertThat(next.ended()).isFalse();
        assertThat(logins).isEqualTo(1);
        assertThat(waitMillis).isLessThan(100);
        runLater();
        assertThat(next.ended()).isTrue();
    }

    @Test
    void add_afterABurst_asksAtOnceAgain() {
        added();
        runLater();
        assertThat(added().ended()).isTrue();
        assertThat(logins).isEqualTo(2);
    }

    @Test
    void add_whileTheStoreMayBeStopping_endsTheClientOnceTheStoreAccepts() {
        accepts = false;
        IdlePeer client = added();
        runLater();
        assertThat(client.ended()).isFalse();
        accepts = true;
        runLater();
        assertThat(client.ended()).isTrue();
    }
}
