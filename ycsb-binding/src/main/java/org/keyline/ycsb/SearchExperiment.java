package org.keyline.ycsb;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
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
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.keyline.ycsb.Search.Filter;
import org.keyline.ycsb.Search.Publication;

/**
 * Search within results, as published for records of DBLP: ten steps of one search, and a mix of
 * searches with one to three filters. Compares no cache, caches in the application with three kinds
 * of keys (text, set of filters, published rule), and Keyline. All answers to the same search must
 * have the same ids in the same order. Confined to one thread.
 */
final class SearchExperiment {
    private static final String USAGE = """
            usage: java -jar keyline-ycsb.jar experiment search-within-results [options]

              --records N        default 550799, a tenth of the published number; the caches are in proportion to 1 GB
              --words N          searches of ten steps for each way, default 20
              --warm N           such searches ahead of them, which do not count, default 20
              --queries N        of the mix, default 6000
              --stores LIST      some of embedded,mariadb (default both)
              --mariadb WHERE    HOST:PORT, or "installed" (default) to start the one installed here
              --mariadb-user U, --mariadb-password P    for a server that runs already, default root and none
              --redis PROGRAM    the published rule also with its results in a server of as many bytes as the caches:
                                 redis-server, valkey-server or a file; default none
              --search HOW       how MariaDB finds a word: fulltext (default), or like, which reads all titles
              --gateway JAR      default gateway/target/keyline.jar
              --java OPTION      one argument of the gateways' JVMs, repeatable, default -Xmx2g
              --output DIR       default docs/experiments
            """;

    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("records", Integer.toString(Bibliography.PUBLISHED_RECORDS / 10 + 1)),
            Map.entry("words", "20"),
            Map.entry("warm", "20"),
            Map.entry("queries", "6000"),
            Map.entry("stores", "embedded,mariadb"),
            Map.entry("mariadb", "installed"),
            Map.entry("mariadb-user", "root"),
            Map.entry("mariadb-password", ""),
            Map.entry("redis", ""),
            Map.entry("search", "fulltext"),
            Map.entry("gateway", "gateway/target/keyline.jar"),
            Map.entry("java", "-Xmx2g"),
            Map.entry("output", Experiments.OUTPUT));

    private static final String NAME = "search-within-results";
    private static final String NO_CACHE = "no cache";
    private static final String KEYLINE = "Keyline";
    /** The best that a cache can do: the first step misses, and the others take no time. */
    private static final String BOUND = "the bound";

    private static final double PUBLISHED_CACHE_BYTES = 1e9;
    private static final int NO_CACHE_QUERIES = 600;
    private static final int FIRST_RANK = 1_000;
    private static final long SEED = 1;
    private static final List<Integer> REPORTED_QUERIES =
            List.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 6_000, 10_000, 20_000, 50_000);

    /** One way to answer searches; counts the answers that came from its cache. */
    private abstract static class Way {
        private final String name;
        private long hits;

        Way(String name) {
            this.name = name;
        }

        abstract List<Publication> answer(Search search) throws IOException, SQLException;

        void hit() {
            hits++;
        }
    }

    private final Options options;
    private final PrintStream out;
    /** Whether MariaDB has a full-text index of the titles. */
    private final boolean wordIndex;

    private final Figures steps = new Figures("store", "way", "step", "mean ms", "against no cache %");
    private final Figures mixed =
            new Figures("store", "cache", "way", "hit rate %", "first ten, ms", "mean ms", "against the first ten %");
    private final Figures running = new Figures("store", "cache", "way", "queries", "mean ms so far");
    /** Ids of the rows, by set of filters. */
    private final Map<String, List<Integer>> expected = new HashMap<>();

    private SearchExperiment(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
        this.wordIndex = switch (options.text("search")) {
            case "fulltext" -> true;
            case "like" -> false;
            default ->
                throw new IllegalArgumentException(
                        "--search " + options.text("search") + " (expected: fulltext or like)");
        };
    }

    static void run(List<String> arguments, PrintStream out) throws IOException {
        if (arguments.contains("--help")) {
            out.print(USAGE);
            return;
        }
        new SearchExperiment(new Options(USAGE, DEFAULTS, arguments), out).run();
    }

    private void run() throws IOException {
        for (String store : options.text("stores").split(",", -1)) {
            expected.clear();
            try {
                switch (store) {
                    case "embedded" -> embedded();
                    case "mariadb" -> mariaDb();
                    default ->
                        throw new IllegalArgumentException(
                                "--stores " + store + " (expected: embedded, mariadb or both)");
                }
            } catch (SQLException e) {
                throw new IOException(store + ": " + e.getMessage(), e);
            }
        }
        String conditions =
                "%s records of about 750 bytes, MariaDB by %s, %s searches of ten steps after %s that do not count, %s mixed queries, caches of %s and %s KiB, %s; %s for client, gateway and store together; the ids in all answers to the same search compared"
                        .formatted(
                                options.text("records"),
                                wordIndex ? "FULLTEXT" : "LIKE",
                                options.text("words"),
                                options.text("warm"),
                                options.text("queries"),
                                kibibytes(1),
                                kibibytes(4),
                                String.join(" ", options.all("java")),
                                Experiments.machine());
        Path output = options.path("output");
        steps.write(output, NAME + "-steps", conditions);
        mixed.write(output, NAME + "-mixed", conditions);
        running.write(output, NAME + "-running", conditions);
        for (String store : options.text("stores").split(",", -1)) {
            steps.where("store", store)
                    .plotLines(
                            output.resolve(NAME + "-steps-" + store + ".png"),
                            "Ten steps of one search, " + store,
                            "step",
                            "mean ms",
                            "way");
            running.where("store", store)
                    .where("cache", "whole")
                    .plotLines(
                            output.resolve(NAME + "-mixed-" + store + ".png"),
                            "Mixed searches, " + store,
                            "queries",
                            "mean ms so far",
                            "way");
        }
        out.print(steps.markdown());
        out.print(mixed.markdown());
    }

    /** Returns the size of the caches. The published cache had as many bytes per record. */
    private long kibibytes(int part) {
        double share = options.count("records") / (double) Bibliography.PUBLISHED_RECORDS;
        return Math.max(64, Math.round(share * PUBLISHED_CACHE_BYTES / part / 1024));
    }

    private void embedded() throws IOException, SQLException {
        List<String> store = List.of("--store", "duckdb:memory");
        try (GatewayProcess straight = start(store, List.of("--cache", "off"));
                GatewayProcess whole = start(store, filters(1));
                GatewayProcess quarter = start(store, filters(4))) {
            for (GatewayProcess gateway : List.of(straight, whole, quarter)) {
                new Bibliography(SEED).load(gateway.target(), options.count("records"), false);
            }
            measure("embedded", straight.target(), whole, whole.target(), quarter, quarter.target(), false);
        }
    }

    private void mariaDb() throws IOException, SQLException {
        try (MariaDbServer server = MariaDbServer.of(options);
                GatewayProcess whole = start(server.serveOptions(), filters(1));
                GatewayProcess quarter = start(server.serveOptions(), filters(4))) {
            Target straight = server.straight("ycsb");
            new Bibliography(SEED).load(straight, options.count("records"), wordIndex);
            measure(
                    "mariadb",
                    straight,
                    whole,
                    server.through(whole.address(), "ycsb"),
                    quarter,
                    server.through(quarter.address(), "ycsb"),
                    wordIndex);
        }
    }

    private GatewayProcess start(List<String> store, List<String> more) throws IOException {
        List<String> serve = new ArrayList<>(store);
        serve.addAll(more);
        return GatewayProcess.start(options.path("gateway"), options.all("java"), serve);
    }

    /**
     * Returns options for filter lines in a part of the whole cache, large enough for the result of
     * any search. Privileges are cached for the whole run. Each step is a separate statement shape
     * that runs rarely, so some steps would otherwise go to the store only to renew its privilege.
     */
    private List<String> filters(int part) {
        List<String> serve = new ArrayList<>(List.of("--ttl", "24h"));
        for (String setting : List.of(
                "filter.enabled=true",
                "privilegeTtl=24h",
                "filter.size=" + kibibytes(part) + "KiB",
                "cache.size=" + 4 * kibibytes(1) + "KiB",
                "cache.maxRowsPerLine=100000",
                "cache.maxBytesPerLine=64MiB")) {
            serve.addAll(List.of("--set", setting));
        }
        return serve;
    }

    private void measure(
            String store,
            Target straight,
            GatewayProcess whole,
            Target throughWhole,
            GatewayProcess quarter,
            Target throughQuarter,
            boolean fullText)
            throws IOException, SQLException {
        String program = options.text("redis");
        try (RedisResults redis = program.isEmpty() ? null : RedisResults.start(program);
                Connection plain = straight.open();
                Connection cached = throughWhole.open();
                Connection little = throughQuarter.open()) {
            steps(store, ways(plain, cached, fullText, 1, redis));
            mix(store, "whole", ways(plain, cached, fullText, 1, redis), cached, whole);
            List<Way> ways = ways(plain, little, fullText, 4, redis);
            mix(store, "quarter", ways.subList(2, ways.size()), little, quarter);
        }
    }

    private List<Way> ways(
            Connection plain, Connection keyline, boolean fullText, int part, @Nullable RedisResults redis)
            throws IOException {
        long bytes = kibibytes(part) * 1024;
        List<Way> ways = new ArrayList<>();
        ways.add(new Way(NO_CACHE) {
            @Override
            List<Publication> answer(Search search) throws SQLException {
                return rows(plain, search.sql(fullText));
            }
        });
        for (String exact : new String[] {"exact text", "exact set"}) {
            Search.Cache cache = new Search.Cache(bytes);
            ways.add(new Way(exact) {
                @Override
                List<Publication> answer(Search search) throws SQLException {
                    String key = exact.equals("exact text") ? search.sql(fullText) : Search.key(search.sorted());
                    Optional<List<Publication>> known = cache.get(key);
                    if (known.isPresent()) {
                        hit();
                        return known.get();
                    }
                    List<Publication> rows = rows(plain, search.sql(fullText));
                    cache.put(key, rows);
                    return rows;
                }
            });
        }
        ways.add(published("the published rule", plain, fullText, new Search.Cache(bytes)));
        if (redis != null) {
            ways.add(published("the published rule, in a Redis", plain, fullText, redis.emptied(bytes)));
        }
        ways.add(new Way(KEYLINE) {
            @Override
            List<Publication> answer(Search search) throws SQLException {
                return rows(keyline, search.sql(fullText));
            }
        });
        return ways;
    }

    private static Way published(String name, Connection plain, boolean fullText, Search.Results results) {
        return new Way(name) {
            @Override
            List<Publication> answer(Search search) throws IOException, SQLException {
                List<Filter> sorted = search.sorted();
                for (int parts = sorted.size(); parts > 0; parts--) {
                    Optional<List<Publication>> known = results.get(Search.key(sorted.subList(0, parts)));
                    if (known.isPresent()) {
                        hit();
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
            }
        };
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
            Map<String, Double> before = gateway.figures();
            Random random = new Random(SEED);
            // Without a cache no query affects the time of the next one.
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
                    ? grown(before, gateway.figures(), "keyline_table_filter_hits_total")
                    : way.hits;
            mixed.row(
                    store,
                    cache,
                    way.name,
                    100.0 * hits / queries,
                    firstTen / 1e6,
                    nanos / queries / 1e6,
                    100 * (nanos / queries / firstTen - 1));
            out.println(store + ", " + cache + " cache, " + way.name + ": " + queries + " queries");
        }
    }

    private static double grown(Map<String, Double> before, Map<String, Double> after, String name) {
        return after.getOrDefault(name, 0.0) - before.getOrDefault(name, 0.0);
    }

    /** Returns the time of the answer in nanoseconds. */
    private long timed(Way way, Search search) throws IOException, SQLException {
        long began = System.nanoTime();
        List<Publication> rows = way.answer(search);
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
