package org.keyline.stores.duckdb.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The options of the embedded store. Immutable, except for two limits that are read at each use.
 *
 * @param file the database file; null for a database in memory
 * @param workers the number of statements that run at once, besides those that take long
 * @param writesPerCommit the maximum number of small writes in one commit
 * @param memoryBytes the maximum bytes of memory for tables, sorts, texts and results; the store
 *     can exceed this limit by a tenth
 * @param preparedStatements the maximum number of prepared statements of all sessions, at least 1
 * @param maxExecutionTime the time limit of a statement; zero for no limit. For SELECTs, the
 *     session's max_execution_time takes precedence.
 */
public record EngineOptions(
        @Nullable Path file,
        int workers,
        int writesPerCommit,
        long memoryBytes,
        IntSupplier preparedStatements,
        Supplier<Duration> maxExecutionTime) {
    /** The maximum number of small writes that wait for the writer. */
    public static final int QUEUED = 10_000;

    private static final int EIGHTH = 8;
    private static final int TENTH = 10;

    public EngineOptions {
        if (memoryBytes < MachineMemory.LEAST) {
            throw new IllegalArgumentException(
                    "memoryBytes: " + memoryBytes + " (expected: >= " + MachineMemory.LEAST + ")");
        }
    }

    /** Returns the defaults for a file or, with null, for a database in memory. */
    public static EngineOptions of(@Nullable Path file) {
        return of(file, MachineMemory.forEngine(), () -> 16_382, () -> Duration.ZERO);
    }

    public static EngineOptions of(
            @Nullable Path file, long memoryBytes, IntSupplier preparedStatements, Supplier<Duration> time) {
        int workers = Math.max(8, 2 * Runtime.getRuntime().availableProcessors());
        return new EngineOptions(file, workers, 256, memoryBytes, preparedStatements, time);
    }

    long engineBytes() {
        return Math.max(MachineMemory.LEAST, memoryBytes - memoryBytes / EIGHTH);
    }

    /**
     * Returns the limit in bytes of the memory that DuckDB does not count: texts that functions
     * build, and unread results.
     */
    long textBytes() {
        return memoryBytes / EIGHTH + memoryBytes / TENTH;
    }
}
