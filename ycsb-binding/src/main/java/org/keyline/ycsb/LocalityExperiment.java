package org.keyline.ycsb;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The locality case: the share of queries that need a load, by the granularity of lines. The
 * gateway gets fewer queries per second than in the published measurement. Each user sends as many
 * as published, so there are fewer users. Confined to one thread.
 */
final class LocalityExperiment {
    static final String OPTIONS =
            """
              --rate N              requests a second of 20 queries each [50]
              --seconds N           of each run [20]
              --threads N           [16]
              --workloads DIR       [ycsb-binding/workloads]
            """ + Options.common("", "-Xmx1g").replace("here []", "here; default: the embedded store []");

    static final String SIMULATED_OPTIONS = """
              --seconds N           simulated seconds that count [5]
              --gateway JAR         with the cache in it [gateway/target/keyline.jar]
            """;

    /** A request asks for 4 vertices in each of 5 graphs; most vertices do not exist. */
    private static final Map<String, String> REQUESTS = Map.of(
            "strategy.graphs", "12",
            "strategy.vertices", "1",
            "strategy.request.graphs", "5",
            "strategy.request.vertices", "4",
            "strategy.request.shape", "point",
            "strategy.request.absent", "0.5",
            "strategy.update", "0",
            "requestdistribution", "uniform");

    private static final int GRAPHS = 12;
    private static final int QUERIES_PER_REQUEST = 20;

    /** Published queries per second of one user: 68,000 in all, from 24,030 users. */
    private static final double EARLIER = 68_000.0 / 24_030;

    private static final double LATER = 717_000.0 / 24_030;
    private static final long SAMPLE_MILLIS = 250;

    /**
     * A setting of {@code prefix} and the queries per second of one user, with two published
     * results: the load share in per cent, and the amortised load time relative to {@link #ROW}.
     */
    private enum Scenario {
        ROW("line of a row", "full", EARLIER, 100, 1),
        GRAPH("line of (user, graph)", "2", EARLIER, 23.5, 0.35),
        USER("line of a user", "1", EARLIER, 4.12, 0.16),
        LATER_USER("line of a user, later", "1", LATER, 1.95, 0.02),
        AUTO("as auto chooses", "auto", EARLIER, 4.12, 0.16);

        private final String title;
        private final String prefix;
        private final double queriesOfUser;
        private final double share;
        private final double amortised;

        Scenario(String title, String prefix, double queriesOfUser, double share, double amortised) {
            this.title = title;
            this.prefix = prefix;
            this.queriesOfUser = queriesOfUser;
            this.share = share;
            this.amortised = amortised;
        }
    }

    private final Harness harness;
    private final Options options;
    private final YcsbRuns runs;
    private final Figures figures = new Figures(
            "scenario",
            "users",
            "queries",
            "queries/s",
            "loads",
            "load share %",
            "published share %",
            "load ms",
            "amortised ms",
            "amortised, row = 1",
            "published amortised",
            "hit rate %",
            "waits %",
            "peak lines",
            "evictions",
            "GC ms",
            "choices",
            "last one after s");
    private double amortisedOfRow = Double.NaN;

    LocalityExperiment(Harness harness) {
        this.harness = harness;
        this.options = harness.options();
        this.runs = new YcsbRuns(options.path("workloads"), harness.out());
    }

    void run() throws IOException {
        boolean embedded = options.text("mariadb").isEmpty();
        try (Backend store = harness.backend("duckdb:memory")) {
            for (Scenario scenario : Scenario.values()) {
                measure(scenario, store);
            }
        }
        write(
                harness,
                figures,
                embedded ? "locality" : "locality-mariadb",
                "{rate} requests a second of " + QUERIES_PER_REQUEST
                        + " point queries each for {seconds} s, ttl 1 s, {threads} client threads, "
                        + (embedded ? "embedded store" : "MariaDB"));
        runs.failIfAnyFailed();
    }

    private void measure(Scenario scenario, Backend store) throws IOException {
        int rate = options.count("rate");
        int users = Math.max(1, (int) Math.round(rate * QUERIES_PER_REQUEST / scenario.queriesOfUser));
        List<String> settings =
                List.of("cache.ttl=1s", "tables.ycsb.strategy_vertex.prefix=" + scenario.prefix, Harness.NO_SIGNAL);
        Map<String, String> loading = new HashMap<>(REQUESTS);
        loading.put("ddl", store.ddl());
        loading.put("recordcount", String.valueOf(users * GRAPHS));
        loading.put("threadcount", options.text("threads"));
        Map<String, String> reading = new HashMap<>(loading);
        reading.put("target", String.valueOf(rate));
        try (GatewayProcess gateway = harness.gateway(store, Harness.settings(settings))) {
            Target target = store.through(gateway, "ycsb");
            runs.load("strategy", target, loading);
            try (Samples samples = new Samples(gateway)) {
                runs.run("run", "strategy", target, reading, "operationcount=" + 3 * rate);
                Counters before = gateway.counters();
                samples.peak.set(0);
                YcsbResult result = runs.run(
                        "run", "strategy", target, reading, "operationcount=" + options.count("seconds") * rate);
                samples.stop();
                add(scenario, users, result.throughput(), gateway.counters().since(before), samples);
            }
        }
    }

    /** Samples the gateway's metrics periodically, for the first time before any read. */
    private static final class Samples implements AutoCloseable {
        private final GatewayProcess gateway;
        private final ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor();
        private final ScheduledFuture<?> sampling;
        private final AtomicLong peak = new AtomicLong();
        private final AtomicLong choices = new AtomicLong();
        private final AtomicLong lastChoiceMillis = new AtomicLong();
        private long firstReadNanos;
        private double replaced = Double.NaN;

        Samples(GatewayProcess gateway) {
            this.gateway = gateway;
            sampling = sampler.scheduleAtFixedRate(this::sample, 0, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
        }

        private void sample() {
            Counters metrics;
            try {
                metrics = gateway.counters();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
            peak.accumulateAndGet((long) metrics.get("keyline_table_lines"), Math::max);
            long now = System.nanoTime();
            if (firstReadNanos == 0 && metrics.get("keyline_table_queries_total") > 0) {
                firstReadNanos = now;
            }
            double replacements = metrics.get("keyline_table_replacements_total");
            if (firstReadNanos != 0 && replacements > replaced) {
                choices.addAndGet((long) (replacements - replaced));
                lastChoiceMillis.set(TimeUnit.NANOSECONDS.toMillis(now - firstReadNanos));
            }
            replaced = replacements;
        }

        /** Stops sampling. Throws an IOException if one of the samples failed. */
        void stop() throws IOException {
            boolean failed = sampling.isDone();
            close();
            if (failed) {
                throw new IOException("the gateway's metrics could not be read");
            }
        }

        @Override
        public void close() {
            sampler.shutdownNow();
        }
    }

    private void add(Scenario scenario, int users, double requestsPerSecond, Counters grown, Samples samples) {
        double queries = grown.get("keyline_table_queries_total");
        double loads = grown.get("keyline_table_loads_total");
        double loadMillis =
                1_000 * grown.get("keyline_table_load_seconds_sum") / grown.get("keyline_table_load_seconds_count");
        double amortised = loadMillis * loads / queries;
        if (scenario == Scenario.ROW) {
            amortisedOfRow = amortised;
        }
        figures.row(
                scenario.title,
                users,
                (long) queries,
                requestsPerSecond * QUERIES_PER_REQUEST,
                (long) loads,
                100 * loads / queries,
                scenario.share,
                loadMillis,
                amortised,
                amortised / amortisedOfRow,
                scenario.amortised,
                grown.percentOfQueries("hits"),
                grown.percentOfQueries("waits"),
                samples.peak.get(),
                (long) grown.get("keyline_table_evictions_total"),
                1_000 * grown.get("jvm_gc_pause_seconds_sum"),
                samples.choices.get(),
                samples.lastChoiceMillis.get() / 1_000.0);
    }

    static void runSimulated(Harness harness) throws IOException {
        Options options = harness.options();
        String classes = System.getProperty("java.class.path") + File.pathSeparator + options.path("gateway");
        List<String> simulation = List.of(
                YcsbRuns.java(),
                "-Xmx2g",
                "-cp",
                classes,
                "org.keyline.rowcache.LocalityScenarios",
                String.valueOf(options.count("seconds")));
        Figures simulated = Figures.parse(YcsbRuns.output(simulation));
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
