package org.keyline.ycsb;

import java.io.File;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures the locality case: which share of queries needs a load at each granularity of lines.
 * Each user sends as many queries per second as in the published measurement. There are fewer
 * users, so the gateway gets fewer queries.
 */
final class LocalityExperiment {
    static final String OPTIONS =
            """
            load shares by load granularity, over the wire

              --rate N              requests a second of 20 queries each [50]
              --seconds N           of each run [20]
              --workloads DIR       [ycsb-binding/workloads]
            """ + Options.common("", "-Xmx1g").replace("here []", "here; default: the embedded store []");

    static final String SIMULATED_OPTIONS = """
            the same on the cache alone, under a simulated clock, at the published rates

              --seconds N           simulated seconds that count [5]
              --gateway JAR         with the cache in it [gateway/target/keyline.jar]
            """;

    private static final int QUERIES_PER_REQUEST = 20;
    private static final int GRAPHS = 12;

    /** A request asks for 4 vertices in each of 5 graphs; most vertices do not exist. */
    private static final Map<String, String> REQUESTS = Map.of(
            "strategy.graphs", "" + GRAPHS,
            "strategy.vertices", "1",
            "strategy.request.graphs", "5",
            "strategy.request.vertices", "4",
            "strategy.request.shape", "point",
            "strategy.request.absent", "0.5",
            "strategy.update", "0",
            "requestdistribution", "uniform",
            "threadcount", "16");

    /** Published queries per second of one user: 68,000 in all, from 24,030 users. */
    private static final double EARLIER = 68_000.0 / 24_030;

    private static final double LATER = 717_000.0 / 24_030;

    /**
     * A setting of {@code prefix} and the queries per second of one user. As published, {@code
     * share} is the percentage of queries that load, and {@code amortised} is the amortised load
     * time relative to the first scenario.
     */
    private record Scenario(String title, String prefix, double queriesOfUser, double share, double amortised) {}

    private static final List<Scenario> SCENARIOS = List.of(
            new Scenario("line of a row", "full", EARLIER, 100, 1),
            new Scenario("line of (user, graph)", "2", EARLIER, 23.5, 0.35),
            new Scenario("line of a user", "1", EARLIER, 4.12, 0.16),
            new Scenario("line of a user, later", "1", LATER, 1.95, 0.02),
            new Scenario("as auto chooses", "auto", EARLIER, 4.12, 0.16));

    private LocalityExperiment() {}

    static void run(Harness harness) throws IOException {
        Figures figures =
                Figures.of("scenario | published share % | published amortised | users | queries/s | load share % | "
                        + "hit rate % | load ms | amortised ms | amortised, row = 1");
        boolean embedded = harness.options().text("mariadb").isEmpty();
        YcsbRuns runs = new YcsbRuns(harness);
        double amortisedOfRow = Double.NaN;
        try (Backend store = embedded ? Backend.embedded("duckdb:memory") : harness.mariaDb()) {
            for (Scenario scenario : SCENARIOS) {
                Results run = measured(harness, runs, scenario, store);
                double amortised = run.get("amortised ms");
                amortisedOfRow = Double.isNaN(amortisedOfRow) ? amortised : amortisedOfRow;
                figures.row(
                        run.with("amortised, row = 1", amortised / amortisedOfRow),
                        scenario.title,
                        scenario.share,
                        scenario.amortised);
            }
        }
        write(
                harness,
                figures,
                embedded ? "locality" : "locality-mariadb",
                "{rate} requests a second of " + QUERIES_PER_REQUEST + " point queries each for {seconds} s, ttl 1 s, "
                        + (embedded ? "embedded store" : "MariaDB"));
        runs.finish();
    }

    private static Results measured(Harness harness, YcsbRuns runs, Scenario scenario, Backend store)
            throws IOException {
        int rate = harness.options().count("rate");
        int requests = harness.options().count("seconds") * rate;
        int users = Math.max(1, (int) Math.round(rate * QUERIES_PER_REQUEST / scenario.queriesOfUser));
        Map<String, String> properties = new HashMap<>(REQUESTS);
        properties.put("ddl", store.ddl());
        properties.put("recordcount", String.valueOf(users * GRAPHS));
        String prefix = "tables.ycsb.strategy_vertex.prefix=" + scenario.prefix;
        try (GatewayProcess gateway = harness.gateway(store, "cache.ttl=1s", prefix, Harness.NO_SIGNAL)) {
            Way way = new Way(scenario.title, gateway, "ycsb", store);
            runs.load("strategy", way.target(), properties);
            properties.put("target", String.valueOf(rate));
            runs.run("run", "strategy", way.target(), properties, "operationcount=" + 3 * rate);
            Results run = way.measured(
                    () -> runs.run("run", "strategy", way.target(), properties, "operationcount=" + requests)
                            .with("operations", requests));
            double loadMillis =
                    1_000 * run.get("keyline_table_load_seconds_sum") / run.get("keyline_table_load_seconds_count");
            return run.with("users", users)
                    .with("queries/s", run.get("operations/s") * QUERIES_PER_REQUEST)
                    .with("load ms", loadMillis)
                    .with("amortised ms", loadMillis * run.get("load share %") / 100);
        }
    }

    static void runSimulated(Harness harness) throws IOException {
        Options options = harness.options();
        String classes = System.getProperty("java.class.path") + File.pathSeparator + options.path("gateway");
        Figures simulated = Figures.parse(ServerProcess.output(List.of(
                ServerProcess.java(),
                "-Xmx2g",
                "-cp",
                classes,
                "org.keyline.rowcache.LocalityScenarios",
                options.text("seconds"))));
        write(harness, simulated, "locality-simulated", "The real cache under a simulated clock, {seconds} s");
    }

    private static void write(Harness harness, Figures shares, String name, String conditions) throws IOException {
        harness.write(shares, name, conditions);
        shares.plotBars(
                harness.file(name + ".png"),
                "Queries that need a load",
                "scenario",
                "percent",
                "load share %",
                "published share %");
    }
}
