package org.keyline.gateway.warm;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * How soon a gateway that ends under load hits again as before, with and without a warm file, in front of a MariaDB with a binary log: the hit
 * rate, and the SELECTs of the store, of the seconds before it ends and after it is ready. Two clients read by a skewed distribution, one
 * writes, and no row that is read may be older than what was acknowledged before.
 *
 * <pre>
 * mvn verify -pl gateway -am -Dit.test=RestartMeasurement -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false -Dkeyline.restart.rounds=3
 * </pre>
 */
@EnabledIfSystemProperty(named = "keyline.restart.rounds", matches = "\\d+")
class RestartMeasurement {
    private static final int ROWS = 20_000;
    private static final int READERS = 2;
    private static final int WARMING_SECONDS = 12;
    private static final int SECONDS = 5;
    /** Of each client: less than the machine can do, so that before and after are asked the same. */
    private static final long PAUSE_NANOS = 400_000;

    private final AtomicIntegerArray acknowledged = new AtomicIntegerArray(ROWS);
    private volatile String address = "";
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private volatile boolean ended;

    @TempDir
    private Path directory;

    @Test
    void measure() throws Exception {
        MariaDb store = MariaDb.logging("logging");
        try (Connection straight = DriverManager.getConnection(store.jdbc(""));
                Statement sql = straight.createStatement()) {
            sql.execute("DROP DATABASE IF EXISTS warm");
            sql.execute("CREATE DATABASE warm");
            sql.execute("USE warm");
            sql.execute("CREATE TABLE t (k INT PRIMARY KEY, n INT, v VARCHAR(100))");
            sql.execute("INSERT INTO t SELECT seq, 0, REPEAT('x', 100) FROM seq_0_to_" + (ROWS - 1));
            List<CompletableFuture<Void>> clients = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                int seed = i;
                clients.add(CompletableFuture.runAsync(() -> client("SELECT n FROM t WHERE k = ?", seed, this::read)));
            }
            clients.add(CompletableFuture.runAsync(
                    () -> client("UPDATE t SET n = n + 1 WHERE k = ?", READERS, this::write)));
            System.out.println("        | hits before, % | after | SELECTs/s before | after | ms to ready");
            for (int round = 0; round < Integer.getInteger("keyline.restart.rounds"); round++) {
                restart(store, sql, "", "cold");
                restart(store, sql, "cache.warmFile=" + directory.resolve("hot.warm"), "warm");
            }
            ended = true;
            clients.forEach(CompletableFuture::join);
        }
        System.out.println("reads " + reads + ", wrong " + wrong);
        if (wrong.get() > 0) {
            throw new AssertionError("rows that are older than what was acknowledged");
        }
    }

    private void restart(MariaDb store, Statement sql, String setting, String name) throws Exception {
        Files.deleteIfExists(directory.resolve("hot.warm"));
        double[] before;
        try (RelayGateway gateway = start(store, setting)) {
            serve(gateway);
            Thread.sleep(WARMING_SECONDS * 1_000L);
            before = rates(gateway, sql);
            address = "";
        }
        long began = System.nanoTime();
        try (RelayGateway gateway = start(store, setting)) {
            long ready = (System.nanoTime() - began) / 1_000_000;
            serve(gateway);
            double[] after = rates(gateway, sql);
            System.out.printf(
                    Locale.ROOT,
                    "%s | %.1f | %.1f | %.0f | %.0f | %d%n",
                    name,
                    before[0],
                    after[0],
                    before[1],
                    after[1],
                    ready);
            address = "";
        }
    }

    private void serve(RelayGateway gateway) {
        address = gateway.jdbc("warm") + "&useServerPrepStmts=true";
    }

    private static RelayGateway start(MariaDb store, String setting) throws Exception {
        String[] settings = {"store.signal=auto", "cache.ttl=1s", "cache.signalTtl=10m", "cache.size=64MiB"};
        List<String> all = new ArrayList<>(List.of(settings));
        if (!setting.isEmpty()) {
            all.add(setting);
        }
        return RelayGateway.start(store, all.toArray(String[]::new));
    }

    /** The share of reads that hit, and SELECTs of the store a second, from now on. */
    private static double[] rates(RelayGateway gateway, Statement sql) throws Exception {
        try (Connection through = DriverManager.getConnection(gateway.jdbc("warm"));
                Statement status = through.createStatement()) {
            long hits = second(status, "keyline_hits");
            long queries = second(status, "keyline_queries");
            long selects = second(sql, "Com_select");
            Thread.sleep(SECONDS * 1_000L);
            double asked = second(status, "keyline_queries") - queries;
            return new double[] {
                100 * (second(status, "keyline_hits") - hits) / Math.max(1, asked),
                (second(sql, "Com_select") - selects) / (double) SECONDS
            };
        }
    }

    private static long second(Statement sql, String name) throws SQLException {
        try (ResultSet row = sql.executeQuery("SHOW GLOBAL STATUS LIKE '" + name + "'")) {
            return row.next() ? row.getLong(2) : 0;
        }
    }

    private interface Step {
        void run(PreparedStatement statement, int key) throws SQLException;
    }

    /** A client that comes back whenever there is a gateway. */
    private void client(String text, int seed, Step step) {
        SplittableRandom random = new SplittableRandom(seed);
        while (!ended) {
            String url = address;
            if (url.isEmpty()) {
                LockSupport.parkNanos(1_000_000);
                continue;
            }
            try (Connection connection = DriverManager.getConnection(url);
                    PreparedStatement statement = connection.prepareStatement(text)) {
                while (!ended && address.equals(url)) {
                    double skewed = random.nextDouble();
                    step.run(statement, (int) (ROWS * skewed * skewed * skewed * skewed));
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } catch (SQLException gone) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    private void read(PreparedStatement select, int key) throws SQLException {
        int least = acknowledged.get(key);
        select.setInt(1, key);
        try (ResultSet row = select.executeQuery()) {
            if (!row.next() || row.getInt(1) < least) {
                wrong.incrementAndGet();
            }
        }
        reads.incrementAndGet();
    }

    private void write(PreparedStatement update, int key) throws SQLException {
        update.setInt(1, key);
        update.executeUpdate();
        acknowledged.incrementAndGet(key);
        LockSupport.parkNanos(20 * PAUSE_NANOS);
    }
}
