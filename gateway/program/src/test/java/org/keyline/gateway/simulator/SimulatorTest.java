package org.keyline.gateway.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.simulator.History.Outcome;

/**
 * Histories of a simulated world, one per seed. {@code -Dkeyline.simulator.histories=100000} runs
 * more of them, and {@code -Dkeyline.simulator.seed=…} repeats one with its trace.
 * {@code -Dkeyline.simulator.shared=100000} runs those of gateways that share a tier;
 * {@code -Dkeyline.simulator.merged=100000} those of a gateway that merges INSERTs and repeats late
 * loads.
 */
@Tag("explores")
final class SimulatorTest {
    private static final int HISTORIES = Integer.getInteger("keyline.simulator.histories", 1_000);
    private static final int SHARED = Integer.getInteger("keyline.simulator.shared", 200);
    private static final int MERGED = Integer.getInteger("keyline.simulator.merged", 60);
    private static final long FIRST = Long.getLong("keyline.simulator.first", 1);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final History history = new History();

    @Test
    void histories_ofManySeeds_keepThePromises() {
        Long only = Long.getLong("keyline.simulator.seed");
        long from = only == null ? FIRST : only;
        long to = only == null ? from + HISTORIES : from + 1;
        long commands = 0;
        long reads = 0;
        long fromLines = 0;
        long fromFilterLines = 0;
        long faults = 0;
        long crashes = 0;
        long began = System.nanoTime();
        long beganCpu = THREADS.getCurrentThreadCpuTime();
        for (long seed = from; seed < to; seed++) {
            Outcome outcome = run(seed);
            commands += outcome.commands();
            reads += outcome.reads();
            fromLines += outcome.fromLines();
            fromFilterLines += outcome.fromFilterLines();
            faults += outcome.faults();
            crashes += outcome.crashes();
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        double cpuSeconds = (THREADS.getCurrentThreadCpuTime() - beganCpu) / 1e9;
        System.out.printf(
                "%,d histories (seeds %d..%d) in %.1f s, %.1f s of them on a processor: %,d commands, %,d reads, %.0f %% from lines, %.0f %% from filter lines, %,d faults, %,d crashes%n",
                to - from,
                from,
                to - 1,
                seconds,
                cpuSeconds,
                commands,
                reads,
                100.0 * fromLines / reads,
                100.0 * fromFilterLines / reads,
                faults,
                crashes);
        if (only == null) {
            assertThat(fromLines).as("reads from lines").isGreaterThan(reads / 5);
            assertThat(fromFilterLines).as("reads from filter lines").isPositive();
            assertThat(faults).as("faults").isPositive();
        } else {
            System.out.println(history.trace(only));
        }
    }

    @Test
    void histories_ofGatewaysThatShareATier_keepThePromises() {
        long reads = 0;
        long fromLines = 0;
        long lent = 0;
        long refused = 0;
        long beganCpu = THREADS.getCurrentThreadCpuTime();
        long first = History.SHARED_FROM + FIRST;
        for (int i = 0; i < SHARED; i++) {
            Outcome outcome = run(first + i);
            reads += outcome.reads();
            fromLines += outcome.fromLines();
            lent += outcome.lent();
            refused += outcome.refused();
        }
        System.out.printf(
                "%,d histories of several gateways (seeds from %d on), %.1f s on a processor: %,d reads, %.0f %% not from the"
                        + " store, %,d loads answered by the tier, %,d of its values refused%n",
                SHARED,
                first,
                (THREADS.getCurrentThreadCpuTime() - beganCpu) / 1e9,
                reads,
                100.0 * fromLines / reads,
                lent,
                refused);
        assertThat(fromLines).as("reads from lines").isGreaterThan(reads / 10);
        assertThat(lent).as("loads answered by the tier").isGreaterThan(SHARED / 10);
        assertThat(refused).as("values refused").isPositive();
    }

    @Test
    void histories_ofMergedInserts_keepThePromises() {
        long commands = 0;
        long merged = 0;
        long faults = 0;
        long beganCpu = THREADS.getCurrentThreadCpuTime();
        long first = History.MERGED_FROM + FIRST;
        for (int i = 0; i < MERGED; i++) {
            Outcome outcome = run(first + i);
            commands += outcome.commands();
            merged += outcome.merged();
            faults += outcome.faults();
        }
        System.out.printf(
                "%,d histories of merged INSERTs (seeds from %d on), %.1f s on a processor: %,d commands, %,d INSERTs of"
                        + " several clients' rows, %,d faults%n",
                MERGED, first, (THREADS.getCurrentThreadCpuTime() - beganCpu) / 1e9, commands, merged, faults);
        assertThat(merged).as("INSERTs of several clients' rows").isGreaterThan(MERGED / 4);
        assertThat(faults).as("faults").isPositive();
    }

    @Test
    void history_ofTheSameSeed_isTheSame() {
        for (long seed = 1; seed <= 20; seed++) {
            long merged = History.MERGED_FROM + seed;
            assertThat(new History().run(seed)).as("seed %d", seed).isEqualTo(history.run(seed));
            assertThat(new History().run(merged)).as("seed %d", merged).isEqualTo(history.run(merged));
        }
    }

    @SuppressWarnings("CatchAndPrintStackTrace") // any bug is a finding, told with its seed
    private Outcome run(long seed) {
        try {
            return history.run(seed);
        } catch (RuntimeException | AssertionError violation) {
            return fail("seed " + seed + ": " + violation + "\n" + history.trace(seed), violation);
        }
    }
}
