package org.keyline.gateway.table;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.Ghosts;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.Load;
import org.keyline.rowcache.LoadListener;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;

/**
 * A table keyed (user, graph, vertex) whose granularity is chosen or fixed, with a simulated clock.
 * Requests arrive by a Poisson process; each reads several keys of one user, one after the other.
 * The time of a load is given. Confined to one thread.
 */
final class PrefixSimulation {
    static final long SECOND = 1_000_000_000L;
    private static final double MILLI = 1e6;
    private static final byte[] ROW = new byte[100];
    private static final TableName NAME = new TableName("d", "t");

    /** The rows of each user: this many graphs with this many vertices, numbered from 0. */
    record Rows(int users, int graphs, int vertices) {}

    /** Returns the time of a load of this many rows at a level, in milliseconds. */
    interface LoadMillis {
        double of(int cells, int rows);
    }

    /** Generates requests: a user, and the keys that it reads, as graph and vertex in turn. */
    interface Requests {
        int[] next(SplittableRandom random);
    }

    record Traffic(double requestsPerSecond, Requests requests) {}

    private record Event(long atNanos, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    /** A change of the granularity. */
    record Switch(double seconds, int cells) {}

    private final Rows rows;
    private final LoadMillis loadMillis;
    private final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final RowCache cache;
    private final CachedTables tables;
    private final TableSchema schema;
    private final KeyEncoder key = new KeyEncoder();
    private final KeyEncoder rowKey = new KeyEncoder();
    private final List<Switch> switches = new ArrayList<>();
    private CachedTable table;
    private LineProbe probe;
    private Traffic traffic;
    private long now = SECOND;
    private long number;

    long reads;
    long loads;
    long loadedRows;
    double loadedMillis;

    /** @param measured whether the granularity is chosen; otherwise it remains the initial one */
    PrefixSimulation(Rows rows, LoadMillis loadMillis, Traffic traffic, int cells, boolean measured, long seed) {
        this.rows = rows;
        this.loadMillis = loadMillis;
        this.traffic = traffic;
        this.random = new SplittableRandom(seed);
        ColumnType bigint = new ColumnType(ColumnType.Kind.BIGINT, false, 20, 0, null);
        schema = new TableSchema(
                NAME,
                1,
                TableModel.UNIQUE,
                List.of(
                        new ColumnSchema("u", bigint, false, null, false, ""),
                        new ColumnSchema("g", bigint, false, null, false, ""),
                        new ColumnSchema("v", bigint, false, null, false, "")),
                List.of(0, 1, 2),
                List.of(),
                "",
                Map.of());
        Catalog catalog = new Catalog() {
            @Override
            public @Nullable TableSchema table(String of, String name) {
                return schema;
            }

            @Override
            public long version() {
                return 1;
            }
        };
        cache = new RowCache(
                new RowCacheOptions(256 << 20, 1, 1_000_000, 1_024, 1_024, 100_000, seed, () -> now, Runnable::run));
        TableOptions options = TableOptions.DEFAULT.withPrefixCells(cells).withTtl(Duration.ofSeconds(1));
        tables = new CachedTables(cache, catalog, any -> options, any -> measured ? 1_000 : 0);
        table = requireNonNull(tables.of(schema));
        probe = new LineProbe(table.lines());
        at(now, this::request);
        at(now + SECOND, this::house);
    }

    List<Switch> switches() {
        return switches;
    }

    int cells() {
        return table.prefixCells();
    }

    AutoPrefix.Figures figures() {
        return requireNonNull(table.auto()).figures();
    }

    double millisPerRead() {
        return loadedMillis / reads;
    }

    void traffic(Traffic other) {
        traffic = other;
    }

    PrefixSimulation play(double seconds) {
        long until = now + (long) (seconds * SECOND);
        while (!events.isEmpty() && events.peek().atNanos() <= until) {
            Event event = events.poll();
            now = event.atNanos();
            event.action().run();
        }
        now = until;
        return this;
    }

    private void at(long nanos, Runnable action) {
        events.add(new Event(nanos, number++, action));
    }

    private void house() {
        cache.sweep(Integer.MAX_VALUE);
        if (tables.choose()) {
            table = requireNonNull(tables.of(schema));
            switches.add(new Switch((double) (now - SECOND) / SECOND, table.prefixCells()));
        }
        at(now + SECOND, this::house);
    }

    private void request() {
        new Request(traffic.requests().next(random)).next();
        at(now + (long) (-Math.log(1 - random.nextDouble()) / traffic.requestsPerSecond() * SECOND), this::request);
    }

    /** Reads of one user. */
    private final class Request implements LoadListener {
        private final int[] asked;
        private int position = 1;

        Request(int[] asked) {
            this.asked = asked;
        }

        void next() {
            while (position < asked.length) {
                key.reset().int64(asked[0]).int64(asked[position]).int64(asked[position + 1]);
                position += 2;
                reads++;
                Ghosts ghosts = table.ghosts();
                if (ghosts != null) {
                    int level = ghosts.read(key, table.lines().livesNanos(now), now);
                    if (level > 0) {
                        CachedTable shadow = table.shadow(cache, ghosts.cells(level));
                        shadow.lines().tryLoad(probe.aim(shadow.lines(), 0, key), PrefixSimulation.this::load);
                    }
                }
                probe.aim(table.lines(), 0, key);
                if (table.lines().find(probe, now) == null) {
                    table.lines().load(probe, PrefixSimulation.this::load, this);
                    return;
                }
            }
        }

        @Override
        public void loaded(Line line) {
            next();
        }

        @Override
        public void failed(Throwable cause) {
            throw new IllegalStateException(cause);
        }

        @Override
        public void declined(Decline reason) {
            throw new IllegalStateException(reason.toString());
        }
    }

    private void load(Load load) {
        KeyReader cells = new KeyReader().wrap(load.prefix(), 0, load.prefix().length);
        int count = load.table().options().prefixCells();
        long user = cells.int64();
        long graph = count > 1 ? cells.int64() : -1;
        long vertex = count > 2 ? cells.int64() : -1;
        int found = (graph < 0 ? rows.graphs() : graph < rows.graphs() ? 1 : 0)
                * (vertex < 0 ? rows.vertices() : vertex < rows.vertices() ? 1 : 0);
        double millis = loadMillis.of(count, found);
        loads++;
        loadedRows += found;
        loadedMillis += millis;
        at(now + (long) (millis * MILLI), () -> {
            for (int g = 0; g < rows.graphs(); g++) {
                for (int v = 0; v < rows.vertices(); v++) {
                    if ((graph < 0 || g == graph) && (vertex < 0 || v == vertex)) {
                        load.row(rowKey.reset().int64(user).int64(g).int64(v), ROW, 0, ROW.length);
                    }
                }
            }
            load.succeed();
        });
    }

    /**
     * Runs the simulation at each fixed level, and returns the one with the lowest cost per read.
     */
    static PrefixSimulation best(Rows rows, LoadMillis loadMillis, Traffic traffic, double seconds, long seed) {
        PrefixSimulation best = new PrefixSimulation(rows, loadMillis, traffic, 1, false, seed).play(seconds);
        for (int cells = 2; cells <= 3; cells++) {
            PrefixSimulation fixed = new PrefixSimulation(rows, loadMillis, traffic, cells, false, seed).play(seconds);
            best = fixed.millisPerRead() < best.millisPerRead() ? fixed : best;
        }
        return best;
    }
}
