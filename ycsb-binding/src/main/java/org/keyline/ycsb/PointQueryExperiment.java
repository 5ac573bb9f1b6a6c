package org.keyline.ycsb;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Measures point queries on YCSB's table with each optimisation off and on, for several numbers of
 * connections, on the embedded store and on MariaDB. {@link LightClient} sends the queries.
 *
 * <p>The published terms mean the following here. Without the <em>short circuit</em>, {@code
 * --cache off} makes the gateway forward every statement. With the short circuit but without the
 * <em>row cache</em>, the ttl is zero, so the gateway's own sessions load each read. With the row
 * cache, the ttl is longer than the run. Only the short circuit uses lines, so the row cache needs
 * it. With <em>prepared statements</em>, the client prepares its statements.
 */
final class PointQueryExperiment {
    static final String OPTIONS = """
            short circuit, prepared statements and row cache, by number of connections

              --threads LIST        connections [1,2,4,8,16,32,64]
              --seconds N           of each run [10]
              --warm N              seconds that each way runs first, with the most connections [20]
              --rounds N            runs of each way, in turns; the figures are medians [1]
              --records N           [10000]
              --stores LIST         some of embedded,mariadb [embedded,mariadb]
              --responder WHETHER   true: also a server without work, in the gateway's transport [false]
              --workloads DIR       [ycsb-binding/workloads]
              --set PATH=VALUE      one setting of all gateways, repeatable
            """ + Options.common("installed", "-Xmx1g");

    static final String READY = "responder ready";
    private static final String NAME = "point-queries-light";
    private static final String STRAIGHT = "straight";
    private static final String NOTHING = "nothing";
    private static final String CACHE = "short circuit, row cache";
    private static final String RESPONDER = "responder";
    private static final String PREPARED = ", prepared";
    private static final String SERVER_MICROS = "server µs/query";

    private final Harness harness;
    private final Options options;
    private final YcsbRuns runs;
    private final int most;
    private final LightClient.Rows rows;
    private final Figures figures =
            Figures.of("store | on | threads | queries/s | mean µs | p99 µs | hit rate % | server µs/query");

    private PointQueryExperiment(Harness harness) {
        this.harness = harness;
        this.options = harness.options();
        this.runs = new YcsbRuns(harness);
        this.most = Collections.max(options.counts("threads"));
        this.rows = new LightClient.Rows(options.count("records"));
    }

    static void run(Harness harness) throws IOException, SQLException {
        PointQueryExperiment experiment = new PointQueryExperiment(harness);
        harness.eachStore(experiment::measure);
        harness.write(
                experiment.figures,
                NAME,
                "{records} records of 1 KB, all verified, keys by a Zipfian distribution, {seconds} s a run, rows live 10 minutes in the cache, {java}, settings {set}; client, gateway and store on one machine");
        harness.plotByStore(experiment.figures, NAME, "Point queries", "threads", "queries/s", "on");
        harness.write(
                experiment.summary(),
                NAME + "-summary",
                "All optimisations on, compared with none, at the largest number of threads");
        experiment.runs.finish();
    }

    private void measure(String store, Backend backend) throws IOException {
        int port = ServerProcess.freePort();
        String transport = options.all("set").contains("transport=epoll") ? "epoll" : "auto";
        try (GatewayProcess forwarding = harness.gateway(backend, "cache.enabled=false");
                GatewayProcess loading = harness.gateway(backend, "cache.ttl=0s");
                GatewayProcess caching = harness.gateway(backend, "cache.ttl=10m");
                ServerProcess responder =
                        withResponder() ? responder(options.path("gateway"), port, transport) : null) {
            List<Way> ways = new ArrayList<>();
            if (responder != null) {
                add(ways, new Way(RESPONDER, Target.onLoopback(port), List.of(), new Backend(responder)));
            }
            if (!backend.isEmbedded()) {
                add(ways, new Way(STRAIGHT, backend.straight("ycsb"), List.of(), backend));
            }
            add(ways, new Way(NOTHING, forwarding, "ycsb", backend));
            add(ways, new Way("short circuit", loading, "ycsb", backend));
            add(ways, new Way(CACHE, caching, "ycsb", backend));
            for (GatewayProcess gateway :
                    backend.isEmbedded() ? List.of(forwarding, loading, caching) : List.of(forwarding)) {
                runs.load(
                        "workloadc",
                        gateway.target(),
                        Map.of("recordcount", options.text("records"), "threadcount", "16", "ddl", backend.ddl()));
            }
            for (Way way : ways) {
                run(way, most, options.count("warm")); // fills caches, and lets the JIT compile hot code
            }
            for (int threads : options.counts("threads")) {
                Map<Way, Results> medians = Harness.turns(
                        ways, 0, options.count("rounds"), way -> run(way, threads, options.count("seconds")));
                medians.forEach((way, median) -> figures.row(median, store, way.name(), (long) threads));
            }
        }
    }

    /** Adds a way that sends statements as text, and the same with prepared statements. */
    private static void add(List<Way> ways, Way way) {
        String prepared = way.name().equals(NOTHING) ? "prepared" : way.name() + PREPARED;
        ways.add(new Way(way.name(), way.target().withoutPreparing(), way.gateways(), way.store()));
        ways.add(new Way(prepared, way.target(), way.gateways(), way.store()));
    }

    private boolean withResponder() {
        return options.choices("responder", "true", "false").contains("true");
    }

    /** Starts a {@link Responder}, which needs the gateway's jar for Netty and the protocol. */
    static ServerProcess responder(Path gateway, int port, String transport) throws IOException {
        String classes = System.getProperty("java.class.path") + File.pathSeparator + gateway;
        return new ServerProcess(
                List.of(
                        ServerProcess.java(),
                        "-Xmx256m",
                        "-cp",
                        classes,
                        "org.keyline.ycsb.Responder",
                        "" + port,
                        transport),
                READY);
    }

    private Results run(Way way, int connections, int seconds) throws IOException {
        harness.out().println("# " + way.name() + ", " + way.target().url());
        LightClient.Rows read = way.name().startsWith(RESPONDER) ? new LightClient.Rows(1) : rows;
        try (LightClient client = new LightClient(way.target(), connections, read)) {
            Results run = way.measured(() -> client.run(seconds));
            return run.with("queries/s", run.get("operations/s"))
                    .with(SERVER_MICROS, run.get(way.gateways().isEmpty() ? "store µs" : "gateway µs"));
        }
    }

    private Figures summary() {
        Figures summary = Figures.of("store | figure | published | here");
        for (String store : harness.stores()) {
            Figures its = figures.where("store", store);
            Figures at = its.where("threads", String.valueOf(most));
            Figures all = at.where("on", CACHE + PREPARED);
            Figures nothing = at.where("on", NOTHING);
            double latency = 100 * (all.ratio(nothing, "mean µs") - 1);
            summary.row(store, "queries/s, all on / nothing on", "over 20", all.ratio(nothing, "queries/s"));
            summary.row(store, "mean latency, all on against nothing on, %", "-96", latency);
            summary.row(store, "p99, nothing on / all on", "28", nothing.ratio(all, "p99 µs"));
            summary.row(
                    store,
                    "most queries/s",
                    "over 30,000 on 16 cores",
                    its.where("on", CACHE + PREPARED).max("queries/s"));
            for (String prepared : withResponder() ? List.of("", PREPARED) : List.<String>of()) {
                double hit = at.where("on", CACHE + prepared).first(SERVER_MICROS);
                double bare = at.where("on", RESPONDER + prepared).first(SERVER_MICROS);
                summary.row(store, SERVER_MICROS + ", hit above the responder" + prepared, "", hit - bare);
            }
        }
        return summary;
    }
}
