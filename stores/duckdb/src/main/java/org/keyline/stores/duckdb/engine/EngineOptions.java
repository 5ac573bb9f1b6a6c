package org.keyline.stores.duckdb.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How the embedded store runs. Immutable, but for limits that are asked for again each time.
 *
 * @param file the database; null keeps it in memory
 * @param workers threads that run short statements, and as many for long ones
 * @param writesPerCommit most single-row writes that share one commit
 * @param memoryBytes what the engine may take for tables, sorts, texts and results together, and a tenth more
 * @param preparedStatements most prepared statements of all sessions together, 1 or more; asked for each statement
 * @param maxExecutionTime of a statement, and of a SELECT where the session sets none; zero is no limit; asked for each statement
 */
public record EngineOptions(
        @Nullable Path file,
        int workers,
        int writesPerCommit,
        long memoryBytes,
        IntSupplier preparedStatements,
        Supplier<Duration> maxExecutionTime) {
    /** Commands that may wait for a worker, and small writes that may wait for the writer, before more are refused. */
    public static final int QUEUED = 10_000;

    private static final int EIGHTH = 8;
    private static final int TENTH = 10;

    public EngineOptions {
        if (memoryBytes < MachineMemory.LEAST) {
            throw new IllegalArgumentException(
                    "memoryBytes: " + memoryBytes + " (expected: >= " + MachineMemory.LEAST + ")");
        }
    }

    /** The defaults, on a file or, for null, in memory. */
    public static EngineOptions of(@Nullable Path file) {
        return of(file, MachineMemory.forEngine(), () -> 16_382, () -> Duration.ZERO);
    }

    /** The defaults but for these limits. */
    public static EngineOptions of(
            @Nullable Path file, long memoryBytes, IntSupplier preparedStatements, Supplier<Duration> time) {
        int workers = Math.max(8, 2 * Runtime.getRuntime().availableProcessors());
        return new EngineOptions(file, workers, 256, memoryBytes, preparedStatements, time);
    }

    /** What DuckDB counts by itself. */
    long engineBytes() {
        return Math.max(MachineMemory.LEAST, memoryBytes - memoryBytes / EIGHTH);
    }

    /** What DuckDB does not count: texts that statements make, and results that clients have not read. */
    long textBytes() {
        return memoryBytes / EIGHTH + memoryBytes / TENTH;
    }
}
