package org.keyline.ycsb;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Runs the workloads against two gateways, one with its cache off and one with it on, in turns, and
 * prints the medians as a Markdown table. With a MariaDB it also runs them directly against the
 * server, in the same turns.
 */
final class Report {
    private static final String USAGE = """
            usage: java -jar keyline-ycsb.jar report [options]

              --gateway JAR      default gateway/target/keyline.jar
              --workloads DIR    default ycsb-binding/workloads
              --store STORE      of both gateways, default duckdb:memory
              --mariadb WHERE    instead of --store: HOST:PORT, or "installed" to start the one installed here
              --mariadb-user U, --mariadb-password P    for a server that runs already, default root and none
              --option OPTION    one more argument of the gateways' serve command, repeatable
              --java OPTION      one argument of the gateways' JVMs, repeatable, default -Xmx1g
              --rounds N         runs of each workload on each gateway, default 3
              --warm N           warm-up runs before, which do not count, default 0
              --operations N     of each run, default 100000
              --scans N          operations of each run of workload E, default 2000
              --records N        of the core workloads, default 100000
              --threads N        default 16
              --only LETTERS     some of the workloads, default ABCFDES (S: the strategy workload)
              --output DIR       also write ycsb.md, ycsb.csv and ycsb.png to this directory
            """;

    static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("gateway", "gateway/target/keyline.jar"),
            Map.entry("workloads", "ycsb-binding/workloads"),
            Map.entry("store", "duckdb:memory"),
            Map.entry("mariadb", ""),
            Map.entry("mariadb-user", "root"),
            Map.entry("mariadb-password", ""),
            Map.entry("option", ""),
            Map.entry("java", "-Xmx1g"),
            Map.entry("rounds", "3"),
            Map.entry("warm", "0"),
            Map.entry("operations", "100000"),
            Map.entry("scans", "2000"),
            Map.entry("records", "100000"),
            Map.entry("threads", "16"),
            Map.entry("only", "ABCFDES"),
            Map.entry("output", ""));

    /** A workload and the operation whose latency is reported. */
    private enum Workload {
        A("workloada", "A: half updates", "READ"),
        B("workloadb", "B: 5 % updates", "READ"),
        C("workloadc", "C: reads", "READ"),
        F("workloadf", "F: read-modify-write", "READ"),
        D("workloadd", "D: latest, 5 % inserts", "READ"),
        E("workloade", "E: scans", "SCAN"),
        S("strategy", "S: strategy requests", "REQUEST");

        private final String file;
        private final String title;
        private final String operation;

        Workload(String file, String title, String operation) {
            this.file = file;
            this.title = title;
            this.operation = operation;
        }
    }

    private static final String STRAIGHT = "straight";
    private static final String OFF = "cache off";
    private static final String ON = "cache on";

    private static final String EMBEDDED_DATABASE = "ycsb";
    private static final String MARIADB_DATABASE = "ycsb_";
    /** Suffix of databases whose tables are scanned. */
    private static final String SCANS = "_scans";

    private final Options options;
    private final PrintStream out;
    private final YcsbRuns runs;
    /**
     * Processor time of the contenders' servers so far: the store, and the gateway in front of it.
     */
    private final Map<String, Supplier<Duration>> processors = new HashMap<>();

    private final Map<String, Target> contenders = new LinkedHashMap<>();
    /** Contenders for scans, in databases whose tables are cached as ranges of keys. */
    private final Map<String, Target> scanned = new LinkedHashMap<>();

    private final boolean embedded;

    private Report(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
        this.runs = new YcsbRuns(options.path("workloads"), out);
        this.embedded = options.text("mariadb").isEmpty();
    }

    /**
     * Runs the command.
     *
     * @throws IOException also if an operation or a verification failed
     */
    static void run(List<String> arguments, PrintStream out) throws IOException {
        if (arguments.contains("--help")) {
            out.print(USAGE);
            return;
        }
        new Report(new Options(USAGE, DEFAULTS, arguments), out).run();
    }

    private void run() throws IOException {
        try (MariaDbServer server = embedded ? null : MariaDbServer.of(options);
                GatewayProcess off = start("off", server);
                GatewayProcess on = start("on", server)) {
            if (server == null) {
                contenders.put(OFF, off.target());
                contenders.put(ON, on.target());
            } else {
                // Each contender has its own database. Otherwise one contender's writes would
                // bypass another's cache.
                contenders.put(STRAIGHT, server.straight(MARIADB_DATABASE + "straight"));
                contenders.put(OFF, server.through(off.address(), MARIADB_DATABASE + "off"));
                contenders.put(ON, server.through(on.address(), MARIADB_DATABASE + "on"));
            }
            Supplier<Duration> store = server == null ? () -> Duration.ZERO : server::processorTime;
            processors.put(STRAIGHT, store);
            processors.put(OFF, () -> off.processorTime().plus(store.get()));
            processors.put(ON, () -> on.processorTime().plus(store.get()));
            contenders.forEach((name, target) -> scanned.put(name, target.withDatabase(target.database() + SCANS)));
            Figures figures = measure();
            out.println();
            out.println(conditions());
            out.println();
            out.print(figures.markdown());
            out.println();
            out.println(runs.verified() + " rows or requests verified, " + runs.failed() + " operations failed.");
            if (!options.text("output").isEmpty()) {
                figures.write(options.path("output"), "ycsb", conditions());
                figures.plotBars(
                        options.path("output").resolve("ycsb.png"),
                        "YCSB A-F: operations a second",
                        "workload",
                        "operations/s",
                        contenders.keySet().stream()
                                .map(name -> name + ": ops/s")
                                .toArray(String[]::new));
            }
        }
        if (runs.failed() > 0) {
            throw new IOException(runs.failed() + " operations failed");
        }
    }

    private Figures measure() throws IOException {
        List<String> columns = new ArrayList<>(List.of("workload"));
        for (String name : contenders.keySet()) {
            columns.addAll(List.of(
                    name + ": ops/s", "p50 µs, " + name, "p99 µs, " + name, "processor µs of an operation, " + name));
        }
        columns.add("on / off");
        columns.add("on / off by processor time");
        if (!embedded) {
            columns.add("on / straight");
        }
        Figures figures = new Figures(columns.toArray(String[]::new));
        String only = options.text("only").toUpperCase(Locale.ROOT);
        Map<String, List<Run>> loads = new HashMap<>();
        for (Map.Entry<String, Target> contender : contenders.entrySet()) {
            loads.put(
                    contender.getKey(),
                    List.of(timed(
                            contender.getKey(),
                            options.count("records"),
                            () -> load(Workload.A, contender.getValue()))));
            if (only.contains("S")) {
                load(Workload.S, contender.getValue());
            }
        }
        figures.row(row("load", loads, "INSERT"));
        for (Workload workload : Workload.values()) {
            if (only.contains(workload.name())) {
                figures.row(row(workload.title, turns(workload), workload.operation));
            }
        }
        return figures;
    }

    private GatewayProcess start(String cache, @Nullable MariaDbServer server) throws IOException {
        List<String> serve = new ArrayList<>(List.of("--cache", cache));
        serve.addAll(
                server == null ? List.of("--store", options.text("store").replace("%", cache)) : server.serveOptions());
        String database = server == null ? EMBEDDED_DATABASE : MARIADB_DATABASE + cache;
        serve.addAll(List.of("--set", "tables." + database + SCANS + ".usertable.prefix=0"));
        serve.addAll(options.all("option"));
        return GatewayProcess.start(options.path("gateway"), options.all("java"), serve);
    }

    /**
     * One run.
     *
     * @param processorMicros processor time per operation, of the store and the gateway
     */
    private record Run(YcsbResult result, double processorMicros) {}

    private interface Measured {
        YcsbResult run() throws IOException;
    }

    private Run timed(String contender, int operations, Measured measured) throws IOException {
        Supplier<Duration> processor = Objects.requireNonNull(processors.get(contender), contender);
        Duration before = processor.get();
        YcsbResult result = measured.run();
        return new Run(result, processor.get().minus(before).toNanos() / 1e3 / operations);
    }

    private Map<String, List<Run>> turns(Workload workload) throws IOException {
        Map<String, List<Run>> results = new HashMap<>();
        for (int round = -options.countOrNone("warm"); round < options.count("rounds"); round++) {
            for (Map.Entry<String, Target> contender : (workload == Workload.E ? scanned : contenders).entrySet()) {
                if (workload == Workload.E || (!embedded && workload == Workload.D)) {
                    // the keys that these workloads insert must not exist yet
                    load(workload, contender.getValue());
                }
                Run run = timed(
                        contender.getKey(),
                        options.count(operations(workload)),
                        () -> runs.run("run", workload.file, contender.getValue(), properties(workload)));
                if (round >= 0) {
                    results.computeIfAbsent(contender.getKey(), name -> new ArrayList<>())
                            .add(run);
                }
            }
        }
        return results;
    }

    private YcsbResult load(Workload workload, Target target) throws IOException {
        return runs.load(workload.file, target, properties(workload));
    }

    private Map<String, String> properties(Workload workload) {
        Map<String, String> properties = new HashMap<>();
        properties.put("ddl", embedded ? "doris" : "mysql");
        properties.put("threadcount", options.text("threads"));
        properties.put("operationcount", options.text(operations(workload)));
        if (workload != Workload.S) {
            properties.put("recordcount", options.text("records"));
        }
        return properties;
    }

    /** Returns the option with the number of a workload's operations. */
    private static String operations(Workload workload) {
        return workload == Workload.E ? "scans" : "operations";
    }

    private Object[] row(String title, Map<String, List<Run>> results, String operation) {
        List<Object> cells = new ArrayList<>(List.of(title));
        for (String name : contenders.keySet()) {
            List<Run> its = results.getOrDefault(name, List.of());
            cells.add(median(its, Report::throughput));
            cells.add(median(its, run -> run.result.percentile(operation, 50)));
            cells.add(median(its, run -> run.result.percentile(operation, 99)));
            cells.add(median(its, Run::processorMicros));
        }
        List<Run> on = results.getOrDefault(ON, List.of());
        List<Run> off = results.getOrDefault(OFF, List.of());
        cells.add(median(on, Report::throughput) / median(off, Report::throughput));
        cells.add(median(off, Run::processorMicros) / median(on, Run::processorMicros));
        if (!embedded) {
            List<Run> straight = results.getOrDefault(STRAIGHT, List.of());
            cells.add(median(on, Report::throughput) / median(straight, Report::throughput));
        }
        return cells.toArray();
    }

    private static double throughput(Run run) {
        return run.result.throughput();
    }

    private static double median(List<Run> results, ToDoubleFunction<Run> figure) {
        double[] sorted = results.stream().mapToDouble(figure).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private String conditions() throws IOException {
        return "%s records, %s operations a run (E: %s), %s client threads, medians of %s runs in turns%s, %s, %s; %s for client, gateways and store together"
                .formatted(
                        options.text("records"),
                        options.text("operations"),
                        options.text("scans"),
                        options.text("threads"),
                        options.text("rounds"),
                        options.countOrNone("warm") == 0 ? "" : " after " + options.text("warm") + " that do not count",
                        embedded ? options.text("store") : "MariaDB",
                        String.join(" ", options.all("java")),
                        Experiments.machine());
    }
}
