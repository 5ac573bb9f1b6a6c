package org.keyline.ycsb;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command {@code experiment}: repeats published measurements. Each experiment writes a table
 * and plots.
 */
final class Experiments {
    static final String OUTPUT = "docs/experiments";

    private static final String USAGE = """
            usage: java -jar keyline-ycsb.jar experiment NAME [options]

              locality             load shares by load granularity, over the wire
              locality-simulated   the same on the cache alone, under a simulated clock, at the published rates
              point-queries        short circuit, prepared statements and row cache, by number of threads
              line-caches          LRU behind one lock, behind many, Caffeine and the line cache, by number of threads
              writes               the hit rate beside point writes that close the fences of lines or of the table
              gateways             one gateway and several, with and without a tier between them
              tier                 latency of answers from the tier, and what clients notice when the tier fails
              search-within-results  searches that narrow an earlier one, and mixed ones, by kinds of caches
              ycsb                 YCSB A-F straight to MariaDB, and through gateways with the cache off and on

            NAME --help lists the options. Tables (Markdown, CSV) and plots (PNG) go to --output, default docs/experiments.
            """;

    private Experiments() {}

    /**
     * Runs one experiment.
     *
     * @throws IOException also if an operation or a verification failed
     */
    static void run(List<String> arguments, PrintStream out) throws IOException {
        String name = arguments.isEmpty() ? "--help" : arguments.get(0);
        List<String> options = arguments.subList(Math.min(1, arguments.size()), arguments.size());
        switch (name) {
            case "locality" -> LocalityExperiment.run(options, out);
            case "locality-simulated" -> LocalityExperiment.runSimulated(options, out);
            case "point-queries" -> PointQueryExperiment.run(options, out);
            case "line-caches" -> LineCacheExperiment.run(options, out);
            case "search-within-results" -> SearchExperiment.run(options, out);
            case "gateways" -> GatewaysExperiment.run(options, out);
            case "tier" -> TierExperiment.run(options, out);
            case "writes" -> WriteShareExperiment.run(options, out);
            case "ycsb" -> {
                List<String> withDefaults =
                        new ArrayList<>(List.of("--mariadb", "installed", "--output", OUTPUT, "--only", "ABCFDE"));
                withDefaults.addAll(options);
                Report.run(withDefaults, out);
            }
            case "--help" -> out.print(USAGE);
            default -> throw new IllegalArgumentException("no such experiment: " + name + "\n\n" + USAGE);
        }
    }

    /** Describes the machine, for the line above a table. */
    static String machine() throws IOException {
        String processor = "unknown processor";
        Path cpuinfo = Path.of("/proc/cpuinfo");
        if (Files.isReadable(cpuinfo)) {
            processor = Files.readAllLines(cpuinfo).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 2))
                    .findFirst()
                    .orElse(processor);
        }
        return "%d cores (%s), Java %s"
                .formatted(Runtime.getRuntime().availableProcessors(), processor, System.getProperty("java.version"));
    }
}
