package org.keyline.ycsb;

import java.io.IOException;
import java.sql.SQLException;
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
 * <p>The published terms mean the following here. Without the <em>short circuit</em>,
 * {@code --cache off} makes the gateway forward every statement. With it but without the <em>row
 * cache</em>, the ttl is zero: the gateway's own sessions load each read, and no line outlives its
 * load. With the row cache, the ttl is longer than the run. Only the short circuit uses lines, so
 * the row cache needs it. With <em>prepared statements</em>, the client prepares its statements.
 */
final class PointQueryExperiment {
    static final String OPTIONS = """
              --threads LIST        [1,2,4,8,16,32,64]
              --seconds N           of each run [10]
              --warm N              seconds that each way runs first, with the most threads [20]
              --rounds N            runs of each way, in turns; the figures are medians [1]
              --records N           [10000]
              --ttl DURATION        of a row in the cache [10m]
              --stores LIST         some of embedded,mariadb [embedded,mariadb]
              --client WHICH        ycsb, or light: one thread for all connections, which always verifies [ycsb]
              --responder WHETHER   with the light client: also a server without work, in the gateway's transport [false]
              --verify WHETHER      true: the client compares every row with what it must be [true]
              --workloads DIR       [ycsb-binding/workloads]
              --set PATH=VALUE      one setting of all gateways, repeatable
            """ + Options.common("installed", "-Xmx1g");

    private static final String DATABASE = "ycsb";
    private static final String WORKLOAD = "workloadc";
    private static final String STRAIGHT = "straight";
    private static final String NOTHING = "nothing";
    private static final String PREPARED = "prepared";
    private static final String ALL = "short circuit, row cache, prepared";
    private static final String RESPONDER = "responder";
    private static final String SERVER_MICROS = "server µs/query";

    /**
     * One way to a store: the optimisations, the gateway, and the client's connection.
     *
     * @param rows the rows that the light client reads
     * @param processorTime the processor time so far of the server to which the client connects
     */
    private record Way(
            String name,
            @Nullable GatewayProcess gateway,
            Target target,
            LightRows rows,
            Supplier<Duration> processorTime) {
        Way text(String textName) {
            return new Way(textName, gateway, target.withoutPreparing(), rows, processorTime);
        }

        Counters counters() throws IOException {
            return gateway == null ? Counters.NONE : gateway.counters();
        }
    }

    private record Seen(
            double throughput, double meanMicros, double p99Micros, double reads, double hits, double serverMicros) {
        Seen with(double hitPercent, double micros) {
            return new Seen(throughput, meanMicros, p99Micros, reads, hitPercent, micros);
        }
    }

    private final Harness harness;
    private final Options options;
    private final YcsbRuns runs;
    private final boolean light;
    private final String name;
    private final LightRows rows;
    private long lightReads;
    private final Figures figures =
            new Figures("store", "on", "threads", "queries/s", "mean µs", "p99 µs", "hit rate %", SERVER_MICROS);

    PointQueryExperiment(Harness harness) {
        this.harness = harness;
        this.options = harness.options();
        this.runs = new YcsbRuns(options.path("workloads"), harness.out());
        this.light = options.choices("client", "ycsb", "light").contains("light");
        this.name = light ? "point-queries-light" : "point-queries";
        this.rows = new LightRows(light ? options.count("records") : 1);
        if (options.flag("responder") && !light) {
            throw new IllegalArgumentException("--responder true (expected: --client light beside it)");
        }
    }

    void run() throws IOException, SQLException {
        harness.eachStore(this::measure);
        String conditions =
                "client: {client}; {records} records of 1 KB, keys by a Zipfian distribution, {seconds} s a run, rows live {ttl} in the cache, rows verified: %s, {java}, %s; %s rows verified, %s operations failed; client, gateway and store on one machine"
                        .formatted(
                                light ? "true" : options.text("verify"),
                                options.text("set").isEmpty() ? "settings by default" : "{set}",
                                runs.verified() + lightReads,
                                runs.failed());
        harness.write(figures, name, conditions);
        harness.plotByStore(figures, name, "Point queries", "threads", "queries/s", "on");
        harness.write(summary(), name + "-summary", "All on against nothing on, at the greatest number of threads");
        runs.failIfAnyFailed();
    }

    private void measure(String store, Backend backend) throws IOException {
        try (GatewayProcess forwarding = start(backend, "--cache", "off");
                GatewayProcess loading = start(backend, "--ttl", "0s");
                GatewayProcess caching = start(backend, "--ttl", options.text("ttl"));
                ResponderProcess responder = options.flag("responder") ? ResponderProcess.start(options) : null) {
            List<Way> ways = new ArrayList<>();
            if (responder != null) {
                Way prepared = new Way(
                        RESPONDER + ", prepared", null, responder.target(), new LightRows(1), responder::processorTime);
                ways.addAll(List.of(prepared.text(RESPONDER), prepared));
            }
            if (backend instanceof MariaDbServer server) {
                Way prepared =
                        new Way(STRAIGHT + ", prepared", null, server.straight(DATABASE), rows, server::processorTime);
                ways.addAll(List.of(prepared.text(STRAIGHT), prepared));
            }
            addWays(ways, NOTHING, PREPARED, forwarding, backend);
            addWays(ways, "short circuit", "short circuit, prepared", loading, backend);
            addWays(ways, "short circuit, row cache", ALL, caching, backend);
            for (GatewayProcess gateway : List.of(forwarding, loading, caching)) {
                if (gateway == forwarding || !backend.isShared()) {
                    load(backend, backend.through(gateway, DATABASE));
                }
            }
            for (Way way : ways) {
                // Fills caches, and lets the JIT compile hot code.
                run(way, mostThreads(), options.count("warm"));
            }
            for (int threads : options.counts("threads")) {
                Turns<Way, Seen> turns = Turns.of(ways, 0, options.count("rounds"), way -> measured(way, threads));
                for (Way way : ways) {
                    figures.row(
                            store,
                            way.name,
                            (long) threads,
                            turns.median(way, Seen::throughput),
                            turns.median(way, Seen::meanMicros),
                            turns.median(way, Seen::p99Micros),
                            turns.median(way, Seen::hits),
                            turns.median(way, Seen::serverMicros));
                }
            }
        }
    }

    private void addWays(List<Way> ways, String text, String prepared, GatewayProcess gateway, Backend backend) {
        Target target = backend.through(gateway, DATABASE);
        Way way = new Way(prepared, gateway, target, rows, gateway::processorTime);
        ways.addAll(List.of(way.text(text), way));
    }

    private int mostThreads() {
        return options.counts("threads").stream()
                .mapToInt(Integer::intValue)
                .max()
                .orElseThrow();
    }

    private GatewayProcess start(Backend backend, String... more) throws IOException {
        List<String> serve = new ArrayList<>(List.of(more));
        serve.addAll(Harness.settings(options.all("set")));
        return harness.gateway(backend, serve);
    }

    private void load(Backend backend, Target target) throws IOException {
        runs.load(
                WORKLOAD,
                target,
                Map.of("recordcount", options.text("records"), "threadcount", "16", "ddl", backend.ddl()));
    }

    private Seen measured(Way way, int threads) throws IOException {
        Counters before = way.counters();
        Duration began = way.processorTime.get();
        Seen seen = run(way, threads, options.count("seconds"));
        Duration took = way.processorTime.get().minus(began);
        return seen.with(
                way.counters().since(before).percentOfQueries("hits"),
                took.isZero() ? Double.NaN : took.toNanos() / 1e3 / seen.reads);
    }

    private Seen run(Way way, int threads, int seconds) throws IOException {
        if (light) {
            return runLight(way, threads, seconds);
        }
        YcsbResult result = runs.run(
                "run",
                WORKLOAD,
                way.target,
                Map.of(
                        "recordcount", options.text("records"),
                        "operationcount", String.valueOf(Integer.MAX_VALUE),
                        "maxexecutiontime", String.valueOf(seconds),
                        "dataintegrity", options.text("verify"),
                        "threadcount", String.valueOf(threads)));
        return new Seen(
                result.throughput(),
                result.mean("READ"),
                result.percentile("READ", 99),
                result.operations("READ"),
                Double.NaN,
                Double.NaN);
    }

    private Seen runLight(Way way, int connections, int seconds) throws IOException {
        Target target = way.target;
        harness.out().println("# light, " + target.url());
        if (!target.password().isEmpty()) {
            throw new IllegalArgumentException(
                    "--client light logs in without a password (expected: none for " + target.user() + ")");
        }
        try (LightClient client = new LightClient(target, connections, way.rows)) {
            LightClient.Seen seen = client.run(seconds);
            long reads = seen.micros().getTotalCount();
            lightReads += reads;
            return new Seen(
                    seen.throughput(),
                    seen.micros().getMean(),
                    seen.micros().getValueAtPercentile(99),
                    reads,
                    Double.NaN,
                    Double.NaN);
        }
    }

    private Figures summary() {
        Figures summary = new Figures("store", "figure", "published", "here");
        for (String store : harness.stores()) {
            Figures its = figures.where("store", store);
            Figures most = its.where("threads", String.valueOf(mostThreads()));
            Figures all = most.where("on", ALL);
            Figures nothing = most.where("on", NOTHING);
            summary.row(store, "queries/s, all on / nothing on", "over 20", all.ratio(nothing, "queries/s"));
            summary.row(
                    store,
                    "queries/s, prepared statements alone / nothing on",
                    "4",
                    most.where("on", PREPARED).ratio(nothing, "queries/s"));
            summary.row(
                    store,
                    "mean latency, all on against nothing on, %",
                    "-96",
                    100 * (all.ratio(nothing, "mean µs") - 1));
            summary.row(store, "p99, nothing on / all on", "28", nothing.ratio(all, "p99 µs"));
            summary.row(
                    store, "most queries/s, any number of threads", "over 30,000 on 16 cores", its.max("queries/s"));
            if (store.equals("mariadb")) {
                Figures straight = most.where("on", STRAIGHT);
                summary.row(store, "queries/s, all on / straight, text", "", all.ratio(straight, "queries/s"));
            }
            if (options.flag("responder")) {
                for (String prepared : List.of("", ", prepared")) {
                    double hit = most.where("on", "short circuit, row cache" + prepared)
                            .first(SERVER_MICROS);
                    double bare = most.where("on", RESPONDER + prepared).first(SERVER_MICROS);
                    summary.row(store, SERVER_MICROS + ", hit above the responder" + prepared, "", hit - bare);
                }
            }
        }
        return summary;
    }
}
