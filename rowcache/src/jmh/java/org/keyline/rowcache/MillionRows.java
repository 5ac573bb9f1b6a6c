package org.keyline.rowcache;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;

/**
 * Measures the effect of a million cached rows of 1 KB on a garbage collector, as a program. It
 * fills a cache and reads it by Zipf's law at a given rate, while one read in a hundred has its
 * line dropped and loaded again. It prints pauses as a line of a Markdown table. Collector and heap
 * are those of its JVM.
 */
final class MillionRows {
    private static final int ROWS = 1_000_000;
    private static final double BUDGET = 0.75;
    private static final int ONE_LOAD_IN = 100;
    private static final int BATCH = 1_000;

    /** The garbage of a hit in the whole gateway. */
    private static final int GARBAGE_BYTES = 96;

    private static final int WARM_SECONDS = 5;
    private static final long SECOND = 1_000_000_000;
    private static final double MEBIBYTE = 1 << 20;

    private final int rowsPerLine;
    private final int lines;
    private final RowCache cache;
    private final LineTable table;
    private final LineProbe probe;
    private final Fence fence;
    private final KeyEncoder key = new KeyEncoder();
    private final byte[] row = new byte[Workload.ROW_BYTES];
    private final SplittableRandom random = new SplittableRandom(1);
    private final int[] draws;
    private int next;
    private byte[] garbage = Bytes.NONE;
    private long reads;
    private long misses;
    private long longestBatchNanos;

    private MillionRows(int rowsPerLine) {
        this.rowsPerLine = rowsPerLine;
        lines = ROWS / rowsPerLine;
        draws = Workload.zipfian(lines, 1);
        long maxBytes = (long) (Runtime.getRuntime().maxMemory() * BUDGET);
        cache = new RowCache(RowCacheOptions.of(maxBytes, 1, System::nanoTime, Runnable::run));
        table = cache.table(1, TableOptions.DEFAULT.withTtl(Duration.ofDays(1)));
        probe = new LineProbe(table);
        fence = cache.fence();
    }

    /**
     * Arguments: rows per line, default 1; measured seconds, default 30; reads per second, default
     * 200,000.
     */
    public static void main(String[] args) throws InterruptedException {
        int rowsPerLine = args.length > 0 ? Integer.parseInt(args[0]) : 1;
        int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 30;
        int perSecond = args.length > 2 ? Integer.parseInt(args[2]) : 200_000;
        MillionRows cached = new MillionRows(rowsPerLine);
        Pauses filling = Pauses.begin();
        cached.fill();
        filling.end();
        cached.read(WARM_SECONDS, perSecond);
        cached.forget();
        Pauses reading = Pauses.begin();
        cached.read(seconds, perSecond);
        reading.end();
        System.out.println(
                "| JVM, collectors | heap, MiB | rows a line | rows kept | evicted | live, MiB | reads/s | misses, % "
                        + "| longest 1,000 reads, ms | pauses while filling | pauses while reading |");
        System.out.println("|---|--:|--:|--:|--:|--:|--:|--:|--:|---|---|");
        System.out.println(cached.line(seconds, filling, reading));
    }

    private void fill() {
        for (int line = 0; line < lines; line++) {
            load(line);
        }
    }

    /**
     * Paced by batches; a late batch is followed by the next at once, as from clients that wait.
     */
    private void read(int seconds, int perSecond) {
        long batchNanos = SECOND * BATCH / perSecond;
        long end = System.nanoTime() + seconds * SECOND;
        long due = System.nanoTime();
        for (long now = due; now < end; now = System.nanoTime()) {
            if (now < due) {
                LockSupport.parkNanos(due - now);
                continue;
            }
            for (int i = 0; i < BATCH; i++) {
                readOne();
            }
            longestBatchNanos = Math.max(longestBatchNanos, System.nanoTime() - now);
            due = Math.max(due + batchNanos, now);
        }
    }

    private void readOne() {
        int line = draws[next++ & (draws.length - 1)];
        reads++;
        garbage = new byte[GARBAGE_BYTES];
        if (table.find(probe.aim(table, 0, key.reset().int64(line).int64(0)), 0) == null) {
            misses++;
            load(line);
        }
        if (reads % ONE_LOAD_IN == 0) {
            int written = random.nextInt(lines);
            fence.close(table, key.reset().int64(written));
            fence.open();
            load(written);
        }
    }

    private void load(int line) {
        key.reset().int64(line);
        table.load(probe.aim(table, 0, key), Workload.load(line, rowsPerLine, row), Workload.Ignored.INSTANCE);
    }

    private void forget() {
        reads = 0;
        misses = 0;
        longestBatchNanos = 0;
    }

    private String line(int seconds, Pauses filling, Pauses reading) {
        String collectors = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(GarbageCollectorMXBean::getName)
                .collect(Collectors.joining(", "));
        Runtime runtime = Runtime.getRuntime();
        System.gc();
        long live = runtime.totalMemory() - runtime.freeMemory();
        TableStats.Snapshot stats = table.stats().snapshot();
        return String.format(
                Locale.ROOT,
                "| %s, %s | %.0f | %d | %d | %d | %.0f | %.0f | %.2f | %.1f | %s | %s |",
                System.getProperty("java.version"),
                collectors,
                runtime.maxMemory() / MEBIBYTE,
                rowsPerLine,
                stats.lines() * rowsPerLine,
                stats.evictions(),
                (live - garbage.length) / MEBIBYTE,
                (double) reads / seconds,
                100.0 * misses / reads,
                longestBatchNanos / 1e6,
                filling,
                reading);
    }

    /** Marks the end of the measurement. */
    @Name(Ended.NAME)
    @StackTrace(false)
    static final class Ended extends Event {
        static final String NAME = "org.keyline.rowcache.Ended";
    }

    /** The JVM's own events about collections, between begin and end. */
    private static final class Pauses {
        private final RecordingStream events = new RecordingStream();
        private final ConcurrentLinkedQueue<Double> pauses = new ConcurrentLinkedQueue<>();
        private final ConcurrentLinkedQueue<Double> stalls = new ConcurrentLinkedQueue<>();
        private final ConcurrentHashMap<String, Integer> collections = new ConcurrentHashMap<>();
        private final CountDownLatch ended = new CountDownLatch(1);

        static Pauses begin() {
            Pauses begun = new Pauses();
            begun.events.enable("jdk.GCPhasePause");
            begun.events.enable("jdk.GarbageCollection");
            begun.events.enable("jdk.ZAllocationStall");
            begun.events.onEvent("jdk.GCPhasePause", event -> begun.pauses.add(millis(event)));
            begun.events.onEvent("jdk.ZAllocationStall", event -> begun.stalls.add(millis(event)));
            begun.events.onEvent(
                    "jdk.GarbageCollection",
                    event -> begun.collections.merge(event.getString("name"), 1, Integer::sum));
            begun.events.onEvent(Ended.NAME, event -> begun.ended.countDown());
            begun.events.startAsync();
            return begun;
        }

        /** Waits until all events until now have arrived. */
        void end() throws InterruptedException {
            // Events arrive in the order of their times, so the last own event comes after all
            // measured ones.
            new Ended().commit();
            ended.await();
            events.close();
        }

        private static double millis(RecordedEvent event) {
            return event.getDuration().toNanos() / 1e6;
        }

        private static double longest(Iterable<Double> millis) {
            double longest = 0;
            for (double each : millis) {
                longest = Math.max(longest, each);
            }
            return longest;
        }

        @Override
        public String toString() {
            double sum = pauses.stream().mapToDouble(Double::doubleValue).sum();
            String outcome = String.format(
                    Locale.ROOT,
                    "%d, longest %.1f ms, sum %.0f ms %s",
                    pauses.size(),
                    longest(pauses),
                    sum,
                    collections);
            return stalls.isEmpty()
                    ? outcome
                    : outcome
                            + String.format(
                                    Locale.ROOT, "; %d stalled, longest %.0f ms", stalls.size(), longest(stalls));
        }
    }
}
