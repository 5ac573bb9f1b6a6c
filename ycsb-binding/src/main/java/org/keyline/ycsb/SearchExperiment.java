package org.keyline.ycsb;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.keyline.ycsb.Search.Filter;
import org.keyline.ycsb.Search.Publication;

/**
 * An experiment that repeats published measurements of search within results, on records like those
 * of DBLP. One workload is a search in ten steps; the other is a mix of searches with one to three
 * filters. Compares Keyline with no cache, and with three caches in the application. The keys of
 * these caches are the statement's text, the set of filters, and a key by a published rule. All
 * answers to the same search must have the same ids in the same order. Confined to one thread.
 */
final class SearchExperiment {
    static final String OPTIONS =
            """
              --records N           a tenth of the published number; the caches are in proportion to 1 GB [%d]
              --words N             searches of ten steps for each way [20]
              --warm N              such searches ahead of them, which do not count [20]
              --queries N           of the mix [6000]
              --stores LIST         some of embedded,mariadb [embedded,mariadb]
              --redis PROGRAM       redis-server, valkey-server or a file: the published rule also with its results in a
                                    server of as many bytes as the caches
              --search HOW          how MariaDB finds a word: fulltext, or like, which reads all titles [fulltext]
            """.formatted(Bibliography.PUBLISHED_RECORDS / 10 + 1) + Options.common("installed", "-Xmx2g");

    private static final String NAME = "search-within-results";
    private static final String DATABASE = "ycsb";
    private static final String NO_CACHE = "no cache";
    private static final String KEYLINE = "Keyline";
    /** The best possible cache: only the first step takes time, because it must miss. */
    private static final String BOUND = "the bound";

    private static final double PUBLISHED_CACHE_BYTES = 1e9;
    private static final int NO_CACHE_QUERIES = 600;
    private static final int FIRST_RANK = 1_000;
    private static final long SEED = 1;
    private static final List<Integer> REPORTED_QUERIES =
            List.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 6_000, 10_000, 20_000, 50_000);

    /** Answers a search, and counts a hit of the way if the rows come from the way's own cache. */
    private interface Answering {
        List<Publication> answer(Way way, Search search) throws IOException, SQLException;
    }

    private static final class Way {
        private final String name;
        private final Answering answering;
        private long hits;

        Way(String name, Answering answering) {
            this.name = name;
            this.answering = answering;
        }
    }

    private final Harness harness;
    private final Options options;
    /** Whether MariaDB has a full-text index of the titles. */
    private final boolean wordIndex;

    private final Figures steps = new Figures("store", "way", "step", "mean ms", "against no cache %");
    private final Figures mixed =
            new Figures("store", "cache", "way", "hit rate %", "first ten, ms", "mean ms", "against the first ten %");
    private final Figures running = new Figures("store", "cache", "way", "queries", "mean ms so far");
    /** The ids of the right answer, by the key of the search. */
    private final Map<String, List<Integer>> expected = new HashMap<>();

    SearchExperiment(Harness harness) {
        this.harness = harness;
        this.options = harness.options();
        this.wordIndex = options.choices("search", "fulltext", "like").contains("fulltext");
    }

    void run() throws IOException, SQLException {
        harness.eachStore(this::measure);
        String conditions =
                "{records} records of about 750 bytes, MariaDB by {search}, {words} searches of ten steps after {warm} that do not count, {queries} mixed queries, caches of %s and %s KiB, {java}; client, gateway and store on one machine; the ids in all answers to the same search compared"
                        .formatted(kibibytes(1), kibibytes(4));
        harness.write(steps, NAME + "-steps", conditions);
        harness.write(mixed, NAME + "-mixed", conditions);
        harness.write(running, NAME + "-running", conditions);
        harness.plotByStore(steps, NAME + "-steps", "Ten steps of one search", "step", "mean ms", "way");
        harness.plotByStore(
                running.where("cache", "whole"), NAME + "-mixed", "Mixed searches", "queries", "mean ms so far", "way");
    }

    /** Returns {@code 1/part} of a cache with as many bytes per record as published, in KiB. */
    private long kibibytes(int part) {
        double share = options.count("records") / (double) Bibliography.PUBLISHED_RECORDS;
        return Math.max(64, Math.round(share * PUBLISHED_CACHE_BYTES / part / 1024));
    }

    private void measure(String store, Backend backend) throws IOException, SQLException {
        expected.clear();
        boolean fullText = wordIndex && backend.isShared();
        String program = options.text("redis");
        try (GatewayProcess whole = harness.gateway(backend, filters(1));
                GatewayProcess quarter = harness.gateway(backend, filters(4));
                // An embedded store is queried without a cache through a gateway that forwards
                // everything.
                GatewayProcess forwarding =
                        backend.isShared() ? null : harness.gateway(backend, List.of("--cache", "off"));
                RedisResults redis = program.isEmpty() ? null : RedisResults.start(program)) {
            Target straight = backend instanceof MariaDbServer server
                    ? server.straight(DATABASE)
                    : backend.through(Objects.requireNonNull(forwarding), DATABASE);
            Target throughWhole = backend.through(whole, DATABASE);
            Target throughQuarter = backend.through(quarter, DATABASE);
            for (Target each :
                    backend.isShared() ? List.of(straight) : List.of(straight, throughWhole, throughQuarter)) {
                new Bibliography(SEED).load(each, options.count("records"), fullText);
            }
            try (Connection plain = straight.open();
                    Connection cached = throughWhole.open();
                    Connection little = throughQuarter.open()) {
                steps(store, ways(plain, cached, fullText, 1, redis));
                mix(store, "whole", ways(plain, cached, fullText, 1, redis), cached, whole);
                List<Way> ways = ways(plain, little, fullText, 4, redis);
                mix(store, "quarter", ways.subList(2, ways.size()), little, quarter);
            }
        }
    }

    /**
     * Returns settings for filter lines in the whole cache, or a part of it, with room for the
     * result of any search. Privileges are cached for the whole run, because each step is a
     * statement shape of its own that runs rarely.
     */
    private List<String> filters(int part) {
        return Harness.settings(List.of(
                "cache.ttl=24h",
                "filter.enabled=true",
                "privilegeTtl=24h",
                "filter.size=" + kibibytes(part) + "KiB",
                "cache.size=" + 4 * kibibytes(1) + "KiB",
                "cache.maxRowsPerLine=100000",
                "cache.maxBytesPerLine=64MiB"));
    }

    private List<Way> ways(
            Connection plain, Connection keyline, boolean fullText, int part, @Nullable RedisResults redis)
            throws IOException {
        long bytes = kibibytes(part) * 1024;
        List<Way> ways = new ArrayList<>();
        ways.add(new Way(NO_CACHE, (way, search) -> rows(plain, search.sql(fullText))));
        ways.add(exact("exact text", plain, search -> search.sql(fullText), fullText, bytes));
        ways.add(exact("exact set", plain, search -> Search.key(search.sorted()), fullText, bytes));
        ways.add(published("the published rule", plain, fullText, new Search.Cache(bytes)));
        if (redis != null) {
            ways.add(published("the published rule, in a Redis", plain, fullText, redis.emptied(bytes)));
        }
        ways.add(new Way(KEYLINE, (way, search) -> rows(keyline, search.sql(fullText))));
        return ways;
    }

    private static Way exact(
            String name, Connection plain, Function<Search, String> key, boolean fullText, long bytes) {
        Search.Cache cache = new Search.Cache(bytes);
        return new Way(name, (way, search) -> {
            Optional<List<Publication>> known = cache.get(key.apply(search));
            if (known.isPresent()) {
                way.hits++;
                return known.get();
            }
            List<Publication> rows = rows(plain, search.sql(fullText));
            cache.put(key.apply(search), rows);
            return rows;
        });
    }

    private static Way published(String name, Connection plain, boolean fullText, Search.Results results) {
        return new Way(name, (way, search) -> {
            List<Filter> sorted = search.sorted();
            for (int parts = sorted.size(); parts > 0; parts--) {
                Optional<List<Publication>> known = results.get(Search.key(sorted.subList(0, parts)));
                if (known.isPresent()) {
                    way.hits++;
                    List<Filter> left = sorted.subList(parts, sorted.size());
                    List<Publication> rows = known.get().stream()
                            .filter(row -> left.stream().allMatch(filter -> filter.admits(row)))
                            .toList();
                    results.put(Search.key(sorted), rows);
                    return rows;
                }
            }
            List<Publication> rows = rows(plain, search.sql(fullText));
            results.put(Search.key(sorted), rows);
            return rows;
        });
    }

    private void steps(String store, List<Way> ways) throws IOException, SQLException {
        Map<String, double[]> nanos = new LinkedHashMap<>();
        int warm = options.count("warm");
        for (int word = 0; word < warm + options.count("words"); word++) {
            List<Search> searches = Search.steps(FIRST_RANK + 100 + word);
            for (Way way : ways) {
                double[] sums = nanos.computeIfAbsent(way.name, name -> new double[searches.size()]);
                for (int i = 0; i < searches.size(); i++) {
                    long took = timed(way, searches.get(i));
                    sums[i] += word < warm ? 0 : took;
                }
            }
        }
        double[] none = nanos.getOrDefault(NO_CACHE, new double[0]);
        for (Map.Entry<String, double[]> way : nanos.entrySet()) {
            double sum = 0;
            double all = 0;
            for (int i = 0; i < none.length; i++) {
                addStep(store, way.getKey(), Integer.toString(i + 1), way.getValue()[i], none[i]);
                sum += way.getValue()[i];
                all += none[i];
            }
            addStep(store, way.getKey(), "mean", sum / none.length, all / none.length);
        }
        double sum = Arrays.stream(none).sum();
        addStep(store, BOUND, "mean", none[0] / none.length, sum / none.length);
    }

    private void addStep(String store, String way, String step, double nanos, double none) {
        Object number = step.equals("mean") ? step : Long.valueOf(step);
        steps.row(store, way, number, nanos / options.count("words") / 1e6, 100 * (nanos / none - 1));
    }

    private void mix(String store, String cache, List<Way> ways, Connection keyline, GatewayProcess gateway)
            throws IOException, SQLException {
        for (Way way : ways) {
            try (Statement sql = keyline.createStatement()) {
                sql.execute("KEYLINE FLUSH FILTERS publications");
            }
            way.hits = 0;
            Counters before = gateway.counters();
            Random random = new Random(SEED);
            // Without a cache, a query does not affect the time of the next one, so fewer queries
            // suffice.
            int queries = way.name.equals(NO_CACHE)
                    ? Math.min(NO_CACHE_QUERIES, options.count("queries"))
                    : options.count("queries");
            double nanos = 0;
            double firstTen = Double.NaN;
            for (int i = 1; i <= queries; i++) {
                nanos += timed(way, Search.mixed(random));
                firstTen = i == 10 ? nanos / 10 : firstTen;
                if (i == queries || REPORTED_QUERIES.contains(i)) {
                    running.row(store, cache, way.name, (long) i, nanos / i / 1e6);
                }
            }
            double hits = way.name.equals(KEYLINE)
                    ? gateway.counters().since(before).get("keyline_table_filter_hits_total")
                    : way.hits;
            mixed.row(
                    store,
                    cache,
                    way.name,
                    100.0 * hits / queries,
                    firstTen / 1e6,
                    nanos / queries / 1e6,
                    100 * (nanos / queries / firstTen - 1));
            harness.out().println(store + ", " + cache + " cache, " + way.name + ": " + queries + " queries");
        }
    }

    /** Returns the time of a search in nanoseconds, and checks the answer. */
    private long timed(Way way, Search search) throws IOException, SQLException {
        long began = System.nanoTime();
        List<Publication> rows = way.answering.answer(way, search);
        long took = System.nanoTime() - began;
        List<Integer> ids = rows.stream().map(Publication::id).toList();
        @Nullable List<Integer> right = expected.putIfAbsent(Search.key(search.sorted()), ids);
        if (right != null && !right.equals(ids)) {
            throw new IOException(way.name + " answers other rows: " + search.sql(false));
        }
        return took;
    }

    private static List<Publication> rows(Connection connection, String sql) throws SQLException {
        List<Publication> found = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                found.add(new Publication(
                        rows.getInt(1),
                        rows.getString(2),
                        rows.getString(3),
                        rows.getInt(4),
                        rows.getString(5),
                        rows.getString(6),
                        rows.getString(7)));
            }
        }
        return found;
    }
}
