package org.keyline.ycsb;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.keyline.ycsb.Search.Filter;
import org.keyline.ycsb.Search.Publication;

/**
 * An experiment that repeats published measurements of search within results, on records like those
 * of DBLP. One workload is a search in ten steps; the other is a mix of searches with one to three
 * filters. Compares Keyline with an application without a cache, and with one whose cache follows a
 * published rule. All answers to the same search must have the same ids in the same order.
 */
final class SearchExperiment {
    static final String OPTIONS =
            """
            searches that narrow an earlier one, and mixed ones, by kinds of caches

              --records N           a tenth of the published number; the caches are in proportion to 1 GB [%d]
              --words N             searches of ten steps for each way [20]
              --warm N              such searches ahead of them, which do not count [20]
              --queries N           of the mix [6000]
              --stores LIST         some of embedded,mariadb [embedded,mariadb]
              --search HOW          how MariaDB finds a word: fulltext, or like, which reads all titles [fulltext]
            """.formatted(Bibliography.PUBLISHED_RECORDS / 10 + 1) + Options.common("installed", "-Xmx2g");

    private static final String NAME = "search-within-results";
    private static final String NO_CACHE = "no cache";
    private static final String KEYLINE = "Keyline";
    private static final double PUBLISHED_CACHE_BYTES = 1e9;
    private static final int NO_CACHE_QUERIES = 600;
    private static final int FIRST_RANK = 1_100;
    private static final long SEED = 1;
    private static final List<Integer> REPORTED_QUERIES =
            List.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 6_000, 10_000, 20_000, 50_000);

    /**
     * A way to answer searches.
     *
     * @param cache the application's own cache; null if it has none
     */
    private record Asked(String name, Connection connection, boolean fullText, Search.@Nullable Cache cache) {}

    private final Harness harness;
    private final Options options;
    private final Figures steps = Figures.of("store | way | step | mean ms | against no cache %");
    private final Figures mixed =
            Figures.of("store | cache | way | hit rate % | first ten, ms | mean ms | against the first ten %");
    private final Figures running = Figures.of("store | cache | way | queries | mean ms so far");
    /** The ids of the right answer to each search, by the key of the search. */
    private final Map<String, List<Integer>> expected = new HashMap<>();
    /** The hits of the application's own cache. */
    private long hits;

    private SearchExperiment(Harness harness) {
        this.harness = harness;
        this.options = harness.options();
    }

    static void run(Harness harness) throws IOException, SQLException {
        new SearchExperiment(harness).run();
    }

    private void run() throws IOException, SQLException {
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

    /** Returns {@code 1/part} of the published cache's size for this many records, in KiB. */
    private long kibibytes(int part) {
        double share = options.count("records") / (double) Bibliography.PUBLISHED_RECORDS;
        return Math.max(64, Math.round(share * PUBLISHED_CACHE_BYTES / part / 1024));
    }

    private void measure(String store, Backend backend) throws IOException, SQLException {
        expected.clear();
        boolean fullText = options.choices("search", "fulltext", "like").contains("fulltext") && !backend.isEmbedded();
        try (GatewayProcess whole = harness.gateway(backend, filters(1));
                GatewayProcess quarter = harness.gateway(backend, filters(4));
                GatewayProcess forwarding = harness.gateway(backend, "cache.enabled=false")) {
            // Without a cache, an embedded store is queried through a gateway that forwards all.
            Target straight = backend.isEmbedded() ? forwarding.target() : backend.straight("ycsb");
            for (Target each :
                    backend.isEmbedded() ? List.of(straight, whole.target(), quarter.target()) : List.of(straight)) {
                new Bibliography(SEED).load(each, options.count("records"), fullText);
            }
            try (Connection plain = straight.open();
                    Connection cached = whole.target().open();
                    Connection little = quarter.target().open()) {
                Asked none = new Asked(NO_CACHE, plain, fullText, null);
                Asked keyline = new Asked(KEYLINE, cached, fullText, null);
                steps(store, List.of(none, published(none, 1), keyline));
                mix(store, "whole", List.of(none, published(none, 1), keyline), whole);
                mix(store, "quarter", List.of(published(none, 4), new Asked(KEYLINE, little, fullText, null)), quarter);
            }
        }
    }

    /**
     * Returns settings that give filter lines {@code 1/part} of the cache, with room for the result
     * of any search. Privileges are cached for the whole run, because each step has its own
     * statement shape, which runs too rarely to renew them.
     */
    private String[] filters(int part) {
        return new String[] {
            "cache.ttl=24h",
            "filter.enabled=true",
            "privilegeTtl=24h",
            "filter.size=" + kibibytes(part) + "KiB",
            "cache.size=" + 4 * kibibytes(1) + "KiB",
            "cache.maxRowsPerLine=100000",
            "cache.maxBytesPerLine=64MiB"
        };
    }

    private Asked published(Asked plain, int part) {
        Search.Cache cache = new Search.Cache(kibibytes(part) * 1024);
        return new Asked("the published rule", plain.connection, plain.fullText, cache);
    }

    private void steps(String store, List<Asked> ways) throws IOException, SQLException {
        int words = options.count("words");
        int warm = options.count("warm");
        int count = Search.steps(FIRST_RANK).size();
        double[][] millis = new double[ways.size()][count];
        for (int word = 0; word < warm + words; word++) {
            List<Search> searches = Search.steps(FIRST_RANK + word);
            for (int way = 0; way < ways.size(); way++) {
                for (int step = 0; step < count; step++) {
                    double took = millis(ways.get(way), searches.get(step));
                    millis[way][step] += word < warm ? 0 : took / words;
                }
            }
        }
        for (int way = 0; way < ways.size(); way++) {
            for (int step = 0; step < count; step++) {
                double change = 100 * (millis[way][step] / millis[0][step] - 1);
                steps.row(store, ways.get(way).name, (long) step + 1, millis[way][step], change);
            }
            double all = Arrays.stream(millis[way]).sum();
            double change = 100 * (all / Arrays.stream(millis[0]).sum() - 1);
            steps.row(store, ways.get(way).name, "mean", all / count, change);
        }
    }

    private void mix(String store, String cache, List<Asked> ways, GatewayProcess gateway)
            throws IOException, SQLException {
        for (Asked way : ways) {
            if (way.name.equals(KEYLINE)) {
                try (Statement sql = way.connection.createStatement()) {
                    sql.execute("KEYLINE FLUSH FILTERS publications");
                }
            }
            hits = 0;
            Results before = gateway.counters();
            Random random = new Random(SEED);
            // Without a cache, no query affects the time of the next, so fewer queries are enough.
            int queries = Math.min(
                    way.name.equals(NO_CACHE) ? NO_CACHE_QUERIES : Integer.MAX_VALUE, options.count("queries"));
            double millis = 0;
            double firstTen = Double.NaN;
            for (int i = 1; i <= queries; i++) {
                millis += millis(way, Search.mixed(random));
                firstTen = i == 10 ? millis / 10 : firstTen;
                if (i == queries || REPORTED_QUERIES.contains(i)) {
                    running.row(store, cache, way.name, (long) i, millis / i);
                }
            }
            double all = hits + gateway.counters().since(before).count("keyline_table_filter_hits_total");
            double mean = millis / queries;
            mixed.row(store, cache, way.name, 100 * all / queries, firstTen, mean, 100 * (mean / firstTen - 1));
            harness.out().println(store + ", " + cache + " cache, " + way.name + ": " + queries + " queries");
        }
    }

    /** Returns the time of a search in milliseconds, and checks the answer. */
    private double millis(Asked way, Search search) throws IOException, SQLException {
        long began = System.nanoTime();
        List<Publication> rows = rows(way, search);
        double took = (System.nanoTime() - began) / 1e6;
        List<Integer> ids = rows.stream().map(Publication::id).toList();
        @Nullable List<Integer> right = expected.putIfAbsent(Search.key(search.sorted()), ids);
        if (right != null && !right.equals(ids)) {
            throw new IOException(
                    way.name + " returned ids that differ from the first answer to: " + search.sql(false));
        }
        return took;
    }

    /** Answers a search. If the way has a cache, the published rule decides what it answers. */
    private List<Publication> rows(Asked way, Search search) throws SQLException {
        if (way.cache == null) {
            return query(way, search);
        }
        List<Filter> sorted = search.sorted();
        List<Publication> rows = null;
        for (int parts = sorted.size(); rows == null && parts > 0; parts--) {
            List<Publication> known = way.cache.get(Search.key(sorted.subList(0, parts)));
            if (known != null) {
                hits++;
                List<Filter> left = sorted.subList(parts, sorted.size());
                rows = known.stream()
                        .filter(row -> left.stream().allMatch(filter -> filter.admits(row)))
                        .toList();
            }
        }
        rows = rows == null ? query(way, search) : rows;
        way.cache.put(Search.key(sorted), rows);
        return rows;
    }

    private static List<Publication> query(Asked way, Search search) throws SQLException {
        List<Publication> found = new ArrayList<>();
        try (Statement statement = way.connection.createStatement();
                ResultSet rows = statement.executeQuery(search.sql(way.fullText))) {
            while (rows.next()) {
                found.add(Publication.of(rows));
            }
        }
        return found;
    }
}
