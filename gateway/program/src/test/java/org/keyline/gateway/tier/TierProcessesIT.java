package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.tier.TierGateways.NAMES;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RedisServer;

/**
 * Clients of three gateways in separate processes. The gateways are killed, stopped and cut off
 * from the tier; the tier is stopped, killed, emptied, short of memory, and returns old values.
 * Each row is written through one gateway, with values that only grow. A read through that gateway
 * sees the writes acknowledged before it began, and those that any earlier read through it has
 * seen. A read through another gateway sees those acknowledged longer ago than the staleness; with
 * {@code tier.strict}, all acknowledged ones.
 *
 * <pre>
 * mvn verify -pl gateway/program -am -Dit.test=TierProcessesIT -Dtest=none -Dkeyline.tier.processes=100000
 * </pre>
 */
@EnabledIfSystemProperty(named = "keyline.tier.processes", matches = "\\d+")
final class TierProcessesIT {
    private static final long OPERATIONS = Long.getLong("keyline.tier.processes", 0);
    private static final int ROWS = 24;
    private static final int READERS = 2;
    private static final int REMEMBERED = 1 << 16;
    private static final long STALENESS_NANOS = TierGateways.STALENESS.toNanos();
    private static final long WRITE_PAUSE_NANOS = 5_000_000;
    private static final long FAULT_PAUSE_NANOS = 250_000_000;
    private static final long AGAIN_NANOS = 20_000_000;
    private static final String DATABASE = "tierprocesses";

    /** The known state of one row. */
    private static final class Row {
        /** The last value whose write was acknowledged. */
        final AtomicLong acknowledged = new AtomicLong();
        /** The last value that was read through its own gateway. */
        final AtomicLong seen = new AtomicLong();

        private final AtomicLongArray acknowledgedNanos = new AtomicLongArray(REMEMBERED);
        private long issued;

        /** Returns a value that the row has never had. */
        long next() {
            issued++;
            acknowledgedNanos.set((int) (issued % REMEMBERED), 0);
            return issued;
        }

        void acknowledge(long value) {
            acknowledgedNanos.set((int) (value % REMEMBERED), System.nanoTime());
            acknowledged.set(value);
        }

        /** Returns the time when the first value after one was acknowledged. */
        long nextAcknowledgedNanos(long value, long last) {
            for (long each = value + 1; each < last; each++) {
                long nanos = acknowledgedNanos.get((int) (each % REMEMBERED));
                if (nanos != 0) {
                    return nanos;
                }
            }
            return acknowledgedNanos.get((int) (last % REMEMBERED));
        }
    }

    /** A step of a client; an exception makes the client reconnect. */
    private interface Step {
        void with(Connection client) throws SQLException;
    }

    private final Row[] rows =
            IntStream.range(0, ROWS).mapToObj(id -> new Row()).toArray(Row[]::new);
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();
    private final AtomicLong unknown = new AtomicLong();
    private final AtomicLong lostReads = new AtomicLong();
    private final AtomicLong elsewhere = new AtomicLong();
    private final ConcurrentLinkedQueue<Long> stale = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    private final Map<String, Long> faults = new ConcurrentHashMap<>();
    private final AtomicBoolean over = new AtomicBoolean();

    @ParameterizedTest
    @CsvSource({"false,false", "true,false", "false,true", "true,true"})
    void read_throughAnyGateway_isNoOlderThanPromised(boolean values, boolean strict) throws Exception {
        assumeTrue(RedisServer.isInstalled(), "there is no redis-server");
        MariaDb store = MariaDb.get("second");
        store.run(
                "DROP DATABASE IF EXISTS " + DATABASE,
                "CREATE DATABASE " + DATABASE,
                "USE " + DATABASE,
                "CREATE TABLE numbers (id INT PRIMARY KEY, n BIGINT NOT NULL)",
                "INSERT INTO numbers SELECT seq, 0 FROM seq_0_to_" + (ROWS - 1));
        long beganNanos = System.nanoTime();
        try (RedisServer redis = values ? RedisServer.start("--maxmemory-policy", "allkeys-lru") : null;
                TierProcesses gateways = new TierProcesses(store, redis, "tier.strict=" + strict)) {
            List<CompletableFuture<Void>> clients = new ArrayList<>();
            for (int gateway = 0; gateway < NAMES.size(); gateway++) {
                int through = gateway;
                Random random = new Random(gateway);
                clients.add(begin(() -> client(gateways, through, client -> write(client, through, random))));
                for (int reader = 0; reader < READERS; reader++) {
                    Random other = new Random(100L * gateway + reader);
                    clients.add(begin(() -> client(gateways, through, client -> read(client, through, other, strict))));
                }
            }
            clients.add(begin(() -> disturb(redis, gateways)));
            for (CompletableFuture<Void> client : clients) {
                var unused = client.whenComplete((done, failure) -> over.compareAndSet(false, failure != null));
            }
            for (CompletableFuture<Void> client : clients) {
                client.join();
            }
        }
        report(values, strict, (System.nanoTime() - beganNanos) / 1e9);
        assertThat(wrong).isEmpty();
        assertThat(writes.get()).isPositive();
        assertThat(faults).as("what was disturbed").isNotEmpty();
    }

    private void report(boolean values, boolean strict, double seconds) {
        List<Long> sorted = stale.stream().sorted().toList();
        System.out.printf(
                "values %b, strict %b: %d reads and %d writes in %.0f s; %d writes of which nobody knows, %d reads without an answer; %d"
                        + " reads of rows written elsewhere, %d of them older than the last acknowledged write; staleness of all p50 %.1f ms,"
                        + " p99 %.1f ms, p99.9 %.1f ms, most %.1f ms; wrong: %d; disturbed by %s%n",
                values,
                strict,
                reads.get(),
                writes.get(),
                seconds,
                unknown.get(),
                lostReads.get(),
                elsewhere.get(),
                sorted.size(),
                millis(sorted, 0.5),
                millis(sorted, 0.99),
                millis(sorted, 0.999),
                millis(sorted, 1),
                wrong.size(),
                faults);
    }

    private double millis(List<Long> sorted, double quantile) {
        long none = elsewhere.get() - sorted.size();
        long at = (long) Math.ceil(quantile * elsewhere.get()) - 1 - none;
        return at < 0 || sorted.isEmpty() ? 0 : sorted.get((int) at) / 1e6;
    }

    private static CompletableFuture<Void> begin(Work work) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        work.run();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                task -> new Thread(task).start());
    }

    private interface Work {
        void run() throws Exception;
    }

    /** Repeats steps until the end of the test, on one connection after the other. */
    private void client(TierProcesses gateways, int gateway, Step step) {
        while (!over.get()) {
            try (Connection client = gateways.connect(gateway, DATABASE)) {
                while (!over.get()) {
                    step.with(client);
                }
            } catch (SQLException lost) {
                LockSupport.parkNanos(AGAIN_NANOS);
            }
        }
    }

    private void write(Connection client, int gateway, Random random) throws SQLException {
        int id = gateway + NAMES.size() * random.nextInt(ROWS / NAMES.size());
        Row row = rows[id];
        long value = row.next();
        // A late write of a gateway that was killed has no effect.
        try (PreparedStatement update = client.prepareStatement("UPDATE numbers SET n = ? WHERE id = ? AND n < ?")) {
            update.setLong(1, value);
            update.setInt(2, id);
            update.setLong(3, value);
            if (update.executeUpdate() != 1) {
                wrong.add("row " + id + " has a value beyond " + value);
                over.set(true);
            }
        } catch (SQLException e) {
            unknown.incrementAndGet();
            throw e;
        }
        row.acknowledge(value);
        writes.incrementAndGet();
        LockSupport.parkNanos(WRITE_PAUSE_NANOS + random.nextInt((int) WRITE_PAUSE_NANOS));
    }

    private void read(Connection client, int gateway, Random random, boolean strict) throws SQLException {
        int id = random.nextInt(ROWS);
        Row row = rows[id];
        boolean own = id % NAMES.size() == gateway;
        long last = row.acknowledged.get();
        long seen = row.seen.get();
        long beganNanos = System.nanoTime();
        long value;
        try (PreparedStatement read = client.prepareStatement("SELECT n FROM numbers WHERE id = ?")) {
            read.setInt(1, id);
            try (ResultSet answer = read.executeQuery()) {
                answer.next();
                value = answer.getLong(1);
            }
        } catch (SQLException e) {
            lostReads.incrementAndGet();
            throw e;
        }
        String received = null;
        if (own && value < seen) {
            received = "went back to " + value + " from " + seen;
        }
        if (value < last) {
            long staleNanos = beganNanos - row.nextAcknowledgedNanos(value, last);
            if (!own) {
                stale.add(staleNanos);
            }
            if (own || strict || staleNanos > STALENESS_NANOS) {
                received = "was " + value + " when " + last + " was acknowledged, " + staleNanos / 1e6 + " ms old";
            }
        }
        if (received != null) {
            wrong.add("row " + id + " through " + NAMES.get(gateway) + " " + received);
            over.set(true);
        }
        if (own) {
            row.seen.accumulateAndGet(value, Math::max);
        } else {
            elsewhere.incrementAndGet();
        }
        if (reads.incrementAndGet() >= OPERATIONS) {
            over.set(true);
        }
    }

    private void disturb(@Nullable RedisServer redis, TierProcesses gateways) throws Exception {
        Random random = new Random(7);
        while (!over.get()) {
            LockSupport.parkNanos(FAULT_PAUSE_NANOS + random.nextInt((int) FAULT_PAUSE_NANOS));
            long whileNanos = TimeUnit.MILLISECONDS.toNanos(20 + random.nextInt(700));
            int gateway = random.nextInt(NAMES.size());
            String what = redis == null || random.nextInt(24) < 9
                    ? disturb(gateways, gateway, random.nextInt(9), whileNanos)
                    : disturb(redis, gateways, gateway, random.nextInt(15), whileNanos);
            faults.merge(what, 1L, Long::sum);
        }
    }

    private static String disturb(TierProcesses gateways, int gateway, int kind, long whileNanos) throws Exception {
        switch (kind) {
            case 0 -> {
                gateways.killAndStartAgain(gateway);
                return "a killed gateway";
            }
            case 1, 2, 3, 4 -> {
                gateways.signal(gateway, "STOP");
                LockSupport.parkNanos(whileNanos);
                gateways.signal(gateway, "CONT");
                return "a stopped gateway";
            }
            default -> {
                gateways.unlink(gateway, true);
                LockSupport.parkNanos(whileNanos);
                gateways.unlink(gateway, false);
                return "a gateway cut off from the others";
            }
        }
    }

    private static String disturb(RedisServer redis, TierProcesses gateways, int gateway, int kind, long whileNanos)
            throws Exception {
        String what = switch (kind) {
            case 0, 1, 2 -> {
                gateways.cutOff(gateway, true);
                LockSupport.parkNanos(whileNanos);
                gateways.cutOff(gateway, false);
                yield "a gateway cut off from the tier";
            }
            case 3, 4 -> {
                redis.signal("STOP");
                LockSupport.parkNanos(whileNanos);
                redis.signal("CONT");
                yield "a stopped tier";
            }
            case 5 -> {
                redis.startAgain();
                yield "a killed tier";
            }
            case 6, 7 -> {
                redis.run("FLUSHALL");
                yield "an emptied tier";
            }
            case 8, 9 -> {
                redis.run("CONFIG SET maxmemory 1mb");
                LockSupport.parkNanos(whileNanos);
                redis.run("CONFIG SET maxmemory 0");
                yield "a tier of 1 MB";
            }
            case 10, 11 -> {
                redis.saveValues();
                yield "values kept aside";
            }
            default -> {
                redis.putValuesBack();
                yield "old values put back";
            }
        };
        redis.awaitReady();
        return what;
    }
}
