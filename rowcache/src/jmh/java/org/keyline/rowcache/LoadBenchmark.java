package org.keyline.rowcache;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The cost of a load, and of a write's fence, in the cache itself. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH sets parameters, and calls setup before all else
public class LoadBenchmark {
    private static final int LINES = 4_096;
    private static final int BATCH = 64;

    /** Rows in a line, of 100 bytes each. */
    @Param({"1", "12"})
    public int rowsPerLine;

    private final byte[] row = new byte[100];
    private final KeyEncoder key = new KeyEncoder();
    private LineTable table;
    private LineProbe probe;
    private Fence fence;
    private int next;

    /** Fills the cache. */
    @Setup
    public void fill() {
        RowCache cache = Workload.cache();
        table = Workload.table(cache);
        probe = new LineProbe(table);
        fence = cache.fence();
        Workload.fill(table, LINES, rowsPerLine, row.length);
    }

    /** Closes and opens a fence over no line. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void fenceOverNothing() {
        for (int i = 0; i < BATCH; i++) {
            fence.close(table, key.reset().int64(LINES + (next++ & (LINES - 1))).int64(0));
            fence.open();
        }
    }

    /** A write to a line: closes and opens its fence, and loads the line again. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void fenceAndLoad() {
        for (int i = 0; i < BATCH; i++) {
            int line = next++ & (LINES - 1);
            key.reset().int64(line);
            fence.close(table, key);
            fence.open();
            table.load(probe.aim(table, 0, key), Workload.load(line, rowsPerLine, row), Workload.Ignored.INSTANCE);
        }
    }

    /** A fence over the whole table: the cost does not depend on the number of lines. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void fenceOverTable() {
        for (int i = 0; i < BATCH; i++) {
            fence.close(table);
            fence.open();
        }
    }
}
