package org.keyline.ycsb;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * Measures the time from a commit at MariaDB to the first read through the gateway that returns the
 * new value. One writer updates rows past the gateway, each after a line has answered a read of the
 * row. Readers read all rows without a pause. Confined to one thread.
 */
final class OutsideWritesExperiment {
    static final String OPTIONS = """
              --records N           [1000]
              --threads N           readers [2]
              --seconds N           [30]
              --ttl TIME            [60s]
            """ + Options.common("installed", "-Xmx1g");

    private static final String DATABASE = "outside";
    private static final NumberRows ROWS = new NumberRows("numbers", 100);
    private static final String READ = "SELECT n FROM numbers WHERE k = ?";
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final Harness harness;
    private final Options options;
    private final AtomicLong reads = new AtomicLong();
    private final Histogram nanos = new Histogram(2 * LONGEST_NANOS, 3);

    OutsideWritesExperiment(Harness harness) {
        this.harness = harness;
        this.options = harness.options();
    }

    void run() throws IOException {
        List<String> settings = List.of("store.signal=binlog", "cache.ttl=" + options.text("ttl"));
        try (MariaDbServer server = harness.mariaDb();
                GatewayProcess gateway = harness.gateway(server, Harness.settings(settings))) {
            Target straight = server.straight(DATABASE);
            Target through = server.through(gateway, DATABASE);
            ROWS.load(straight, options.count("records"));
            List<ParallelClients.Work> works = new ArrayList<>(List.of(end -> write(straight, through, end)));
            for (int reader = 0; reader < options.count("threads"); reader++) {
                long first = reader;
                works.add(end -> read(through, first, end));
            }
            ParallelClients.run(works, options.count("seconds"));
        }
        Figures figures = new Figures("outside writes", "reads meanwhile", "p50 ms", "p99 ms", "p99.9 ms", "max ms")
                .row(nanos.getTotalCount(), reads.get(), millis(50), millis(99), millis(99.9), millis(100));
        harness.write(
                figures,
                "outside-writes",
                "{records} rows, {threads} readers without a pause, {seconds} s, ttl {ttl}, binary log");
        figures.plotBars(
                harness.file("outside-writes.png"),
                "From a commit at the store to the read that shows it",
                "outside writes",
                "ms",
                "p50 ms",
                "p99 ms",
                "p99.9 ms");
    }

    private double millis(double percentile) {
        return nanos.getValueAtPercentile(percentile) / 1e6;
    }

    private void read(Target through, long first, LongSupplier end) throws SQLException {
        try (Connection connection = through.open();
                PreparedStatement read = connection.prepareStatement(READ)) {
            long until = end.getAsLong();
            for (long i = first; System.nanoTime() - until < 0; i++) {
                value(read, i % options.count("records"));
                reads.incrementAndGet();
            }
        }
    }

    private void write(Target straight, Target through, LongSupplier end) throws SQLException {
        try (Connection store = straight.open();
                Connection gateway = through.open();
                PreparedStatement write = store.prepareStatement(ROWS.write());
                PreparedStatement read = gateway.prepareStatement(READ)) {
            long until = end.getAsLong();
            for (long i = 0; System.nanoTime() - until < 0; i++) {
                long key = i * 7 % options.count("records");
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
            }
        }
    }

    /** Reads a row until a line answers. A new value then shows only after the line is dropped. */
    private long fromLine(Connection gateway, PreparedStatement read, long key) throws SQLException {
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

    private long value(PreparedStatement read, long key) throws SQLException {
        read.setLong(1, key);
        try (ResultSet row = read.executeQuery()) {
            if (!row.next()) {
                throw new SQLException("row " + key + " does not exist");
            }
            return row.getLong(1);
        }
    }
}
