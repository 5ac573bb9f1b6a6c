package org.keyline.gateway.otlp;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.keyline.gateway.config.GatewayConfig;

/**
 * Sends all figures to an OpenTelemetry collector on a period, by OTLP over HTTP in JSON. A collector that is away or slow costs a line of the
 * log and what it would have heard; counters go on from where they were. Runs on a thread of its own.
 */
public final class OtlpPush implements AutoCloseable {
    private final Supplier<MetricSnapshots> figures;
    private final OtlpRequest requests;
    private final Collector collector;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("keyline-otlp", true));

    private OtlpPush(GatewayConfig.Otlp config, Map<String, String> resource, Supplier<MetricSnapshots> figures) {
        this.figures = figures;
        this.requests = new OtlpRequest(resource, Instant.now());
        this.collector = new Collector(Objects.requireNonNull(config.url()), config.token(), "metrics");
    }

    /**
     * Begins to send.
     *
     * @param config with a URL
     * @param resource what the figures are of, as attributes such as {@code service.name}
     * @param figures of the moment
     */
    public static OtlpPush start(
            GatewayConfig.Otlp config, Map<String, String> resource, Supplier<MetricSnapshots> figures) {
        OtlpPush push = new OtlpPush(config, resource, figures);
        long period = config.period().toNanos();
        ScheduledFuture<?> unused =
                push.thread.scheduleWithFixedDelay(push::send, period, period, TimeUnit.NANOSECONDS);
        return push;
    }

    private void send() {
        boolean unused = collector.send(requests.body(figures.get(), Instant.now()));
    }

    /** Sends nothing more, and does not wait. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
