package org.keyline.gateway.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.table.PrefixSimulation.LoadMillis;
import org.keyline.gateway.table.PrefixSimulation.Requests;
import org.keyline.gateway.table.PrefixSimulation.Rows;
import org.keyline.gateway.table.PrefixSimulation.Traffic;

/** The granularity of a table that chooses its own, on workloads with different best levels. */
@Tag("explores")
final class AutoPrefixTest {
    private static final int FULL = 3;
    private static final double DEAR = 1.05;
    private static final double TEN_MINUTES = 600;
    /** How much of them is played. */
    private static final int PLAYED = Integer.getInteger("keyline.prefix.seconds", 40);

    /** The published load times, which depend on the level alone. */
    private static final LoadMillis PUBLISHED = (cells, rows) -> cells == 1 ? 3.88 : cells == 2 ? 1.49 : 1;
    /** A round trip, and a time per row. */
    private static final LoadMillis BY_ROWS = (cells, rows) -> 1 + 0.24 * rows;

    /** A busy store: a wait, and a little per row. */
    private static final LoadMillis BUSY = (cells, rows) -> 8 + 0.01 * rows;

    private static final Rows SPARSE = new Rows(24_030, 4, 3);
    private static final Rows MANY = new Rows(300, 8, 15);
    private static final Rows WIDE = new Rows(300, 40, 8);

    /** Reads about five graphs, each with about four vertices, most of which do not exist. */
    private static Requests whole(int users) {
        return random -> {
            int graphs = about(random, 5.2);
            int[] asked = new int[1 + 2 * graphs * 5];
            asked[0] = random.nextInt(users);
            int to = 1;
            for (int i = 0; i < graphs; i++) {
                int graph = (random.nextInt(4) + 4 * i) % 21;
                int vertices = about(random, 4.12);
                for (int j = 0; j < vertices; j++) {
                    asked[to++] = graph;
                    asked[to++] = (random.nextInt(4) + 4 * j) % 20;
                }
            }
            return Arrays.copyOf(asked, to);
        };
    }

    private static int about(SplittableRandom random, double mean) {
        int floor = (int) mean;
        return random.nextDouble() < mean - floor ? floor + 1 : floor;
    }

    /** Reads any one row. */
    private static Requests single(Rows rows) {
        return random ->
                new int[] {random.nextInt(rows.users()), random.nextInt(rows.graphs()), random.nextInt(rows.vertices())
                };
    }

    /** Reads six of the eight vertices of one graph. */
    private static Requests graph(Rows rows) {
        return random -> {
            int graph = random.nextInt(rows.graphs());
            int[] asked = new int[1 + 2 * 6];
            asked[0] = random.nextInt(rows.users());
            int first = random.nextInt(rows.vertices());
            for (int i = 0; i < 6; i++) {
                asked[1 + 2 * i] = graph;
                asked[2 + 2 * i] = (first + i) % rows.vertices();
            }
            return asked;
        };
    }

    private static final Traffic SEED = new Traffic(68_000 / 21.44, whole(24_030));
    private static final Traffic FEW = new Traffic(50, whole(353));
    private static final Traffic RANDOM = new Traffic(8.3 * 300, single(MANY));
    private static final Traffic OF_A_GRAPH = new Traffic(225, graph(WIDE));

    @Test
    void levels_ofThePublishedCase_areChosenWithinFiveSeconds() {
        assertChoice("seed", SPARSE, PUBLISHED, SEED, 1, 20);
    }

    @Test
    void levels_ofFewUsers_areChosenWithinFiveSecondsAndStay() {
        assertChoice("few users", new Rows(353, 4, 3), PUBLISHED, FEW, 1, PLAYED);
    }

    @Test
    void levels_ofRandomRows_areChosenWithinFiveSecondsAndStay() {
        assertChoice("random rows", MANY, BY_ROWS, RANDOM, 3, PLAYED);
    }

    @Test
    void levels_ofOneGraphInForty_areChosenWithinFiveSecondsAndStay() {
        assertChoice("one graph of 40", WIDE, BY_ROWS, OF_A_GRAPH, 2, PLAYED);
    }

    /** The times of loads are nearly equal there, and each row is work. */
    @Test
    void levels_ofABusyStore_areNotTakenForCheapSinceEachLoadWaitsAsLong() {
        Rows rows = new Rows(5_000, 10, 20);
        PrefixSimulation auto =
                new PrefixSimulation(rows, BUSY, new Traffic(3_000, single(rows)), FULL, true, 2).play(60);
        assertThat(auto.switches()).as("%s", auto.figures()).isEmpty();
    }

    private static void assertChoice(
            String name, Rows rows, LoadMillis loads, Traffic traffic, int cells, double seconds) {
        PrefixSimulation fixed = PrefixSimulation.best(rows, loads, traffic, Math.min(seconds, 60), 1);
        double best = fixed.millisPerRead();
        for (int first = 1; first <= FULL; first += 2) {
            PrefixSimulation auto = new PrefixSimulation(rows, loads, traffic, first, true, 2);
            auto.play(5);
            assertThat(auto.cells())
                    .as("%s from %s: %s", name, first, auto.figures())
                    .isEqualTo(cells);
            auto.play(10);
            double loadedMillis = auto.loadedMillis;
            long reads = auto.reads;
            if (first == FULL) {
                assertBeginning(name, auto, fixed);
            }
            auto.play(seconds - 15);
            // The remaining time is extrapolated from the state after the first choice.
            double rest = (TEN_MINUTES - seconds) / (seconds - 15);
            double amortised = (auto.loadedMillis + rest * (auto.loadedMillis - loadedMillis))
                    / (auto.reads + rest * (auto.reads - reads));
            if (Boolean.getBoolean("figures")) {
                System.out.printf(
                        "%s from %d: %s, %.3f of %.3f ms a read%n", name, first, auto.switches(), amortised, best);
            }
            assertThat(auto.cells()).isEqualTo(cells);
            assertThat(auto.switches().size()).as("%s", auto.switches()).isLessThanOrEqualTo(2);
            assertThat(amortised).as("%s from %s", name, first).isLessThanOrEqualTo(DEAR * best);
        }
    }

    /** The first fifteen seconds of a table without configuration, trial loads included. */
    private static void assertBeginning(String name, PrefixSimulation auto, PrefixSimulation fixed) {
        double time = auto.millisPerRead() / fixed.millisPerRead();
        double rows = (double) auto.loadedRows / auto.reads * fixed.reads / fixed.loadedRows;
        if (Boolean.getBoolean("figures")) {
            System.out.printf("%s: first 15 s: %.3f of the best's store time, %.3f of its rows%n", name, time, rows);
        }
        assertThat(rows).as("%s: rows", name).isLessThanOrEqualTo(1.5);
    }

    @Test
    void levels_afterAChangeOfTraffic_areChosenAnewWithinAMinute() {
        PrefixSimulation auto = new PrefixSimulation(WIDE, BY_ROWS, OF_A_GRAPH, FULL, true, 3);
        auto.play(60);
        assertThat(auto.cells()).isEqualTo(2);

        auto.traffic(new Traffic(1_350, single(WIDE)));
        auto.play(60);

        assertThat(auto.cells()).as("%s", auto.figures()).isEqualTo(FULL);

        auto.traffic(OF_A_GRAPH);
        auto.play(60);
        assertThat(auto.cells()).as("%s", auto.figures()).isEqualTo(2);
    }
}
