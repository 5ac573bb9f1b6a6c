package org.keyline.gateway.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The condition under which loads avoid a failing store, and for how long. */
final class CircuitTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Test
    void failuresInARow_keepLoadsAwayForLessThanASecondHoweverMany() {
        Circuit circuit = new Circuit();
        long now = Long.MAX_VALUE - SECOND;
        circuit.failed(now);
        circuit.failed(now);
        assertThat(circuit.isOpen(now)).isFalse();
        for (int i = 0; i < 1000; i++) {
            circuit.failed(now);
            assertThat(circuit.isOpen(now)).isTrue();
            assertThat(circuit.isOpen(now + SECOND)).isFalse();
        }
        circuit.succeeded();
        assertThat(circuit.isOpen(now)).isFalse();
    }
}
