package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.MariaDb;

/**
 * Transactions as PyMySQL makes them, with autocommit off: a read by key, in a share of them an aggregate behind it, COMMIT. One writer
 * changes skewed rows meanwhile. They run in turns straight and through a gateway that is a process of its own; the first turns
 * warm both ways. Prints for each way how many fail, the median of transactions in a second, what the store runs for each, and the
 * processor time of this JVM, the store and the gateway for each.
 *
 * <pre>
 * mvn verify -pl gateway -am -Dit.test=TransactionMixMeasurement -Dtest=none -Dkeyline.mix.transactions=1000000 -Dkeyline.mix.shares=0.1,1,10,100
 * </pre>
 */
@EnabledIfSystemProperty(named = "keyline.mix.transactions", matches = "\\d+")
class TransactionMixMeasurement {
    /** Through Keyline, in all turns of one share. Straight, where none is expected to fail, a fifth of them run. */
    private static final long TRANSACTIONS = Long.getLong("keyline.mix.transactions", 0);

    private static final String SHARES = System.getProperty("keyline.mix.shares", "0.1,1,10,100");
    private static final int TURNS = Integer.getInteger("keyline.mix.turns", 10);
    /** Turns that warm: their rates do not count, their errors do. */
    private static final int EARLY_TURNS = 3;

    private static final int STRAIGHT_PART = 5;
    private static final int ROWS = 1_000;
    private static final int READERS = Integer.getInteger("keyline.mix.readers", 4);
    private static final long WRITE_NANOS = TimeUnit.SECONDS.toNanos(1) / 170;
    private static final int DEADLOCK = 1213;

    private final AtomicLong left = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();
    private final AtomicBoolean ended = new AtomicBoolean();

    /** Straight, or through Keyline. */
    private static final class Way {
        final String name;
        final String url;
        final long transactions;
        final List<ProcessHandle> processes;
        final AtomicLong deadlocks = new AtomicLong();
        final List<Double> rates = new ArrayList<>();
        final List<Double> statements = new ArrayList<>();
        /** For each process, in microseconds for a transaction. */
        final List<List<Double>> times = new ArrayList<>();

        Way(String name, String url, long transactions, List<Long> pids) {
            this.name = name;
            this.url = url;
            this.transactions = transactions;
            processes = pids.stream()
                    .map(pid -> ProcessHandle.of(pid).orElseThrow())
                    .toList();
            processes.forEach(process -> times.add(new ArrayList<>()));
        }

        List<Duration> spent() {
            return processes.stream()
                    .map(process -> process.info().totalCpuDuration().orElseThrow())
                    .toList();
        }

        void print(String share) {
            System.out.printf(
                    "%s, %s %% go on: %,d transactions, %d of them error 1213; median of %d turns: %,.0f in a second %s,"
                            + " %.2f statements at the store for each; processor time in us for each of client, store"
                            + " and gateway: %s%n",
                    name,
                    share,
                    transactions,
                    deadlocks.get(),
                    rates.size(),
                    median(rates),
                    rates.stream().map(Math::round).toList(),
                    median(statements),
                    times.stream().map(each -> Math.round(median(each))).toList());
        }
    }

    @Test
    void transactions_thatGoOnInAShare_seldomFail() throws Exception {
        MariaDb store = MariaDb.get("second");
        long here = ProcessHandle.current().pid();
        for (String share : SHARES.split(",", -1)) {
            double continuing = Double.parseDouble(share) / 100;
            create(store);
            try (GatewayProcess gateway = gateway(store)) {
                String url = store.jdbc("mix")
                        .replace(
                                ":" + store.port() + "/",
                                ":" + gateway.address().port() + "/");
                Way straight = new Way(
                        "straight", store.jdbc("mix"), TRANSACTIONS / STRAIGHT_PART, List.of(here, store.pid()));
                Way through = new Way(
                        "through Keyline",
                        url,
                        TRANSACTIONS,
                        List.of(here, store.pid(), gateway.process().pid()));
                for (int turn = 0; turn < TURNS; turn++) {
                    run(straight, store, continuing, turn);
                    run(through, store, continuing, turn);
                }
                straight.print(share);
                through.print(share);
                System.out.printf(
                        "  ratio %.3f; went on behind lines: %d, conflicts: %d%n",
                        median(through.rates) / median(straight.rates),
                        status(url, "STATUS", "Keyline_transactions_continued"),
                        status(url, "STATUS", "Keyline_transactions_conflicts"));
                assertThat(straight.deadlocks.get()).isZero();
                assertThat(through.deadlocks.get()).isLessThanOrEqualTo(Math.max(1, TRANSACTIONS / 100_000));
            }
        }
    }

    private static GatewayProcess gateway(MariaDb store) throws IOException {
        return GatewayProcess.startInFront(
                ProcessBuilder.Redirect.INHERIT,
                "--store",
                "mysql://127.0.0.1:" + store.port(),
                "--store-user",
                MariaDb.USER,
                "--store-password",
                MariaDb.PASSWORD,
                "--set",
                "transport=" + System.getProperty("keyline.transport", "auto"));
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get(sorted.size() / 2);
    }

    private static void create(MariaDb store) throws SQLException {
        try (Connection straight = DriverManager.getConnection(store.jdbc(""));
                Statement sql = straight.createStatement()) {
            sql.execute("CREATE OR REPLACE DATABASE mix");
            sql.execute("CREATE TABLE mix.t (id INT PRIMARY KEY, v INT)");
            sql.execute("INSERT INTO mix.t SELECT seq, 0 FROM mix.seq_0_to_" + (ROWS - 1));
        }
    }

    private void run(Way way, MariaDb store, double continuing, int turn) throws Exception {
        long transactions = way.transactions / TURNS;
        left.set(transactions);
        writes.set(0);
        ended.set(false);
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            long before = status(store.jdbc(""), "GLOBAL STATUS", "Questions");
            List<Duration> spentBefore = way.spent();
            long began = System.nanoTime();
            Future<Void> writer = threads.submit((Callable<Void>) () -> write(way.url));
            List<Future<Void>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                int seed = turn * READERS + i;
                readers.add(threads.submit((Callable<Void>) () -> read(way, continuing, new SplittableRandom(seed))));
            }
            for (Future<Void> reader : readers) {
                reader.get();
            }
            double seconds = (System.nanoTime() - began) / 1e9;
            List<Duration> spent = way.spent();
            long questions = status(store.jdbc(""), "GLOBAL STATUS", "Questions") - before - writes.get();
            ended.set(true);
            writer.get();
            if (turn >= EARLY_TURNS) {
                way.rates.add(transactions / seconds);
                way.statements.add((double) questions / transactions);
                for (int i = 0; i < spent.size(); i++) {
                    long nanos = spent.get(i).minus(spentBefore.get(i)).toNanos();
                    way.times.get(i).add(nanos / 1e3 / transactions);
                }
            }
        } finally {
            ended.set(true);
            threads.shutdownNow();
        }
    }

    /** Few rows are read and written often. */
    private static int row(SplittableRandom random) {
        return (int) (ROWS * Math.pow(random.nextDouble(), 3));
    }

    private Void read(Way way, double continuing, SplittableRandom random) throws SQLException {
        try (Connection connection = DriverManager.getConnection(way.url);
                Statement sql = connection.createStatement()) {
            connection.setAutoCommit(false);
            while (left.getAndDecrement() > 0) {
                try {
                    one(sql, "SELECT v FROM t WHERE id = " + row(random));
                    if (random.nextDouble() < continuing) {
                        one(sql, "SELECT SUM(v) FROM t");
                    }
                    connection.commit();
                } catch (SQLException failed) {
                    if (failed.getErrorCode() != DEADLOCK) {
                        throw failed;
                    }
                    way.deadlocks.incrementAndGet();
                    connection.rollback();
                }
            }
            return null;
        }
    }

    private static void one(Statement sql, String read) throws SQLException {
        try (ResultSet rows = sql.executeQuery(read)) {
            assertThat(rows.next()).isTrue();
        }
    }

    private Void write(String url) throws SQLException {
        SplittableRandom random = new SplittableRandom(-1);
        try (Connection connection = DriverManager.getConnection(url);
                Statement sql = connection.createStatement()) {
            long due = System.nanoTime();
            while (!ended.get()) {
                sql.executeUpdate("UPDATE t SET v = v + 1 WHERE id = " + row(random));
                writes.incrementAndGet();
                due += WRITE_NANOS;
                LockSupport.parkNanos(due - System.nanoTime());
            }
            return null;
        }
    }

    private static long status(String url, String what, String name) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement sql = connection.createStatement();
                ResultSet rows = sql.executeQuery("SHOW " + what + " LIKE '" + name + "'")) {
            rows.next();
            return rows.getLong(2);
        }
    }
}
