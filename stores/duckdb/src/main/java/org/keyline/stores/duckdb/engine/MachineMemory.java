package org.keyline.stores.duckdb.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What this process may take of the machine: the limit of its container, or all there is. */
public final class MachineMemory {
    /** With less DuckDB cannot run. */
    public static final long LEAST = 64L << 20;

    /** The process's code, its threads, and what the allocator holds back. */
    private static final long AROUND = 192L << 20;

    /**
     * Of the memory of version 2 and of version 1 of control groups; a number of bytes, or a word
     * where there is no limit.
     */
    private static final List<Path> LIMITS =
            List.of(Path.of("/sys/fs/cgroup/memory.max"), Path.of("/sys/fs/cgroup/memory/memory.limit_in_bytes"));

    private MachineMemory() {}

    /**
     * What DuckDB may have by default: half of what the heap and the process leave, so that what
     * lies beside its own count fits.
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
