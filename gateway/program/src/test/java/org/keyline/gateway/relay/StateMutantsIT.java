package org.keyline.gateway.relay;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.simulator.Mutant;

/**
 * Each bug of {@code StateMutantsIT.txt} is inserted into the gateway, and {@link SessionFuzzIT}'s
 * comparison of released sessions must find it: a session through the gateway then differs from
 * one directly at the MariaDB.
 */
@Tag("explores")
class StateMutantsIT {
    private static final Path LIST = Path.of("src/test/resources/org/keyline/gateway/relay/StateMutantsIT.txt");
    /** Only mutants whose name contains this run. */
    private static final String ONLY = System.getProperty("keyline.simulator.mutant", "");

    /** The number of seeds that run until one shows the bug. */
    private static final int SEEDS = Integer.getInteger("keyline.sessionfuzz.seeds", 20);

    private static final int STEPS = 60;

    @TempDir
    private static Path directory;

    private static MariaDb store;

    /** @param changes texts of the changes that the sessions make */
    private record Found(Mutant mutant, List<String> changes, boolean handles, boolean isLate) {}

    @BeforeAll
    static void start() throws Exception {
        assumeFalse(MariaDb.isForeign() || MariaDb.isMySql(), "accounts are MariaDB's");
        store = MariaDb.get("second");
    }

    @TestFactory
    Stream<DynamicTest> mutants_areFound() throws IOException {
        return tests(found -> !found.isLate());
    }

    /** Bugs of kinds that the other bugs cover as well. */
    @Tag("nightly")
    @TestFactory
    Stream<DynamicTest> mutants_ofTheNightlyBuild_areFound() throws IOException {
        return tests(Found::isLate);
    }

    private static Stream<DynamicTest> tests(Predicate<Found> chosen) throws IOException {
        List<Found> mutants = new ArrayList<>();
        for (String block : Files.readString(LIST).split("\n\n", -1)) {
            List<String> lines =
                    block.lines().filter(line -> !line.startsWith("#")).toList();
            mutants.add(new Found(
                    Mutant.of(lines),
                    List.of(Mutant.value(lines, "changes: ").split("\\|", -1)),
                    Mutant.value(lines, "handles: ").equals("yes"),
                    Mutant.value(lines, "build: ").equals("nightly")));
        }
        return mutants.stream()
                .filter(chosen)
                .filter(found -> found.mutant().name().contains(ONLY))
                .map(found -> DynamicTest.dynamicTest(found.mutant().name(), () -> isFound(found)));
    }

    private static void isFound(Found found) throws Exception {
        Class<?> type = found.mutant().load(RelayGateway.class.getName());
        Path file = SessionFuzzIT.releasing(directory);
        for (int seed = 1; seed <= SEEDS; seed++) {
            SessionFuzzIT.prepareReleased(store);
            try (AutoCloseable gateway = (AutoCloseable)
                    type.getMethod("start", int.class, Path.class).invoke(null, store.port(), file)) {
                int port = (int) requireNonNull(type.getMethod("port").invoke(gateway));
                try {
                    SessionFuzzIT.compareReleased(
                            store, port, SessionFuzzIT.Run.of(seed, STEPS, found.changes(), found.handles()));
                } catch (AssertionError | SQLException difference) {
                    // The connection of a client may break first.
                    System.out.printf("%s: seed %d: %s%n", found.mutant().name(), seed, difference.getMessage());
                    return;
                }
            }
        }
        fail(SEEDS + " seeds do not show that " + found.mutant().name());
    }
}
