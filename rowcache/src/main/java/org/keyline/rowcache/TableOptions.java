package org.keyline.rowcache;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Cache options of one table. Immutable; derived from {@link #DEFAULT} by the {@code with} methods.
 *
 * @param prefixCells the load granularity: how many key cells form the prefix of a line,
 *     0..{@link KeyEncoder#MAX_CELLS}. With 0, lines are adjacent ranges of keys; this requires
 *     ordered loads. Fixed for the life of a {@link LineTable}
 * @param ttl how long a line may answer from the beginning of its load, 0..1 day
 * @param extendedTtl how long a line may answer from the beginning of its load while its freshness
 *     is {@linkplain LineTable#extendFreshness extended}, ttl..1 day
 * @param maxRowsPerLine maximum number of rows of one load, 1..10,000,000
 * @param maxBytesPerLine maximum size of keys, rows and index of one load, 1..1 GiB
 * @param maxWaiters maximum number of reads that wait for one load besides the one that started it,
 *     0..1,000,000
 * @param ordered whether loads deliver rows in the order of their key bytes. If so, a prefix that
 *     exceeds a limit can be cached in ranges; if not, it is not cached
 * @param enabled whether lines answer at all; it has no effect on fences
 * @param filters options of the table's filter lines; null if it has none. A {@link LineTable}
 *     cannot gain or lose its filter lines
 */
public record TableOptions(
        int prefixCells,
        Duration ttl,
        Duration extendedTtl,
        int maxRowsPerLine,
        int maxBytesPerLine,
        int maxWaiters,
        boolean ordered,
        boolean enabled,
        @Nullable TableOptions filters) {

    static final Duration MAX_TTL = Duration.ofDays(1);
    private static final int MAX_ROWS = 10_000_000;
    private static final int MAX_BYTES = 1 << 30;
    private static final int MAX_WAITERS = 1_000_000;

    /** The default options. Lines live one second and have at most 10,000 rows and 4 MiB. */
    public static final TableOptions DEFAULT =
            new TableOptions(1, Duration.ofSeconds(1), Duration.ofSeconds(1), 10_000, 4 << 20, 1_024, true, true, null);

    public TableOptions {
        RowCacheOptions.inRange("prefixCells", prefixCells, 0, KeyEncoder.MAX_CELLS);
        if (ttl.isNegative() || ttl.compareTo(MAX_TTL) > 0) {
            throw new IllegalArgumentException("ttl: " + ttl + " (expected: 0..1 day)");
        }
        if (extendedTtl.compareTo(ttl) < 0 || extendedTtl.compareTo(MAX_TTL) > 0) {
            throw new IllegalArgumentException("extendedTtl: " + extendedTtl + " (expected: " + ttl + "..1 day)");
        }
        RowCacheOptions.inRange("maxRowsPerLine", maxRowsPerLine, 1, MAX_ROWS);
        RowCacheOptions.inRange("maxBytesPerLine", maxBytesPerLine, 1, MAX_BYTES);
        RowCacheOptions.inRange("maxWaiters", maxWaiters, 0, MAX_WAITERS);
    }

    public TableOptions withPrefixCells(int prefixCells) {
        return new TableOptions(
                prefixCells, ttl, extendedTtl, maxRowsPerLine, maxBytesPerLine, maxWaiters, ordered, enabled, filters);
    }

    /** Sets the ttl, and the extended ttl to the same value. */
    public TableOptions withTtl(Duration ttl) {
        return withTtl(ttl, ttl);
    }

    public TableOptions withTtl(Duration ttl, Duration extendedTtl) {
        return new TableOptions(
                prefixCells, ttl, extendedTtl, maxRowsPerLine, maxBytesPerLine, maxWaiters, ordered, enabled, filters);
    }

    public TableOptions withCeilings(int maxRowsPerLine, int maxBytesPerLine) {
        return new TableOptions(
                prefixCells, ttl, extendedTtl, maxRowsPerLine, maxBytesPerLine, maxWaiters, ordered, enabled, filters);
    }

    public TableOptions withMaxWaiters(int maxWaiters) {
        return new TableOptions(
                prefixCells, ttl, extendedTtl, maxRowsPerLine, maxBytesPerLine, maxWaiters, ordered, enabled, filters);
    }

    public TableOptions withOrdered(boolean ordered) {
        return new TableOptions(
                prefixCells, ttl, extendedTtl, maxRowsPerLine, maxBytesPerLine, maxWaiters, ordered, enabled, filters);
    }

    public TableOptions withEnabled(boolean enabled) {
        return new TableOptions(
                prefixCells, ttl, extendedTtl, maxRowsPerLine, maxBytesPerLine, maxWaiters, ordered, enabled, filters);
    }

    /** Returns options with these filter lines; null removes them. */
    public TableOptions withFilters(@Nullable TableOptions filters) {
        return new TableOptions(
                prefixCells, ttl, extendedTtl, maxRowsPerLine, maxBytesPerLine, maxWaiters, ordered, enabled, filters);
    }
}
