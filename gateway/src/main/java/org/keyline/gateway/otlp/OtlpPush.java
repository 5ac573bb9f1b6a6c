package org.keyline.gateway.otlp;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.GatewayConfig;

/**
 * Sends all figures to an OpenTelemetry collector on a period, by OTLP over HTTP in JSON. A collector that is away or slow costs a line of the
 * log and what it would have heard; counters go on from where they were. Runs on a thread of its own.
 */
public final class OtlpPush implements AutoCloseable {
    private final Supplier<Duration> period;
    private final Supplier<MetricSnapshots> figures;
    private final OtlpRequest requests;
    private final Collector collector;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("keyline-otlp", true));

    // Confined to the thread.
    private Duration inForce = Duration.ZERO;
    private @Nullable ScheduledFuture<?> sending;

    private OtlpPush(
            GatewayConfig.Otlp config,
            Supplier<Duration> period,
            Map<String, String> resource,
            Supplier<MetricSnapshots> figures) {
        this.period = period;
        this.figures = figures;
        this.requests = new OtlpRequest(resource, Instant.now());
        this.collector = new Collector(Objects.requireNonNull(config.url()), config.token(), "metrics");
    }

    /**
     * Begins to send.
     *
     * @param config with a URL
     * @param period from one time to the next, asked for again when it {@linkplain #periodChanged may have changed}
     * @param resource what the figures are of, as attributes such as {@code service.name}
     * @param figures of the moment
     */
    public static OtlpPush start(
            GatewayConfig.Otlp config,
            Supplier<Duration> period,
            Map<String, String> resource,
            Supplier<MetricSnapshots> figures) {
        OtlpPush push = new OtlpPush(config, period, resource, figures);
        push.periodChanged();
        return push;
    }

    /** Goes by the period that holds now. Thread-safe. */
    public void periodChanged() {
        if (!thread.isShutdown()) {
            thread.execute(this::adoptPeriod);
        }
    }

    private void adoptPeriod() {
        Duration now = period.get();
        if (now.equals(inForce)) {
            return;
        }
        if (sending != null) {
            sending.cancel(false);
        }
        inForce = now;
        sending = thread.scheduleWithFixedDelay(this::send, now.toNanos(), now.toNanos(), TimeUnit.NANOSECONDS);
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
