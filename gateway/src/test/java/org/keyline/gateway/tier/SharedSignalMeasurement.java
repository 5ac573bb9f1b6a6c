package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.keyline.gateway.tier.TierGateways.read;
import static org.keyline.gateway.tier.TierGateways.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.keyline.gateway.fixtures.MariaDb;

/**
 * What three gateways that follow the binary log cost the store, each by itself and one for all, in turns: bytes and processor time for a
 * write past them, and how long it stays unseen through the last of them.
 *
 * <pre>
 * mvn verify -pl gateway -am -Dit.test=SharedSignalMeasurement -Dtest=none -Dkeyline.signal.rounds=3
 * </pre>
 */
@EnabledIfSystemProperty(named = "keyline.signal.rounds", matches = "\\d+")
final class SharedSignalMeasurement {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int WRITES = 20_000;
    private static final int SEEN = 500;
    private static final int ROWS = 1_000;
    /** Of /proc: a hundredth of a second. */
    private static final long MICROS_PER_TICK = 10_000;

    @Test
    void oneReaderForAll_costsTheStoreLess() throws Exception {
        MariaDb store = MariaDb.logging("measured");
        try (Connection straight = DriverManager.getConnection(store.jdbc(""))) {
            run(
                    straight,
                    "CREATE OR REPLACE DATABASE measured",
                    "USE measured",
                    "CREATE TABLE t (id INT PRIMARY KEY, n BIGINT, filler VARCHAR(1000))",
                    "INSERT INTO t SELECT seq, 0, REPEAT('x', 1000) FROM seq_0_to_" + (ROWS - 1));
            for (int round = 0; round < Integer.getInteger("keyline.signal.rounds"); round++) {
                measure(store, straight, "each");
                measure(store, straight, "one");
            }
        }
    }

    private static void measure(MariaDb store, Connection straight, String signal) throws Exception {
        try (TierGateways gateways = new TierGateways(
                        store, true, null, "store.signal=binlog", "cache.ttl=1m", "tier.signal=" + signal);
                Connection last = gateways.connect(2, "measured");
                PreparedStatement write = straight.prepareStatement("UPDATE measured.t SET n = n + 1 WHERE id = ?")) {
            String follows = signal.equals("one") ? "a" : "null";
            await().atMost(PATIENCE)
                    .until(() -> read(last, "SELECT live FROM keyline.signals").equals("1")
                            && read(last, "SELECT follows FROM keyline.signals").equals(follows));
            Histogram unseen = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
            for (int i = 0; i < SEEN; i++) {
                String sql = "SELECT n FROM t WHERE id = " + i;
                String before = read(last, sql);
                write.setInt(1, i);
                write.executeUpdate();
                long written = System.nanoTime();
                while (read(last, sql).equals(before)) {
                    assertThat(System.nanoTime() - written).isLessThan(PATIENCE.toNanos());
                }
                unseen.recordValue(System.nanoTime() - written);
            }
            long bytes = sent(straight);
            long ticks = ticks(store);
            for (int i = 0; i < WRITES; i++) {
                write.setInt(1, i % ROWS);
                write.executeUpdate();
            }
            System.out.printf(
                    "%-4s: %d threads send the log; a write: %.0f bytes sent, %.0f us of the store's processor time;"
                            + " unseen by the last gateway: p50 %.1f ms, p99 %.1f ms%n",
                    signal,
                    Long.parseLong(read(
                            straight,
                            "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE COMMAND LIKE 'Binlog Dump%'")),
                    (sent(straight) - bytes) / (double) WRITES,
                    (ticks(store) - ticks) * MICROS_PER_TICK / (double) WRITES,
                    unseen.getValueAtPercentile(50) / 1e6,
                    unseen.getValueAtPercentile(99) / 1e6);
        }
    }

    private static long sent(Connection straight) throws SQLException {
        return Long.parseLong(read(
                straight,
                "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'BYTES_SENT'"));
    }

    private static long ticks(MariaDb store) throws Exception {
        String stat = Files.readString(Path.of("/proc/" + store.pid() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
}
