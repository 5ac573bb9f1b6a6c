package org.keyline.ycsb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Measures caches of lines by JMH: YCSB's mixes, by number of threads. Confined to one thread. */
final class LineCacheExperiment {
    static final String OPTIONS = """
              --benchmarks JAR      of mvn package -Pbench -DskipTests [gateway/target/bench/keyline-benchmarks.jar]
              --threads LIST        [1,2,4,8,16]
              --mixes LIST          [A,B,C,D,E,F]
              --forks N             [1]
              --warmup N            seconds [2]
              --iterations N        of a second each [3]
              --result FILE         a result of JMH (-rf csv) to convert, in place of a run
            """;

    private LineCacheExperiment() {}

    static void run(Harness harness) throws IOException {
        Options options = harness.options();
        Figures figures =
                new Figures("mix", "structure", "threads", "operations/µs", "error", "processor ns/operation");
        if (options.text("result").isEmpty()) {
            for (int threads : options.counts("threads")) {
                harness.out().println("# " + threads + " threads");
                convert(measure(options, threads), figures);
            }
        } else {
            convert(Files.readAllLines(options.path("result")), figures);
        }
        harness.write(
                figures,
                "line-caches",
                "100,000 lines of one row of 100 bytes, all cached; {forks} fork(s), {iterations} iterations of 1 s");
        for (String mix : options.text("mixes").split(",", -1)) {
            figures.where("mix", mix)
                    .plotLines(
                            harness.file("line-caches-" + mix + ".png"),
                            "YCSB mix " + mix + " on caches of lines",
                            "threads",
                            "operations/µs",
                            "structure");
        }
    }

    private static List<String> measure(Options options, int threads) throws IOException {
        Path result = Files.createTempFile("keyline-jmh", ".csv");
        try {
            List<String> command = new ArrayList<>(List.of(YcsbRuns.java(), "-jar", options.text("benchmarks")));
            command.addAll(List.of("ThreadsBenchmark", "-p", "mix=" + options.text("mixes"), "-t", "" + threads));
            command.addAll(List.of("-f", options.text("forks"), "-w", "1", "-wi", options.text("warmup")));
            command.addAll(List.of("-r", "1", "-i", options.text("iterations"), "-rf", "csv", "-rff", "" + result));
            YcsbRuns.output(command);
            return Files.readAllLines(result);
        } finally {
            Files.delete(result);
        }
    }

    /** Adds a row for each benchmark. JMH has separate rows for throughput and counters. */
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
