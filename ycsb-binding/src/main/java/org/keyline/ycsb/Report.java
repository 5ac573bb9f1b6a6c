package org.keyline.ycsb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Runs the workloads alternately against two gateways, one with its cache off and one with its
 * cache on. If the store is a MariaDB, also runs them directly against that server. Prints the
 * medians as a Markdown table.
 */
final class Report {
    /** @param operation the name of the measured operations in YCSB's output */
    private record Workload(String letter, String file, String title, String operation) {}

    private static final List<Workload> WORKLOADS = List.of(
            new Workload("A", "workloada", "A: half updates", "READ"),
            new Workload("B", "workloadb", "B: 5 % updates", "READ"),
            new Workload("C", "workloadc", "C: reads", "READ"),
            new Workload("F", "workloadf", "F: read-modify-write", "READ"),
            new Workload("D", "workloadd", "D: latest, 5 % inserts", "READ"),
            new Workload("E", "workloade", "E: scans", "SCAN"),
            new Workload("S", "strategy", "S: strategy requests", "REQUEST"));

    private static final String STRAIGHT = "straight";
    private static final String OFF = "cache off";
    private static final String ON = "cache on";
    /** Suffix of the databases for workload E, which scans tables that are cached as ranges. */
    private static final String SCANS = "_scans";

    private static final String OPERATIONS = "operations/s";
    private static final String PROCESSOR = "processor µs";

    private final Harness harness;
    private final Options options;
    private final YcsbRuns runs;
    private final boolean embedded;
    private final Figures figures =
            Figures.of("workload | way | operations/s | p50 µs | p99 µs | processor µs | relative to off | "
                    + "by processor time | relative to straight");
    private final List<Way> ways = new ArrayList<>();

    private Report(Harness harness) {
        this.harness = harness;
        this.options = harness.options();
        this.runs = new YcsbRuns(harness);
        this.embedded = options.text("mariadb").isEmpty();
    }

    static String options(String mariaDb, String only) {
        return """
                YCSB A-F directly at MariaDB, and through gateways with the cache off and on

                  --workloads DIR       [ycsb-binding/workloads]
                  --store STORE         of both gateways, without --mariadb [duckdb:memory]
                  --option OPTION       one more argument of the gateways' serve command, repeatable
                  --rounds N            runs of each workload on each gateway [3]
                  --warm N              warm-up runs before, which do not count [0]
                  --operations N        of each run [100000]
                  --scans N             operations of each run of workload E [2000]
                  --records N           of the core workloads [100000]
                  --threads N           [16]
                  --only LETTERS        some of the workloads; S: the strategy workload [%s]
                """.formatted(only) + Options.common(mariaDb, "-Xmx1g");
    }

    /** Runs the report. Also throws an IOException if an operation or a verification failed. */
    static void run(Harness harness) throws IOException {
        new Report(harness).run();
    }

    private void run() throws IOException {
        // A % in the name of an embedded store is replaced, so that each gateway has its own file.
        String name = options.text("store");
        try (Backend backend = embedded ? Backend.embedded(name) : harness.mariaDb();
                GatewayProcess off = start("off", embedded ? Backend.embedded(name.replace("%", "off")) : backend);
                GatewayProcess on = start("on", embedded ? Backend.embedded(name.replace("%", "on")) : backend)) {
            if (!embedded) {
                ways.add(new Way(STRAIGHT, backend.straight(database(STRAIGHT)), List.of(), backend));
            }
            ways.add(new Way(OFF, off, database("off"), backend));
            ways.add(new Way(ON, on, database("on"), backend));
            measure();
        }
        String conditions =
                "{records} records, {operations} operations a run (E: {scans}), {threads} client threads, medians of {rounds} runs in turns after {warm} that do not count, %s, {java}; client, gateways and store on one machine"
                        .formatted(embedded ? "{store}" : "MariaDB");
        harness.out().printf("%n%s; %s%n%n", options.filled(conditions), Harness.machine());
        if (options.text("output").isEmpty()) {
            harness.out().print(figures.markdown());
        } else {
            harness.write(figures, "ycsb", conditions);
            figures.where("way", ON)
                    .plotBars(
                            harness.file("ycsb.png"),
                            "YCSB A-F: operations a second with the cache on, relative to off",
                            "workload",
                            "relative to off",
                            "relative to off");
        }
        runs.finish();
    }

    /** Returns a contender's database. In a shared store, each contender has its own. */
    private String database(String contender) {
        return embedded ? "ycsb" : "ycsb_" + contender;
    }

    private GatewayProcess start(String cache, Backend backend) throws IOException {
        String scans = "tables." + database(cache) + SCANS + ".usertable.prefix=0";
        return harness.gateway(backend, "cache.enabled=" + cache.equals("on"), scans);
    }

    private void measure() throws IOException {
        String only = options.text("only").toUpperCase(Locale.ROOT);
        for (Way way : ways) {
            load(WORKLOADS.get(0), way.target());
        }
        for (Workload workload : WORKLOADS) {
            if (only.contains(workload.letter)) {
                if (workload.letter.equals("S")) {
                    for (Way way : ways) {
                        load(workload, way.target());
                    }
                }
                int warm = options.countOrNone("warm");
                add(workload.title, Harness.turns(ways, warm, options.count("rounds"), way -> run(workload, way)));
            }
        }
    }

    /** Adds a row for each way, with its figures relative to those with the cache off. */
    private void add(String title, Map<Way, Results> medians) {
        Map<String, Results> byName = new HashMap<>();
        medians.forEach((way, run) -> byName.put(way.name(), run));
        Results off = byName.getOrDefault(OFF, Results.NONE);
        Results straight = byName.getOrDefault(STRAIGHT, Results.NONE);
        medians.forEach((way, run) -> figures.row(
                run.with("relative to off", run.get(OPERATIONS) / off.get(OPERATIONS))
                        .with("by processor time", off.get(PROCESSOR) / run.get(PROCESSOR))
                        .with("relative to straight", run.get(OPERATIONS) / straight.get(OPERATIONS)),
                title,
                way.name()));
    }

    private Results run(Workload workload, Way way) throws IOException {
        boolean scans = workload.letter.equals("E");
        Target used = scans ? way.target().withDatabase(way.target().database() + SCANS) : way.target();
        if (scans || (!embedded && workload.letter.equals("D"))) {
            // These workloads insert keys that must not exist yet.
            load(workload, used);
        }
        int operations = options.count(operations(workload));
        Results run = way.measured(
                () -> runs.run("run", workload.file, used, properties(workload)).with("operations", operations));
        return run.with("p50 µs", run.get(workload.operation + " 50thPercentileLatency(us)"))
                .with("p99 µs", run.get(workload.operation + " 99thPercentileLatency(us)"));
    }

    private void load(Workload workload, Target target) throws IOException {
        runs.load(workload.file, target, properties(workload));
    }

    private Map<String, String> properties(Workload workload) {
        Map<String, String> properties = new HashMap<>();
        properties.put("ddl", embedded ? "doris" : "mysql");
        properties.put("threadcount", options.text("threads"));
        properties.put("operationcount", options.text(operations(workload)));
        if (!workload.letter.equals("S")) {
            properties.put("recordcount", options.text("records"));
        }
        return properties;
    }

    private static String operations(Workload workload) {
        return workload.letter.equals("E") ? "scans" : "operations";
    }
}
