package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.source;
import static org.keyline.gateway.fixtures.Lines.warm;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Effects of a session's statements that their text does not show: role, schema, transaction,
 * settings, and rows written by functions. Lines live for an hour here.
 */
final class UnseenChangesIT extends Scenarios {
    /**
     * The store closes a session that is idle there; reads keep it open, even if lines answer them.
     */
    @Test
    void waitTimeout_ofASessionThatReads_endsNothing() throws Exception {
        long timeoutNanos = Duration.ofSeconds(2).toNanos();
        long lived = 0;
        // If this machine is stopped for too long, the session may rightly end.
        for (int attempt = 0; attempt < 20 && lived <= 3 * timeoutNanos / 2; attempt++) {
            int hits = 0;
            long last = System.nanoTime();
            try (Connection through = gateway().connect("unseen")) {
                run(through, "SET wait_timeout = 2");
                warm(through, "SELECT v FROM t WHERE id = 1");
                long began = System.nanoTime();
                last = began;
                for (lived = 0; lived <= 3 * timeoutNanos / 2; lived = last - began) {
                    assertThat(one(through, "SELECT v FROM t WHERE id = 1")).isEqualTo("10");
                    hits += source(through).equals("line") ? 1 : 0;
                    last = System.nanoTime();
                }
                assertThat(hits).isPositive();
            } catch (SQLException ended) {
                assertThat(System.nanoTime() - last).as(ended.toString()).isGreaterThan(timeoutNanos / 4);
            }
        }
        assertThat(lived).as("nanoseconds of a session that reads all the time").isGreaterThan(3 * timeoutNanos / 2);
    }
}
