package org.keyline.stores.duckdb.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The memory that this process may use: its container's limit, or all memory of the machine. */
public final class MachineMemory {
    /** The minimum memory in bytes with which DuckDB can run. */
    public static final long LEAST = 64L << 20;

    /** Bytes reserved for the process's code, its threads, and the allocator's free memory. */
    private static final long AROUND = 192L << 20;

    /**
     * The limit files of control groups, version 2 and version 1. Each has a number of bytes, or a
     * word if no limit is set.
     */
    private static final List<Path> LIMITS =
            List.of(Path.of("/sys/fs/cgroup/memory.max"), Path.of("/sys/fs/cgroup/memory/memory.limit_in_bytes"));

    private MachineMemory() {}

    /**
     * Returns the default of the store's memory in bytes. The default is half of the memory without
     * the heap and {@code AROUND}, because DuckDB does not count all of its memory.
     */
    public static long forEngine() {
        return forEngine(bytes(), Runtime.getRuntime().maxMemory());
    }

    static long forEngine(long machineBytes, long heapBytes) {
        return Math.max(LEAST, (machineBytes - heapBytes - AROUND) / 2);
    }

    private static long bytes() {
        long bytes = physical();
        for (Path limit : LIMITS) {
            bytes = Math.min(bytes, limit(limit));
        }
        return bytes;
    }

    static long limit(Path file) {
        try {
            String text = Files.readString(file).strip();
            return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : Long.MAX_VALUE;
        } catch (IOException none) {
            return Long.MAX_VALUE;
        }
    }

    private static long physical() {
        return java.lang.management.ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : Long.MAX_VALUE / 2;
    }
}
