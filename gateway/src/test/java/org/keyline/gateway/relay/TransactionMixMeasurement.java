package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
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
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Transactions as PyMySQL makes them, with autocommit off: a read by key, in a share of them an aggregate behind it, COMMIT; beside one
 * writer of skewed rows. Straight and through a gateway: how many of them fail, how many there are in a second, and what the store runs for them.
 *
 * <pre>
 * mvn verify -pl gateway -am -Dit.test=TransactionMixMeasurement -Dtest=none -Dkeyline.mix.transactions=1000000 -Dkeyline.mix.shares=0.1,1,10,100
 * </pre>
 */
@EnabledIfSystemProperty(named = "keyline.mix.transactions", matches = "\\d+")
class TransactionMixMeasurement {
    private static final long TRANSACTIONS = Long.getLong("keyline.mix.transactions", 0);
    private static final String SHARES = System.getProperty("keyline.mix.shares", "0.1,1,10,100");
    private static final int ROWS = 1_000;
    private static final int READERS = 4;
    private static final long WRITE_NANOS = TimeUnit.SECONDS.toNanos(1) / 170;
    private static final int DEADLOCK = 1213;

    private final AtomicLong left = new AtomicLong();
    private final AtomicLong deadlocks = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();
    private final AtomicBoolean ended = new AtomicBoolean();

    @Test
    void transactions_thatGoOnInAShare_seldomFail() throws Exception {
        MariaDb store = MariaDb.get("second");
        for (String share : SHARES.split(",", -1)) {
            double continuing = Double.parseDouble(share) / 100;
            create(store);
            run("straight", share, continuing, store, store.jdbc("mix"));
            create(store);
            try (RelayGateway gateway = RelayGateway.start(store)) {
                run("through Keyline", share, continuing, store, gateway.jdbc("mix"));
                System.out.printf(
                        "  went on behind lines: %d, conflicts: %d%n",
                        status(gateway.jdbc(""), "STATUS", "Keyline_transactions_continued"),
                        status(gateway.jdbc(""), "STATUS", "Keyline_transactions_conflicts"));
            }
            assertThat(deadlocks.get()).isLessThanOrEqualTo(Math.max(1, TRANSACTIONS / 100_000));
        }
    }

    private static void create(MariaDb store) throws SQLException {
        try (Connection straight = DriverManager.getConnection(store.jdbc(""));
                Statement sql = straight.createStatement()) {
            sql.execute("CREATE OR REPLACE DATABASE mix");
            sql.execute("CREATE TABLE mix.t (id INT PRIMARY KEY, v INT)");
            sql.execute("INSERT INTO mix.t SELECT seq, 0 FROM mix.seq_0_to_" + (ROWS - 1));
        }
    }

    private void run(String how, String share, double continuing, MariaDb store, String url) throws Exception {
        left.set(TRANSACTIONS);
        deadlocks.set(0);
        writes.set(0);
        ended.set(false);
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            long before = status(store.jdbc(""), "GLOBAL STATUS", "Questions");
            long began = System.nanoTime();
            Future<Void> writer = threads.submit((Callable<Void>) () -> write(url));
            List<Future<Void>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                int seed = i;
                readers.add(threads.submit((Callable<Void>) () -> read(url, continuing, new SplittableRandom(seed))));
            }
            for (Future<Void> reader : readers) {
                reader.get();
            }
            double seconds = (System.nanoTime() - began) / 1e9;
            long questions = status(store.jdbc(""), "GLOBAL STATUS", "Questions") - before - writes.get();
            ended.set(true);
            writer.get();
            System.out.printf(
                    "%s, %s %% go on: %,d transactions, %d of them error 1213, %,.0f in a second, %.2f statements at the"
                            + " store for each, %,.0f writes in a second%n",
                    how,
                    share,
                    TRANSACTIONS,
                    deadlocks.get(),
                    TRANSACTIONS / seconds,
                    (double) questions / TRANSACTIONS,
                    writes.get() / seconds);
        } finally {
            ended.set(true);
            threads.shutdownNow();
        }
    }

    /** Few rows are read and written often. */
    private static int row(SplittableRandom random) {
        return (int) (ROWS * Math.pow(random.nextDouble(), 3));
    }

    private Void read(String url, double continuing, SplittableRandom random) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
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
                    deadlocks.incrementAndGet();
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
