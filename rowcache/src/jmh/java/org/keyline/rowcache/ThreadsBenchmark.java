package org.keyline.rowcache;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
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
 * Lookups of lines by many threads (option {@code -t}) that all hit: this cache against LRU maps behind one lock and behind
 * sixty-four.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH sets parameters, and calls setup before all else
public class ThreadsBenchmark {
    private static final int LINES = 100_000;
    private static final int ROW_BYTES = 100;
    private static final int SHARDS = 64;

    /** What keeps the lines. */
    public enum Kind {
        /** One LRU map behind one lock. */
        GLOBAL_LOCK,
        /** Sixty-four of them. */
        SHARDED,
        /** This cache. */
        KEYLINE
    }

    /** What keeps the lines. */
    @Param
    public Kind kind;

    private Lookup lookup;
    private int[] draws;

    /** Finds the line of a key. */
    private interface Lookup {
        @Nullable
        Object find(Session session, int line);
    }

    /** An LRU map behind a lock. */
    private static final class Lru {
        private final ReentrantLock lock = new ReentrantLock();
        private final Map<ByteBuffer, byte[]> lines = new LinkedHashMap<>(16, 0.75f, true);

        byte @Nullable [] get(ByteBuffer key) {
            lock.lock();
            try {
                return lines.get(key);
            } finally {
                lock.unlock();
            }
        }
    }

    /** What each thread has of its own. */
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init")
    public static class Session {
        private final KeyEncoder key = new KeyEncoder();
        private LineProbe probe;
        private int next;

        /** Every thread begins somewhere else. */
        @Setup
        public void begin(ThreadsBenchmark shared) {
            next = (int) Thread.currentThread().getId() * 7_001;
            probe = new LineProbe(Workload.table(Workload.cache()));
        }
    }

    /**
     * Processor time of the lookups, which stays what it is where other programs share the machine: nanoseconds over
     * lookups. Time spent waiting for a lock is not in it, the cost of going to sleep and waking up is.
     */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Processor {
        private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        private long began;

        /** Of this iteration, in nanoseconds. */
        public long cpuNanos;

        /** Of this iteration. */
        public long lookups;

        /** Starts counting. */
        @Setup(Level.Iteration)
        public void begin() {
            lookups = 0;
            cpuNanos = 0;
            began = threads.getCurrentThreadCpuTime();
        }

        /** Ends counting. */
        @TearDown(Level.Iteration)
        public void end() {
            cpuNanos = threads.getCurrentThreadCpuTime() - began;
        }
    }

    /** Fills whatever keeps the lines. */
    @Setup
    public void fill() {
        draws = Workload.zipfian(LINES, 1);
        lookup = switch (kind) {
            case GLOBAL_LOCK -> lru(1);
            case SHARDED -> lru(SHARDS);
            case KEYLINE -> keyline();
        };
    }

    private static Lookup lru(int count) {
        Lru[] shards = new Lru[count];
        for (int i = 0; i < count; i++) {
            shards[i] = new Lru();
        }
        KeyEncoder key = new KeyEncoder();
        for (int line = 0; line < LINES; line++) {
            ByteBuffer bytes = ByteBuffer.wrap(key.reset().int64(line).toBytes());
            shards[shard(bytes, count)].lines.put(bytes, new byte[ROW_BYTES]);
        }
        return (session, line) -> {
            session.key.reset().int64(line);
            ByteBuffer bytes = ByteBuffer.wrap(session.key.buffer(), 0, session.key.length());
            return shards[shard(bytes, count)].get(bytes);
        };
    }

    private static int shard(ByteBuffer key, int count) {
        int hash = key.hashCode() * 0x9E3779B9;
        return (hash >>> 16) & (count - 1);
    }

    private static Lookup keyline() {
        LineTable table = Workload.table(Workload.cache());
        Workload.fill(table, LINES, 1, ROW_BYTES);
        return (session, line) ->
                table.find(session.probe.aim(table, 0, session.key.reset().int64(line)), 0);
    }

    /** One lookup. */
    @Benchmark
    public Object find(Session session, Processor processor) {
        processor.lookups++;
        Object line = lookup.find(session, draws[session.next++ & (draws.length - 1)]);
        if (line == null) {
            throw new IllegalStateException("a miss");
        }
        return line;
    }
}
