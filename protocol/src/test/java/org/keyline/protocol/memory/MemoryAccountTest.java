package org.keyline.protocol.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.keyline.protocol.memory.MemoryBudget.Level;

final class MemoryAccountTest {
    private final MemoryBudget budget = new MemoryBudget(800);

    @Test
    void take_beyondALevel_isRefusedByThatLevelAndTakesNothing() {
        MemoryAccount first = budget.open();
        MemoryAccount second = budget.open();
        assertThat(first.take(101)).isEqualTo(Level.LOGINS);
        assertThat(first.take(100)).isNull();
        assertThat(second.take(1)).isEqualTo(Level.LOGINS);
        assertThat(first.login("ann")).isNull();
        assertThat(second.login("ann")).isNull();
        assertThat(first.take(301)).isEqualTo(Level.CONNECTION);
        assertThat(first.take(300)).isNull();
        assertThat(second.take(201)).isEqualTo(Level.USER);
        assertThat(second.take(200)).isNull();
        MemoryAccount other = budget.open();
        assertThat(other.login("bob")).isNull();
        assertThat(other.take(201)).isEqualTo(Level.PROCESS);
        assertThat(other.take(200)).isNull();
        assertThat(budget.used()).isEqualTo(800);
    }

    @Test
    void resize_appliesToLaterTakes_alsoOfKnownUsers() {
        MemoryAccount account = budget.open();
        assertThat(account.login("ann")).isNull();
        assertThat(account.take(400)).isNull();
        budget.resize(400);
        assertThat(budget.limit()).isEqualTo(400);
        assertThat(account.take(1)).isEqualTo(Level.CONNECTION);
        account.give(250);
        assertThat(account.take(51)).isEqualTo(Level.CONNECTION);
        assertThat(account.take(50)).isNull();
        MemoryAccount second = budget.open();
        assertThat(second.login("ann")).isNull();
        assertThat(second.take(101)).isEqualTo(Level.USER);
        budget.resize(8_000);
        assertThat(second.take(4_000)).isNull();
        assertThat(budget.used()).isEqualTo(4_200);
    }

    @Test
    void login_ofAUserWithoutRoom_changesNothing() {
        MemoryAccount first = budget.open();
        MemoryAccount second = budget.open();
        MemoryAccount third = budget.open();
        first.login("ann");
        second.login("ann");
        assertThat(first.take(400)).isNull();
        assertThat(second.take(200)).isNull();
        assertThat(third.take(1)).isNull();
        assertThat(third.login("ann")).isEqualTo(Level.USER);
        assertThat(third.login("bob")).isNull();
        assertThat(budget.used()).isEqualTo(601);
    }

    /** A COM_CHANGE_USER may name the same user. */
    @Test
    void login_ofTheSameUser_takesNothing() {
        MemoryAccount account = budget.open();
        MemoryAccount second = budget.open();
        account.login("ann");
        second.login("ann");
        assertThat(account.take(300)).isNull();
        assertThat(second.take(200)).isNull();
        assertThat(account.login("ann")).isNull();
        assertThat(budget.used()).isEqualTo(500);
        account.close();
        assertThat(budget.users()).isEqualTo(1);
        second.close();
        assertThat(budget.users()).isZero();
    }

    @Test
    void take_ofASmallConnection_succeedsBesideGreedyOnesOfItsUser() {
        MemoryBudget large = new MemoryBudget(1 << 20);
        MemoryAccount greedy = large.open();
        MemoryAccount second = large.open();
        MemoryAccount modest = large.open();
        greedy.login("ann");
        second.login("ann");
        assertThat(greedy.take(1 << 19)).isNull();
        assertThat(second.take(1 << 18)).isNull();
        assertThat(modest.login("ann")).isNull();
        assertThat(modest.takeFixed(8192)).isNull();
        assertThat(modest.take(257)).isEqualTo(Level.USER);
        assertThat(modest.take(256)).isNull();
        assertThat(modest.take(1)).isEqualTo(Level.USER);
    }

    @Test
    void idleConnections_ofOneUserAndOfThoseWhoLogIn_leaveRoomForOtherUsers() {
        MemoryBudget large = new MemoryBudget(1 << 20);
        Level full = null;
        int idle = 0;
        while (full == null) {
            MemoryAccount account = large.open();
            account.login("ann");
            full = account.takeFixed(1024);
            idle++;
        }
        assertThat(full).isEqualTo(Level.USER);
        assertThat(idle).isEqualTo(13 * 64 + 1);
        MemoryAccount unknown = large.open();
        while (unknown.takeFixed(1024) == null) {
            assertThat(unknown.used()).isLessThanOrEqualTo(large.perLogins());
        }
        MemoryAccount other = large.open();
        assertThat(other.login("bob")).isNull();
        assertThat(other.takeFixed(1 << 16)).isNull();
    }

    @Test
    void close_givesEverythingBackOnce() {
        MemoryAccount account = budget.open();
        account.login("ann");
        account.take(300);
        account.give(100);
        account.close();
        account.close();
        account.give(200);
        assertThat(account.take(50)).isNull();
        assertThat(budget.used()).isZero();
        assertThat(budget.users()).isZero();
    }

    @Test
    void randomTakesOfManyThreads_neverExceedAndEndAtNothing() throws Exception {
        long seed = 20_261_122;
        ExecutorService threads = Executors.newFixedThreadPool(4);
        CountDownLatch begin = new CountDownLatch(1);
        List<Future<?>> running = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            Random random = new Random(seed + t);
            running.add(threads.submit(() -> {
                begin.await();
                for (int round = 0; round < 500; round++) {
                    MemoryAccount account = budget.open();
                    long mine = 0;
                    for (int step = 0; step < 20; step++) {
                        long bytes = random.nextInt(200);
                        if (random.nextInt(5) == 0) {
                            account.login("user " + random.nextInt(3));
                        } else if (random.nextBoolean() && mine >= bytes) {
                            account.give(bytes);
                            mine -= bytes;
                        } else if (account.take(bytes) == null) {
                            mine += bytes;
                        }
                        assertThat(account.used()).as("seed %s", seed).isEqualTo(mine);
                    }
                    account.close();
                }
                return null;
            }));
        }
        begin.countDown();
        for (Future<?> thread : running) {
            thread.get(1, TimeUnit.MINUTES);
        }
        threads.shutdown();
        assertThat(budget.used()).isZero();
        assertThat(budget.users()).isZero();
    }
}
