package org.keyline.stores.mysql.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class StoreServersTest {
    private static final ServerAddress OLD = new ServerAddress("old", 3306);
    private static final ServerAddress NEXT = new ServerAddress("next", 3306);
    private static final int MOVES = 20_000;

    /** Two threads race: one registers a session and asks, the other moves and closes sessions. */
    @Test
    void serves_ofTheOldServer_isFalseIfTheMoveHasNotSeenTheSession() {
        AtomicInteger move = new AtomicInteger(-1);
        AtomicInteger admitted = new AtomicInteger(-1);
        StoreServers[] servers = new StoreServers[MOVES];
        AtomicBoolean[] registered = new AtomicBoolean[MOVES];
        boolean[] served = new boolean[MOVES];
        for (int i = 0; i < MOVES; i++) {
            servers[i] = new StoreServers(List.of(OLD, NEXT));
            registered[i] = new AtomicBoolean();
        }
        CompletableFuture<Void> sessions = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < MOVES; i++) {
                while (move.get() < i) {
                    Thread.onSpinWait();
                }
                registered[i].set(true);
                served[i] = servers[i].serves(OLD.unresolved());
                admitted.set(i);
            }
        });
        int missed = 0;
        for (int i = 0; i < MOVES; i++) {
            move.set(i);
            servers[i].leave();
            boolean closed = registered[i].get();
            servers[i].use(NEXT);
            while (admitted.get() < i) {
                Thread.onSpinWait();
            }
            missed += served[i] && !closed ? 1 : 0;
        }
        sessions.join();
        assertThat(missed).isZero();
    }
}
