package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.status;
import static org.keyline.gateway.tier.TierGateways.NAMES;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RedisServer;
import org.keyline.protocol.fixtures.TcpProxy;

/**
 * Clients of three gateways write and read while links are cut, and the tier is stopped, emptied,
 * killed or returns old values. Each row is written through one gateway, and its value only grows.
 * A read through that gateway sees the writes acknowledged before it began. A read through another
 * gateway sees those acknowledged longer ago than the staleness.
 *
 * <p>{@code -Dkeyline.tier.operations=N} runs more reads than a build;
 * {@code -Dkeyline.tier.faults=false} causes no faults.
 */
final class TierHistoryIT {
    private static final long OPERATIONS = Long.getLong("keyline.tier.operations", 6_000);
    private static final boolean FAULTS = Boolean.parseBoolean(System.getProperty("keyline.tier.faults", "true"));
    private static final int ROWS = 24;
    private static final int READERS = 2;
    private static final int REMEMBERED = 1 << 14;
    private static final long STALENESS_NANOS = TierGateways.STALENESS.toNanos();
    private static final long WRITE_PAUSE_NANOS = 5_000_000;
    private static final long FAULT_PAUSE_NANOS = 60_000_000;

    /** The acknowledged writes of one row: its last value, and the times of the last ones. */
    private static final class Row {
        final AtomicLong last = new AtomicLong();
        private final AtomicLongArray acknowledgedNanos = new AtomicLongArray(REMEMBERED);

        /** Called by its one writer. */
        void acknowledged(long value) {
            acknowledgedNanos.set((int) value % REMEMBERED, System.nanoTime());
            last.set(value);
        }

        long acknowledgedNanos(long value) {
            return acknowledgedNanos.get((int) value % REMEMBERED);
        }
    }

    private final Row[] rows =
            IntStream.range(0, ROWS).mapToObj(id -> new Row()).toArray(Row[]::new);
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();
    private final AtomicLong writeNanos = new AtomicLong();
    private final AtomicLong elsewhere = new AtomicLong();
    private final ConcurrentLinkedQueue<Long> stale = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean over = new AtomicBoolean();

    /** The operations of a client. */
    private interface Work {
        void run() throws Exception;
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

    /**
     * Runs clients.
     *
     * @param values whether gateways use each other's lines
     * @param strict whether every read sees the writes that any gateway has acknowledged
     */
    @ParameterizedTest
    @CsvSource({"false,false", "true,false", "false,true", "true,true"})
    void reads_whileTheTierFails_areNoOlderThanPromised(boolean values, boolean strict) throws Exception {
        assumeTrue(!values || RedisServer.isInstalled(), "there is no redis-server");
        MariaDb store = MariaDb.get("second");
        try (Connection straight = DriverManager.getConnection(store.jdbc(""))) {
            run(
                    straight,
                    "DROP DATABASE IF EXISTS tierhistory",
                    "CREATE DATABASE tierhistory",
                    "CREATE TABLE tierhistory.numbers (id INT PRIMARY KEY, gateway INT, n BIGINT)");
            for (int id = 0; id < ROWS; id++) {
                run(straight, "INSERT INTO tierhistory.numbers VALUES (" + id + ", " + id % NAMES.size() + ", 0)");
            }
        }
        try (RedisServer redis = values ? RedisServer.start() : null;
                TierGateways gateways = new TierGateways(store, redis, "tier.strict=" + strict)) {
            List<CompletableFuture<Void>> clients = new ArrayList<>();
            for (int gateway = 0; gateway < NAMES.size(); gateway++) {
                int through = gateway;
                clients.add(begin(() -> write(gateways, through)));
                for (int reader = 0; reader < READERS; reader++) {
                    int seed = reader;
                    clients.add(begin(() -> read(gateways, through, seed, strict)));
                }
            }
            if (FAULTS) {
                clients.add(begin(() -> disturb(gateways)));
                if (redis != null) {
                    clients.add(begin(() -> disturb(redis)));
                }
            }
            for (CompletableFuture<Void> client : clients) {
                var unused = client.whenComplete((done, failure) -> over.compareAndSet(false, failure != null));
            }
            for (CompletableFuture<Void> client : clients) {
                client.join();
            }
            assertThat(wrong).isEmpty();
            report(gateways, values, strict);
        }
    }

    private void report(TierGateways gateways, boolean values, boolean strict) throws SQLException {
        long hits = 0;
        long gaps = 0;
        long lent = 0;
        long refused = 0;
        for (int gateway = 0; gateway < NAMES.size(); gateway++) {
            try (Connection client = gateways.connect(gateway, "tierhistory")) {
                hits += status(client, "keyline_hits");
                gaps += status(client, "keyline_tier_gaps");
                lent += values ? status(client, "keyline_tier_hits") : 0;
                refused += values ? status(client, "keyline_tier_refused") : 0;
            }
        }
        List<Long> sorted = stale.stream().sorted().collect(Collectors.toList());
        long none = elsewhere.get() - sorted.size();
        System.out.printf(
                "values %b, strict %b: %d writes that took %.1f ms on average, %d reads, %d hits, %d loads answered by the tier, %d of its values refused, %d gaps; of %d reads of rows written elsewhere %d were older than the last"
                        + " acknowledged write; staleness of all p50 %.1f ms, p99 %.1f ms, p99.9 %.1f ms, most %.1f ms%n",
                values,
                strict,
                writes.get(),
                writeNanos.get() / 1e6 / writes.get(),
                reads.get(),
                hits,
                lent,
                refused,
                gaps,
                elsewhere.get(),
                sorted.size(),
                millis(sorted, none, 0.5),
                millis(sorted, none, 0.99),
                millis(sorted, none, 0.999),
                millis(sorted, none, 1));
        assertThat(hits).as("reads that lines answered").isGreaterThan(reads.get() / 10);
        assertThat(lent > 0).as("lines were lent").isEqualTo(values);
    }

    /** @param none the number of reads outside the list, because they were not stale */
    private static double millis(List<Long> sorted, long none, double quantile) {
        long at = (long) Math.ceil(quantile * (sorted.size() + none)) - 1 - none;
        return at < 0 || sorted.isEmpty() ? 0 : sorted.get((int) at) / 1e6;
    }

    private void write(TierGateways gateways, int gateway) throws SQLException {
        Random random = new Random(gateway);
        try (Connection client = gateways.connect(gateway, "tierhistory")) {
            while (!over.get()) {
                int id = gateway + NAMES.size() * random.nextInt(ROWS / NAMES.size());
                int other = gateway + NAMES.size() * random.nextInt(ROWS / NAMES.size());
                long beganNanos = System.nanoTime();
                try {
                    write(client, gateway, random.nextInt(12), id, other);
                } catch (SQLTransactionRollbackException e) {
                    // A deadlock of two writers: the store has rolled back the statement, and
                    // remains in the transaction, in which the next write would not be committed.
                    run(client, "ROLLBACK");
                    continue;
                }
                writes.incrementAndGet();
                writeNanos.addAndGet(System.nanoTime() - beganNanos);
                LockSupport.parkNanos(WRITE_PAUSE_NANOS + random.nextInt((int) WRITE_PAUSE_NANOS));
            }
        }
    }

    private void write(Connection client, int gateway, int kind, int id, int other) throws SQLException {
        switch (kind) {
            case 0 -> {
                run(client, "UPDATE numbers SET n = n + 1 WHERE gateway = " + gateway);
                for (int each = gateway; each < ROWS; each += NAMES.size()) {
                    acknowledged(each);
                }
            }
            case 1, 2 -> {
                run(
                        client,
                        "BEGIN",
                        "UPDATE numbers SET n = n + 1 WHERE id = " + id,
                        "UPDATE numbers SET n = n + 1 WHERE id = " + other,
                        "COMMIT");
                acknowledged(id);
                acknowledged(other);
            }
            default -> {
                run(client, "UPDATE numbers SET n = n + 1 WHERE id = " + id);
                acknowledged(id);
            }
        }
    }

    private void acknowledged(int id) {
        rows[id].acknowledged(rows[id].last.get() + 1);
    }

    private void read(TierGateways gateways, int gateway, int seed, boolean strict) throws SQLException {
        Random random = new Random(100 + seed);
        try (Connection client = gateways.connect(gateway, "tierhistory")) {
            while (!over.get()) {
                int id = random.nextInt(ROWS);
                long last = rows[id].last.get();
                long beganNanos = System.nanoTime();
                long value = Long.parseLong(TierGateways.read(client, "SELECT n FROM numbers WHERE id = " + id));
                boolean own = id % NAMES.size() == gateway;
                elsewhere.addAndGet(own ? 0 : 1);
                if (value < last) {
                    long staleNanos = beganNanos - rows[id].acknowledgedNanos(value + 1);
                    if (own || strict || staleNanos > STALENESS_NANOS) {
                        wrong.add("row " + id + " through " + gateway + ": " + value + " when " + last
                                + " was acknowledged, " + staleNanos / 1e6 + " ms old");
                        over.set(true);
                    }
                    stale.add(staleNanos);
                }
                if (reads.incrementAndGet() >= OPERATIONS) {
                    over.set(true);
                }
            }
        }
    }

    /** Cuts, delays and stalls the links to one gateway, in one direction or both. */
    private void disturb(TierGateways gateways) throws IOException {
        Random random = new Random(8);
        while (!over.get()) {
            LockSupport.parkNanos(FAULT_PAUSE_NANOS + random.nextInt((int) FAULT_PAUSE_NANOS));
            TcpProxy link = gateways.link(random.nextInt(NAMES.size()));
            switch (random.nextInt(4)) {
                case 0 -> link.cut(0.5);
                case 1 -> link.delay(random.nextInt(5) * 20_000);
                default -> {
                    link.stall(random.nextBoolean(), true);
                    LockSupport.parkNanos(random.nextInt(8) * FAULT_PAUSE_NANOS);
                    link.stall(false, false);
                }
            }
        }
    }

    private void disturb(RedisServer redis) throws Exception {
        Random random = new Random(7);
        while (!over.get()) {
            LockSupport.parkNanos(FAULT_PAUSE_NANOS + random.nextInt((int) FAULT_PAUSE_NANOS));
            switch (random.nextInt(8)) {
                case 0 -> redis.run("FLUSHALL");
                case 1 -> redis.startAgain();
                case 4, 5 -> redis.saveValues();
                case 6, 7 -> redis.putValuesBack();
                default -> {
                    redis.signal("STOP");
                    LockSupport.parkNanos(random.nextInt(8) * FAULT_PAUSE_NANOS);
                    redis.signal("CONT");
                }
            }
            redis.awaitReady();
        }
    }
}
