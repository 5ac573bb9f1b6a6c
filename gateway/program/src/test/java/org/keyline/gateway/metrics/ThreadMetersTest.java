package org.keyline.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ThreadMetersTest {
    /** Dashboards and alerts may use these names. */
    @Test
    void meters_areThoseOfMicrometer() {
        PrometheusMeterRegistry theirs = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new JvmThreadMetrics().bindTo(theirs);
        PrometheusMeterRegistry ours = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new ThreadMeters().bindTo(ours);
        assertThat(names(ours)).hasSizeGreaterThan(9).isEqualTo(names(theirs));
        assertThat(ours.scrape()).containsPattern("jvm_threads_states_threads\\{state=\"runnable\"} [1-9]");
    }

    /** Returns the lines without their values. */
    private static List<String> names(PrometheusMeterRegistry registry) {
        return registry.scrape()
                .lines()
                .map(line -> line.startsWith("#") ? line : line.substring(0, line.lastIndexOf(' ')))
                .toList();
    }
}
