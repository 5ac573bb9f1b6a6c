package org.keyline.gateway.otlp;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.keyline.gateway.config.GatewayConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends all figures to an OpenTelemetry collector on a period, by OTLP over HTTP in JSON. A collector that is away or slow costs a line of the
 * log and what it would have heard; counters go on from where they were. Runs on a thread of its own.
 */
public final class OtlpPush implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OtlpPush.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int SUCCESS = 2;

    private final GatewayConfig.Otlp config;
    private final Supplier<MetricSnapshots> figures;
    private final OtlpRequest requests;
    private final HttpClient client;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("keyline-otlp", true));

    // Confined to the thread.
    private boolean failing;

    private OtlpPush(GatewayConfig.Otlp config, Map<String, String> resource, Supplier<MetricSnapshots> figures) {
        this.config = config;
        this.figures = figures;
        this.requests = new OtlpRequest(resource, Instant.now());
        this.client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
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
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(config.url()))
                    .timeout(TIMEOUT)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(requests.body(figures.get(), Instant.now())));
            if (!config.token().value().isEmpty()) {
                request.header("Authorization", "Bearer " + config.token().value());
            }
            int status = client.send(request.build(), HttpResponse.BodyHandlers.discarding())
                    .statusCode();
            if (status / 100 != SUCCESS) {
                failed("it answers " + status);
            } else if (failing) {
                LOG.info("{}: metrics are sent again", config.url());
                failing = false;
            }
        } catch (IOException | RuntimeException e) {
            failed(e.toString());
        } catch (InterruptedException e) {
            // The gateway ends.
            Thread.currentThread().interrupt();
        }
    }

    private void failed(String why) {
        if (!failing) {
            LOG.warn("{}: metrics cannot be sent, the gateway goes on trying: {}", config.url(), why);
            failing = true;
        }
    }

    /** Sends nothing more, and does not wait. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
