package org.keyline.ycsb;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Runs the workloads against two gateways, one with its cache off and one with it on, in turns, and prints the medians as a
 * Markdown table. Ends with status 1 if an operation or a verification failed.
 */
public final class Report {
    private static final String USAGE = """
            usage: java -jar keyline-ycsb.jar report [options]

              --gateway JAR      default gateway/target/keyline.jar
              --workloads DIR    default ycsb-binding/workloads
              --store STORE      of both gateways, default duckdb:memory
              --option OPTION    one more argument of the gateways' serve command, repeatable
              --java OPTION      one argument of the gateways' JVMs, repeatable, default -Xmx1g
              --rounds N         runs of each workload on each gateway, default 3
              --operations N     of each run, default 100000
              --scans N          operations of each run of workload E, default 2000
              --records N        of the core workloads, default 100000
              --threads N        default 16
              --only LETTERS     some of the workloads, default ABCFDES (S: the strategy workload)
            """;

    /** A workload and the operation whose latency stands for it. */
    private enum Experiment {
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

        Experiment(String file, String title, String operation) {
            this.file = file;
            this.title = title;
            this.operation = operation;
        }
    }

    private Path gateway = Path.of("gateway/target/keyline.jar");
    private Path workloads = Path.of("ycsb-binding/workloads");
    private String store = "duckdb:memory";
    private final List<String> serveOptions = new ArrayList<>();
    private final List<String> javaOptions = new ArrayList<>();
    private int rounds = 3;
    private int operations = 100_000;
    private int scans = 2_000;
    private int records = 100_000;
    private int threads = 16;
    private String only = "ABCFDES";

    private final PrintStream out;
    private long failed;
    private long verified;

    private Report(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws IOException {
        Report report = new Report(System.out);
        if (args.length > 0 && args[0].equals("--help")) {
            System.out.print(USAGE);
            return;
        }
        report.configure(args);
        report.run();
        if (report.failed > 0) {
            System.exit(1);
        }
    }

    private void configure(String[] args) {
        if (args.length % 2 != 0) {
            throw new IllegalArgumentException(USAGE);
        }
        for (int i = 0; i < args.length; i += 2) {
            String value = args[i + 1];
            switch (args[i]) {
                case "--gateway" -> gateway = Path.of(value);
                case "--workloads" -> workloads = Path.of(value);
                case "--store" -> store = value;
                case "--option" -> serveOptions.add(value);
                case "--java" -> javaOptions.add(value);
                case "--rounds" -> rounds = Integer.parseInt(value);
                case "--operations" -> operations = Integer.parseInt(value);
                case "--scans" -> scans = Integer.parseInt(value);
                case "--records" -> records = Integer.parseInt(value);
                case "--threads" -> threads = Integer.parseInt(value);
                case "--only" -> only = value.toUpperCase(Locale.ROOT);
                default -> throw new IllegalArgumentException("no such option: " + args[i] + "\n\n" + USAGE);
            }
        }
        if (javaOptions.isEmpty()) {
            javaOptions.add("-Xmx1g");
        }
    }

    private void run() throws IOException {
        try (GatewayProcess off = start("off");
                GatewayProcess on = start("on")) {
            YcsbResult loadedOff = load(off, "workloada");
            YcsbResult loadedOn = load(on, "workloada");
            if (only.contains("S")) {
                load(off, "strategy");
                load(on, "strategy");
            }
            StringBuilder table = new StringBuilder();
            table.append(
                    "| workload | cache off: ops/s | p50 µs | p99 µs | cache on: ops/s | p50 µs | p99 µs | ratio |\n");
            table.append("|---|--:|--:|--:|--:|--:|--:|--:|\n");
            table.append(row("load", List.of(loadedOff), List.of(loadedOn), "INSERT"));
            for (Experiment experiment : Experiment.values()) {
                if (only.contains(experiment.name())) {
                    table.append(compare(experiment, off, on));
                }
            }
            out.println();
            out.println(conditions());
            out.println();
            out.print(table);
            out.println();
            out.println(verified + " rows or requests verified, " + failed + " operations failed.");
        }
    }

    private GatewayProcess start(String cache) throws IOException {
        List<String> options = new ArrayList<>(List.of("--store", store.replace("%", cache), "--cache", cache));
        options.addAll(serveOptions);
        return GatewayProcess.start(gateway, javaOptions, options);
    }

    private String compare(Experiment experiment, GatewayProcess off, GatewayProcess on) throws IOException {
        List<YcsbResult> withoutCache = new ArrayList<>();
        List<YcsbResult> withCache = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            withoutCache.add(ycsb("run", off, experiment.file));
            withCache.add(ycsb("run", on, experiment.file));
        }
        return row(experiment.title, withoutCache, withCache, experiment.operation);
    }

    private YcsbResult load(GatewayProcess gatewayProcess, String workload) throws IOException {
        ycsb("create-table", gatewayProcess, workload);
        return ycsb("load", gatewayProcess, workload);
    }

    private YcsbResult ycsb(String command, GatewayProcess gatewayProcess, String workload) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Ycsb.class.getName(),
                command,
                "-P",
                workloads.resolve(workload).toString()));
        property(arguments, "db.url", gatewayProcess.url());
        property(arguments, "threadcount", String.valueOf(threads));
        boolean scanning = workload.equals(Experiment.E.file);
        property(arguments, "operationcount", String.valueOf(scanning ? scans : operations));
        property(arguments, "hdrhistogram.percentiles", "50,99");
        if (!workload.equals("strategy")) {
            property(arguments, "recordcount", String.valueOf(records));
        }
        out.println("# " + command + " " + workload + ", " + gatewayProcess.url());
        Process process = new ProcessBuilder(arguments)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> output;
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            output = reader.lines().toList();
        }
        int status = process.onExit().join().exitValue();
        if (status != 0) {
            throw new IOException(
                    command + " " + workload + " ended with status " + status + "\n" + String.join("\n", output));
        }
        YcsbResult result = YcsbResult.parse(output);
        failed += result.failed();
        verified += result.verified();
        return result;
    }

    private static void property(List<String> arguments, String name, String value) {
        arguments.add("-p");
        arguments.add(name + "=" + value);
    }

    private static String row(String title, List<YcsbResult> off, List<YcsbResult> on, String operation) {
        return String.format(
                Locale.ROOT,
                "| %s | %,.0f | %,.0f | %,.0f | %,.0f | %,.0f | %,.0f | %.2f |%n",
                title,
                median(off, YcsbResult::throughput),
                median(off, result -> result.percentile(operation, 50)),
                median(off, result -> result.percentile(operation, 99)),
                median(on, YcsbResult::throughput),
                median(on, result -> result.percentile(operation, 50)),
                median(on, result -> result.percentile(operation, 99)),
                median(on, YcsbResult::throughput) / median(off, YcsbResult::throughput));
    }

    private static double median(List<YcsbResult> results, ToDoubleFunction<YcsbResult> figure) {
        double[] sorted = results.stream().mapToDouble(figure).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private String conditions() throws IOException {
        String cpu = "unknown processor";
        Path cpuinfo = Path.of("/proc/cpuinfo");
        if (Files.isReadable(cpuinfo)) {
            cpu = Files.readAllLines(cpuinfo).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 2))
                    .findFirst()
                    .orElse(cpu);
        }
        return "%,d records, %,d operations a run (E: %,d), %d client threads, medians of %d runs in turns; %d cores for gateway and client together (%s), Java %s, %s"
                .formatted(
                        records,
                        operations,
                        scans,
                        threads,
                        rounds,
                        Runtime.getRuntime().availableProcessors(),
                        cpu,
                        System.getProperty("java.version"),
                        String.join(" ", javaOptions));
    }
}
