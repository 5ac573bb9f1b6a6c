package org.keyline.gateway.views;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.LatencyHistogram;

/** Converts values to cells of views. */
final class Rows {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS").withZone(ZoneOffset.UTC);

    static final double NANOS_PER_MICRO = 1_000;
    static final double MEDIAN = 0.5;
    static final double MOST = 0.99;

    private Rows() {}

    /** Returns a row of cells. An Integer becomes a Long, a Boolean 1 or 0. */
    static List<@Nullable Object> row(@Nullable Object... cells) {
        for (int i = 0; i < cells.length; i++) {
            if (cells[i] instanceof Integer number) {
                cells[i] = number.longValue();
            } else if (cells[i] instanceof Boolean flag) {
                cells[i] = flag ? 1L : 0L;
            }
        }
        return Arrays.asList(cells);
    }

    static String time(Instant moment) {
        return TIME.format(moment);
    }

    static LocalDateTime time(String text) {
        return LocalDateTime.parse(text, TIME);
    }

    /**
     * Returns the upper bound, in microseconds, of the histogram bucket that contains this
     * quantile; null if the bucket has no bound or nothing was counted.
     */
    static @Nullable Double micros(LatencyHistogram.Snapshot times, double share) {
        long all = Arrays.stream(times.counts()).sum();
        long seen = 0;
        for (int i = 0; i < times.boundsNanos().length && all > 0; i++) {
            seen += times.counts()[i];
            if (seen >= share * all) {
                return times.boundsNanos()[i] / NANOS_PER_MICRO;
            }
        }
        return null;
    }
}
