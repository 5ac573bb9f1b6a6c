package org.keyline.gateway.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RecentMissesTest {
    private static final long MILLI = 1_000_000;
    private static final long LIFE = 1_000 * MILLI;
    private static final int LOADED_FROM = 2;
    private static final long KEY = 0x1234_5678_9ABC_DEF0L;

    private final RecentMisses misses = new RecentMisses();

    private int missed(long key, long millis) {
        return misses.missed(key, millis * MILLI, LIFE, LOADED_FROM);
    }

    /**
     * A system clock may begin at any value. The cache stores 40 bits of it, which span 13 days.
     */
    @ParameterizedTest
    @ValueSource(longs = {0, 17, -500, Long.MIN_VALUE / MILLI, 1_125_899_906L - 1_500, 9_000_000_000_000L})
    void missesInSuccession_areCounted_andGoOnFromTheEndOfTheLine(long begin) {
        assertThat(missed(KEY, begin)).isZero();
        assertThat(missed(KEY, begin + 900)).isEqualTo(1);
        assertThat(missed(KEY, begin + 1_800)).as("the line is loaded").isEqualTo(2);
        assertThat(missed(KEY, begin + 3_700)).as("900 ms after its end").isEqualTo(3);
        assertThat(missed(KEY, begin + 3_800)).as("while the line should live").isEqualTo(3);
        assertThat(missed(KEY, begin + 6_000)).as("1,200 ms after its end").isZero();
    }

    @Test
    void missesFurtherApart_areNot() {
        for (int i = 0; i < 10; i++) {
            assertThat(missed(KEY, 1_010L * i)).isZero();
        }
    }

    @Test
    void otherKeys_areNotTakenForThisOne_alsoAtItsPlace() {
        missed(KEY, 0);
        assertThat(missed(KEY ^ 1L << 63, 1)).as("the same place").isZero();
        assertThat(missed(KEY, 2)).as("pushed out").isZero();
        assertThat(missed(KEY + 1, 3)).as("another place").isZero();
        assertThat(missed(KEY, 4)).isEqualTo(1);
    }
}
