package org.keyline.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * What clients get from a store that has become slow: reads of random keys, all of them misses, straight to the store, through a gateway without a cache
 * and through one with a cache, in turns; beside them one client that reads a few rows again and again, as it did before. Then the store is quick again.
 *
 * <pre>
 * mvn verify -pl gateway -am -Dit.test=SlowStoreMeasurement -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false -Dkeyline.slow.rounds=3
 * </pre>
 */
@EnabledIfSystemProperty(named = "keyline.slow.rounds", matches = "\\d+")
class SlowStoreMeasurement {
    private static final int CLIENTS = 150;
    private static final int ROWS = 500_000;
    private static final int HOT_ROWS = 10;
    /** Each way, so that an exchange is late by as much on average. */
    private static final int MAX_DELAY_MICROS = 300_000;

    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS + 1);

    /** Where clients read, with the connections of all of them. */
    private record Target(String name, List<Connection> clients, Connection hot) {
        static Target open(String name, String url) throws SQLException {
            List<Connection> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(DriverManager.getConnection(url));
            }
            Target target = new Target(name, clients, DriverManager.getConnection(url));
            for (Connection client : clients) {
                // Nobody's first read of a session is measured.
                readOnce(client, 0);
                readOnce(client, 1);
            }
            return target;
        }

        void close() throws SQLException {
            for (Connection client : clients) {
                client.close();
            }
            hot.close();
        }
    }

    @Test
    void measure() throws Exception {
        MariaDb store = MariaDb.get("slow-store");
        try (Connection connection = DriverManager.getConnection(store.jdbc(""));
                Statement sql = connection.createStatement()) {
            sql.execute("SET GLOBAL max_connections = 1000");
            sql.execute("CREATE OR REPLACE DATABASE slow");
            sql.execute("USE slow");
            sql.execute("CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR(100) NOT NULL)");
            sql.execute("INSERT INTO t SELECT seq, CONCAT('row ', seq) FROM seq_0_to_" + (ROWS - 1));
        }
        int rounds = Integer.getInteger("keyline.slow.rounds");
        System.out.println("| | reads/s | p50 ms | p99 ms | reads/s of a client of ten rows | a miss after, ms |");
        try (TcpProxy proxy = new TcpProxy(store.address());
                RelayGateway plain = behind(proxy, store, "cache.enabled=false");
                RelayGateway usual = behind(proxy, store, "cache.ttl=1s");
                RelayGateway longer = behind(proxy, store, "cache.ttl=1m")) {
            String straight = store.jdbc("slow").replace(":" + store.port() + "/", ":" + proxy.port() + "/");
            List<Target> targets = List.of(
                    Target.open("straight", straight),
                    Target.open("no cache", plain.jdbc("slow")),
                    Target.open("as it comes, ttl 1 s", usual.jdbc("slow")),
                    Target.open("ttl 1 m", longer.jdbc("slow")));
            for (int round = 0; round < rounds; round++) {
                for (Target target : targets) {
                    window(proxy, target, round);
                }
            }
            for (Target target : targets) {
                target.close();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static RelayGateway behind(TcpProxy proxy, MariaDb store, String setting) throws Exception {
        return RelayGateway.start(
                store, "store.url=mysql://127.0.0.1:" + proxy.port(), "limits.connections=1000", setting);
    }

    private void window(TcpProxy proxy, Target target, int round) throws Exception {
        for (int i = 0; i < 100 * HOT_ROWS; i++) {
            readOnce(target.hot, i % HOT_ROWS);
        }
        proxy.delay(MAX_DELAY_MICROS);
        long until = System.nanoTime() + WINDOW_NANOS;
        List<CompletableFuture<List<Long>>> reading = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Connection client = target.clients.get(i);
            SplittableRandom random = new SplittableRandom(1_000L * round + i);
            reading.add(
                    CompletableFuture.supplyAsync(() -> readUntil(client, until, () -> random.nextInt(ROWS)), threads));
        }
        SplittableRandom few = new SplittableRandom(round);
        List<Long> hot = CompletableFuture.supplyAsync(
                        () -> readUntil(target.hot, until, () -> few.nextInt(HOT_ROWS)), threads)
                .get();
        List<Long> all = new ArrayList<>();
        for (CompletableFuture<List<Long>> client : reading) {
            all.addAll(client.get());
        }
        proxy.delay(0);
        long ended = System.nanoTime();
        readOnce(target.clients.get(0), ROWS - 1 - round);
        long after = System.nanoTime() - ended;
        Collections.sort(all);
        double seconds = WINDOW_NANOS / 1e9;
        System.out.printf(
                Locale.ROOT,
                "| %s | %.0f | %.0f | %.0f | %.0f | %.1f |%n",
                target.name,
                all.size() / seconds,
                all.get(all.size() / 2) / 1e6,
                all.get(all.size() * 99 / 100) / 1e6,
                hot.size() / seconds,
                after / 1e6);
    }

    private interface Keys {
        int next();
    }

    private static List<Long> readUntil(Connection client, long until, Keys keys) {
        List<Long> nanos = new ArrayList<>();
        try {
            for (long now = System.nanoTime(); now < until; ) {
                readOnce(client, keys.next());
                long answered = System.nanoTime();
                nanos.add(answered - now);
                now = answered;
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return nanos;
    }

    private static void readOnce(Connection client, int key) throws SQLException {
        try (PreparedStatement read = client.prepareStatement("SELECT v FROM t WHERE k = ?")) {
            read.setInt(1, key);
            try (ResultSet rows = read.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(1)).isEqualTo("row " + key);
            }
        }
    }
}
