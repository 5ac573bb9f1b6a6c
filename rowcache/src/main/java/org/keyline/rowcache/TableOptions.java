package org.keyline.rowcache;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How the lines of one table are kept. Immutable; made from {@link #DEFAULT} by what is to be otherwise.
 *
 * @param prefixCells cells of the key that name a line: the load granularity, 0..{@link KeyEncoder#MAX_CELLS}. With 0, lines are ranges
 *     of keys, next to each other, that grow as they are read; that takes loads in order. Fixed for the life of a {@link LineTable}
 * @param ttl how long a line may answer, from the moment its load began; 0..1 day
 * @param vouchedTtl how long a line may answer while the table is {@linkplain LineTable#vouch vouched for}, from the moment its load
 *     began; ttl..1 day
 * @param maxRowsPerLine most rows that one load may bring, 1..10,000,000
 * @param maxBytesPerLine most bytes of keys, rows and index that one load may bring, 1..1 GiB
 * @param maxWaiters most reads that may wait for one load besides the one that started it, 0..1,000,000
 * @param ordered whether loads deliver rows in the order of their key bytes: only then can a prefix that exceeds a ceiling
 *     be kept in ranges; otherwise it is not kept at all
 * @param enabled whether lines answer at all. Fences are kept either way
 * @param kept whether lines stay in memory once those who waited for them are answered
 * @param filters how the table's filter lines are kept; null where it has none. Fixed for the life of a {@link LineTable}
 */
public record TableOptions(
        int prefixCells,
        Duration ttl,
        Duration vouchedTtl,
        int maxRowsPerLine,
        int maxBytesPerLine,
        int maxWaiters,
        boolean ordered,
        boolean enabled,
        boolean kept,
        @Nullable TableOptions filters) {

    static final Duration MAX_TTL = Duration.ofDays(1);
    private static final int MAX_ROWS = 10_000_000;
    private static final int MAX_BYTES = 1 << 30;
    private static final int MAX_WAITERS = 1_000_000;

    /** One cell, one second whether vouched for or not, 10,000 rows, 4 MiB, 1,024 waiters, ordered, enabled, kept. */
    public static final TableOptions DEFAULT = new TableOptions(
            1, Duration.ofSeconds(1), Duration.ofSeconds(1), 10_000, 4 << 20, 1_024, true, true, true, null);

    /** Checks the bounds. */
    public TableOptions {
        RowCacheOptions.inRange("prefixCells", prefixCells, 0, KeyEncoder.MAX_CELLS);
        if (ttl.isNegative() || ttl.compareTo(MAX_TTL) > 0) {
            throw new IllegalArgumentException("ttl: " + ttl + " (expected: 0..1 day)");
        }
        if (vouchedTtl.compareTo(ttl) < 0 || vouchedTtl.compareTo(MAX_TTL) > 0) {
            throw new IllegalArgumentException("vouchedTtl: " + vouchedTtl + " (expected: " + ttl + "..1 day)");
        }
        RowCacheOptions.inRange("maxRowsPerLine", maxRowsPerLine, 1, MAX_ROWS);
        RowCacheOptions.inRange("maxBytesPerLine", maxBytesPerLine, 1, MAX_BYTES);
        RowCacheOptions.inRange("maxWaiters", maxWaiters, 0, MAX_WAITERS);
    }

    /** The same with another granularity. */
    public TableOptions withPrefixCells(int prefixCells) {
        return with(next -> next.prefixCells = prefixCells);
    }

    /** The same with another time to live, which holds for a table that is vouched for, too. */
    public TableOptions withTtl(Duration ttl) {
        return withTtl(ttl, ttl);
    }

    /** The same with other times to live. */
    public TableOptions withTtl(Duration ttl, Duration vouchedTtl) {
        return with(next -> {
            next.ttl = ttl;
            next.vouchedTtl = vouchedTtl;
        });
    }

    /** The same with other ceilings. */
    public TableOptions withCeilings(int maxRowsPerLine, int maxBytesPerLine) {
        return with(next -> {
            next.maxRowsPerLine = maxRowsPerLine;
            next.maxBytesPerLine = maxBytesPerLine;
        });
    }

    /** The same with another bound on waiters. */
    public TableOptions withMaxWaiters(int maxWaiters) {
        return with(next -> next.maxWaiters = maxWaiters);
    }

    /** The same with loads in key order or not. */
    public TableOptions withOrdered(boolean ordered) {
        return with(next -> next.ordered = ordered);
    }

    /** The same, switched on or off. */
    public TableOptions withEnabled(boolean enabled) {
        return with(next -> next.enabled = enabled);
    }

    /** The same with lines that stay in memory or not. */
    public TableOptions withKept(boolean kept) {
        return with(next -> next.kept = kept);
    }

    /** The same with filter lines that are kept so; null for none. */
    public TableOptions withFilters(@Nullable TableOptions filters) {
        return with(next -> next.filters = filters);
    }

    private TableOptions with(Consumer<Draft> change) {
        Draft next = new Draft(this);
        change.accept(next);
        return next.options();
    }

    /** A copy that may still be changed. */
    private static final class Draft {
        int prefixCells;
        Duration ttl;
        Duration vouchedTtl;
        int maxRowsPerLine;
        int maxBytesPerLine;
        int maxWaiters;
        boolean ordered;
        boolean enabled;
        boolean kept;

        @Nullable
        TableOptions filters;

        Draft(TableOptions of) {
            prefixCells = of.prefixCells;
            ttl = of.ttl;
            vouchedTtl = of.vouchedTtl;
            maxRowsPerLine = of.maxRowsPerLine;
            maxBytesPerLine = of.maxBytesPerLine;
            maxWaiters = of.maxWaiters;
            ordered = of.ordered;
            enabled = of.enabled;
            kept = of.kept;
            filters = of.filters;
        }

        TableOptions options() {
            return new TableOptions(
                    prefixCells,
                    ttl,
                    vouchedTtl,
                    maxRowsPerLine,
                    maxBytesPerLine,
                    maxWaiters,
                    ordered,
                    enabled,
                    kept,
                    filters);
        }
    }
}
