package org.keyline.gateway.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.table.LoadTail.Hedging;

/** Which loads are late, and how many of them may be asked for twice. */
final class LoadTailTest {
    private static final long MICRO = 1_000;

    private final LoadTail tail = new LoadTail();

    @Test
    void loads_areNotLate_untilEnoughWereSeen() {
        for (int i = 0; i < 127; i++) {
            tail.took(100 * MICRO, Hedging.MODEST);
        }
        assertThat(tail.lateNanos(Hedging.MODEST)).isEqualTo(Long.MAX_VALUE);
        tail.took(100 * MICRO, Hedging.MODEST);
        assertThat(tail.lateNanos(Hedging.MODEST)).isEqualTo(100 * MICRO);
        assertThat(tail.lateNanos(Hedging.NONE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void late_isWhatFewerAreThanMayBeAskedForTwice_andFollowsTheStore() {
        for (int i = 0; i < 1000; i++) {
            tail.took((i % 100 == 0 ? 50_000 : 100 + i % 100) * MICRO, Hedging.MODEST);
        }
        // One of a hundred hangs.
        assertThat(tail.lateNanos(Hedging.MODEST)).isBetween(190 * MICRO, 200 * MICRO);
        for (int i = 0; i < 600; i++) {
            tail.took(7_000 * MICRO, Hedging.MODEST);
        }
        assertThat(tail.lateNanos(Hedging.MODEST)).isEqualTo(7_000 * MICRO);
    }

    @Test
    void spent_isNeverMoreThanTheShareOfAllLoads() {
        Random random = new Random(1);
        int spent = 0;
        assertThat(tail.spends()).as("before any load").isFalse();
        for (int i = 1; i <= 20_000; i++) {
            // A store that becomes slower and slower, so that very many are late.
            long took = (100 + i + random.nextInt(100)) * MICRO;
            boolean late = took > tail.lateNanos(Hedging.MODEST);
            spent += late && tail.spends() ? 1 : 0;
            assertThat(spent).isLessThanOrEqualTo(i / 50);
            tail.took(took, Hedging.MODEST);
        }
        assertThat(spent).isGreaterThan(20_000 / 100);
    }

    @Test
    void saved_isNotMoreThanAFew() {
        for (int i = 0; i < 100_000; i++) {
            tail.took(100 * MICRO, Hedging.MODEST);
        }
        int spent = 0;
        while (tail.spends()) {
            spent++;
        }
        assertThat(spent).isEqualTo(32);
    }
}
