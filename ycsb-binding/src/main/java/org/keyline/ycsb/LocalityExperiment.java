package org.keyline.ycsb;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The locality case: the share of queries that need a load, by load granularity. Over the wire the
 * published rate is scaled down: each user sends as many queries per second as published, and the
 * rate determines the number of users. Confined to one thread.
 */
final class LocalityExperiment {
    private static final String USAGE = """
            usage: java -jar keyline-ycsb.jar experiment locality [options]

              --rate N           requests a second of 20 queries each, default 50
              --seconds N        of each run, default 20
              --threads N        default 16
              --mariadb WHERE    HOST:PORT, or "installed" to start the one installed here; default: the embedded store
              --mariadb-user U, --mariadb-password P    for a server that runs already, default root and none
              --gateway JAR      default gateway/target/keyline.jar
              --workloads DIR    default ycsb-binding/workloads
              --java OPTION      one argument of the gateways' JVMs, repeatable, default -Xmx1g
              --output DIR       default docs/experiments
            """;

    private static final Map<String, String> DEFAULTS = Map.of(
            "rate", "50",
            "seconds", "20",
            "threads", "16",
            "mariadb", "",
            "mariadb-user", "root",
            "mariadb-password", "",
            "gateway", "gateway/target/keyline.jar",
            "workloads", "ycsb-binding/workloads",
            "java", "-Xmx1g",
            "output", Experiments.OUTPUT);

    private static final String SIMULATED_USAGE = """
            usage: java -jar keyline-ycsb.jar experiment locality-simulated [options]

              --seconds N        simulated seconds that count, default 5
              --gateway JAR      with the cache in it, default gateway/target/keyline.jar
              --output DIR       default docs/experiments
            """;

    private static final Map<String, String> SIMULATED_DEFAULTS = Map.of(
            "seconds", "5",
            "gateway", "gateway/target/keyline.jar",
            "output", Experiments.OUTPUT);

    /**
     * A user has 12 graphs of one vertex. A request asks for 4 vertices in each of 5 graphs, so
     * most do not exist.
     */
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

    /**
     * 68,000 and 717,000 queries per second of 24,030 users, which follow from the published
     * shares.
     */
    private static final double EARLIER = 68_000.0 / 24_030;

    private static final double LATER = 717_000.0 / 24_030;
    private static final long SAMPLE_MILLIS = 250;

    /**
     * A granularity, the queries of one user per second, and the published load share (per cent)
     * and amortised time.
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

    private LocalityExperiment(Options options, PrintStream out) {
        this.options = options;
        this.runs = new YcsbRuns(options.path("workloads"), out);
    }

    static void run(List<String> arguments, PrintStream out) throws IOException {
        if (arguments.contains("--help")) {
            out.print(USAGE);
            return;
        }
        new LocalityExperiment(new Options(USAGE, DEFAULTS, arguments), out).run(out);
    }

    private void run(PrintStream out) throws IOException {
        boolean embedded = options.text("mariadb").isEmpty();
        try (MariaDbServer server = embedded ? null : MariaDbServer.of(options)) {
            for (Scenario scenario : Scenario.values()) {
                measure(scenario, server);
            }
        }
        String name = embedded ? "locality" : "locality-mariadb";
        String conditions = "%s requests a second of %d point queries each for %s s, ttl 1 s, %s client threads, %s; %s"
                .formatted(
                        options.text("rate"),
                        QUERIES_PER_REQUEST,
                        options.text("seconds"),
                        options.text("threads"),
                        embedded ? "embedded store" : "MariaDB",
                        Experiments.machine());
        figures.write(options.path("output"), name, conditions);
        plotShares(figures, options.path("output").resolve(name + ".png"));
        out.print(figures.markdown());
        if (runs.failed() > 0) {
            throw new IOException(runs.failed() + " operations failed");
        }
    }

    private void measure(Scenario scenario, @Nullable MariaDbServer server) throws IOException {
        int rate = options.count("rate");
        int users = Math.max(1, (int) Math.round(rate * QUERIES_PER_REQUEST / scenario.queriesOfUser));
        List<String> serve =
                new ArrayList<>(server == null ? List.of("--store", "duckdb:memory") : server.serveOptions());
        serve.addAll(List.of("--ttl", "1s", "--set", "tables.ycsb.strategy_vertex.prefix=" + scenario.prefix));
        Map<String, String> properties = new HashMap<>(REQUESTS);
        properties.put("ddl", server == null ? "doris" : "mysql");
        properties.put("recordcount", String.valueOf(users * GRAPHS));
        properties.put("threadcount", options.text("threads"));
        properties.put("target", String.valueOf(rate));
        try (GatewayProcess gateway = GatewayProcess.start(options.path("gateway"), options.all("java"), serve)) {
            Target target = server == null ? gateway.target() : server.through(gateway.address(), "ycsb");
            Map<String, String> loading = new HashMap<>(properties);
            loading.remove("target");
            runs.load("strategy", target, loading);
            Samples samples = new Samples(gateway);
            ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor();
            ScheduledFuture<?> sampling = sampler.scheduleAtFixedRate(samples, 0, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
            Map<String, Double> before;
            YcsbResult result;
            try {
                runs.run("run", "strategy", target, properties, "operationcount=" + 3 * rate);
                before = gateway.figures();
                samples.peak.set(0);
                result = runs.run(
                        "run", "strategy", target, properties, "operationcount=" + options.count("seconds") * rate);
            } finally {
                sampler.shutdown();
            }
            failIfFailed(sampling);
            add(scenario, users, result.throughput(), before, gateway.figures(), samples);
        }
    }

    /** Samples the gateway's metrics periodically, from before the first read on. */
    private static final class Samples implements Runnable {
        private final GatewayProcess gateway;
        private final AtomicLong peak = new AtomicLong();
        private final AtomicLong choices = new AtomicLong();
        private final AtomicLong lastChoiceMillis = new AtomicLong();
        private long firstReadNanos;
        private long replaced = -1;

        Samples(GatewayProcess gateway) {
            this.gateway = gateway;
        }

        @Override
        public void run() {
            try {
                Map<String, Double> metrics = gateway.figures();
                peak.accumulateAndGet(
                        metrics.getOrDefault("keyline_table_lines", 0.0).longValue(), Math::max);
                long now = System.nanoTime();
                if (firstReadNanos == 0 && metrics.getOrDefault("keyline_table_queries_total", 0.0) > 0) {
                    firstReadNanos = now;
                }
                long replacements = metrics.getOrDefault("keyline_table_replacements_total", 0.0)
                        .longValue();
                if (firstReadNanos != 0 && replaced >= 0 && replacements > replaced) {
                    choices.addAndGet(replacements - replaced);
                    lastChoiceMillis.set(TimeUnit.NANOSECONDS.toMillis(now - firstReadNanos));
                }
                replaced = replacements;
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }

    /** A task that threw is done before it is cancelled. */
    private static void failIfFailed(ScheduledFuture<?> sampling) throws IOException {
        if (sampling.isDone() && !sampling.isCancelled()) {
            try {
                sampling.get();
            } catch (ExecutionException failed) {
                throw new IOException("the gateway's figures", failed.getCause());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void add(
            Scenario scenario,
            int users,
            double requestsPerSecond,
            Map<String, Double> before,
            Map<String, Double> after,
            Samples samples) {
        Map<String, Double> grown = new HashMap<>();
        after.forEach((name, value) -> grown.put(name, value - before.getOrDefault(name, 0.0)));
        double queries = grown.getOrDefault("keyline_table_queries_total", 0.0);
        double loads = grown.getOrDefault("keyline_table_loads_total", 0.0);
        double loadMillis = 1_000
                * grown.getOrDefault("keyline_table_load_seconds_sum", 0.0)
                / grown.getOrDefault("keyline_table_load_seconds_count", 0.0);
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
                100 * grown.getOrDefault("keyline_table_hits_total", 0.0) / queries,
                100 * grown.getOrDefault("keyline_table_waits_total", 0.0) / queries,
                samples.peak.get(),
                grown.getOrDefault("keyline_table_evictions_total", 0.0).longValue(),
                1_000 * grown.getOrDefault("jvm_gc_pause_seconds_sum", 0.0),
                samples.choices.get(),
                samples.lastChoiceMillis.get() / 1_000.0);
    }

    static void runSimulated(List<String> arguments, PrintStream out) throws IOException {
        if (arguments.contains("--help")) {
            out.print(SIMULATED_USAGE);
            return;
        }
        Options options = new Options(SIMULATED_USAGE, SIMULATED_DEFAULTS, arguments);
        Figures simulated = Figures.parse(YcsbRuns.output(List.of(
                YcsbRuns.java(),
                "-Xmx2g",
                "-cp",
                System.getProperty("java.class.path") + System.getProperty("path.separator") + options.path("gateway"),
                "org.keyline.rowcache.LocalityScenarios",
                String.valueOf(options.count("seconds")))));
        String conditions =
                "The real cache under a simulated clock, " + options.text("seconds") + " s; " + Experiments.machine();
        simulated.write(options.path("output"), "locality-simulated", conditions);
        plotShares(simulated, options.path("output").resolve("locality-simulated.png"));
        out.print(simulated.markdown());
    }

    private static void plotShares(Figures shares, Path png) throws IOException {
        shares.plotBars(png, "Queries that need a load", "scenario", "percent", "load share %", "published share %");
    }
}
