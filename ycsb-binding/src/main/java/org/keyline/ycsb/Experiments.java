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

    private record Experiment(String name, String about, String options, Body body) {}

    private static final List<Experiment> ALL = List.of(
            new Experiment(
                    "locality",
                    "load shares by load granularity, over the wire",
                    LocalityExperiment.OPTIONS + OUTPUT,
                    harness -> new LocalityExperiment(harness).run()),
            new Experiment(
                    "locality-simulated",
                    "the same on the cache alone, under a simulated clock, at the published rates",
                    LocalityExperiment.SIMULATED_OPTIONS + OUTPUT,
                    LocalityExperiment::runSimulated),
            new Experiment(
                    "point-queries",
                    "short circuit, prepared statements and row cache, by number of threads",
                    PointQueryExperiment.OPTIONS + OUTPUT,
                    harness -> new PointQueryExperiment(harness).run()),
            new Experiment(
                    "line-caches",
                    "LRU behind one lock, LRU behind many locks, Caffeine and the line cache, by number of threads",
                    LineCacheExperiment.OPTIONS + OUTPUT,
                    LineCacheExperiment::run),
            new Experiment(
                    "writes",
                    "the hit rate beside point writes that close the fences of lines or of the table",
                    WriteShareExperiment.OPTIONS + OUTPUT,
                    harness -> new WriteShareExperiment(harness).run()),
            new Experiment(
                    "outside-writes",
                    "the time from a commit past the gateway to the read that shows it",
                    OutsideWritesExperiment.OPTIONS + OUTPUT,
                    harness -> new OutsideWritesExperiment(harness).run()),
            new Experiment(
                    "transactions",
                    "transactions of a read and COMMIT, some with an aggregate, directly at the store and through a gateway",
                    TransactionsExperiment.OPTIONS + OUTPUT,
                    harness -> new TransactionsExperiment(harness).run()),
            new Experiment(
                    "gateways",
                    "one gateway and several, with and without a tier between them",
                    GatewaysExperiment.OPTIONS + OUTPUT,
                    harness -> new GatewaysExperiment(harness).run()),
            new Experiment(
                    "tier",
                    "latency of answers from the tier, and what clients notice when the tier fails",
                    TierExperiment.OPTIONS + OUTPUT,
                    harness -> new TierExperiment(harness).run()),
            new Experiment(
                    "search-within-results",
                    "searches that narrow an earlier one, and mixed ones, by kinds of caches",
                    SearchExperiment.OPTIONS + OUTPUT,
                    harness -> new SearchExperiment(harness).run()),
            new Experiment(
                    "ycsb",
                    "YCSB A-F directly at MariaDB, and through gateways with the cache off and on",
                    Report.options("installed", "ABCFDE") + OUTPUT,
                    harness -> new Report(harness).run()));

    private static final Experiment REPORT = new Experiment(
            "report",
            "",
            Report.options("", "ABCFDES") + "  --output DIR          also write ycsb.md, ycsb.csv and ycsb.png there\n",
            harness -> new Report(harness).run());

    private Experiments() {}

    /** Runs an experiment. Also throws an IOException if an operation or verification failed. */
    static void run(List<String> arguments, PrintStream out) throws IOException {
        String name = arguments.isEmpty() ? "--help" : arguments.get(0);
        if (name.equals("--help")) {
            out.print(usage());
            return;
        }
        Experiment experiment = ALL.stream()
                .filter(each -> each.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such experiment: " + name + "\n\n" + usage()));
        run("experiment " + name, experiment, arguments.subList(1, arguments.size()), out);
    }

    static void report(List<String> arguments, PrintStream out) throws IOException {
        run("report", REPORT, arguments, out);
    }

    private static void run(String command, Experiment experiment, List<String> arguments, PrintStream out)
            throws IOException {
        String usage = "usage: java -jar keyline-ycsb.jar " + command + " [options], defaults in brackets\n\n"
                + experiment.options.replaceAll("(?m)^(?=--)", "  ");
        if (arguments.contains("--help")) {
            out.print(usage);
            return;
        }
        try {
            experiment.body.run(new Harness(new Options(usage, arguments), out));
        } catch (SQLException failed) {
            throw new IOException(command + ": " + failed.getMessage(), failed);
        }
    }

    private static String usage() {
        return "usage: java -jar keyline-ycsb.jar experiment NAME [options]\n\n"
                + ALL.stream()
                        .map(each -> "  %-22s %s\n".formatted(each.name, each.about))
                        .collect(Collectors.joining())
                + "\nNAME --help lists the options. Tables (Markdown, CSV) and plots (PNG) go to --output.\n";
    }
}
