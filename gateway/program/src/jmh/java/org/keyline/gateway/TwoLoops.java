package org.keyline.gateway;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Measures how much a second event loop increases throughput, as a program. Runs
 * {@link LoopsBenchmark} with one thread and with two in turn, within one process. Prints each
 * round and the medians as lines of a Markdown table. In separate processes, the compiler's choices
 * would differ between the two by more than the effect.
 */
final class TwoLoops {
    private static final int THREADS = 2;
    private static final int WARMUP_ROUNDS = 1;

    /** Batches per second, and nanoseconds of processor time per batch. */
    private record Figures(double rate, double nanos) {}

    /** Figures with one thread and with two. */
    private record Round(Figures one, Figures two) {
        double ratio() {
            return two.rate / one.rate;
        }
    }

    private final Map<String, List<Round>> rounds = new TreeMap<>();

    private TwoLoops() {}

    /**
     * Runs it.
     *
     * @param args the number of rounds; 3 by default
     */
    public static void main(String[] args) throws RunnerException {
        int count = args.length == 0 ? 3 : Integer.parseInt(args[0]);
        TwoLoops loops = new TwoLoops();
        for (int round = -WARMUP_ROUNDS; round < count; round++) {
            loops.round(round >= 0);
        }
        System.out.println(
                "| what | rows | batches/s by one thread | by two | ratio | ns of processor time a batch, one | two |");
        System.out.println("|---|--:|--:|--:|--:|--:|--:|");
        loops.rounds.forEach(TwoLoops::print);
    }

    private void round(boolean counts) throws RunnerException {
        Map<String, Figures> one = run(1);
        Map<String, Figures> two = run(THREADS);
        one.forEach((what, figures) -> {
            Round round = new Round(figures, Objects.requireNonNull(two.get(what), what));
            if (counts) {
                rounds.computeIfAbsent(what, w -> new ArrayList<>()).add(round);
            }
        });
    }

    private static Map<String, Figures> run(int threads) throws RunnerException {
        Options options = new OptionsBuilder()
                .include(LoopsBenchmark.class.getName())
                .forks(0)
                .threads(threads)
                .warmupIterations(2)
                .measurementIterations(3)
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true)
                .build();
        Collection<RunResult> results = new Runner(options).run();
        Map<String, Figures> figures = new TreeMap<>();
        for (RunResult result : results) {
            double nanos = counted(result, "cpuNanos") / counted(result, "operations");
            String what = result.getPrimaryResult().getLabel() + " | "
                    + result.getParams().getParam("users");
            figures.put(what, new Figures(result.getPrimaryResult().getScore(), nanos));
        }
        return figures;
    }

    /** Returns a value that {@link org.keyline.rowcache.Processor} counted. */
    private static double counted(RunResult result, String name) {
        return Objects.requireNonNull(result.getSecondaryResults().get(name), name)
                .getScore();
    }

    private static void print(String what, List<Round> rounds) {
        rounds.forEach(round -> print(what, round));
        rounds.sort(Comparator.comparingDouble(Round::ratio));
        print("median: " + what, rounds.get(rounds.size() / 2));
    }

    private static void print(String what, Round round) {
        System.out.printf(
                Locale.ROOT,
                "| %s | %,.0f | %,.0f | %.2f | %,.0f | %,.0f |%n",
                what,
                round.one.rate,
                round.two.rate,
                round.ratio(),
                round.one.nanos,
                round.two.nanos);
    }
}
