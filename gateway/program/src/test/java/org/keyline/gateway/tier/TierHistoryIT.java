package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.status;
import static org.keyline.gateway.tier.TierGateways.NAMES;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RedisServer;

/**
 * Clients of three gateways write and read while links are cut, and the tier is stopped, emptied,
 * killed, short of memory or returns old values. Each row is written through one gateway, with
 * values that only grow. A read through that gateway sees the writes acknowledged before it began,
 * and those that any earlier read through it has seen. A read through another gateway sees those
 * acknowledged longer ago than the staleness; with {@code tier.strict}, all acknowledged ones.
 *
 * <p>{@code -Dkeyline.tier.operations=N} runs more reads than a build. With
 * {@code -Dkeyline.tier.processes=N}, each gateway is a process that is killed, stopped and cut off
 * from the tier, too, and N reads run.
 */
final class TierHistoryIT {
    private static final long OPERATIONS_OF_PROCESSES = Long.getLong("keyline.tier.processes", 0);
    private static final boolean PROCESSES = OPERATIONS_OF_PROCESSES > 0;
    private static final long OPERATIONS =
            PROCESSES ? OPERATIONS_OF_PROCESSES : Long.getLong("keyline.tier.operations", 6_000);
    private static final int ROWS = 24;
    private static final int READERS = 2;
    private static final long STALENESS_NANOS = TierGateways.STALENESS.toNanos();
    private static final long WRITE_PAUSE_NANOS = 5_000_000;
    private static final long FAULT_PAUSE_NANOS = PROCESSES ? 250_000_000 : 60_000_000;
    private static final long AGAIN_NANOS = 20_000_000;
    private static final String DATABASE = "tierhistory";

    /** The known state of one row. */
    private static final class Row {
        /** The acknowledged values, each with the time of its acknowledgement. */
        final NavigableMap<Long, Long> acknowledged = new ConcurrentSkipListMap<>(Map.of(0L, 0L));
        /** The last value that was read through its own gateway. */
        final AtomicLong seen = new AtomicLong();
    }

    /** A step of a client; an exception makes the client reconnect. */
    private interface Step {
        void with(Connection client) throws SQLException;
    }

    private interface Work {
        void run() throws Exception;
    }

    private final Row[] rows =
            IntStream.range(0, ROWS).mapToObj(id -> new Row()).toArray(Row[]::new);
    /** The last value that each gateway's client has written. */
    private final long[] issued = new long[NAMES.size()];

    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();
    private final AtomicLong writeNanos = new AtomicLong();
    private final AtomicLong unknown = new AtomicLong();
    private final AtomicLong lostReads = new AtomicLong();
    private final AtomicLong elsewhere = new AtomicLong();
    private final ConcurrentLinkedQueue<Long> stale = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    private final Map<String, Long> faults = new ConcurrentHashMap<>();
    private final AtomicBoolean over = new AtomicBoolean();

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
        store.run(
                "DROP DATABASE IF EXISTS " + DATABASE,
                "CREATE DATABASE " + DATABASE,
                "USE " + DATABASE,
                "CREATE TABLE numbers (id INT PRIMARY KEY, gateway INT, n BIGINT NOT NULL)",
                "INSERT INTO numbers SELECT seq, seq MOD " + NAMES.size() + ", 0 FROM seq_0_to_" + (ROWS - 1));
        try (RedisServer redis = values ? RedisServer.start("--maxmemory-policy", "allkeys-lru") : null;
                TierMembers gateways = members(store, redis, "tier.strict=" + strict)) {
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
            clients.add(begin(() -> disturb(gateways)));
            if (redis != null) {
                clients.add(begin(() -> disturb(redis)));
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

    private static TierMembers members(MariaDb store, @Nullable RedisServer redis, String setting) throws Exception {
        return PROCESSES ? new TierProcesses(store, redis, setting) : new TierGateways(store, redis, setting);
    }

    private void report(TierMembers gateways, boolean values, boolean strict) throws SQLException {
        long hits = 0;
        long lent = 0;
        for (int gateway = 0; gateway < NAMES.size(); gateway++) {
            try (Connection client = gateways.connect(gateway, DATABASE)) {
                hits += status(client, "keyline_hits");
                lent += values ? status(client, "keyline_tier_hits") : 0;
            }
        }
        List<Long> sorted = stale.stream().sorted().toList();
        System.out.printf(
                "values %b, strict %b: %d writes that took %.1f ms on average, %d of which nobody knows; %d reads, %d"
                        + " without an answer, %d hits, %d loads answered by the tier; of %d reads of rows written"
                        + " elsewhere %d were older than the last acknowledged write; staleness of all p50 %.1f ms, p99"
                        + " %.1f ms, p99.9 %.1f ms, most %.1f ms; disturbed by %s%n",
                values,
                strict,
                writes.get(),
                writeNanos.get() / 1e6 / writes.get(),
                unknown.get(),
                reads.get(),
                lostReads.get(),
                hits,
                lent,
                elsewhere.get(),
                sorted.size(),
                millis(sorted, 0.5),
                millis(sorted, 0.99),
                millis(sorted, 0.999),
                millis(sorted, 1),
                faults);
        assertThat(faults).as("what was disturbed").isNotEmpty();
        if (!PROCESSES) {
            assertThat(hits).as("reads that lines answered").isGreaterThan(reads.get() / 10);
            assertThat(lent > 0).as("lines were lent").isEqualTo(values);
        }
    }

    /** Returns a quantile of the staleness of all reads, most of which are not in the list. */
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

    /** Repeats steps until the end of the test, on one connection after the other. */
    private void client(TierMembers gateways, int gateway, Step step) {
        while (!over.get()) {
            try (Connection client = gateways.connect(gateway, DATABASE)) {
                while (!over.get()) {
                    step.with(client);
                }
            } catch (SQLException lost) {
                if (!PROCESSES) {
                    throw new IllegalStateException(lost);
                }
                LockSupport.parkNanos(AGAIN_NANOS);
            }
        }
    }

    private void write(Connection client, int gateway, Random random) throws SQLException {
        long value = ++issued[gateway];
        List<Integer> ids = new ArrayList<>();
        // Otherwise, a late write of a gateway that was killed would still have an effect.
        String update = "UPDATE numbers SET n = " + value + " WHERE n < " + value + " AND ";
        long beganNanos = System.nanoTime();
        try (Statement sql = client.createStatement()) {
            int changed = 0;
            switch (random.nextInt(12)) {
                case 0 -> {
                    IntStream.iterate(gateway, id -> id < ROWS, id -> id + NAMES.size())
                            .forEach(ids::add);
                    changed += sql.executeUpdate(update + "gateway = " + gateway);
                }
                case 1, 2 -> {
                    int first = own(gateway, random);
                    ids.addAll(List.of(first, (first + NAMES.size()) % ROWS));
                    sql.execute("BEGIN");
                    for (int id : ids) {
                        changed += sql.executeUpdate(update + "id = " + id);
                    }
                    sql.execute("COMMIT");
                }
                default -> {
                    ids.add(own(gateway, random));
                    changed += sql.executeUpdate(update + "id = " + ids.get(0));
                }
            }
            if (changed != ids.size()) {
                fails("rows " + ids + " have values beyond " + value);
            }
        } catch (SQLTransactionRollbackException e) {
            // A deadlock of two writers: the store has rolled back the statement, and
            // remains in the transaction, in which the next write would not be committed.
            run(client, "ROLLBACK");
            return;
        } catch (SQLException e) {
            unknown.incrementAndGet();
            throw e;
        }
        long now = System.nanoTime();
        ids.forEach(id -> rows[id].acknowledged.put(value, now));
        writes.incrementAndGet();
        writeNanos.addAndGet(now - beganNanos);
        LockSupport.parkNanos(WRITE_PAUSE_NANOS + random.nextInt((int) WRITE_PAUSE_NANOS));
    }

    private static int own(int gateway, Random random) {
        return gateway + NAMES.size() * random.nextInt(ROWS / NAMES.size());
    }

    private void fails(String what) {
        wrong.add(what);
        over.set(true);
    }

    private void read(Connection client, int gateway, Random random, boolean strict) throws SQLException {
        int id = random.nextInt(ROWS);
        Row row = rows[id];
        boolean own = id % NAMES.size() == gateway;
        long last = row.acknowledged.lastKey();
        long seen = row.seen.get();
        long beganNanos = System.nanoTime();
        long value;
        try {
            value = Long.parseLong(TierGateways.read(client, "SELECT n FROM numbers WHERE id = " + id));
        } catch (SQLException e) {
            lostReads.incrementAndGet();
            throw e;
        }
        String which = "row " + id + " through " + NAMES.get(gateway) + " ";
        if (own && value < seen) {
            fails(which + "went back to " + value + " from " + seen);
        }
        if (value < last) {
            long staleNanos = beganNanos - row.acknowledged.higherEntry(value).getValue();
            if (own || strict || staleNanos > STALENESS_NANOS) {
                fails(which + "was " + value + " when " + last + " was acknowledged, " + staleNanos / 1e6 + " ms old");
            }
            if (!own) {
                stale.add(staleNanos);
            }
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

    private void disturb(TierMembers gateways) throws Exception {
        Random random = new Random(8);
        while (!over.get()) {
            LockSupport.parkNanos(FAULT_PAUSE_NANOS + random.nextInt((int) FAULT_PAUSE_NANOS));
            long whileNanos = TimeUnit.MILLISECONDS.toNanos(random.nextInt(480));
            faults.merge(gateways.disturb(random, whileNanos), 1L, Long::sum);
        }
    }

    private void disturb(RedisServer redis) throws Exception {
        Random random = new Random(7);
        while (!over.get()) {
            LockSupport.parkNanos(FAULT_PAUSE_NANOS + random.nextInt((int) FAULT_PAUSE_NANOS));
            long whileNanos = TimeUnit.MILLISECONDS.toNanos(random.nextInt(480));
            String what = switch (random.nextInt(9)) {
                case 0 -> {
                    redis.run("FLUSHALL");
                    yield "an emptied tier";
                }
                case 1 -> {
                    redis.startAgain();
                    yield "a killed tier";
                }
                case 2, 3 -> {
                    redis.saveValues();
                    yield "saved values";
                }
                case 4, 5 -> {
                    redis.putValuesBack();
                    yield "old values put back";
                }
                case 6 -> {
                    redis.run("CONFIG SET maxmemory 1mb");
                    LockSupport.parkNanos(whileNanos);
                    redis.run("CONFIG SET maxmemory 0");
                    yield "a tier of 1 MB";
                }
                default -> {
                    redis.signal("STOP");
                    LockSupport.parkNanos(whileNanos);
                    redis.signal("CONT");
                    yield "a stopped tier";
                }
            };
            redis.awaitReady();
            faults.merge(what, 1L, Long::sum);
        }
    }
}
