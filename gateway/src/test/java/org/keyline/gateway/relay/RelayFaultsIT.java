package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/** A store that is paused, killed and started again while clients read and write through the gateway. */
class RelayFaultsIT {
    private static final int ROWS = 20;
    private static final int CLIENTS = 4;

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("faulty");
        gateway = RelayGateway.start(store, "cache.loadTimeout=500ms", "cache.ttl=200ms", "store.refresh=200ms");
        try (Connection straight = DriverManager.getConnection(store.jdbc(""));
                Statement sql = straight.createStatement()) {
            sql.execute("CREATE DATABASE IF NOT EXISTS f");
            sql.execute("DROP TABLE IF EXISTS f.counters");
            sql.execute("CREATE TABLE f.counters (id INT PRIMARY KEY, n INT NOT NULL)");
            for (int i = 0; i < ROWS; i++) {
                sql.execute("INSERT INTO f.counters VALUES (" + i + ", 0)");
            }
        }
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static void signal(long pid, String signal) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                        .start()
                        .waitFor())
                .isZero();
    }

    /**
     * Counters only grow, each written by one client. A client reads no less than what anybody was told is written, and no more than what was sent.
     */
    private static final class Load {
        private final AtomicIntegerArray sent = new AtomicIntegerArray(ROWS);
        private final AtomicIntegerArray acknowledged = new AtomicIntegerArray(ROWS);
        private final AtomicInteger reads = new AtomicInteger();
        private final AtomicInteger failures = new AtomicInteger();
        private final AtomicBoolean ended = new AtomicBoolean();
        private final List<Future<?>> clients = new ArrayList<>();

        void begin(ExecutorService threads) {
            for (int client = 0; client < CLIENTS; client++) {
                int mine = client;
                clients.add(threads.submit(() -> {
                    while (!ended.get()) {
                        session(mine);
                    }
                }));
            }
        }

        private void session(int mine) {
            String url = gateway.jdbc("f") + "&useServerPrepStmts=true&socketTimeout=20000&connectTimeout=5000";
            try (Connection connection = DriverManager.getConnection(url);
                    PreparedStatement read = connection.prepareStatement("SELECT n FROM counters WHERE id = ?");
                    PreparedStatement write = connection.prepareStatement("UPDATE counters SET n = ? WHERE id = ?")) {
                for (int i = 0; !ended.get(); i++) {
                    int id = i % ROWS;
                    if (id % CLIENTS == mine) {
                        int next = sent.get(id) + 1;
                        sent.set(id, next);
                        write.setInt(1, next);
                        write.setInt(2, id);
                        write.executeUpdate();
                        acknowledged.set(id, next);
                    }
                    int least = acknowledged.get(id);
                    read.setInt(1, id);
                    try (ResultSet row = read.executeQuery()) {
                        if (!row.next() || row.getInt(1) < least || row.getInt(1) > sent.get(id)) {
                            throw new AssertionError("row " + id + ": expected " + least + ".." + sent.get(id));
                        }
                    }
                    reads.incrementAndGet();
                }
            } catch (SQLException e) {
                failures.incrementAndGet();
            }
        }

        void awaitReads(int more) {
            int before = reads.get();
            await().atMost(60, TimeUnit.SECONDS).until(() -> reads.get() > before + more || isBroken());
            assertThat(isBroken()).isFalse();
        }

        private boolean isBroken() {
            return clients.stream().anyMatch(Future::isDone);
        }

        void end() throws Exception {
            ended.set(true);
            for (Future<?> client : clients) {
                client.get(60, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void storePausedKilledAndStartedAgain_nobodyReadsAWrongRow() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        Load load = new Load();
        load.begin(threads);
        load.awaitReads(2_000);

        long pid = store.pid();
        signal(pid, "STOP");
        // Nobody can log in to a store that does not answer, and nobody is told anything wrong meanwhile.
        assertThatThrownBy(
                        () -> DriverManager.getConnection(gateway.jdbc("f") + "&connectTimeout=1000&socketTimeout=1000")
                                .close())
                .isInstanceOf(SQLException.class);
        signal(pid, "CONT");
        load.awaitReads(2_000);

        signal(pid, "KILL");
        await().until(() -> load.failures.get() >= CLIENTS);
        assertThatThrownBy(() -> DriverManager.getConnection(gateway.jdbc("f")).close())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Can't connect");
        store.startAgain();
        load.awaitReads(2_000);
        load.end();
        threads.shutdown();
        System.out.println(load.reads.get() + " reads right, " + load.failures.get() + " sessions lost");
    }
}
