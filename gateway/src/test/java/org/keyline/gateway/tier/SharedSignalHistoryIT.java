package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.tier.TierGateways.run;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RedisServer;

/**
 * Writes past three gateways, of which one reads the binary log for all, while it changes who that is. What gateways tell each other of their
 * own writes goes through a Redis that nothing happens to, so that it does not drop what a lost message would have to.
 */
final class SharedSignalHistoryIT {
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int ROWS = 200;
    private static final int SECONDS = Integer.getInteger("keyline.signal.seconds", 10);
    private static final String[] SETTINGS = {
        "store.signal=auto",
        "store.signalPeriod=20ms",
        "cache.ttl=" + TTL.toMillis() + "ms",
        "cache.signalTtl=1h",
        "cache.refreshAhead=false",
        "tier.signal=one"
    };

    /** The value of each row, and when it was written at the latest. */
    private final AtomicLongArray values = new AtomicLongArray(ROWS);

    private final List<Queue<long[]>> written = new ArrayList<>();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong lines = new AtomicLong();
    private final AtomicLong oldLines = new AtomicLong();
    private volatile boolean ended;

    @Test
    void writesPastTheGateways_areSeenByAllWithinTheTtl_whoeverReadsTheLog() throws Exception {
        assumeTrue(RedisServer.isInstalled(), "there is no redis-server");
        MariaDb store = MariaDb.logging("logging");
        long seed = Long.getLong("keyline.seed", System.nanoTime());
        System.out.println("seed " + seed);
        try (Connection straight = DriverManager.getConnection(store.jdbc(""));
                RedisServer redis = RedisServer.start()) {
            run(
                    straight,
                    "DROP DATABASE IF EXISTS changing",
                    "CREATE DATABASE changing",
                    "USE changing",
                    "CREATE TABLE numbers (id INT PRIMARY KEY, n INT)",
                    "INSERT INTO numbers SELECT seq, 0 FROM seq_0_to_" + (ROWS - 1));
            for (int row = 0; row < ROWS; row++) {
                written.add(new ConcurrentLinkedQueue<>());
            }
            try (TierGateways gateways = new TierGateways(store, true, redis, SETTINGS)) {
                history(gateways, store, straight, seed);
            }
        }
    }

    private void history(TierGateways gateways, MariaDb store, Connection straight, long seed) throws Exception {
        List<Thread> threads = new ArrayList<>();
        threads.add(new Thread(() -> attempt(() -> write(store, new Random(seed)))));
        for (int gateway = 0; gateway < TierGateways.NAMES.size(); gateway++) {
            int at = gateway;
            threads.add(new Thread(() -> attempt(() -> read(gateways, at, new Random(seed + at + 1)))));
        }
        threads.forEach(Thread::start);
        faults(gateways, straight, new Random(~seed));
        ended = true;
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.printf(
                "%d reads, %d of lines, %d of these older than the ttl, %d writes%n",
                reads.get(), lines.get(), oldLines.get(), sum());
        assertThat(wrong).isEmpty();
        assertThat(oldLines.get()).isPositive();
        // What was missed would be vouched for until it is an hour old.
        for (int gateway = 0; gateway < TierGateways.NAMES.size(); gateway++) {
            try (Connection client = gateways.connect(gateway, "changing")) {
                await("gateway " + gateway + ", seed " + seed)
                        .atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(wrongRows(client)).isEmpty());
            }
        }
    }

    private List<Integer> wrongRows(Connection client) throws SQLException {
        List<Integer> others = new ArrayList<>();
        for (int row = 0; row < ROWS; row++) {
            String value = TierGateways.read(client, "SELECT n FROM numbers WHERE id = " + row);
            if (!value.equals(String.valueOf(values.get(row)))) {
                others.add(row);
            }
        }
        return others;
    }

    private long sum() {
        long sum = 0;
        for (int row = 0; row < ROWS; row++) {
            sum += values.get(row);
        }
        return sum;
    }

    /** What may fail. */
    private interface Work {
        void run() throws Exception;
    }

    private void attempt(Work work) {
        try {
            work.run();
        } catch (Exception e) {
            wrong.add(e.toString());
        }
    }

    /** Each row now and then, so that a change that is missed stays missed for a while. */
    private void write(MariaDb store, Random random) throws Exception {
        try (Connection straight = DriverManager.getConnection(store.jdbc("changing"));
                PreparedStatement update = straight.prepareStatement("UPDATE numbers SET n = n + 1 WHERE id = ?")) {
            while (!ended) {
                int row = random.nextInt(ROWS);
                update.setInt(1, row);
                update.executeUpdate();
                written.get(row).add(new long[] {System.nanoTime(), values.incrementAndGet(row)});
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(16)));
            }
        }
    }

    private void read(TierGateways gateways, int gateway, Random random) throws Exception {
        long[] seen = new long[ROWS];
        try (Connection client = gateways.connect(gateway, "changing");
                PreparedStatement select = client.prepareStatement("SELECT n FROM numbers WHERE id = ?")) {
            while (!ended) {
                int row = random.nextInt(ROWS);
                long due = due(row, System.nanoTime() - TTL.toNanos());
                select.setInt(1, row);
                long value;
                try (ResultSet rows = select.executeQuery()) {
                    rows.next();
                    value = rows.getLong(1);
                }
                reads.incrementAndGet();
                if (value < due) {
                    wrong.add("gateway " + gateway + " answered " + value + " for row " + row + " where " + due
                            + " was written more than a ttl ago");
                }
                if (value < seen[row]) {
                    wrong.add("gateway " + gateway + " answered " + value + " for row " + row + " after " + seen[row]);
                }
                seen[row] = value;
                if (random.nextInt(8) == 0) {
                    count(client);
                }
            }
        }
    }

    private void count(Connection client) throws SQLException {
        String age = TierGateways.read(client, "SELECT age_ms FROM keyline.last WHERE source = 'line'");
        if (!age.equals("none")) {
            lines.incrementAndGet();
            if (Long.parseLong(age) > TTL.toMillis()) {
                oldLines.incrementAndGet();
            }
        }
    }

    /** The last value that was written by then. */
    private long due(int row, long nanos) {
        long value = 0;
        for (long[] each : written.get(row)) {
            if (each[0] - nanos >= 0) {
                break;
            }
            value = each[1];
        }
        return value;
    }

    private void faults(TierGateways gateways, Connection straight, Random random) throws Exception {
        long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
        while (System.nanoTime() - end < 0) {
            awaitReads(500 + random.nextInt(1_500));
            int gateway = random.nextInt(2);
            switch (random.nextInt(4)) {
                case 0 -> gateways.link(gateway).cut(1);
                case 1 -> {
                    gateways.link(gateway).stall(true, true);
                    awaitNotFollowed(gateways, gateway);
                    gateways.link(gateway).stall(false, false);
                }
                case 2 -> {
                    gateways.link(gateway).stall(false, true);
                    awaitReads(random.nextInt(1_000));
                    gateways.link(gateway).stall(false, false);
                }
                default -> {
                    String thread = TierGateways.read(
                            straight,
                            "SELECT ID FROM information_schema.PROCESSLIST WHERE COMMAND LIKE 'Binlog Dump%' LIMIT 1");
                    if (!thread.equals("none")) {
                        kill(straight, thread);
                    }
                }
            }
        }
    }

    /** Goes on when the last gateway has noticed that it does not hear this one. */
    private void awaitNotFollowed(TierGateways gateways, int gateway) throws SQLException {
        try (Connection client = gateways.connect(2, "changing")) {
            await().atMost(PATIENCE)
                    .until(() -> !TierGateways.read(client, "SELECT follows FROM keyline.signals")
                            .equals(TierGateways.NAMES.get(gateway)));
        }
    }

    /** Goes on when so many reads more are done, or a thread has failed. */
    private void awaitReads(int more) {
        long until = reads.get() + more;
        await().atMost(PATIENCE).until(() -> reads.get() >= until || !wrong.isEmpty());
    }

    private static void kill(Connection straight, String thread) {
        try {
            run(straight, "KILL " + thread);
        } catch (SQLException gone) {
            System.out.println("thread " + thread + " was gone");
        }
    }
}
