package org.keyline.gateway;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.keyline.rowcache.Processor;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Whole hits as in {@link HitBenchmark}, on the lines of one gateway. Option {@code -t} sets the
 * number of threads, each with its own connection. {@code alone} is work that shares nothing: it
 * shows how the machine itself scales with threads. {@link TwoLoops} compares.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH sets parameters, and calls setup before all else
public class LoopsBenchmark {
    private static final int BATCHES = 1_024;
    private static final int ALONE_BYTES = 1_024;

    /** Number of rows of 1 KB, drawn uniformly. All are in memory, or in the processor's caches. */
    @Param({"12", "4096"})
    int users;

    /** The number of commands that arrive together. */
    @Param("16")
    int commands;

    private EmbeddedGateway gateway;

    /** A connection. */
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init")
    public static class Connection {
        private final byte[] own = new byte[ALONE_BYTES];
        private final CRC32 sum = new CRC32();
        private byte[][] batches;
        private EmbeddedClient client;
        private int next;

        /** Every connection reads other rows; all of them are lines afterwards. */
        @Setup(Level.Trial)
        public void connect(LoopsBenchmark shared) {
            client = shared.gateway.connect();
            SplittableRandom random =
                    new SplittableRandom(Thread.currentThread().getId());
            batches = new byte[BATCHES][];
            for (int i = 0; i < BATCHES; i++) {
                batches[i] = client.batch(
                        Read.ROW, true, shared.commands, command -> random.nextInt(shared.users), shared.users);
            }
        }

        /** Closes the connection. */
        @TearDown(Level.Trial)
        public void close() {
            client.close();
        }
    }

    @Setup(Level.Trial)
    public void start() throws Exception {
        gateway = EmbeddedGateway.start(users, 0);
    }

    @TearDown(Level.Trial)
    public void stop() {
        gateway.close();
    }

    /** Runs a batch of hits. */
    @Benchmark
    public int hits(Connection connection, Processor processor) {
        processor.operations++;
        return connection.client.send(connection.batches[connection.next++ & (BATCHES - 1)]);
    }

    /** Sums a kilobyte that only this thread uses. */
    @Benchmark
    public long alone(Connection connection, Processor processor) {
        processor.operations++;
        connection.sum.update(connection.own);
        return connection.sum.getValue();
    }
}
