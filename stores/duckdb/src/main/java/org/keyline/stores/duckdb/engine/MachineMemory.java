package org.keyline.stores.duckdb.engine;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The memory that this process may use: its container's limit, or all memory of the machine. */
public final class MachineMemory {
    /** The minimum number of bytes of memory with which DuckDB can run. */
    public static final long LEAST = 64L << 20;

    /** Bytes reserved for the process's code, its threads, and the allocator's free memory. */
    private static final long AROUND = 192L << 20;

    private MachineMemory() {}

    /**
     * Returns the default of the store's memory in bytes: half of the memory that is neither heap
     * nor {@code AROUND}. The other half is for memory that DuckDB does not count.
     */
    public static long forEngine() {
        // In a container, the total is the container's limit.
        long total =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
        return Math.max(LEAST, (total - Runtime.getRuntime().maxMemory() - AROUND) / 2);
    }
}
