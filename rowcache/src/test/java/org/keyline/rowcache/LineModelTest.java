package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random histories of reads, loads, writes, expiry, eviction, flushes and DDL, compared with a
 * plain reference after each step: no stale read, no lost row, all invariants. See
 * {@link LineModel}. {@code -Dhistories=100} runs a hundred times as many.
 */
@Tag("explores")
final class LineModelTest {
    private static final int STEPS = 300;

    private int histories;
    private long hits;
    private long answers;

    @Test
    void histories_ofTrafficThroughTheGatewayAlone_areLinearizable() {
        run(1, 200, new LineModel.Shape(1, false, 1 << 20, 1_000, 4));
    }

    @Test
    void histories_withWritesFromOutside_areStaleByATtlAtMost() {
        run(10_001, 200, new LineModel.Shape(1, true, 1 << 20, 1_000, 4));
    }

    @Test
    void histories_withPrefixesAboveTheCeiling_areLinearizable() {
        run(20_001, 200, new LineModel.Shape(1, false, 1 << 20, 2, 4));
    }

    @Test
    void histories_withPrefixesAboveTheCeilingAndWritesFromOutside_areStaleByATtlAtMost() {
        run(30_001, 150, new LineModel.Shape(1, true, 1 << 20, 2, 1));
    }

    @Test
    void histories_withLinesOfSingleRows_areLinearizable() {
        run(100_001, 50, 6 * STEPS, new LineModel.Shape(2, false, 1 << 20, 1_000, 4));
    }

    @Test
    void histories_withLinesOfSingleRowsAndWritesFromOutside_areStaleByATtlAtMost() {
        run(110_001, 50, 6 * STEPS, new LineModel.Shape(2, true, 1 << 20, 1_000, 4));
    }

    @Test
    void histories_inAMemoryThatIsTooSmall_areLinearizable() {
        run(40_001, 150, new LineModel.Shape(1, false, 1_200, 3, 2));
    }

    @Test
    void histories_ofATableCachedAsRanges_areLinearizable() {
        run(50_001, 300, new LineModel.Shape(0, false, 1 << 20, 3, 4));
    }

    @Test
    void histories_ofATableCachedAsRangesWithWritesFromOutside_areStaleByATtlAtMost() {
        run(60_001, 150, new LineModel.Shape(0, true, 1 << 20, 4, 2));
    }

    @Test
    void histories_ofATableCachedAsRangesInAMemoryThatIsTooSmall_areLinearizable() {
        run(70_001, 150, new LineModel.Shape(0, false, 1_800, 3, 2));
    }

    @Test
    void histories_withASignalOfPartitions_showWhatItReported() {
        run(80_001, 200, new LineModel.Shape(1, true, 1 << 20, 1_000, 4, true));
    }

    @Test
    void histories_withASignalOfPartitionsAndPrefixesAboveTheCeiling_showWhatItReported() {
        run(90_001, 150, new LineModel.Shape(1, true, 1 << 20, 2, 4, true));
    }

    private void run(long firstSeed, int count, LineModel.Shape shape) {
        run(firstSeed, count, STEPS, shape);
    }

    /** @param steps more if there are more lines, because each then gets fewer hits */
    private void run(long firstSeed, int count, int steps, LineModel.Shape shape) {
        Seeds.forEach(firstSeed, count * Integer.getInteger("histories", 1), random -> {
            LineModel model = new LineModel(random, shape);
            for (int step = 0; step < steps; step++) {
                model.step();
            }
            model.finish();
            histories++;
            hits += model.hits();
            answers += model.answers();
        });
        // A model that rarely answers finds nothing, so most histories must have many answers.
        assertThat(answers / histories).as("answers per history").isGreaterThanOrEqualTo(12);
        assertThat(hits / histories).as("hits per history").isGreaterThanOrEqualTo(2);
    }
}
