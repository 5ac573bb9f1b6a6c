package org.keyline.ycsb;

import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/** The command {@code experiment}: runs a measurement, and writes tables and plots. */
final class Experiments {
    private static final String OUTPUT = "  --output DIR          for tables and plots [docs/experiments]\n";

    private interface Body {
        void run(Harness harness) throws IOException, SQLException;
    }

    private record Experiment(String name, String usage, Body body) {
        String about() {
            return "  %-22s %s".formatted(name, usage.lines().findFirst().orElse(""));
        }
    }

    private static final List<Experiment> ALL = List.of(
            new Experiment("locality", LocalityExperiment.OPTIONS, LocalityExperiment::run),
            new Experiment(
                    "locality-simulated", LocalityExperiment.SIMULATED_OPTIONS, LocalityExperiment::runSimulated),
            new Experiment("point-queries", PointQueryExperiment.OPTIONS, PointQueryExperiment::run),
            new Experiment("line-caches", LineCacheExperiment.OPTIONS, LineCacheExperiment::run),
            new Experiment("writes", WriteShareExperiment.OPTIONS, WriteShareExperiment::run),
            new Experiment("outside-writes", OutsideWritesExperiment.OPTIONS, OutsideWritesExperiment::run),
            new Experiment("transactions", TransactionsExperiment.OPTIONS, TransactionsExperiment::run),
            new Experiment("gateways", GatewaysExperiment.OPTIONS, GatewaysExperiment::run),
            new Experiment("tier", TierExperiment.OPTIONS, TierExperiment::run),
            new Experiment("search-within-results", SearchExperiment.OPTIONS, SearchExperiment::run),
            new Experiment("ycsb", Report.options("installed", "ABCFDE"), Report::run));

    private Experiments() {}

    /** Runs an experiment. Also throws an IOException if an operation or verification failed. */
    static void run(List<String> arguments, PrintStream out) throws IOException {
        String name = arguments.isEmpty() ? "--help" : arguments.get(0);
        String usage = ALL.stream()
                .map(Experiment::about)
                .collect(Collectors.joining(
                        "\n",
                        "usage: java -jar keyline-ycsb.jar experiment NAME [options]\n\n",
                        "\n\nNAME --help lists the options. Tables (Markdown, CSV) and plots (PNG) go to --output.\n"));
        if (name.equals("--help")) {
            out.print(usage);
            return;
        }
        Experiment experiment = ALL.stream()
                .filter(each -> each.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such experiment: " + name + "\n\n" + usage));
        run(
                "experiment " + name,
                experiment.usage + OUTPUT,
                experiment.body,
                arguments.subList(1, arguments.size()),
                out);
    }

    static void report(List<String> arguments, PrintStream out) throws IOException {
        String output = "  --output DIR          also write ycsb.md, ycsb.csv and ycsb.png there\n";
        run("report", Report.options("", "ABCFDES") + output, Report::run, arguments, out);
    }

    private static void run(String command, String options, Body body, List<String> arguments, PrintStream out)
            throws IOException {
        String usage = "usage: java -jar keyline-ycsb.jar " + command + " [options], defaults in brackets\n\n"
                + options.replaceAll("(?m)^(?=--)", "  ");
        if (arguments.contains("--help")) {
            out.print(usage);
            return;
        }
        try {
            body.run(new Harness(new Options(usage, arguments), out));
        } catch (SQLException failed) {
            throw new IOException(command + ": " + failed.getMessage(), failed);
        }
    }
}
