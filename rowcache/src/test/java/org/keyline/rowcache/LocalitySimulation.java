package org.keyline.rowcache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * The locality case on the real cache with a simulated clock: rows keyed (user, graph, vertex).
 * Requests arrive by a Poisson process; each reads several vertices in several graphs of one user,
 * one query after the other. The time of a load is given, not measured. Confined to one thread.
 */
final class LocalitySimulation {
    /*
     * The arrival model. A line is loaded by the first query that needs it and then answers for one
     * ttl, to all queries of that request and of those that come for the same line meanwhile. With
     * q queries in a request, Q queries a second and N users equally likely, a line of a user
     * answers q + Q / N * ttl queries, so the load share is 1 / (q + Q / N * ttl). Two published
     * shares, 4.12 % at 68,000 and 1.95 % at 717,000 queries a second, fix both unknowns: N =
     * 24,030 and q = 21.44. The share of (user, graph) at 68,000, 23.5 %, splits q into 5.2 graphs
     * of 4.12 vertices, chosen among 21 graphs; and that a line of one row saves nothing (100 %)
     * says that a second request seldom asks for the same vertex. So most of what is asked for does
     * not exist: a user has about 12 rows.
     */
    static final int USERS = 24_030;

    private static final double REQUEST_GRAPHS = 5.2;
    private static final double REQUEST_VERTICES = 4.12;
    private static final int GRAPHS = 21;
    private static final int VERTICES = 20;
    private static final int ROWS_OF_USER = 12;
    private static final double WRITES_OF_USER_PER_SECOND = 0.05;
    private static final double ZIPFIAN_EXPONENT = 0.99;
    private static final byte[] ROW = new byte[100];
    private static final long SECOND = 1_000_000_000L;
    private static final long MAX_BYTES = 256L << 20;

    /**
     * One simulation. Immutable.
     *
     * @param users equally likely, unless {@code skewed}: then by Zipf's law
     * @param usersPerLine users whose rows are neighbours under the first cell of the key, 1 or
     *     more
     * @param prefixCells load granularity: 3 (a row), 2 (user, graph) or 1 (user, or that many
     *     users)
     * @param loadNanos the time of a load
     * @param signalNanos the time from when a write is visible in the store until the cache is
     *     notified; 0: never
     */
    record Settings(
            double queriesPerSecond,
            int users,
            boolean skewed,
            int usersPerLine,
            int prefixCells,
            Duration ttl,
            long loadNanos,
            long signalNanos) {
        /** Returns the published settings: a ttl of one second, no signals. */
        static Settings published(double queriesPerSecond, int users, int prefixCells, double loadMillis) {
            return new Settings(
                    queriesPerSecond,
                    users,
                    false,
                    1,
                    prefixCells,
                    Duration.ofSeconds(1),
                    (long) (loadMillis * 1_000_000),
                    0);
        }
    }

    /**
     * The outcome of the measured part.
     *
     * @param peakLines maximum number of lines in memory, sampled ten times a second
     * @param maxStaleNanos longest time for which an answer from a line lacked a write that the
     *     store had shown
     */
    record Outcome(
            long queries,
            long hits,
            long loads,
            long waits,
            long declines,
            long loadNanos,
            long rowsLoaded,
            long evictions,
            long peakLines,
            long maxStaleNanos) {
        double loadShare() {
            return (double) loads / queries;
        }

        double hitShare() {
            return (double) hits / queries;
        }
    }

    private record Event(long atNanos, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private final Settings settings;
    private final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final RowCache cache;
    private final LineTable table;
    private final LineProbe probe;
    private final KeyEncoder key = new KeyEncoder();
    private final KeyEncoder rowKey = new KeyEncoder();
    private final double[] cumulated;
    private final List<TreeSet<Long>> writes = new ArrayList<>();
    private long now;
    private long number;
    private long declines;
    private long peakLines;
    private long maxStaleNanos;

    private LocalitySimulation(Settings settings, long seed) {
        this.settings = settings;
        random = new SplittableRandom(seed);
        cache = new RowCache(
                new RowCacheOptions(MAX_BYTES, 1, 1_000_000, 1_024, 1_024, 100_000, seed, () -> now, Runnable::run));
        table = cache.table(
                1, TableOptions.DEFAULT.withPrefixCells(settings.prefixCells()).withTtl(settings.ttl()));
        probe = new LineProbe(table);
        cumulated = new double[settings.skewed() ? settings.users() : 0];
        double sum = 0;
        for (int i = 0; i < cumulated.length; i++) {
            sum += 1 / Math.pow(i + 1, ZIPFIAN_EXPONENT);
            cumulated[i] = sum;
        }
        for (int user = 0; user < settings.users(); user++) {
            writes.add(new TreeSet<>());
        }
    }

    /** Simulates one ttl, at least a second, and then {@code seconds} that are measured. */
    static Outcome run(Settings settings, int seconds, long seed) {
        LocalitySimulation simulation = new LocalitySimulation(settings, seed);
        long warm = Math.max(SECOND, settings.ttl().toNanos());
        simulation.at(0, simulation::request);
        simulation.at(0, simulation::write);
        simulation.at(0, () -> simulation.observe(1));
        simulation.play(warm);
        TableStats.Snapshot before = simulation.table.stats().snapshot();
        simulation.declines = 0;
        simulation.peakLines = 0;
        simulation.maxStaleNanos = 0;
        simulation.play(warm + seconds * SECOND);
        return simulation.outcome(before);
    }

    private Outcome outcome(TableStats.Snapshot before) {
        TableStats.Snapshot after = table.stats().snapshot();
        return new Outcome(
                after.queries() - before.queries(),
                after.hits() - before.hits(),
                after.loads() - before.loads(),
                after.waits() - before.waits(),
                declines,
                after.loadNanos() - before.loadNanos(),
                after.rowsLoaded() - before.rowsLoaded(),
                after.evictions() - before.evictions(),
                peakLines,
                maxStaleNanos);
    }

    private void play(long untilNanos) {
        while (!events.isEmpty() && events.peek().atNanos() <= untilNanos) {
            Event event = events.poll();
            now = event.atNanos();
            event.action().run();
        }
        now = untilNanos;
    }

    private void at(long nanos, Runnable action) {
        events.add(new Event(nanos, number++, action));
    }

    private void after(double perSecond, Runnable action) {
        at(now + (long) (-Math.log(1 - random.nextDouble()) / perSecond * SECOND), action);
    }

    private void observe(int count) {
        peakLines = Math.max(peakLines, table.stats().snapshot().lines());
        if (count % 10 == 0) {
            cache.sweep(Integer.MAX_VALUE); // once a second, as the gateway does
        }
        at(now + SECOND / 10, () -> observe(count + 1));
    }

    private void request() {
        new Request().next();
        after(settings.queriesPerSecond() / (REQUEST_GRAPHS * REQUEST_VERTICES), this::request);
    }

    /** A write past the gateway: the cache may only be notified by a signal. */
    private void write() {
        int user = random.nextInt(settings.users());
        writes.get(user).add(now);
        if (settings.signalNanos() > 0) {
            at(now + settings.signalNanos(), () -> table.flush(rowKey(user, 0, 0)));
        }
        after(settings.users() * WRITES_OF_USER_PER_SECOND, this::write);
    }

    private int user() {
        if (!settings.skewed()) {
            return random.nextInt(settings.users());
        }
        int rank = Arrays.binarySearch(cumulated, random.nextDouble() * cumulated[cumulated.length - 1]);
        return Math.min(rank < 0 ? -1 - rank : rank, settings.users() - 1);
    }

    private int about(double mean) {
        int floor = (int) mean;
        return random.nextDouble() < mean - floor ? floor + 1 : floor;
    }

    /** Queries of one user, one after the other. */
    private final class Request implements LoadListener {
        private final int user = user();
        private final int[] asked;
        private int position;

        Request() {
            int[] graphs = distinct(about(REQUEST_GRAPHS), GRAPHS);
            int[][] vertices = new int[graphs.length][];
            int count = 0;
            for (int i = 0; i < graphs.length; i++) {
                vertices[i] = distinct(about(REQUEST_VERTICES), VERTICES);
                count += vertices[i].length;
            }
            asked = new int[count];
            for (int i = 0, to = 0; i < graphs.length; i++) {
                for (int vertex : vertices[i]) {
                    asked[to++] = graphs[i] * VERTICES + vertex;
                }
            }
        }

        void next() {
            while (position < asked.length) {
                int place = asked[position++];
                table.stats().countQuery();
                probe.aim(table, 0, cells(key.reset(), user, place / VERTICES, place % VERTICES));
                Line line = table.find(probe, now);
                if (line == null) {
                    table.load(probe, load -> at(now + settings.loadNanos(), () -> deliver(load, user, place)), this);
                    return;
                }
                table.stats().countHit();
                served(line);
            }
        }

        private void served(Line line) {
            Long missed = writes.get(user).higher(line.loadBeganNanos());
            if (missed != null) {
                maxStaleNanos = Math.max(maxStaleNanos, now - missed);
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
            declines++;
            at(now + settings.loadNanos(), this::next);
        }
    }

    private int[] distinct(int count, int bound) {
        int[] chosen = new int[count];
        for (int i = 0; i < count; ) {
            int candidate = random.nextInt(bound);
            boolean fresh = true;
            for (int j = 0; j < i; j++) {
                fresh &= chosen[j] != candidate;
            }
            if (fresh) {
                chosen[i++] = candidate;
            }
        }
        return chosen;
    }

    /** The store returns the existing rows of this vertex's line, in key order. */
    private void deliver(Load load, int user, int place) {
        int first = user - user % settings.usersPerLine();
        int last = Math.min(first + settings.usersPerLine(), settings.users());
        for (int owner = first; owner < last; owner++) {
            for (int row = 0; row < ROWS_OF_USER; row++) {
                int itsGraph = row * GRAPHS / ROWS_OF_USER;
                int itsVertex = (owner * 31 + row * 7) % VERTICES;
                if (settings.prefixCells() < 2
                        || (itsGraph == place / VERTICES
                                && (settings.prefixCells() < 3 || itsVertex == place % VERTICES))) {
                    load.row(rowKey(owner, itsGraph, itsVertex), ROW, 0, ROW.length);
                }
            }
        }
        load.succeed();
    }

    private KeyEncoder rowKey(int user, int graph, int vertex) {
        return cells(rowKey.reset(), user, graph, vertex);
    }

    private KeyEncoder cells(KeyEncoder to, int user, int graph, int vertex) {
        if (settings.usersPerLine() > 1) {
            to.int64(user / settings.usersPerLine());
        }
        return to.int64(user).int64(graph).int64(vertex);
    }
}
