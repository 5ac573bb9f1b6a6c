package org.keyline.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The number of log lines that a failed store may cause. */
final class LogBudgetTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final LogBudget budget = new LogBudget(2, Duration.ofSeconds(10));

    @Test
    void take_overTheLimit_isLeftOutAndToldLater() {
        assertThat(budget.take(0)).isZero();
        assertThat(budget.take(SECOND)).isZero();
        for (int i = 0; i < 1_000; i++) {
            assertThat(budget.take(2 * SECOND)).isEqualTo(LogBudget.SPENT);
        }
        assertThat(budget.take(10 * SECOND)).isEqualTo(1_000);
        assertThat(budget.take(10 * SECOND)).isZero();
        assertThat(budget.take(11 * SECOND)).isEqualTo(LogBudget.SPENT);
    }

    @Test
    void take_nowAndThen_isNeverLeftOut() {
        for (int i = 0; i < 100; i++) {
            assertThat(budget.take(Long.MAX_VALUE + 6L * i * SECOND)).isZero();
        }
    }
}
