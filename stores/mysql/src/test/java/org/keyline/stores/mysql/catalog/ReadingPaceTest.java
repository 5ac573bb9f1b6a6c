package org.keyline.stores.mysql.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadingPaceTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 1_000_000_000L, Long.MIN_VALUE + 5, 12_345_678_901L})
    void next_inASeries_aSecondApartBehindTheFirstThree(long start) {
        ReadingPace pace = new ReadingPace();
        long now = start;
        for (int i = 0; i < 3; i++) {
            assertThat(pace.next(now)).isZero();
        }
        for (int i = 0; i < 10; i++) {
            long wait = pace.next(now);
            assertThat(wait).isEqualTo(SECOND);
            now += wait;
        }
    }

    @Test
    void next_afterAPause_comesAtOnceAgain() {
        ReadingPace pace = new ReadingPace();
        for (int i = 0; i < 3; i++) {
            assertThat(pace.next(0)).isZero();
        }
        for (int i = 0; i < 3; i++) {
            assertThat(pace.next(100 * SECOND)).isZero();
        }
        assertThat(pace.next(100 * SECOND)).isEqualTo(SECOND);
    }
}
