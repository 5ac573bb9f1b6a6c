package org.keyline.gateway.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.slf4j.LoggerFactory;

/**
 * Each bug of {@code mutants.txt} is inserted into the gateway, and the simulator must find it within
 * 3,000 histories. If a bug shows only in histories of one kind, the test runs as many of that
 * kind. They begin close to the one that shows the bug.
 */
@Tag("explores")
final class MutantsTest {
    private static final int HISTORIES = Integer.getInteger("keyline.simulator.histories", 3_000);
    /** Only mutants whose name contains this run. */
    private static final String ONLY = System.getProperty("keyline.simulator.mutant", "");

    private static final Path LIST = Path.of("src/test/resources/org/keyline/gateway/simulator/mutants.txt");
    private static final Path PAGE = Path.of("../../CONTRIBUTING.md");
    private static final String BEGIN = "<!-- mutants -->\n";
    private static final String END = "<!-- end of mutants -->\n";

    /** The kinds of histories: the first seed of each, and the step between its seeds. */
    private enum Histories {
        ALL(0, 1),
        RANGED(History.RANGED, History.ONE_RANGED_OF),
        ADDS(History.ADDS, History.ONE_ADDS_OF),
        FILTERS(History.FILTERS, History.ONE_FILTERS_OF),
        UNDONE(0, History.ONE_UNDOES_OF * ModelStore.ONE_RESUMES_OF),
        CATALOGS(0, ModelStore.ONE_HAS_CATALOGS_OF),
        NUMBERS(0, History.ONE_NUMBERS_OF),
        TRUST(0, History.ONE_LEARNS_OF),
        SHARED(History.SHARED_FROM, 1),
        MERGED(History.MERGED_FROM, 1);

        final long first;
        final int step;

        Histories(long first, int step) {
            this.first = first;
            this.step = step;
        }
    }

    /** A bug, the texts of which a finding must contain one, and the seeds that may show it. */
    private record Found(Mutant mutant, List<String> violations, Histories histories, long from, boolean isLate) {
        long seed(int number) {
            return histories.first + from + (long) number * histories.step;
        }

        static Found of(String block) {
            List<String> lines =
                    block.lines().filter(line -> !line.startsWith("#")).toList();
            String[] seeds = Mutant.value(lines, "histories: ").split(" from ", 2);
            return new Found(
                    Mutant.of(lines),
                    List.of(Mutant.value(lines, "shows: ").split("\\|", -1)),
                    seeds[0].isEmpty() ? Histories.ALL : Histories.valueOf(seeds[0]),
                    seeds.length == 1 ? 0 : Long.parseLong(seeds[1]),
                    Mutant.value(lines, "build: ").equals("nightly"));
        }
    }

    private static List<Found> mutants() throws IOException {
        List<Found> mutants = new ArrayList<>();
        for (String block : Files.readString(LIST).split("\n\n", -1)) {
            mutants.add(Found.of(block));
        }
        return mutants;
    }

    /** Several run at a time: each has separate classes, and a history needs one thread. */
    @TestFactory
    Stream<DynamicTest> mutants_ofTheFirstHistories_areFound() throws IOException {
        return tests(found -> !found.isLate());
    }

    /** Bugs that only later histories show. */
    @Tag("nightly")
    @TestFactory
    Stream<DynamicTest> mutants_ofLaterHistories_areFound() throws IOException {
        return tests(Found::isLate);
    }

    /**
     * CONTRIBUTING.md lists the mutants that each build finds; {@code -Dkeyline.page=write} writes
     * them.
     */
    @Test
    void page_itself_listsTheMutantsOfEachBuild() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        String mutants = mutants().stream()
                .filter(found -> !found.isLate())
                .map(found -> "- " + found.mutant().name() + "\n")
                .collect(Collectors.joining("", "\n", "\n"));
        if ("write".equals(System.getProperty("keyline.page"))) {
            Files.writeString(PAGE, page.substring(0, begin) + mutants + page.substring(end));
            return;
        }
        assertThat(page.substring(begin, end)).isEqualTo(mutants);
    }

    private static Stream<DynamicTest> tests(Predicate<Found> chosen) throws IOException {
        // SLF4J returns a substitute while it initialises, so it must be initialised before the
        // first history requests a logger.
        LoggerFactory.getILoggerFactory();
        ExecutorService threads =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        List<DynamicTest> tests = mutants().stream()
                .filter(chosen)
                .filter(found -> found.mutant().name().contains(ONLY))
                .map(found -> {
                    CompletableFuture<Void> running = CompletableFuture.runAsync(() -> isFound(found), threads);
                    return DynamicTest.dynamicTest(found.mutant().name(), running::join);
                })
                .toList();
        threads.shutdown();
        return tests.stream();
    }

    private static void isFound(Found found) {
        LongFunction<String> histories = found.mutant().histories();
        for (int i = 1; i <= HISTORIES; i++) {
            long seed = found.seed(i);
            String violation = histories.apply(seed);
            if (!violation.isEmpty()) {
                System.out.printf("%s: seed %d: %s%n", found.mutant().name(), seed, violation);
                assertThat(violation).containsAnyOf(found.violations().toArray(String[]::new));
                return;
            }
        }
        fail(HISTORIES + " histories do not show that " + found.mutant().name());
    }
}
