package org.keyline.gateway.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * How long a write past the gateway stays unseen through it: one writer commits at the store, readers read through the gateway without a
 * pause, one of them the row that was written, until it shows. Without the signal that would take up to the ttl of a minute.
 *
 * <pre>
 * mvn verify -pl gateway -am -Dit.test=OutsideWriteMeasurement -Dtest=none -Dkeyline.outside.seconds=30
 * </pre>
 */
@EnabledIfSystemProperty(named = "keyline.outside.seconds", matches = "\\d+")
class OutsideWriteMeasurement {
    private static final int ROWS = 1_000;
    private static final int READERS = 2;
    private static final Duration TTL = Duration.ofMinutes(1);

    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicLong reads = new AtomicLong();

    @Test
    void outsideWrites_areSeenLongBeforeTheTtl() throws Exception {
        long seconds = Long.getLong("keyline.outside.seconds");
        MariaDb store = MariaDb.logging("measured");
        try (Connection straight = DriverManager.getConnection(store.jdbc(""));
                Statement sql = straight.createStatement()) {
            sql.execute("CREATE OR REPLACE DATABASE measured");
            sql.execute("CREATE TABLE measured.t (id INT PRIMARY KEY, n BIGINT)");
            sql.execute("INSERT INTO measured.t SELECT seq, 0 FROM measured.seq_0_to_" + (ROWS - 1));
        }
        ExecutorService threads = Executors.newCachedThreadPool();
        try (RelayGateway gateway =
                RelayGateway.start(store, "store.signal=binlog", "cache.ttl=" + TTL.toSeconds() + "s")) {
            List<Future<Void>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                int first = i;
                readers.add(threads.submit((Callable<Void>) () -> read(gateway, first)));
            }
            Histogram unseen = write(store, gateway, Duration.ofSeconds(seconds));
            ended.set(true);
            for (Future<Void> reader : readers) {
                reader.get(1, TimeUnit.MINUTES);
            }
            report(unseen, gateway, seconds);
            assertThat(unseen.getMaxValue()).isLessThan(TTL.toNanos());
        } finally {
            ended.set(true);
            threads.shutdownNow();
        }
    }

    /** Load: all rows, one after the other. */
    private Void read(RelayGateway gateway, int first) throws SQLException {
        try (Connection through = DriverManager.getConnection(gateway.jdbc("measured") + "&useServerPrepStmts=true");
                PreparedStatement read = through.prepareStatement("SELECT n FROM t WHERE id = ?")) {
            for (int i = first; !ended.get(); i++) {
                value(read, i % ROWS);
                reads.incrementAndGet();
            }
            return null;
        }
    }

    /** Writes rows one after the other, each of which is known to the gateway, and waits until it shows the new one. */
    private Histogram write(MariaDb store, RelayGateway gateway, Duration time) throws SQLException {
        Histogram unseen = new Histogram(TimeUnit.MINUTES.toNanos(10), 3);
        String prepared = "&useServerPrepStmts=true";
        try (Connection straight = DriverManager.getConnection(store.jdbc("measured") + prepared);
                Connection through = DriverManager.getConnection(gateway.jdbc("measured") + prepared);
                PreparedStatement write = straight.prepareStatement("UPDATE t SET n = n + 1 WHERE id = ?");
                PreparedStatement read = through.prepareStatement("SELECT n FROM t WHERE id = ?")) {
            long end = System.nanoTime() + time.toNanos();
            for (int i = 0; System.nanoTime() < end; i++) {
                int id = i * 7 % ROWS;
                long before = fromLine(through, read, id);
                write.setInt(1, id);
                write.executeUpdate();
                long committed = System.nanoTime();
                while (value(read, id) == before) {
                    reads.incrementAndGet();
                }
                unseen.recordValue(System.nanoTime() - committed);
            }
        }
        return unseen;
    }

    /** Reads until the answer comes from a line, so that only a drop can show the next value. */
    private static long fromLine(Connection through, PreparedStatement read, int id) throws SQLException {
        for (int i = 0; i < 1_000; i++) {
            long value = value(read, id);
            try (Statement sql = through.createStatement()) {
                sql.execute("KEYLINE LAST");
                try (ResultSet last = sql.getResultSet()) {
                    if (last.next() && last.getString(2).equals("line")) {
                        return value;
                    }
                }
            }
        }
        throw new AssertionError("row " + id + " is never answered from a line");
    }

    private static long value(PreparedStatement read, int id) throws SQLException {
        read.setInt(1, id);
        try (ResultSet row = read.executeQuery()) {
            assertThat(row.next()).isTrue();
            return row.getLong(1);
        }
    }

    private void report(Histogram unseen, RelayGateway gateway, long seconds) throws SQLException {
        System.out.printf(
                "outside writes: %,d, reads through the gateway: %,d in %d s%n",
                unseen.getTotalCount(), reads.get(), seconds);
        System.out.printf(
                "from commit to visibility, ms: p50 %.2f, p99 %.2f, p99.9 %.2f, max %.2f%n",
                unseen.getValueAtPercentile(50) / 1e6,
                unseen.getValueAtPercentile(99) / 1e6,
                unseen.getValueAtPercentile(99.9) / 1e6,
                unseen.getMaxValue() / 1e6);
        try (Connection through = DriverManager.getConnection(gateway.jdbc(""));
                Statement sql = through.createStatement();
                ResultSet status = sql.executeQuery("SHOW STATUS LIKE 'keyline%'")) {
            while (status.next()) {
                System.out.println(status.getString(1) + " " + status.getString(2));
            }
        }
    }
}
