package org.keyline.ycsb;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * YCSB's mixes on data structures for lines, by number of threads. Runs the JMH benchmark of module
 * rowcache and converts its result to tables and plots. Confined to one thread.
 */
final class LineCacheExperiment {
    private static final String USAGE = """
            usage: java -jar keyline-ycsb.jar experiment line-caches [options]

              --benchmarks JAR   default gateway/target/bench/keyline-benchmarks.jar (mvn package -Pbench -DskipTests)
              --threads LIST     default 1,2,4,8,16
              --mixes LIST       default A,B,C,D,E,F
              --forks N          default 1
              --warmup N         seconds, default 2
              --iterations N     of a second each, default 3
              --result FILE      a result of JMH (-rf csv) to convert, in place of a run
              --output DIR       default docs/experiments
            """;

    private static final Map<String, String> DEFAULTS = Map.of(
            "benchmarks", "gateway/target/bench/keyline-benchmarks.jar",
            "threads", "1,2,4,8,16",
            "mixes", "A,B,C,D,E,F",
            "forks", "1",
            "warmup", "2",
            "iterations", "3",
            "result", "",
            "output", Experiments.OUTPUT);

    private LineCacheExperiment() {}

    static void run(List<String> arguments, PrintStream out) throws IOException {
        if (arguments.contains("--help")) {
            out.print(USAGE);
            return;
        }
        Options options = new Options(USAGE, DEFAULTS, arguments);
        Figures figures =
                new Figures("mix", "structure", "threads", "operations/µs", "error", "processor ns/operation");
        if (options.text("result").isEmpty()) {
            for (int threads : options.counts("threads")) {
                out.println("# " + threads + " threads");
                convert(measure(options, threads), figures);
            }
        } else {
            convert(Files.readAllLines(options.path("result")), figures);
        }
        Path output = options.path("output");
        String conditions = "100,000 lines of one row of 100 bytes, all there; %s fork(s), %s iterations of 1 s; %s"
                .formatted(options.text("forks"), options.text("iterations"), Experiments.machine());
        figures.write(output, "line-caches", conditions);
        for (String mix : options.text("mixes").split(",", -1)) {
            figures.where("mix", mix)
                    .plotLines(
                            output.resolve("line-caches-" + mix + ".png"),
                            "YCSB mix " + mix + " on what keeps the lines",
                            "threads",
                            "operations/µs",
                            "structure");
        }
        out.print(figures.markdown());
    }

    private static List<String> measure(Options options, int threads) throws IOException {
        Path result = Files.createTempFile("keyline-jmh", ".csv");
        try {
            YcsbRuns.output(List.of(
                    YcsbRuns.java(),
                    "-jar",
                    options.text("benchmarks"),
                    "ThreadsBenchmark",
                    "-p",
                    "mix=" + options.text("mixes"),
                    "-t",
                    String.valueOf(threads),
                    "-f",
                    options.text("forks"),
                    "-w",
                    "1",
                    "-wi",
                    options.text("warmup"),
                    "-r",
                    "1",
                    "-i",
                    options.text("iterations"),
                    "-rf",
                    "csv",
                    "-rff",
                    result.toString()));
            return Files.readAllLines(result);
        } finally {
            Files.delete(result);
        }
    }

    /**
     * Adds the output of JMH, which has one row for the throughput of each benchmark, and further
     * rows for its counters.
     */
    static void convert(List<String> csv, Figures figures) {
        Figures jmh = Figures.parse(csv);
        for (Figures row : jmh.each()) {
            String benchmark = row.cell("Benchmark").toString();
            if (!benchmark.endsWith(".operation")) {
                continue;
            }
            Figures same = jmh.where("Param: mix", row.cell("Param: mix").toString())
                    .where("Param: kind", row.cell("Param: kind").toString())
                    .where("Threads", row.cell("Threads").toString());
            double nanos = same.where("Benchmark", benchmark + ":cpuNanos").first("Score");
            double operations =
                    same.where("Benchmark", benchmark + ":operations").first("Score");
            figures.row(
                    row.cell("Param: mix"),
                    row.cell("Param: kind"),
                    row.cell("Threads"),
                    row.cell("Score"),
                    row.cell("Score Error (99.9%)"),
                    nanos / operations);
        }
    }
}
