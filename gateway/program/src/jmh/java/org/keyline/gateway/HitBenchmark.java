package org.keyline.gateway;

import java.util.concurrent.TimeUnit;
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
 * A hit from bytes in to bytes out: the whole gateway behind an embedded channel, rows of 1 KB. One
 * operation is one read batch; {@code ServerConnectionBenchmark} of the protocol measures the same channel without a
 * gateway behind it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH sets parameters, and calls setup before all else
public class HitBenchmark {
    private static final int USERS = EmbeddedGateway.VISITS;

    /** The number of commands that arrive together. */
    @Param({"1", "16"})
    int commands;

    /** COM_QUERY with literals, or COM_STMT_EXECUTE with bound values. */
    @Param({"text", "prepared"})
    String protocol;

    /** The read of each command. */
    @Param
    Read read;

    private EmbeddedGateway gateway;
    private EmbeddedClient client;
    private byte[] batch;

    @Setup(Level.Trial)
    public void start() throws Exception {
        gateway = EmbeddedGateway.start(USERS, 1);
        client = gateway.connect();
        batch = client.batch(read, protocol.equals("prepared"), commands, command -> 0, USERS);
    }

    @TearDown(Level.Trial)
    public void stop() {
        client.close();
        gateway.close();
    }

    /** Runs a batch of hits. */
    @Benchmark
    public int hit() {
        return client.send(batch);
    }
}
