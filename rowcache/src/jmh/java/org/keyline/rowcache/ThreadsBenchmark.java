package org.keyline.rowcache;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * YCSB's mixes with many threads (option {@code -t}) on cached lines: this cache compared with
 * Caffeine alone, with an LRU map behind one lock, and with sixty-four of them. There is no store:
 * the cost of a write is its cost in the cache.
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
    private static final int MAX_SCAN = 100;

    /** The cache under test. */
    public enum Kind {
        /** One LRU map behind one lock. */
        GLOBAL_LOCK,
        /** Sixty-four of them. */
        SHARDED,
        /** Caffeine, with whole keys on the heap. */
        CAFFEINE,
        /** This cache. */
        KEYLINE
    }

    /** YCSB's core workloads. */
    public enum Mix {
        /** Half updates. */
        A(50),
        /** 5 % updates. */
        B(5),
        /** Reads. */
        C(0),
        /** Reads of the last written lines, 5 % inserts. */
        D(5),
        /** Scans of 1 to 100 lines, 5 % inserts. */
        E(5),
        /** Half reads, half reads that are followed by an update. */
        F(50);

        private final int writePercent;

        Mix(int writePercent) {
            this.writePercent = writePercent;
        }
    }

    /** The mix of operations. */
    @Param("C")
    public Mix mix;

    /** The cache under test. */
    @Param
    public Kind kind;

    private LineStore store;
    private int[] draws;

    /** The number of the next line that is inserted, instead of the oldest. */
    private final AtomicInteger inserted = new AtomicInteger();

    /** The state of each thread. */
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init")
    public static class Session {
        private final LineStore.Session lines = new LineStore.Session();
        private SplittableRandom random;
        private int next;

        /** Every thread begins at another line. */
        @Setup
        public void begin(ThreadsBenchmark shared) {
            int thread = (int) Thread.currentThread().getId();
            next = thread * 7_001;
            random = new SplittableRandom(thread);
        }
    }

    /** Fills the cache under test. */
    @Setup
    public void fill() {
        draws = Workload.zipfian(LINES, 1);
        store = LineStore.filled(kind, LINES, ROW_BYTES);
    }

    /** Runs one operation of the mix. */
    @Benchmark
    public void operation(Session session, Processor processor, Blackhole sink) {
        processor.operations++;
        int line = draws[session.next++ & (draws.length - 1)];
        boolean writes = mix.writePercent > 0 && session.random.nextInt(100) < mix.writePercent;
        switch (mix) {
            case A, B, C -> {
                if (writes) {
                    store.write(session.lines, line);
                } else {
                    find(session, line, sink);
                }
            }
            case D -> {
                if (writes) {
                    insert(session);
                } else {
                    find(session, Math.floorMod(inserted.get() - 1 - line, LINES), sink);
                }
            }
            case E -> {
                if (writes) {
                    insert(session);
                } else {
                    int length = 1 + session.random.nextInt(MAX_SCAN);
                    for (int i = 0; i < length; i++) {
                        find(session, (line + i) % LINES, sink);
                    }
                }
            }
            case F -> {
                find(session, line, sink);
                if (writes) {
                    store.write(session.lines, line);
                }
            }
        }
    }

    private void insert(Session session) {
        store.write(session.lines, Math.floorMod(inserted.getAndIncrement(), LINES));
    }

    /**
     * A line that another thread is writing may be absent for a moment; without writers all are
     * cached.
     */
    private void find(Session session, int line, Blackhole sink) {
        Object found = store.find(session.lines, line);
        if (found == null && mix == Mix.C) {
            throw new IllegalStateException("a miss");
        }
        sink.consume(found);
    }
}
