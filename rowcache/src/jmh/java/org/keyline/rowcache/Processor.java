package org.keyline.rowcache;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Processor time of a benchmark's operations, in nanoseconds per operation, which is stable on a
 * busy machine. Time spent waiting for a lock is excluded; the cost of going to sleep and waking up
 * is included. One for each thread.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class Processor {
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private long began;

    /** Processor time of this iteration, in nanoseconds. */
    public long cpuNanos;

    /** Operations of this iteration; the benchmark counts them. */
    public long operations;

    /** Starts counting. */
    @Setup(Level.Iteration)
    public void begin() {
        operations = 0;
        cpuNanos = 0;
        began = threads.getCurrentThreadCpuTime();
    }

    /** Ends counting. */
    @TearDown(Level.Iteration)
    public void end() {
        cpuNanos = threads.getCurrentThreadCpuTime() - began;
    }
}
