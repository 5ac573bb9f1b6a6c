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

/**
 * A hit from key values to the offset of the row, and its first part, the key bytes. Batches are
 * sampled, so that the median is stable on a busy machine.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH sets parameters, and calls setup before all else
public class FindBenchmark {
    private static final int BATCH = 256;

    /** The number of rows: few remain in the processor's caches, many do not. */
    @Param({"1000", "100000"})
    public int rows;

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
        Workload.fill(table, 1 + rows / rowsPerLine, rowsPerLine, Workload.ROW_BYTES);
        draws = Workload.zipfian(rows, 1);
    }

    /** Key bytes alone. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int encode() {
        int sum = 0;
        for (int i = 0; i < BATCH; i++) {
            KeyEncoder encoded = key(draws[next++ & (draws.length - 1)]);
            sum += encoded.buffer()[encoded.length() - 1];
        }
        return sum;
    }

    /** Encodes the key, finds the line, finds the row. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int find() {
        int sum = 0;
        for (int i = 0; i < BATCH; i++) {
            probe.aim(table, 0, key(draws[next++ & (draws.length - 1)]));
            Line line = table.find(probe, 0);
            if (line == null) {
                throw new IllegalStateException("a miss");
            }
            sum += line.rowOffset(line.find(probe.key(), probe.suffixFrom(), probe.to()));
        }
        return sum;
    }

    private KeyEncoder key(int row) {
        return key.reset().int64(row / rowsPerLine).int64(row % rowsPerLine);
    }
}
