package org.keyline.rowcache;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** A hit from key values to the offset of the row, and its first part, the key bytes. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH sets parameters, and calls setup before all else
public class FindBenchmark {
    private static final int ROWS = 100_000;

    /** Rows in a line. */
    @Param({"1", "12", "1000"})
    public int rowsPerLine;

    private LineTable table;
    private LineProbe probe;
    private int[] draws;
    private int next;
    private final KeyEncoder key = new KeyEncoder();

    /** Fills the cache. */
    @Setup
    public void fill() {
        table = Workload.table(Workload.cache());
        probe = new LineProbe(table);
        Workload.fill(table, ROWS / rowsPerLine, rowsPerLine, Workload.ROW_BYTES);
        draws = Workload.zipfian(ROWS, 1);
    }

    /** Key bytes alone. */
    @Benchmark
    public int encode() {
        int row = draws[next++ & (draws.length - 1)];
        return key.reset().int64(row / rowsPerLine).int64(row % rowsPerLine).length();
    }

    /** Key bytes, line, row. */
    @Benchmark
    public int find() {
        int row = draws[next++ & (draws.length - 1)];
        probe.aim(table, 0, key.reset().int64(row / rowsPerLine).int64(row % rowsPerLine));
        Line line = table.find(probe, 0);
        if (line == null) {
            throw new IllegalStateException("a miss");
        }
        return line.rowOffset(line.find(probe.key(), probe.suffixFrom(), probe.to()));
    }
}
