package org.keyline.ycsb;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * Measures the time from a commit at MariaDB to the first read through the gateway that returns the
 * new value. One writer updates rows at the store. It updates a row only after a line has answered
 * a read of that row. Readers read all rows without a pause.
 */
final class OutsideWritesExperiment {
    static final String OPTIONS = """
            the time from a commit past the gateway to the read that shows it

              --records N           [1000]
              --threads N           readers [2]
              --seconds N           [30]
            """ + Options.common("installed", "-Xmx1g");

    private static final NumberRows ROWS = new NumberRows("numbers", 100);
    private static final String READ = "SELECT n FROM numbers WHERE k = ?";
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(2);

    private OutsideWritesExperiment() {}

    static void run(Harness harness) throws IOException, SQLException {
        Options options = harness.options();
        int records = options.count("records");
        Histogram nanos = new Histogram(2 * LONGEST_NANOS, 3);
        Results reads;
        try (Backend store = harness.mariaDb();
                GatewayProcess gateway = harness.gateway(store, "store.signal=binlog", "cache.ttl=60s")) {
            Target through = gateway.target().withDatabase("outside");
            ROWS.load(store.straight("outside"), records);
            try (Connection reading = through.open()) {
                reads = new ClientGroups()
                        .add(through, options.count("threads"), 0, connection -> {
                            PreparedStatement read = connection.prepareStatement(READ);
                            AtomicLong next = new AtomicLong();
                            return () -> value(read, next.getAndIncrement() % records);
                        })
                        .beside()
                        .add(store.straight("outside"), 1, 0, connection -> writer(connection, reading, records, nanos))
                        .run(options.count("seconds"));
            }
        }
        Figures figures = Figures.of("outside writes | reads meanwhile | p50 ms | p99 ms | p99.9 ms | max ms")
                .row(
                        nanos.getTotalCount(),
                        (long) reads.get("operations"),
                        nanos.getValueAtPercentile(50) / 1e6,
                        nanos.getValueAtPercentile(99) / 1e6,
                        nanos.getValueAtPercentile(99.9) / 1e6,
                        nanos.getMaxValue() / 1e6);
        harness.write(
                figures,
                "outside-writes",
                "{records} rows, {threads} readers without a pause, {seconds} s, ttl 60 s, binary log");
    }

    private static ClientGroups.Operation writer(Connection store, Connection gateway, int records, Histogram nanos)
            throws SQLException {
        PreparedStatement write = store.prepareStatement(ROWS.write());
        PreparedStatement read = gateway.prepareStatement(READ);
        AtomicLong next = new AtomicLong();
        return () -> {
            long key = next.getAndAdd(7) % records;
            long before = fromLine(gateway, read, key);
            write.setLong(1, key);
            write.executeUpdate();
            long committed = System.nanoTime();
            while (value(read, key) == before) {
                if (System.nanoTime() - committed > LONGEST_NANOS) {
                    throw new SQLException("row " + key + " does not show an update");
                }
            }
            nanos.recordValue(System.nanoTime() - committed);
        };
    }

    /** Reads a row until a line answers. A new value then shows only after the line is dropped. */
    private static long fromLine(Connection gateway, PreparedStatement read, long key) throws SQLException {
        for (int i = 0; i < 1_000; i++) {
            long value = value(read, key);
            try (Statement sql = gateway.createStatement()) {
                // The driver refuses executeQuery() for a verb that it does not know.
                sql.execute("KEYLINE LAST");
                ResultSet last = sql.getResultSet();
                if (last.next() && last.getString(2).equals("line")) {
                    return value;
                }
            }
        }
        throw new SQLException("no line answers for row " + key);
    }

    private static long value(PreparedStatement read, long key) throws SQLException {
        read.setLong(1, key);
        try (ResultSet row = read.executeQuery()) {
            if (!row.next()) {
                throw new SQLException("row " + key + " does not exist");
            }
            return row.getLong(1);
        }
    }
}
