package org.keyline.gateway.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.JsonFormat;
import com.sun.net.httpserver.HttpServer;
import io.netty.util.NetUtil;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.gateway.fixtures.TestClient;

/** A collector that reads spans by OpenTelemetry's own definition of the messages. */
final class TracesTest {
    private static final String READ = "SELECT name FROM users WHERE user_id = 42";
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e47";

    /** By the span that each names as its parent; those without a parent by their own id. */
    private final Map<String, Span> spans = new ConcurrentHashMap<>();

    private final Set<Span> parts = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean away = new AtomicBoolean();
    private HttpServer collector;

    @BeforeEach
    void listen() throws Exception {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            if (!away.get()) {
                ExportTraceServiceRequest.Builder request = ExportTraceServiceRequest.newBuilder();
                JsonFormat.parser().merge(body, request);
                request.getResourceSpans(0).getScopeSpans(0).getSpansList().forEach(this::received);
            }
            exchange.sendResponseHeaders(away.get() ? 503 : 200, -1);
            exchange.close();
        });
        collector.start();
    }

    private void received(Span span) {
        if (span.getKind() == Span.SpanKind.SPAN_KIND_SERVER) {
            spans.put(hex(span.getParentSpanId().isEmpty() ? span.getSpanId() : span.getParentSpanId()), span);
        } else {
            parts.add(span);
        }
    }

    @AfterEach
    void stop() {
        collector.stop(0);
    }

    @Test
    void missesAndForwards_haveSpansBelowTheirParents_andHitsHaveNone() throws Exception {
        try (DemoGateway demo = start("0");
                TestClient client = TestClient.connect(demo.address(), "demo")) {
            Set<String> answeredByTheStore = new HashSet<>();
            int hits = 0;
            for (int i = 1; i <= 50; i++) {
                assertThat(client.query(READ + comment(i, "01")).error()).isNull();
                if (client.query("KEYLINE LAST").rows().contains(List.of("source", "line"))) {
                    hits++;
                } else {
                    answeredByTheStore.add(id(i));
                }
            }
            assertThat(hits).isGreaterThan(10);
            assertThat(client.query(READ.replace("42", "43") + comment(100, "00"))
                            .error())
                    .isNull();
            assertThat(client.query("SELECT 'no /*traceparent of' FROM nowhere" + comment(101, "01"))
                            .error())
                    .isNotNull();
            assertThat(client.query(comment(102, "01") + "UPDATE users SET city = 'Oslo' WHERE user_id = 42")
                            .error())
                    .isNull();
            assertThat(client.query("SELECT count(*) FROM users").error()).isNull();
            assertThat(client.query("SELECT count(*) FROM graphs" + comment(103, "01"))
                            .error())
                    .isNotNull();
            answeredByTheStore.addAll(List.of(id(101), id(102), id(103)));
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> spans.containsKey(id(103)));

            assertThat(spans.keySet()).isEqualTo(answeredByTheStore);
            Span miss = span(1);
            assertThat(hex(miss.getTraceId())).isEqualTo(TRACE + "01");
            assertThat(miss.getName()).isEqualTo("SELECT");
            assertThat(attributes(miss))
                    .containsEntry("db.namespace", "demo")
                    .containsEntry("keyline.outcome", "store")
                    .containsEntry("db.response.returned_rows", "1")
                    .containsKey("keyline.reason");
            assertThat(attributes(miss).get("db.query.text"))
                    .contains("user_id")
                    .doesNotContain("42");
            List<Span> ofMiss = parts.stream()
                    .filter(part -> part.getParentSpanId().equals(miss.getSpanId()))
                    .toList();
            assertThat(ofMiss).extracting(Span::getName).contains("store");
            assertThat(ofMiss).allSatisfy(part -> {
                assertThat(part.getTraceId()).isEqualTo(miss.getTraceId());
                assertThat(part.getStartTimeUnixNano()).isGreaterThanOrEqualTo(miss.getStartTimeUnixNano());
                assertThat(part.getEndTimeUnixNano()).isLessThanOrEqualTo(miss.getEndTimeUnixNano());
            });
            assertThat(span(102).getName()).isEqualTo("UPDATE");
            assertThat(span(101).getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_ERROR);
            assertThat(attributes(span(101))).containsKey("db.response.status_code");
            untilCounted(demo, "sent", answeredByTheStore.size());
        }
    }

    @Test
    void statementsWithoutAParent_beginTraces_oneInSoMany() throws Exception {
        try (DemoGateway demo = start("1");
                TestClient client = TestClient.connect(demo.address(), "demo")) {
            assertThat(client.query("SELECT count(*) FROM users").error()).isNull();
            assertThat(client.query("SELECT count(*) FROM users" + comment(1, "00"))
                            .error())
                    .isNull();
            assertThat(client.query("SELECT max(user_id) FROM users").error()).isNull();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> spans.size() >= 2);
            assertThat(spans.values()).hasSize(2).allSatisfy(span -> {
                assertThat(span.getParentSpanId()).isEqualTo(ByteString.EMPTY);
                assertThat(hex(span.getTraceId())).matches("[0-9a-f]{32}");
            });
        }
    }

    @Test
    void shareOfTraces_thatIsSet_holdsForTheNextStatement() throws Exception {
        try (DemoGateway demo = start("0");
                TestClient client = TestClient.connect(demo.address(), "demo")) {
            assertThat(client.query("SELECT count(*) FROM users").error()).isNull();
            assertThat(client.query("KEYLINE SET otlp.traceOneIn = 1").error()).isNull();
            assertThat(client.query("SELECT max(user_id) FROM users").error()).isNull();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !spans.isEmpty());
            assertThat(spans.values())
                    .allSatisfy(span ->
                            assertThat(attributes(span).get("db.query.text")).contains("max"));
        }
    }

    @Test
    void collectorThatIsAway_costsSpansThatAreCounted() throws Exception {
        away.set(true);
        try (DemoGateway demo = start("0");
                TestClient client = TestClient.connect(demo.address(), "demo")) {
            for (int i = 1; i <= 7; i++) {
                assertThat(client.query("SELECT count(*) FROM users" + comment(i, "01"))
                                .error())
                        .isNull();
            }
            untilCounted(demo, "dropped", 7);
            untilCounted(demo, "sent", 0);
        }
    }

    @Test
    void parent_isReadFromCommentsOnly() {
        String good = "traceparent='00-" + TRACE + "01-" + id(1) + "-01'";
        assertThat(in("SELECT 1 /*" + good + "*/")).isEqualTo(new TraceParent(TRACE + "01", id(1), true));
        assertThat(in("SELECT 1 /*db_driver='x',route='a%2Ab'," + good + ",tracestate='c'*/"))
                .isNotNull();
        assertThat(in("/* a * b */ /*" + good + "*/ SELECT " + "1,".repeat(2_000) + "1"))
                .isNotNull();
        assertThat(in("SELECT " + "1,".repeat(2_000) + "1 /*" + good + "*/")).isNotNull();
        assertThat(in("SELECT \"" + good + "\"")).isNull();
        assertThat(in("SELECT /* a */ \"" + good + "\"")).isNull();
        assertThat(in("SELECT 1 /*" + good.replace("00-", "ff-") + "*/")).isNull();
        assertThat(in("SELECT 1 /*" + good.replace(id(1), "0".repeat(16)) + "*/"))
                .isNull();
        assertThat(in("SELECT 1 /*" + good.replace(TRACE + "01", "0".repeat(32)) + "*/"))
                .isNull();
        assertThat(in("SELECT 1 /*" + good.toUpperCase(java.util.Locale.ROOT) + "*/"))
                .isNull();
        assertThat(in("")).isNull();
    }

    private static @Nullable TraceParent in(String sql) {
        byte[] bytes = ("?" + sql + "?").getBytes(UTF_8);
        return TraceParent.in(bytes, 1, bytes.length - 1);
    }

    private DemoGateway start(String oneIn) throws Exception {
        return DemoGateway.start(
                "otlp.tracesUrl=http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/traces",
                "otlp.traceOneIn=" + oneIn);
    }

    private static String comment(int span, String flags) {
        return " /*traceparent='00-" + TRACE + "01-" + id(span) + "-" + flags + "'*/ ";
    }

    private Span span(int parent) {
        return requireNonNull(spans.get(id(parent)), "no span");
    }

    private static String id(int span) {
        return String.format("%016x", span);
    }

    /** The mapping of JSON takes bytes for base64; OpenTelemetry writes ids in hexadecimal. */
    private static String hex(ByteString id) {
        return Base64.getEncoder().encodeToString(id.toByteArray());
    }

    private static Map<String, String> attributes(Span span) {
        return span.getAttributesList().stream()
                .collect(Collectors.toMap(
                        attribute -> attribute.getKey(),
                        attribute -> attribute.getValue().hasIntValue()
                                ? Long.toString(attribute.getValue().getIntValue())
                                : attribute.getValue().getStringValue()));
    }

    /** On a machine that is busy, a scrape may take longer than the gateway waits for who asks. */
    private static void untilCounted(DemoGateway demo, String outcome, int count) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> scraped(demo, outcome) == count);
    }

    private static double scraped(DemoGateway demo, String outcome) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://" + NetUtil.toSocketAddressString(demo.gateway().http()) + "/metrics"))
                .build();
        List<String> lines = new ArrayList<>(HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofLines())
                .body()
                .toList());
        lines.removeIf(line -> !line.startsWith("keyline_traced_statements_total{outcome=\"" + outcome + "\"}"));
        assertThat(lines).hasSize(1);
        return Double.parseDouble(lines.get(0).split(" ", -1)[1]);
    }
}
