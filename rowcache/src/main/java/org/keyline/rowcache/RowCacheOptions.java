package org.keyline.rowcache;

import com.github.benmanes.caffeine.cache.Ticker;
import java.util.Objects;
import java.util.concurrent.Executor;

/**
 * The limits of a {@link RowCache}, and the clock, hash seed and executor that it uses. Immutable.
 *
 * @param maxBytes budget for lines with all their overhead, in bytes, at least 1
 * @param maxTables maximum number of tables at a time, 1..1,000,000
 * @param maxLoads maximum number of running loads over all tables, 1..1,000,000; beyond it, reads
 * that find no line go to the store
 * @param maxRangesPerPrefix maximum number of known ranges of a prefix that is too large for one
 * line, 1..65,536; one more range replaces them all
 * @param maxPrefixesPerFence maximum number of prefixes of one table that a fence closes
 * individually, 0..1,000,000; beyond it the fence closes the table
 * @param maxClosedPrefixes maximum number of closed prefixes over all fences, 0..100,000,000;
 * beyond it fences close tables
 * @param hashSeed the seed of hashes; secret, so that clients cannot choose keys that collide
 * @param ticker the clock that measures ages
 * @param executor runs evictions; {@code Runnable::run} runs them on the threads that use the cache
 */
public record RowCacheOptions(
        long maxBytes,
        int maxTables,
        int maxLoads,
        int maxRangesPerPrefix,
        int maxPrefixesPerFence,
        int maxClosedPrefixes,
        long hashSeed,
        Ticker ticker,
        Executor executor) {

    private static final int MILLION = 1_000_000;

    public RowCacheOptions {
        if (maxBytes < 1) {
            throw new IllegalArgumentException("maxBytes: " + maxBytes + " (expected: >= 1)");
        }
        inRange("maxTables", maxTables, 1, MILLION);
        inRange("maxLoads", maxLoads, 1, MILLION);
        inRange("maxRangesPerPrefix", maxRangesPerPrefix, 1, 1 << 16);
        inRange("maxPrefixesPerFence", maxPrefixesPerFence, 0, MILLION);
        inRange("maxClosedPrefixes", maxClosedPrefixes, 0, 100 * MILLION);
        Objects.requireNonNull(ticker, "ticker is null");
        Objects.requireNonNull(executor, "executor is null");
    }

    /**
     * Returns options with the default limits: 10,000 tables, 1,024 loads, 1,024 ranges per prefix,
     * 1,024 prefixes per fence, and 100,000 closed prefixes.
     */
    public static RowCacheOptions of(long maxBytes, long hashSeed, Ticker ticker, Executor executor) {
        return new RowCacheOptions(maxBytes, 10_000, 1_024, 1_024, 1_024, 100_000, hashSeed, ticker, executor);
    }

    static void inRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + ".." + max + ")");
        }
    }
}
