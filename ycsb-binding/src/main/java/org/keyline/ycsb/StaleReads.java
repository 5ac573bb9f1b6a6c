package org.keyline.ycsb;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Measures how long reads of some rows lag behind their writer. The value of a row only grows. Each
 * read is compared with the last value that was acknowledged before the read began. Thread-safe,
 * except for the one writer.
 */
final class StaleReads {
    static final String TABLE =
            "CREATE TABLE counters (k BIGINT PRIMARY KEY, n BIGINT NOT NULL) DEFAULT CHARSET = utf8mb4";

    private static final String READ = "SELECT n FROM counters WHERE k = ?";
    private static final String WRITE = "UPDATE counters SET n = ? WHERE k = ?";
    /** Maximum number of writes of a row by which a read can lag behind. */
    private static final int REMEMBERED = 1 << 12;

    private static final long MOST_MICROS = TimeUnit.MINUTES.toMicros(10);

    private final int rows;
    private final AtomicIntegerArray last;
    /** For each row, the times at which the store acknowledged the row's last values. */
    private final AtomicReferenceArray<long[]> acknowledged;

    private final Histogram micros = new ConcurrentHistogram(MOST_MICROS, 3);

    StaleReads(int rows) {
        this.rows = rows;
        last = new AtomicIntegerArray(rows);
        acknowledged = new AtomicReferenceArray<>(rows);
        for (int row = 0; row < rows; row++) {
            acknowledged.set(row, new long[REMEMBERED]);
        }
    }

    String fill() {
        StringBuilder insert = new StringBuilder("INSERT INTO counters VALUES ");
        for (int row = 0; row < rows; row++) {
            insert.append(row == 0 ? "" : ",").append('(').append(row).append(", 0)");
        }
        return insert.toString();
    }

    /** Writes at a rate until the time that {@code end} returns. Opens the connection before. */
    void write(Target target, double rate, LongSupplier end) throws SQLException {
        try (Connection connection = target.open();
                PreparedStatement write = connection.prepareStatement(WRITE)) {
            long untilNanos = end.getAsLong();
            Pace pace = new Pace(rate);
            while (pace.next(untilNanos)) {
                int row = ThreadLocalRandom.current().nextInt(rows);
                int value = last.get(row) + 1;
                write.setInt(1, value);
                write.setLong(2, row);
                write.executeUpdate();
                // The array of times is replaced by a copy, so that a reader of a value also sees
                // its time.
                long[] moments = acknowledged.get(row).clone();
                moments[value % REMEMBERED] = System.nanoTime();
                acknowledged.set(row, moments);
                last.set(row, value);
            }
        }
    }

    /** Reads at a rate until the time that {@code end} returns. Opens the connection before. */
    void read(Target target, double rate, LongSupplier end) throws SQLException {
        try (Connection connection = target.open();
                PreparedStatement read = connection.prepareStatement(READ)) {
            long untilNanos = end.getAsLong();
            Pace pace = new Pace(rate);
            while (pace.next(untilNanos)) {
                int row = ThreadLocalRandom.current().nextInt(rows);
                int least = last.get(row);
                long began = System.nanoTime();
                read.setLong(1, row);
                try (ResultSet answer = read.executeQuery()) {
                    if (!answer.next()) {
                        throw new SQLException("counter " + row + " does not exist");
                    }
                    int value = answer.getInt(1);
                    if (value < least - REMEMBERED + 1) {
                        throw new SQLException("counter " + row + " is " + value + " after " + least);
                    }
                    long lag = value >= least ? 0 : began - acknowledged.get(row)[(value + 1) % REMEMBERED];
                    micros.recordValue(Math.min(MOST_MICROS, TimeUnit.NANOSECONDS.toMicros(Math.max(0, lag))));
                }
            }
        }
    }

    void reset() {
        micros.reset();
    }

    /** Returns the per cent of reads that missed an acknowledged write; NaN without reads. */
    double stalePercent() {
        long all = micros.getTotalCount();
        return all == 0 ? Double.NaN : 100.0 * (all - micros.getCountBetweenValues(0, 0)) / all;
    }

    /**
     * Returns a percentile of the lag of all reads, in milliseconds; NaN without reads. The lag is
     * the time from the acknowledgement of the first missed write to the read; 0 if no write was
     * missed.
     */
    double millis(double percentile) {
        return micros.getTotalCount() == 0 ? Double.NaN : micros.getValueAtPercentile(percentile) / 1e3;
    }
}
