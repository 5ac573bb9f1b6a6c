package org.keyline.ycsb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Measures caches of lines with JMH, for each of YCSB's mixes and several numbers of threads. */
final class LineCacheExperiment {
    static final String OPTIONS = """
            LRU behind one lock, LRU behind many locks, Caffeine and the line cache, by number of threads

              --benchmarks JAR      of mvn package -Pbench -DskipTests [gateway/target/bench/keyline-benchmarks.jar]
              --threads LIST        [1,2,4,8,16]
              --mixes LIST          [A,B,C,D,E,F]
            """;

    private LineCacheExperiment() {}

    static void run(Harness harness) throws IOException {
        Options options = harness.options();
        Figures figures = Figures.of("mix | structure | threads | operations/µs | error | processor ns/operation");
        Path result = Files.createTempFile("keyline-jmh", ".csv");
        for (int threads : options.counts("threads")) {
            harness.out().println("# " + threads + " threads");
            List<String> command = new ArrayList<>(List.of(ServerProcess.java(), "-jar", options.text("benchmarks")));
            command.addAll(List.of("ThreadsBenchmark", "-p", "mix=" + options.text("mixes"), "-t", "" + threads));
            command.addAll(List.of("-f", "1", "-w", "1", "-wi", "2", "-r", "1", "-i", "3"));
            command.addAll(List.of("-rf", "csv", "-rff", result.toString()));
            ServerProcess.output(command);
            convert(Files.readAllLines(result), figures);
        }
        Files.delete(result);
        harness.write(
                figures,
                "line-caches",
                "100,000 lines of one row of 100 bytes, all cached; one fork, three iterations of 1 s");
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

    /** Adds a row for each benchmark. JMH has separate rows for throughput and counters. */
    static void convert(List<String> csv, Figures figures) {
        Figures jmh = Figures.parse(csv);
        for (Figures row : jmh.each()) {
            String benchmark = row.cell("Benchmark").toString();
            if (benchmark.endsWith(".operation")) {
                Figures same = jmh.where("Param: mix", row.cell("Param: mix").toString())
                        .where("Param: kind", row.cell("Param: kind").toString());
                figures.row(
                        row.cell("Param: mix"),
                        row.cell("Param: kind"),
                        row.cell("Threads"),
                        row.cell("Score"),
                        row.cell("Score Error (99.9%)"),
                        same.where("Benchmark", benchmark + ":cpuNanos")
                                .ratio(same.where("Benchmark", benchmark + ":operations"), "Score"));
            }
        }
    }
}
