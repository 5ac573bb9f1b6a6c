package org.keyline.rowcache;

import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Keys with YCSB's distribution, and a cache filled with their rows. */
final class Workload {
    /** A row packet of ten fields of 100 bytes. */
    static final int ROW_BYTES = 1_041;

    private static final double ZIPFIAN_EXPONENT = 0.99;
    private static final int DRAWS = 1 << 16;
    private static final long BUDGET_BYTES = 1L << 30;

    private Workload() {}

    /**
     * Returns a long sequence of key numbers below {@code keys}, drawn by Zipf's law and scattered.
     */
    static int[] zipfian(int keys, long seed) {
        double[] cumulated = new double[keys];
        double sum = 0;
        for (int i = 0; i < keys; i++) {
            sum += 1 / Math.pow(i + 1, ZIPFIAN_EXPONENT);
            cumulated[i] = sum;
        }
        SplittableRandom random = new SplittableRandom(seed);
        int[] draws = new int[DRAWS];
        for (int i = 0; i < DRAWS; i++) {
            int rank = Arrays.binarySearch(cumulated, random.nextDouble() * sum);
            // A stride that shares no factor with a power of ten spreads the hot keys over all numbers.
            draws[i] = (int) ((long) (rank < 0 ? -1 - rank : rank) * 7_919 % keys);
        }
        return draws;
    }

    static RowCache cache() {
        return new RowCache(RowCacheOptions.of(BUDGET_BYTES, 1, System::nanoTime, Runnable::run));
    }

    static LineTable table(RowCache cache) {
        return cache.table(1, TableOptions.DEFAULT.withTtl(Duration.ofDays(1)));
    }

    /** Loads lines 0..lines - 1 with the given number of rows each. */
    static void fill(LineTable table, int lines, int rowsPerLine, int rowBytes) {
        KeyEncoder key = new KeyEncoder();
        LineProbe probe = new LineProbe(table);
        for (int line = 0; line < lines; line++) {
            key.reset().int64(line);
            table.load(probe.aim(table, 0, key), load(line, rowsPerLine, new byte[rowBytes]), Ignored.INSTANCE);
        }
    }

    /** Returns a loader whose rows are available at once. */
    static Loader load(int line, int rowsPerLine, byte[] row) {
        return load -> {
            KeyEncoder key = new KeyEncoder();
            for (int i = 0; i < rowsPerLine; i++) {
                load.row(key.reset().int64(line).int64(i), row, 0, row.length);
            }
            load.succeed();
        };
    }

    /** A listener that ignores its answer. */
    enum Ignored implements LoadListener {
        INSTANCE;

        @Override
        public void loaded(Line line) {}

        @Override
        public void failed(Throwable cause) {
            throw new IllegalStateException(cause);
        }

        @Override
        public void declined(Decline reason) {
            throw new IllegalStateException(reason.toString());
        }
    }
}
