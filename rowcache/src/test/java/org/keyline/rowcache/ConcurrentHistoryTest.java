package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Readers, writers and loads in separate threads on a few keys. Some reads request the next keys
 * from one on, up or down, or the rows of a filter line. Some writes restore the lines that they
 * drop, or fence only the filter lines that contain their row. Some loads run ahead of the end of a
 * line, or complete with rows that were loaded elsewhere. Every key counts its writes. So a history
 * is linearizable under two conditions. No read shows less than was acknowledged, or returned to
 * any reader, before it began. And no read shows a value that was not yet written when it ended.
 */
final class ConcurrentHistoryTest {
    private static final int PREFIXES = 4;
    private static final int KEYS_PER_PREFIX = 3;
    private static final int KEYS = PREFIXES * KEYS_PER_PREFIX;
    private static final int THREADS = 4;
    private static final int OPERATIONS_PER_THREAD = 40_000;
    private static final int LOADERS = 2;
    private static final long PATIENCE_SECONDS = 120;

    /** Rows of a prefix that were loaded elsewhere, and the begin of that load. */
    private record Elsewhere(long beganNanos, List<byte[]> rows) {}

    private final ExecutorService loaders = Executors.newFixedThreadPool(LOADERS);
    private final AtomicLongArray store = new AtomicLongArray(KEYS);
    /** The least value that a read that begins now must show. */
    private final AtomicLongArray floors = new AtomicLongArray(KEYS);

    private final AtomicReferenceArray<@Nullable Elsewhere> elsewhere = new AtomicReferenceArray<>(PREFIXES);

    private final AtomicLong hits = new AtomicLong();
    private final AtomicLong scanned = new AtomicLong();
    private final AtomicLong filtered = new AtomicLong();
    private final AtomicLong loaded = new AtomicLong();
    private final AtomicLong forwarded = new AtomicLong();
    private final AtomicLong adopted = new AtomicLong();

    @Test
    void readersAndWriters_ofFewKeys_seeALinearHistory() throws Exception {
        run(1 << 20, 1_000, 1);
    }

    @Test
    void readersAndWriters_ofSplitPrefixesInLittleMemory_seeALinearHistory() throws Exception {
        run(2_000, 2, 1);
    }

    @Test
    void readersAndWriters_ofRangesOfKeys_seeALinearHistory() throws Exception {
        run(1 << 20, 3, 0);
        assertThat(scanned.get()).as("hits of reads from a key on").isPositive();
    }

    @Test
    void readersAndWriters_ofRangesOfKeysInLittleMemory_seeALinearHistory() throws Exception {
        run(2_000, 4, 0);
    }

    private void run(long maxBytes, int maxRows, int prefixCells) throws Exception {
        RowCache cache = new RowCache(
                new RowCacheOptions(maxBytes, 4, 3, 3, 2, 6, Fixture.SEED, System::nanoTime, Runnable::run), 1 << 20);
        TableOptions options = TableOptions.DEFAULT
                .withPrefixCells(prefixCells)
                .withTtl(Duration.ofMillis(2), Duration.ofMillis(20))
                .withCeilings(maxRows, 1_000)
                .withMaxWaiters(2);
        LineTable table =
                cache.table(1, options.withFilters(options.withPrefixCells(1).withCeilings(1_000, 10_000)));
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                SplittableRandom random = new SplittableRandom(thread + 1);
                running.add(threads.submit(() -> operate(cache, table, random)));
            }
            for (Future<?> each : running) {
                each.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
            loaders.shutdown();
        }
        assertThat(loaders.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(table.slots().size()).as("slots left over").isZero();
        assertThat(cache.loads()).as("loads left over").isZero();
        assertThat(cache.closedPrefixes()).as("prefixes left closed").isZero();
        assertThat(hits.get()).as("hits").isPositive();
        assertThat(filtered.get()).as("hits of filter lines").isPositive();
        assertThat(loaded.get()).as("answers of loads").isPositive();
        assertThat(forwarded.get()).as("forwarded reads").isPositive();
        TableStats.Snapshot seen = table.stats().snapshot();
        assertThat(seen.refreshes()).as("loads ahead").isPositive();
        if (prefixCells > 0 && maxRows >= KEYS_PER_PREFIX) {
            assertThat(adopted.get())
                    .as("loads that ended with rows of elsewhere")
                    .isPositive();
        }
    }

    private void operate(RowCache cache, LineTable table, SplittableRandom random) {
        LineProbe probe = new LineProbe(table);
        KeyEncoder key = new KeyEncoder();
        LineTable filters = Objects.requireNonNull(table.filters());
        LineProbe filter = new LineProbe(filters);
        Fence fence = cache.fence();
        for (int i = 0; i < OPERATIONS_PER_THREAD; i++) {
            int number = random.nextInt(KEYS);
            int dice = random.nextInt(1_000);
            if (dice < 200) {
                readByFilter(filters, filter, key, random);
            } else if (dice < 400 && table.isRanged()) {
                scan(table, probe, encode(key, number), number, random);
            } else if (dice < 940) {
                read(table, probe, encode(key, number), number, random);
            } else if (dice < 943) {
                loadElsewhere(random.nextInt(PREFIXES));
            } else if (dice < 950) {
                table.refresh(
                        probe.aim(table, 0, encode(key, number)), load -> loaders.execute(() -> select(load, false)));
            } else if (dice < 960) {
                // All writes use fences, so all of them have been reported.
                table.extendFreshness(System.nanoTime());
            } else if (dice < 998) {
                write(table, fence, random, encode(key, number), number);
            } else if (dice < 999) {
                table.flush(encode(key, number));
            } else {
                cache.sweep(3);
            }
        }
    }

    private void write(LineTable table, Fence fence, SplittableRandom random, KeyEncoder key, int number) {
        int dice = random.nextInt(100);
        if (dice < 1) {
            fence.closeAll();
        } else if (dice < 2) {
            // The fence of a write that is not executed.
            fence.closeAll();
            fence.reopenAll();
            fence.open();
            return;
        } else if (dice < 4) {
            fence.close(table);
        } else if (dice < 70) {
            fence.close(table, key);
        } else {
            // The name of a filter line is whether its keys are even.
            byte[] name = new KeyEncoder().int64(number % 2).toBytes();
            AddedRow row = (line, from, to) -> Arrays.equals(line, from, to, name, 0, name.length);
            fence.closeToAdd(table, key, row);
            fence.wrote(row, true);
        }
        long written = store.incrementAndGet(number);
        fence.open();
        raise(number, written);
    }

    private void read(LineTable table, LineProbe probe, KeyEncoder key, int number, SplittableRandom random) {
        long floor = floors.get(number);
        Line line = table.find(probe.aim(table, 0, key), System.nanoTime());
        if (line != null) {
            hits.incrementAndGet();
            check(line, number, floor);
            return;
        }
        boolean fails = random.nextInt(50) == 0;
        Waiting waiting = new Waiting();
        table.load(probe, load -> loaders.execute(() -> select(load, fails)), waiting);
        Line answer = waiting.answer();
        if (answer != null) {
            loaded.incrementAndGet();
            check(answer, number, floor);
        } else {
            forwarded.incrementAndGet();
            check(store.get(number), number, floor);
        }
    }

    /** Reads the next rows from a key on, as far as one line contains them. */
    private void scan(LineTable table, LineProbe probe, KeyEncoder key, int number, SplittableRandom random) {
        long[] least = leastToSee();
        boolean down = random.nextBoolean();
        probe.aim(table, 0, key);
        Line line = table.find(down ? probe.downwards() : probe.upwards(), System.nanoTime());
        if (line == null) {
            Waiting waiting = new Waiting();
            table.load(probe, load -> loaders.execute(() -> select(load, false)), waiting);
            line = waiting.answer();
        } else {
            scanned.incrementAndGet();
        }
        if (line == null) {
            forwarded.incrementAndGet();
            return;
        }
        for (int i = down ? number - 1 : number; i >= 0 && i < KEYS && isIn(line, i); i += down ? -1 : 1) {
            check(line, 0, i, least[i]);
        }
    }

    /** Returns whether a key is within the bounds of a range. */
    private static boolean isIn(Line line, int number) {
        byte[] key = encode(new KeyEncoder(), number).toBytes();
        int from = line.beginOffset();
        int to = line.endOffset();
        return Arrays.compareUnsigned(line.bytes(), from, from + line.beginLength(), key, 0, key.length) <= 0
                && (line.endLength() < 0
                        || Arrays.compareUnsigned(line.bytes(), to, to + line.endLength(), key, 0, key.length) > 0);
    }

    /** Reads one of two filter lines, each of which has every second row. */
    private void readByFilter(LineTable filters, LineProbe probe, KeyEncoder key, SplittableRandom random) {
        long[] least = leastToSee();
        int parity = random.nextInt(2);
        Line line = filters.find(probe.aim(filters, 0, key.reset().int64(parity)), System.nanoTime());
        if (line == null) {
            Waiting waiting = new Waiting();
            filters.load(probe, load -> loaders.execute(() -> selectEverySecond(load, parity)), waiting);
            line = waiting.answer();
        } else {
            filtered.incrementAndGet();
        }
        for (int i = parity; line != null && i < KEYS; i += 2) {
            check(line, 0, i, least[i]);
        }
    }

    private void selectEverySecond(Load load, int parity) {
        KeyEncoder key = new KeyEncoder();
        for (int i = parity; i < KEYS; i += 2) {
            byte[] row = text(store.get(i));
            load.row(
                    key.reset().int64(parity).int64(i / KEYS_PER_PREFIX).int64(i % KEYS_PER_PREFIX),
                    row,
                    0,
                    row.length);
        }
        load.succeed();
    }

    private long[] leastToSee() {
        long[] least = new long[KEYS];
        Arrays.setAll(least, floors::get);
        return least;
    }

    private void check(Line line, int number, long floor) {
        check(line, line.table().options().prefixCells(), number, floor);
    }

    /** @param prefixCells the number of cells of the row's key in the line's name */
    private void check(Line line, int prefixCells, int number, long floor) {
        KeyEncoder key = encode(new KeyEncoder(), number);
        int row = line.find(key.buffer(), key.cellEnd(prefixCells), key.length());
        assertThat(row).as("row of key %s", number).isNotNegative();
        String text = new String(line.bytes(), line.rowOffset(row), line.rowLength(row), StandardCharsets.US_ASCII);
        check(Long.parseLong(text), number, floor);
    }

    private void check(long seen, int number, long floor) {
        if (seen < floor || seen > store.get(number)) {
            throw new AssertionError(
                    "key " + number + ": saw " + seen + ", expected " + floor + ".." + store.get(number));
        }
        raise(number, seen);
    }

    private void raise(int number, long seen) {
        floors.accumulateAndGet(number, seen, Math::max);
    }

    private static byte[] text(long version) {
        return Long.toString(version).getBytes(StandardCharsets.US_ASCII);
    }

    /** Loads like another gateway, and stores the rows where this one finds them later. */
    private void loadElsewhere(int prefix) {
        long beganNanos = System.nanoTime();
        List<byte[]> rows = new ArrayList<>();
        for (int i = 0; i < KEYS_PER_PREFIX; i++) {
            rows.add(text(store.get(prefix * KEYS_PER_PREFIX + i)));
        }
        elsewhere.set(prefix, new Elsewhere(beganNanos, rows));
    }

    /** Returns whether the load completed with rows that were loaded elsewhere. */
    private boolean adopts(Load load) {
        int prefix = 0;
        while (!load.isFor(encode(new KeyEncoder(), prefix * KEYS_PER_PREFIX))) {
            prefix++;
        }
        Elsewhere found = elsewhere.get(prefix);
        if (found == null) {
            return false;
        }
        KeyEncoder key = new KeyEncoder();
        for (int i = 0; i < KEYS_PER_PREFIX; i++) {
            byte[] row = found.rows().get(i);
            if (!load.row(encode(key, prefix * KEYS_PER_PREFIX + i), row, 0, row.length)) {
                break;
            }
        }
        return load.succeedAsOf(found.beganNanos(), () -> true);
    }

    private void select(Load load, boolean fails) {
        if (load.isWhole() && !load.table().isRanged() && adopts(load)) {
            adopted.incrementAndGet();
            return;
        }
        byte[] from = load.from();
        byte[] to = load.to();
        KeyEncoder key = new KeyEncoder();
        for (int i = 0; i < KEYS; i++) {
            int number = load.descends() ? KEYS - 1 - i : i;
            byte[] bytes = encode(key, number).toBytes();
            boolean wanted = load.isFor(key)
                    && (from == null || Arrays.compareUnsigned(bytes, from) >= 0)
                    && (to == null || Arrays.compareUnsigned(bytes, to) < 0);
            byte[] row = text(store.get(number));
            if (wanted && !load.row(key, row, 0, row.length)) {
                break;
            }
        }
        if (fails) {
            load.fail(new RuntimeException("store"));
        } else {
            load.succeed();
        }
    }

    private static KeyEncoder encode(KeyEncoder key, int number) {
        return key.reset().int64(number / KEYS_PER_PREFIX).int64(number % KEYS_PER_PREFIX);
    }

    /** A read that blocks its thread until its result. */
    private static final class Waiting implements LoadListener {
        private final CountDownLatch notified = new CountDownLatch(1);
        private volatile @Nullable Line line;

        @Nullable
        Line answer() {
            try {
                if (!notified.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    throw new AssertionError("a read was not notified");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
            return line;
        }

        @Override
        public void loaded(Line line) {
            this.line = line;
            notified.countDown();
        }

        @Override
        public void failed(Throwable cause) {
            notified.countDown();
        }

        @Override
        public void declined(Decline reason) {
            notified.countDown();
        }
    }
}
