package org.keyline.rowcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.rowcache.LocalitySimulation.Outcome;
import org.keyline.rowcache.LocalitySimulation.Settings;

/**
 * The published load shares follow from the arrival model, here with a twenty-fourth of its users
 * and queries.
 */
final class LocalitySimulationTest {
    private static final int SCALE = 24;
    private static final int USERS = LocalitySimulation.USERS / SCALE;

    @ParameterizedTest
    @CsvSource({"68000, 3, 100, 2", "68000, 2, 23.5, 0.5", "68000, 1, 4.12, 0.1", "717000, 1, 1.95, 0.05"})
    void publishedParameters_giveThePublishedLoadShare(double rate, int prefixCells, double percent, double tolerance) {
        Outcome outcome = LocalitySimulation.run(Settings.published(rate / SCALE, USERS, prefixCells, 1), 5, 7);

        assertThat(100 * outcome.loadShare()).isCloseTo(percent, within(tolerance));
        assertThat(outcome.hits() + outcome.loads() + outcome.waits()).isEqualTo(outcome.queries());
        assertThat(outcome.declines() + outcome.evictions()).isZero();
        assertThat(outcome.maxStaleNanos()).isBetween(1L, Duration.ofSeconds(1).toNanos());
    }

    @Test
    void signals_allowALongerTtl_withoutOlderAnswers() {
        Duration ttl = Duration.ofSeconds(10);
        Duration signal = Duration.ofMillis(100);
        Settings settings = new Settings(717_000.0 / SCALE, USERS, false, 1, 1, ttl, 1_000_000, signal.toNanos());

        Outcome outcome = LocalitySimulation.run(settings, 5, 7);

        assertThat(100 * outcome.hitShare()).isGreaterThan(99);
        assertThat(outcome.maxStaleNanos()).isBetween(1L, signal.toNanos());
    }
}
