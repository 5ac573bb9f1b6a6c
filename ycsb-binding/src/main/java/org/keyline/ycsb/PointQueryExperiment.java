package org.keyline.ycsb;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Point queries on YCSB's table with each optimisation off and on, by number of client threads, on
 * the embedded store and on MariaDB. Confined to one thread.
 *
 * <p>Mapping of the published terms: <em>short circuit</em> off is {@code --cache off}, so that
 * every statement is forwarded. On without the row cache is a ttl of zero: the gateway's own
 * sessions plan and load reads, and no line outlives its load. <em>Row cache</em> on is a ttl that
 * is longer than the run. Lines are used only by the short circuit, so the row cache alone does not
 * exist. <em>Prepared statements</em> are the client's choice.
 */
final class PointQueryExperiment {
    private static final String USAGE = """
            usage: java -jar keyline-ycsb.jar experiment point-queries [options]

              --threads LIST     default 1,2,4,8,16,32,64
              --seconds N        of each run, default 10
              --warm N           seconds that each way runs first, with the most threads, default 20
              --records N        default 10000
              --ttl DURATION     of a row in the cache, default 10m
              --stores LIST      some of embedded,mariadb (default both)
              --mariadb WHERE    HOST:PORT, or "installed" (default) to start the one installed here
              --mariadb-user U, --mariadb-password P    for a server that runs already, default root and none
              --client WHICH     ycsb (default), or light: one thread for all connections, which costs a tenth and always verifies;
                                 it writes point-queries-light
              --verify WHETHER   true (default): the client compares every row with what it must be
              --gateway JAR      default gateway/target/keyline.jar
              --workloads DIR    default ycsb-binding/workloads
              --java OPTION      one argument of the gateways' JVMs, repeatable, default -Xmx1g
              --set PATH=VALUE   one setting of all gateways, repeatable, default none
              --output DIR       default docs/experiments
            """;

    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("threads", "1,2,4,8,16,32,64"),
            Map.entry("seconds", "10"),
            Map.entry("warm", "20"),
            Map.entry("records", "10000"),
            Map.entry("ttl", "10m"),
            Map.entry("stores", "embedded,mariadb"),
            Map.entry("mariadb", "installed"),
            Map.entry("mariadb-user", "root"),
            Map.entry("mariadb-password", ""),
            Map.entry("client", "ycsb"),
            Map.entry("verify", "true"),
            Map.entry("gateway", "gateway/target/keyline.jar"),
            Map.entry("workloads", "ycsb-binding/workloads"),
            Map.entry("java", "-Xmx1g"),
            Map.entry("set", ""),
            Map.entry("output", Experiments.OUTPUT));

    private static final String DATABASE = "ycsb";
    private static final String WORKLOAD = "workloadc";
    private static final String STRAIGHT = "straight";
    private static final String NOTHING = "nothing";
    private static final String PREPARED = "prepared";
    private static final String ALL = "short circuit, row cache, prepared";

    /**
     * One way to a store: the optimisations, the gateway, and the client's connection.
     *
     * @param processorTime of the server to which the client connects, so far
     */
    private record Way(
            String name, @Nullable GatewayProcess gateway, Target target, Supplier<Duration> processorTime) {}

    /** The client's measurements of one run. */
    private record Seen(double throughput, double meanMicros, double p99Micros, long reads) {}

    private final Options options;
    private final PrintStream out;
    private final YcsbRuns runs;
    private final boolean light;
    private final String name;
    private long lightReads;
    private final Figures figures =
            new Figures("store", "on", "threads", "queries/s", "mean µs", "p99 µs", "hit rate %", "server µs/query");

    private PointQueryExperiment(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
        this.runs = new YcsbRuns(options.path("workloads"), out);
        this.light = switch (options.text("client")) {
            case "ycsb" -> false;
            case "light" -> true;
            default ->
                throw new IllegalArgumentException("--client " + options.text("client") + " (expected: ycsb or light)");
        };
        this.name = light ? "point-queries-light" : "point-queries";
    }

    static void run(List<String> arguments, PrintStream out) throws IOException {
        if (arguments.contains("--help")) {
            out.print(USAGE);
            return;
        }
        new PointQueryExperiment(new Options(USAGE, DEFAULTS, arguments), out).run();
    }

    private void run() throws IOException {
        List<String> stores = List.of(options.text("stores").split(",", -1));
        for (String store : stores) {
            switch (store) {
                case "embedded" -> measure(store, null);
                case "mariadb" -> {
                    try (MariaDbServer server = MariaDbServer.of(options)) {
                        measure(store, server);
                    }
                }
                default ->
                    throw new IllegalArgumentException("--stores " + store + " (expected: embedded, mariadb or both)");
            }
        }
        String conditions =
                "client: %s; %s records of 1 KB, keys by a Zipfian distribution, %s s a run, rows live %s in the cache, rows verified: %s, %s, %s; %s for client, gateway and store together; %s rows verified, %s operations failed"
                        .formatted(
                                options.text("client"),
                                options.text("records"),
                                options.text("seconds"),
                                options.text("ttl"),
                                light ? "true" : options.text("verify"),
                                String.join(" ", options.all("java")),
                                options.text("set").isEmpty()
                                        ? "settings by default"
                                        : String.join(" ", options.all("set")),
                                Experiments.machine(),
                                runs.verified() + lightReads,
                                runs.failed());
        Path output = options.path("output");
        figures.write(output, name, conditions);
        for (String store : stores) {
            Figures its = figures.where("store", store);
            its.plotLines(
                    output.resolve(name + "-" + store + ".png"),
                    "Point queries, " + store,
                    "threads",
                    "queries/s",
                    "on");
            its.plotLines(
                    output.resolve(name + "-" + store + "-mean.png"),
                    "Mean latency, " + store,
                    "threads",
                    "mean µs",
                    "on");
            its.plotLines(
                    output.resolve(name + "-" + store + "-p99.png"),
                    "99th percentile, " + store,
                    "threads",
                    "p99 µs",
                    "on");
        }
        Figures summary = summary(stores);
        summary.write(
                output,
                name + "-summary",
                "All on against nothing on, at the greatest number of threads; " + Experiments.machine());
        out.print(figures.markdown());
        out.print(summary.markdown());
        if (runs.failed() > 0) {
            throw new IOException(runs.failed() + " operations failed");
        }
    }

    private void measure(String store, @Nullable MariaDbServer server) throws IOException {
        try (GatewayProcess forwarding = start(server, List.of("--cache", "off"));
                GatewayProcess loading = start(server, List.of("--ttl", "0s"));
                GatewayProcess caching = start(server, List.of("--ttl", options.text("ttl")))) {
            List<Way> ways = new ArrayList<>();
            if (server != null) {
                Target straight = server.straight(DATABASE);
                addWays(ways, STRAIGHT, new Way(STRAIGHT + ", prepared", null, straight, server::processorTime));
            }
            addWays(ways, NOTHING, way(PREPARED, forwarding, server));
            addWays(ways, "short circuit", way("short circuit, prepared", loading, server));
            addWays(ways, "short circuit, row cache", way(ALL, caching, server));
            load(ways, server != null);
            int most = options.counts("threads").stream()
                    .mapToInt(Integer::intValue)
                    .max()
                    .orElseThrow();
            for (Way way : ways) {
                // fills caches, and lets the JIT compile hot code
                run(way, most, options.count("warm"));
            }
            for (int threads : options.counts("threads")) {
                for (Way way : ways) {
                    add(store, way, threads);
                }
            }
        }
    }

    private static Way way(String name, GatewayProcess gateway, @Nullable MariaDbServer server) {
        Target target = server == null ? gateway.target() : server.through(gateway.address(), DATABASE);
        return new Way(name, gateway, target, gateway::processorTime);
    }

    /** Adds a way with prepared statements, after the same way with text. */
    private static void addWays(List<Way> ways, String text, Way prepared) {
        Target target = prepared.target();
        String url = target.url().replace("useServerPrepStmts=true", "useServerPrepStmts=false");
        ways.add(new Way(
                text, prepared.gateway(), new Target(url, target.user(), target.password()), prepared.processorTime()));
        ways.add(prepared);
    }

    /**
     * Loads once into a server that the ways share, or into every gateway with an in-memory store.
     */
    private void load(List<Way> ways, boolean shared) throws IOException {
        for (Way way : shared ? ways.subList(0, 1) : ways) {
            if (shared || !way.target().url().contains("useServerPrepStmts=false")) {
                runs.load(
                        WORKLOAD,
                        way.target(),
                        Map.of(
                                "recordcount",
                                options.text("records"),
                                "threadcount",
                                "16",
                                "ddl",
                                shared ? "mysql" : "doris"));
            }
        }
    }

    private GatewayProcess start(@Nullable MariaDbServer server, List<String> more) throws IOException {
        List<String> serve =
                new ArrayList<>(server == null ? List.of("--store", "duckdb:memory") : server.serveOptions());
        serve.addAll(more);
        options.all("set").forEach(setting -> serve.addAll(List.of("--set", setting)));
        return GatewayProcess.start(options.path("gateway"), options.all("java"), serve);
    }

    private Seen run(Way way, int threads, int seconds) throws IOException {
        if (light) {
            return runLight(way, threads, seconds);
        }
        YcsbResult result = runs.run(
                "run",
                WORKLOAD,
                way.target(),
                Map.of(
                        "recordcount", options.text("records"),
                        "operationcount", String.valueOf(Integer.MAX_VALUE),
                        "maxexecutiontime", String.valueOf(seconds),
                        "dataintegrity", options.text("verify"),
                        "threadcount", String.valueOf(threads)));
        return new Seen(
                result.throughput(), result.mean("READ"), result.percentile("READ", 99), result.operations("READ"));
    }

    private Seen runLight(Way way, int connections, int seconds) throws IOException {
        Target target = way.target();
        out.println("# light, " + target.url());
        if (!target.password().isEmpty()) {
            throw new IllegalArgumentException(
                    "--client light logs in without a password (expected: none for " + target.user() + ")");
        }
        boolean prepared = target.url().contains("useServerPrepStmts=true");
        LightRows rows = new LightRows(options.count("records"));
        try (LightClient client =
                new LightClient(target.address(), target.user(), DATABASE, prepared, connections, rows)) {
            LightClient.Seen seen = client.run(seconds);
            lightReads += seen.micros().getTotalCount();
            return new Seen(
                    seen.throughput(),
                    seen.micros().getMean(),
                    seen.micros().getValueAtPercentile(99),
                    seen.micros().getTotalCount());
        }
    }

    private void add(String store, Way way, int threads) throws IOException {
        GatewayProcess gateway = way.gateway();
        Map<String, Double> before = gateway == null ? Map.of() : gateway.figures();
        Duration began = way.processorTime().get();
        Seen seen = run(way, threads, options.count("seconds"));
        Duration took = way.processorTime().get().minus(began);
        Map<String, Double> after = gateway == null ? Map.of() : gateway.figures();
        double hits = grown(before, after, "keyline_table_hits_total");
        double queries = grown(before, after, "keyline_table_queries_total");
        figures.row(
                store,
                way.name(),
                (long) threads,
                seen.throughput(),
                seen.meanMicros(),
                seen.p99Micros(),
                queries > 0 ? 100 * hits / queries : Double.NaN,
                took.isZero() ? Double.NaN : took.toNanos() / 1e3 / seen.reads());
    }

    private static double grown(Map<String, Double> before, Map<String, Double> after, String name) {
        return after.getOrDefault(name, 0.0) - before.getOrDefault(name, 0.0);
    }

    private Figures summary(List<String> stores) {
        Figures summary = new Figures("store", "figure", "published", "here");
        String most = String.valueOf(options.counts("threads").stream()
                .mapToInt(Integer::intValue)
                .max()
                .orElseThrow());
        for (String store : stores) {
            Figures its = figures.where("store", store);
            Figures all = its.where("on", ALL).where("threads", most);
            Figures nothing = its.where("on", NOTHING).where("threads", most);
            Figures prepared = its.where("on", PREPARED).where("threads", most);
            summary.row(
                    store,
                    "queries/s, all on / nothing on",
                    "over 20",
                    all.first("queries/s") / nothing.first("queries/s"));
            summary.row(
                    store,
                    "queries/s, prepared statements alone / nothing on",
                    "4",
                    prepared.first("queries/s") / nothing.first("queries/s"));
            summary.row(
                    store,
                    "mean latency, all on against nothing on, %",
                    "-96",
                    100 * (all.first("mean µs") / nothing.first("mean µs") - 1));
            summary.row(store, "p99, nothing on / all on", "28", nothing.first("p99 µs") / all.first("p99 µs"));
            summary.row(
                    store, "most queries/s, any number of threads", "over 30,000 on 16 cores", its.max("queries/s"));
            if (store.equals("mariadb")) {
                Figures straight = its.where("on", STRAIGHT).where("threads", most);
                summary.row(
                        store,
                        "queries/s, all on / straight, text",
                        "",
                        all.first("queries/s") / straight.first("queries/s"));
            }
        }
        return summary;
    }
}
