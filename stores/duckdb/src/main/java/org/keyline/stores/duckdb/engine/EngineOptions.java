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
 * @param workers threads that run short statements, and as many for long ones, 1..1024
 * @param queuedCommands commands that may wait for a worker before more are refused
 * @param queuedWrites single-row writes that may wait for the writer before more are refused
 * @param writesPerCommit most single-row writes that share one commit
 * @param memoryBytes what the engine may take for tables, sorts, texts and results together, and a tenth more
 * @param threads DuckDB's threads per query; 0 takes DuckDB's default
 * @param preparedStatements most prepared statements of all sessions together, 1 or more; asked for each statement
 * @param cachedStatements DuckDB statements kept ready per session
 * @param maxExecutionTime of a statement, and of a SELECT where the session sets none; zero is no limit; asked for each statement
 */
public record EngineOptions(
        @Nullable Path file,
        int workers,
        int queuedCommands,
        int queuedWrites,
        int writesPerCommit,
        long memoryBytes,
        int threads,
        IntSupplier preparedStatements,
        int cachedStatements,
        Supplier<Duration> maxExecutionTime) {
    private static final int MAX_WORKERS = 1024;
    private static final int EIGHTH = 8;
    private static final int TENTH = 10;

    public EngineOptions {
        if (workers < 1 || workers > MAX_WORKERS) {
            throw new IllegalArgumentException("workers: " + workers + " (expected: 1..1024)");
        }
        if (queuedCommands < 1 || queuedWrites < 1 || writesPerCommit < 1) {
            throw new IllegalArgumentException("queues and batches hold at least one");
        }
        if (memoryBytes < MachineMemory.LEAST) {
            throw new IllegalArgumentException(
                    "memoryBytes: " + memoryBytes + " (expected: >= " + MachineMemory.LEAST + ")");
        }
        if (cachedStatements < 1) {
            throw new IllegalArgumentException("cachedStatements: " + cachedStatements + " (expected: >= 1)");
        }
    }

    /** The defaults, on a file or, for null, in memory. */
    public static EngineOptions of(@Nullable Path file) {
        int processors = Runtime.getRuntime().availableProcessors();
        return new EngineOptions(
                file,
                Math.max(8, 2 * processors),
                10_000,
                10_000,
                256,
                MachineMemory.forEngine(),
                0,
                () -> 16_382,
                256,
                () -> Duration.ZERO);
    }

    /** What DuckDB counts by itself. */
    long engineBytes() {
        return Math.max(MachineMemory.LEAST, memoryBytes - memoryBytes / EIGHTH);
    }

    /** What DuckDB does not count: texts that statements make, and results that clients have not read. */
    long textBytes() {
        return memoryBytes / EIGHTH + memoryBytes / TENTH;
    }

    /** The same with another limit of memory, in bytes. */
    public EngineOptions withMemory(long limit) {
        return new EngineOptions(
                file,
                workers,
                queuedCommands,
                queuedWrites,
                writesPerCommit,
                limit,
                threads,
                preparedStatements,
                cachedStatements,
                maxExecutionTime);
    }

    /** The same with another limit of time. */
    public EngineOptions withMaxExecutionTime(Supplier<Duration> limit) {
        return new EngineOptions(
                file,
                workers,
                queuedCommands,
                queuedWrites,
                writesPerCommit,
                memoryBytes,
                threads,
                preparedStatements,
                cachedStatements,
                limit);
    }

    /** The same on other limits. */
    public EngineOptions withQueues(int newWorkers, int newQueuedCommands, int newQueuedWrites) {
        return new EngineOptions(
                file,
                newWorkers,
                newQueuedCommands,
                newQueuedWrites,
                writesPerCommit,
                memoryBytes,
                threads,
                preparedStatements,
                cachedStatements,
                maxExecutionTime);
    }

    /** The same with another limit of prepared statements. */
    public EngineOptions withPreparedStatements(IntSupplier limit) {
        return new EngineOptions(
                file,
                workers,
                queuedCommands,
                queuedWrites,
                writesPerCommit,
                memoryBytes,
                threads,
                limit,
                cachedStatements,
                maxExecutionTime);
    }
}
