package org.keyline.gateway.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import com.google.protobuf.util.JsonFormat;
import com.sun.net.httpserver.HttpServer;
import io.netty.util.NetUtil;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.gateway.fixtures.TestClient;

/** A collector that reads by OpenTelemetry's own definition of the messages, and is away at first. */
final class OtlpPushTest {
    private static final Pattern SUFFIX = Pattern.compile("_(total|info|created)$");

    private record Received(Map<String, List<String>> headers, String body) {}

    private final BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    private final AtomicBoolean away = new AtomicBoolean(true);
    private HttpServer collector;

    @BeforeEach
    void listen() throws Exception {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/metrics", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            exchange.sendResponseHeaders(away.getAndSet(false) ? 503 : 200, -1);
            exchange.close();
            received.add(new Received(exchange.getRequestHeaders(), body));
        });
        collector.start();
    }

    @AfterEach
    void stop() {
        collector.stop(0);
    }

    @Test
    void figures_areThoseOfAScrape() throws Exception {
        try (DemoGateway demo = DemoGateway.start(
                "otlp.url=http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/metrics",
                "otlp.period=1s",
                "otlp.token=secret")) {
            try (TestClient client = TestClient.connect(demo.address(), "demo")) {
                for (int i = 0; i < 200; i++) {
                    client.query("SELECT name FROM users WHERE user_id = 42");
                }
            }
            assertThat(received.poll(1, TimeUnit.MINUTES)).as("refused").isNotNull();
            received.clear();
            assertThat(received.poll(1, TimeUnit.MINUTES))
                    .as("one that may have been made before the queries")
                    .isNotNull();
            Received accepted = received.poll(1, TimeUnit.MINUTES);
            assertThat(accepted).isNotNull();
            assertThat(accepted.headers)
                    .containsEntry("Content-type", List.of("application/json"))
                    .containsEntry("Authorization", List.of("Bearer secret"));

            ExportMetricsServiceRequest.Builder request = ExportMetricsServiceRequest.newBuilder();
            JsonFormat.parser().merge(accepted.body, request);
            assertThat(request.getResourceMetrics(0).getResource().getAttributesList())
                    .extracting(
                            KeyValue::getKey, attribute -> attribute.getValue().getStringValue())
                    .contains(
                            tuple("service.name", "keyline"),
                            tuple("service.instance.id", demo.address().toString()));
            List<Metric> metrics =
                    request.getResourceMetrics(0).getScopeMetrics(0).getMetricsList();
            assertThat(metrics.stream()
                            .map(metric -> SUFFIX.matcher(metric.getName()).replaceAll(""))
                            .filter(OtlpPushTest::isThereFromTheStart)
                            .collect(Collectors.toSet()))
                    .isEqualTo(scraped(demo));

            Metric commands = metric(metrics, "keyline_commands");
            assertThat(commands.getSum().getIsMonotonic()).isTrue();
            assertThat(commands.getSum().getAggregationTemporality())
                    .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
            NumberDataPoint queries = commands.getSum().getDataPointsList().stream()
                    .filter(point ->
                            point.getAttributes(0).getValue().getStringValue().equals("query"))
                    .findFirst()
                    .orElseThrow();
            assertThat(queries.getAsDouble()).isEqualTo(200);
            assertThat(queries.getTimeUnixNano()).isGreaterThan(queries.getStartTimeUnixNano());

            List<HistogramDataPoint> hits =
                    metric(metrics, "keyline_table_hit_seconds").getHistogram().getDataPointsList();
            assertThat(hits).anyMatch(point -> point.getCount() > 0).allSatisfy(point -> {
                assertThat(point.getBucketCountsCount()).isEqualTo(point.getExplicitBoundsCount() + 1);
                assertThat(point.getBucketCountsList().stream()
                                .mapToLong(Long::longValue)
                                .sum())
                        .isEqualTo(point.getCount());
            });
        }
    }

    @Test
    void period_thatIsSet_holdsAtOnce() throws Exception {
        away.set(false);
        try (DemoGateway demo = DemoGateway.start(
                        "otlp.url=http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/metrics",
                        "otlp.period=1h");
                TestClient client = TestClient.connect(demo.address())) {
            assertThat(client.query("KEYLINE SET otlp.period = '1s'").error()).isNull();
            assertThat(received.poll(1, TimeUnit.MINUTES)).isNotNull();
            assertThat(received.poll(1, TimeUnit.MINUTES)).isNotNull();
        }
    }

    private static Metric metric(List<Metric> metrics, String name) {
        return metrics.stream()
                .filter(metric -> metric.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The names that {@code /metrics} has, without what tells of the kind. */
    private static Set<String> scraped(DemoGateway demo) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://" + NetUtil.toSocketAddressString(demo.gateway().http()) + "/metrics"))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofLines())
                .body()
                .filter(line -> line.startsWith("# TYPE "))
                .map(line -> SUFFIX.matcher(line.split(" ", -1)[2]).replaceAll(""))
                .filter(OtlpPushTest::isThereFromTheStart)
                .collect(Collectors.toSet());
    }

    /** Not so the pauses of the collector of garbage, which may come between push and scrape. */
    private static boolean isThereFromTheStart(String name) {
        return !name.startsWith("jvm_gc_");
    }
}
