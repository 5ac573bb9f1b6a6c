package org.keyline.rowcache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A cache whose clock and loads the test controls. Keys have two integer cells, the first of which
 * is the prefix; rows are short texts.
 */
final class Fixture {
    static final long SEED = 42;
    static final long MILLISECOND = 1_000_000;
    static final Duration TTL = Duration.ofSeconds(1);
    static final int TEXT = 0;

    /** A clock that only the test moves. */
    static final class Clock implements Ticker {
        private long nanos = 5;

        @Override
        public long read() {
            return nanos;
        }

        void advance(Duration time) {
            nanos += time.toNanos();
        }
    }

    /** The result of a read. */
    static class SessionAnswer implements LoadListener {
        @Nullable
        Line line;

        @Nullable
        Throwable cause;

        @Nullable
        Decline decline;

        int times;

        /** Returns the line with which the read must have been answered. */
        Line served() {
            assertThat(times).as("notifications").isEqualTo(1);
            return Objects.requireNonNull(line, () -> "no line: " + decline + ", " + cause);
        }

        @Override
        public void loaded(Line line) {
            this.line = line;
            times++;
        }

        @Override
        public void failed(Throwable cause) {
            this.cause = cause;
            times++;
        }

        @Override
        public void declined(Decline reason) {
            this.decline = reason;
            times++;
        }
    }

    final Clock clock = new Clock();
    final RowCache cache;
    final LineTable table;
    /** Started loads that the test has not taken yet. */
    final Deque<Load> started = new ArrayDeque<>();

    final Loader loader = started::add;
    private final KeyEncoder encoder = new KeyEncoder();

    Fixture() {
        this(TableOptions.DEFAULT.withTtl(TTL));
    }

    Fixture(TableOptions tableOptions) {
        this(1 << 20, tableOptions);
    }

    Fixture(long maxBytes, TableOptions tableOptions) {
        Clock ticker = clock;
        this.cache = new RowCache(RowCacheOptions.of(maxBytes, SEED, ticker, Runnable::run));
        this.table = cache.table(1, tableOptions);
    }

    Fixture(RowCacheOptions options, TableOptions tableOptions) {
        this.cache = new RowCache(new RowCacheOptions(
                options.maxBytes(),
                options.maxTables(),
                options.maxLoads(),
                options.maxRangesPerPrefix(),
                options.maxPrefixesPerFence(),
                options.maxClosedPrefixes(),
                options.hashSeed(),
                clock,
                options.executor()));
        this.table = cache.table(1, tableOptions);
    }

    static RowCacheOptions options() {
        return RowCacheOptions.of(1 << 20, SEED, () -> 0, Runnable::run);
    }

    long now() {
        return clock.read();
    }

    static KeyEncoder key(long... cells) {
        KeyEncoder key = new KeyEncoder();
        for (long cell : cells) {
            key.int64(cell);
        }
        return key;
    }

    LineProbe probe(long... cells) {
        return new LineProbe(table).aim(table, TEXT, key(cells));
    }

    @Nullable
    Line find(long... cells) {
        return table.find(probe(cells), now());
    }

    /** Returns the cache's answer for one key: the row, "absent", or null without an answer. */
    @Nullable
    String get(long first, long second) {
        Line line = find(first, second);
        return line == null ? null : row(line, first, second);
    }

    static String row(Line line, long first, long second) {
        KeyEncoder key = key(first, second);
        int row = line.find(key.buffer(), line.prefix().length, key.length());
        return row < 0 ? "absent" : text(line, row);
    }

    static String text(Line line, int row) {
        return new String(line.bytes(), line.rowOffset(row), line.rowLength(row), UTF_8);
    }

    static List<String> texts(Line line) {
        List<String> texts = new ArrayList<>();
        for (int row = 0; row < line.rows(); row++) {
            texts.add(text(line, row));
        }
        return texts;
    }

    SessionAnswer read(long... cells) {
        SessionAnswer outcome = new SessionAnswer();
        table.load(probe(cells), loader, outcome);
        return outcome;
    }

    /** Returns the oldest started load. */
    Load takeLoad() {
        return started.remove();
    }

    boolean feed(Load load, long first, long second, String row) {
        encoder.reset().int64(first).int64(second);
        byte[] bytes = row.getBytes(UTF_8);
        return load.row(encoder, bytes, 0, bytes.length);
    }

    /** Feeds rows of one prefix like a store, within the requested bounds, and ends the load. */
    void serve(Load load, long prefix, Map<Long, String> rows) {
        for (Map.Entry<Long, String> row : rows.entrySet()) {
            byte[] key = key(prefix, row.getKey()).toBytes();
            byte[] from = load.from();
            byte[] to = load.to();
            boolean wanted = (from == null || Arrays.compareUnsigned(key, from) >= 0)
                    && (to == null || Arrays.compareUnsigned(key, to) < 0);
            if (wanted && !feed(load, prefix, row.getKey(), row.getValue())) {
                break;
            }
        }
        load.succeed();
    }

    /** Reads a prefix and serves the load. */
    Line loaded(long prefix, Map<Long, String> rows) {
        SessionAnswer outcome = read(prefix);
        serve(takeLoad(), prefix, rows);
        return outcome.served();
    }

    /** Checks the invariants between operations. */
    void checkInvariants() {
        checkInvariants(table);
    }

    /** Checks the invariants if {@code current} has replaced the table. */
    void checkInvariants(LineTable current) {
        cache.cleanUp();
        // A table that replaced another one continues its counters.
        Map<TableStats, long[]> sums = new HashMap<>();
        long total = 0;
        for (LineKey entry : table.lines().asMap().values()) {
            long[] sum = sums.computeIfAbsent(entry.table().stats(), t -> new long[2]);
            long weight = entry instanceof Line line ? line.weight() : ((Ranges) entry).weight();
            sum[0] += entry instanceof Line ? 1 : 0;
            sum[1] += weight;
            total += weight;
        }
        assertThat(total).as("budget").isLessThanOrEqualTo(cache.options().maxBytes());
        for (LineTable each : List.of(table, current)) {
            long[] sum = sums.getOrDefault(each.stats(), new long[2]);
            TableStats.Snapshot stats = each.stats().snapshot();
            assertThat(stats.lines()).as("lines").isEqualTo(sum[0]);
            assertThat(stats.bytes()).as("bytes").isEqualTo(sum[1]);
        }
    }
}
