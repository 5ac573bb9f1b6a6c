package org.keyline.ycsb;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Runs the workloads alternately against two gateways, one with its cache off and one with its
 * cache on. If the store is a MariaDB, also runs them directly against that server. Prints the
 * medians as a Markdown table.
 */
final class Report {
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
    /** Suffix of the databases whose tables workload E scans. */
    private static final String SCANS = "_scans";

    private static final String OPERATIONS = ": ops/s";

    /**
     * @param scanned like {@code target}, but with a database whose tables are cached as ranges
     * @param processorTime returns the processor time so far of store and gateway
     */
    private record Contender(String name, Target target, Target scanned, Supplier<Duration> processorTime) {}

    /** @param processorMicros the processor time of store and gateway per operation */
    private record Run(YcsbResult result, double processorMicros) {
        double throughput() {
            return result.throughput();
        }
    }

    private final Harness harness;
    private final Options options;
    private final YcsbRuns runs;
    private final List<Contender> contenders = new ArrayList<>();
    private final boolean embedded;

    Report(Harness harness) {
        this.harness = harness;
        this.options = harness.options();
        this.runs = new YcsbRuns(options.path("workloads"), harness.out());
        this.embedded = options.text("mariadb").isEmpty();
    }

    static String options(String mariaDb, String only) {
        return """
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
    void run() throws IOException {
        // A % in the name of an embedded store is replaced, so that each gateway has its own file.
        String store = options.text("store");
        try (Backend backend = harness.backend(store);
                GatewayProcess off = start("off", embedded ? Backend.embedded(store.replace("%", "off")) : backend);
                GatewayProcess on = start("on", embedded ? Backend.embedded(store.replace("%", "on")) : backend)) {
            if (backend instanceof MariaDbServer server) {
                add(STRAIGHT, server.straight(database("straight")), server::processorTime);
            }
            add(OFF, off, backend, database("off"));
            add(ON, on, backend, database("on"));
            Figures figures = measure();
            String conditions = conditions();
            harness.out().printf("%n%s; %s%n%n", options.filled(conditions), Harness.machine());
            if (options.text("output").isEmpty()) {
                harness.out().print(figures.markdown());
            } else {
                harness.write(figures, "ycsb", conditions);
                figures.plotBars(
                        harness.file("ycsb.png"),
                        "YCSB A-F: operations a second",
                        "workload",
                        "operations/s",
                        contenders.stream().map(each -> each.name + OPERATIONS).toArray(String[]::new));
            }
            harness.out()
                    .printf("%n%d rows or requests verified, %d operations failed.%n", runs.verified(), runs.failed());
        }
        runs.failIfAnyFailed();
    }

    /** Returns a contender's database. In a shared store, each contender has its own. */
    private String database(String contender) {
        return embedded ? EMBEDDED_DATABASE : MARIADB_DATABASE + contender;
    }

    private void add(String name, Target target, Supplier<Duration> processorTime) {
        contenders.add(new Contender(name, target, target.withDatabase(target.database() + SCANS), processorTime));
    }

    private void add(String name, GatewayProcess gateway, Backend backend, String database) {
        Target target = backend.through(gateway, database);
        add(name, target, () -> gateway.processorTime().plus(backend.processorTime()));
    }

    private GatewayProcess start(String cache, Backend backend) throws IOException {
        String scans = "tables." + database(cache) + SCANS + ".usertable.prefix=0";
        List<String> serve = new ArrayList<>(List.of("--cache", cache, "--set", scans));
        serve.addAll(options.all("option"));
        return harness.gateway(backend, serve);
    }

    private Figures measure() throws IOException {
        List<String> columns = new ArrayList<>(List.of("workload"));
        for (Contender contender : contenders) {
            String name = contender.name;
            columns.addAll(List.of(
                    name + OPERATIONS, "p50 µs, " + name, "p99 µs, " + name, "processor µs of an operation, " + name));
        }
        columns.addAll(List.of("on / off", "on / off by processor time"));
        if (!embedded) {
            columns.add("on / straight");
        }
        Figures figures = new Figures(columns.toArray(String[]::new));
        String only = options.text("only").toUpperCase(Locale.ROOT);
        Turns<Contender, Run> loads = Turns.of(
                contenders, 0, 1, each -> timed(each, options.count("records"), () -> load(Workload.A, each.target)));
        if (only.contains("S")) {
            for (Contender contender : contenders) {
                load(Workload.S, contender.target);
            }
        }
        figures.row(row("load", loads, "INSERT"));
        for (Workload workload : Workload.values()) {
            if (only.contains(workload.name())) {
                Turns<Contender, Run> turns = Turns.of(
                        contenders, options.countOrNone("warm"), options.count("rounds"), each -> run(workload, each));
                figures.row(row(workload.title, turns, workload.operation));
            }
        }
        return figures;
    }

    private interface Measured {
        YcsbResult run() throws IOException;
    }

    private static Run timed(Contender contender, int operations, Measured measured) throws IOException {
        Duration before = contender.processorTime.get();
        YcsbResult result = measured.run();
        Duration took = contender.processorTime.get().minus(before);
        return new Run(result, took.toNanos() / 1e3 / operations);
    }

    private Run run(Workload workload, Contender contender) throws IOException {
        Target target = workload == Workload.E ? contender.scanned : contender.target;
        if (workload == Workload.E || (!embedded && workload == Workload.D)) {
            // These workloads insert keys that must not exist yet.
            load(workload, target);
        }
        return timed(
                contender,
                options.count(operations(workload)),
                () -> runs.run("run", workload.file, target, properties(workload)));
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

    private static String operations(Workload workload) {
        return workload == Workload.E ? "scans" : "operations";
    }

    private Object[] row(String title, Turns<Contender, Run> turns, String operation) {
        List<Object> cells = new ArrayList<>(List.of(title));
        for (Contender contender : contenders) {
            cells.add(turns.median(contender, Run::throughput));
            cells.add(turns.median(contender, run -> run.result.percentile(operation, 50)));
            cells.add(turns.median(contender, run -> run.result.percentile(operation, 99)));
            cells.add(turns.median(contender, Run::processorMicros));
        }
        Contender off = contender(OFF);
        Contender on = contender(ON);
        cells.add(turns.ratio(on, off, Run::throughput));
        cells.add(turns.ratio(off, on, Run::processorMicros));
        if (!embedded) {
            cells.add(turns.ratio(on, contender(STRAIGHT), Run::throughput));
        }
        return cells.toArray();
    }

    private Contender contender(String name) {
        return contenders.stream()
                .filter(each -> each.name.equals(name))
                .findFirst()
                .orElseThrow();
    }

    private String conditions() {
        return "{records} records, {operations} operations a run (E: {scans}), {threads} client threads, medians of {rounds} runs in turns%s, %s, {java}; client, gateways and store on one machine"
                .formatted(
                        options.countOrNone("warm") == 0 ? "" : " after {warm} that do not count",
                        embedded ? "{store}" : "MariaDB");
    }
}
