package org.keyline.gateway;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.fixtures.CertificateFiles;
import org.keyline.gateway.fixtures.ItemStore;
import org.keyline.gateway.fixtures.TestClient;

/** The page and the metrics over HTTP. */
final class AdminHttpTest {
    /** Events arrive once a second. After this many, a missing one counts as absent. */
    private static final int MOST_EVENTS = 120;

    private static final String READ = "SELECT name FROM items WHERE id = 1 AND sku = 2";

    private ItemStore store;
    private final HttpClient http = HttpClient.newHttpClient();
    private Gateway gateway;

    @BeforeEach
    void start() throws Exception {
        start("cache.ttl=1h");
    }

    private void start(String... settings) throws Exception {
        store = new ItemStore();
        store.put(1, 2, "two");
        ConfigLoader loader = new ConfigLoader(Map.of())
                .set("listen=127.0.0.1:0")
                .set("http=127.0.0.1:0")
                .set("eventLoops=1");
        for (String setting : settings) {
            loader.set(setting);
        }
        gateway = new Gateway(loader.load(), store);
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    @Test
    void metrics_afterReads_countThemPerTable() throws Exception {
        try (TestClient client = TestClient.connect(gateway.listening(), "shop")) {
            for (int i = 0; i < 3; i++) {
                client.query(READ);
            }
            client.query("INSERT INTO items VALUES (5, 5, 'five')");
        }
        String metrics = get("/metrics").body();
        assertThat(metrics)
                .contains(
                        "keyline_table_queries_total{schema=\"shop\",table=\"items\"} 3",
                        "keyline_table_hits_total{schema=\"shop\",table=\"items\"} 1",
                        "keyline_table_loads_total{schema=\"shop\",table=\"items\"} 1",
                        "keyline_table_rows_loaded_total{schema=\"shop\",table=\"items\"} 1",
                        "keyline_table_load_seconds_count{schema=\"shop\",table=\"items\"} 1",
                        "keyline_table_load_seconds_bucket{schema=\"shop\",table=\"items\",le=\"+Inf\"} 1",
                        "keyline_commands_total{command=\"query\"} 4",
                        "keyline_forwards_total{reason=\"point_no_template\"} 1",
                        "keyline_table_misses_total{reason=\"no_template\",schema=\"shop\",table=\"items\"} 1",
                        "keyline_table_forward_seconds_count{schema=\"shop\",table=\"items\"} 1",
                        "keyline_forward_seconds_count 1",
                        "keyline_table_hit_seconds_count{schema=\"shop\",table=\"items\"} 0",
                        "keyline_forwards_total{reason=\"not_a_select\"} 1",
                        "keyline_connections_total{outcome=\"accepted\"} 1",
                        "jvm_memory_used_bytes")
                .contains("keyline_table_lines{", "keyline_table_line_bytes{", "keyline_table_evictions_total{");
    }

    @Test
    void ready_inTheDrainDelay_isFalseWhileConnectionsAreTaken() throws Exception {
        stop();
        start("drainDelay=1h");
        assertThat(get("/ready").statusCode()).isEqualTo(200);
        Thread closing = new Thread(gateway::close);
        closing.start();
        Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> get("/ready").statusCode() == 503);
        assertThat(get("/live").statusCode()).isEqualTo(200);
        try (TestClient client = TestClient.connect(gateway.listening(), "shop")) {
            client.query(READ);
        }
        // Ends the delay, and with it the gateway.
        closing.interrupt();
        closing.join();
    }

    @Test
    void metrics_withAToken_areForThoseWhoShowIt() throws Exception {
        stop();
        start("access.httpToken=s3cret:token");
        assertThat(get("/metrics").statusCode()).isEqualTo(401);
        assertThat(get("/metrics").headers().firstValue("WWW-Authenticate")).contains("Basic realm=\"Keyline\"");
        for (String wrong :
                List.of("Bearer wrong", "Bearer", "Basic ?", basic("any:wrong"), basic("any"), "s3cret:token")) {
            assertThat(get("/metrics", wrong).statusCode()).as(wrong).isEqualTo(401);
        }
        assertThat(get("/metrics", basic("any:s3cret:token")).body()).contains("keyline_sessions");
        assertThat(get("/metrics", "Bearer s3cret:token").body()).contains("keyline_sessions");
        assertThat(get("/ready").statusCode()).isEqualTo(200);
    }

    @Test
    void requests_onLoopback_areForLoopbackOnly_orForTheHostsThatAreNamed() throws Exception {
        int port = requireNonNull(gateway.http(), "http is off").getPort();
        for (String host :
                List.of("localhost", "LOCALHOST:" + port, "127.0.0.1:" + port, "127.9.9.9", "[::1]:" + port)) {
            assertThat(status("/metrics", host)).as(host).isEqualTo(200);
        }
        for (String host :
                List.of("evil.example", "evil.example:" + port, "localhost.evil.example", "10.0.0.1", "", "[::2]:1")) {
            for (String path : List.of("/", "/metrics", "/ready")) {
                assertThat(status(path, host)).as(host + path).isEqualTo(421);
            }
        }
        stop();
        start("access.httpHosts=board.example,Other.example");
        assertThat(status("/metrics", "other.example.:9031")).isEqualTo(200);
        assertThat(status("/metrics", "evil.example")).isEqualTo(421);
        stop();
        start("http=0.0.0.0:0");
        assertThat(status("/metrics", "any.example")).isEqualTo(200);
    }

    /** Returns the status of a request with this Host header. */
    private int status(String path, String host) throws IOException {
        try (Socket socket = new Socket(
                InetAddress.getLoopbackAddress(),
                requireNonNull(gateway.http(), "http is off").getPort())) {
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            BufferedReader reply =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            return Integer.parseInt(reply.readLine().split(" ", 3)[1]);
        }
    }

    @Test
    void tls_ofHttp_isWithTheCertificate_andNothingElseIsAnswered(@TempDir Path directory) throws Exception {
        SSLContext context = startWithTls(directory);
        try (Socket socket = context.getSocketFactory()
                .createSocket(address().getAddress(), address().getPort())) {
            assertThat(answer(socket, "/ready")).startsWith("HTTP/1.1 200 OK");
        }
        try (Socket plain = new Socket(address().getAddress(), address().getPort())) {
            assertThat(answer(plain, "/ready")).doesNotContain("HTTP");
        }
        // Clients without TLS are still accepted.
        try (TestClient client = TestClient.connect(gateway.listening(), "shop")) {
            client.query(READ);
        }
    }

    @ParameterizedTest
    @CsvSource({"1.2, TLSv1.2, true", "1.2, TLSv1.3, true", "1.3, TLSv1.2, false", "1.3, TLSv1.3, true"})
    void tls_belowTheMinimumVersion_isRefused(String minimum, String version, boolean allowed, @TempDir Path directory)
            throws Exception {
        SSLContext context = startWithTls(directory, "tls.minVersion=" + minimum);
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory()
                .createSocket(address().getAddress(), address().getPort())) {
            socket.setEnabledProtocols(new String[] {version});
            if (allowed) {
                assertThat(answer(socket, "/ready")).startsWith("HTTP/1.1 200 OK");
                assertThat(socket.getSession().getProtocol()).isEqualTo(version);
            } else {
                assertThatThrownBy(() -> answer(socket, "/ready")).isInstanceOf(SSLException.class);
            }
        }
    }

    /** Returns an SSL context that trusts the certificate of the address of metrics and health. */
    private SSLContext startWithTls(Path directory, String... settings) throws Exception {
        CertificateFiles files = CertificateFiles.create(directory, "keyline");
        stop();
        start(Stream.concat(
                        Stream.of(
                                "tls.certificate=" + files.certificate(),
                                "tls.key=" + files.key(),
                                "tls.http=true",
                                "tls.mode=off"),
                        Stream.of(settings))
                .toArray(String[]::new));
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null);
        trusted.setCertificateEntry("gateway", files.made());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /** Returns the bytes of a connection until the server closes it. */
    private static String answer(Socket socket, String path) throws IOException {
        socket.setSoTimeout(60_000);
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.UTF_8));
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** The browser rejects foreign content, and the page refers to none. */
    @Test
    void page_loadsItsOwnFilesOnly() throws Exception {
        HttpResponse<String> page = get("/");
        assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("unsafe", "*", "http");
        List<String> loaded = Pattern.compile("(?:src|href)=\"([^\"]*)\"")
                .matcher(page.body())
                .results()
                .map(found -> found.group(1))
                .filter(address -> !address.startsWith("data:"))
                .toList();
        assertThat(loaded).containsExactlyInAnyOrder("page.css", "page.js");
        for (String file : loaded) {
            assertThat(get("/" + file).statusCode()).isEqualTo(200);
        }
        assertThat(page.body()).doesNotContain("<style", " style=", " onclick=").doesNotContainPattern("<script>");
        String script = get("/page.js").body();
        Pattern.compile("at\\('([a-z0-9-]+)'\\)|(?:say|rows|plot)\\('([a-z0-9-]+)'")
                .matcher(script)
                .results()
                .forEach(used -> assertThat(page.body())
                        .contains("id=\"" + (used.group(1) == null ? used.group(2) : used.group(1)) + "\""));
    }

    @Test
    void events_tellOfReadsAsTheyAreAnswered() throws Exception {
        try (TestClient client = TestClient.connect(gateway.listening(), "shop")) {
            for (int i = 0; i < 4; i++) {
                client.query(READ);
            }
            client.query("INSERT INTO items VALUES (5, 5, 'five')");
            try (Stream<JsonNode> events = events("")) {
                JsonNode told = events.filter(event -> event.at("/totals/hits").asInt() == 2)
                        .findFirst()
                        .orElseThrow();
                assertThat(told.at("/totals/queries").asInt()).isEqualTo(4);
                assertThat(told.at("/times/store/count").asInt()).isPositive();
                assertThat(told.at("/times/store/nanos").asLong()).isPositive();
                assertThat(told.at("/sessions").asInt()).isEqualTo(1);
                assertThat(told.at("/tables/0/table_name").asText()).isEqualTo("items");
                assertThat(told.at("/reasons").findValuesAsText("reason")).contains("NO_TEMPLATE", "NOT_A_SELECT");
                assertThat(told.at("/statements").isNull()).isTrue();
                assertThat(told.at("/members").isArray()).as("no tier").isTrue();
                assertThat(told.at("/members").size()).isZero();
            }
            client.query(READ);
        }
    }

    /** Monitoring systems take a sum that falls for a restart. */
    @Test
    void sums_whenATableIsDropped_stay() throws Exception {
        try (TestClient client = TestClient.connect(gateway.listening(), "shop")) {
            for (int i = 0; i < 4; i++) {
                client.query(READ);
            }
            assertThat(client.query("DROP TABLE items").error()).isNull();
            JsonNode without;
            try (Stream<JsonNode> events = events("")) {
                without = events.filter(event -> event.at("/tables").isEmpty())
                        .findFirst()
                        .orElseThrow();
            }
            assertThat(without.at("/totals/queries").asInt()).isEqualTo(4);
            assertThat(without.at("/totals/hits").asInt()).isEqualTo(2);
            assertThat(without.at("/totals/line_count").asInt()).isZero();
            assertThat(client.query("SHOW STATUS LIKE 'keyline_queries'").rows())
                    .isEqualTo(List.of(List.of("Keyline_queries", "4")));
        }
        assertThat(get("/metrics").body())
                .contains("keyline_table_queries_total{schema=\"(others)\",table=\"(others)\"} 4");
    }

    @Test
    void page_withAToken_isForThoseWhoShowIt_andHasStatements() throws Exception {
        stop();
        start("access.httpToken=s3cret");
        for (String path : List.of("/", "/page.js", "/events")) {
            assertThat(get(path).statusCode()).as(path).isEqualTo(401);
        }
        try (TestClient client = TestClient.connect(gateway.listening(), "shop");
                Stream<JsonNode> events = events(basic("any:s3cret"))) {
            client.query(READ);
            assertThat(events.map(event -> event.at("/statements").findValuesAsText("text"))
                            .filter(texts -> !texts.isEmpty())
                            .findFirst()
                            .orElseThrow())
                    .anySatisfy(text -> assertThat(text).contains("items").doesNotContain("1", "2"));
        }
    }

    /** Returns the events that the page receives; closed with the test. */
    private Stream<JsonNode> events(String authorization) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri("/events"));
        if (!authorization.isEmpty()) {
            request.header("Authorization", authorization);
        }
        HttpResponse<Stream<String>> response = http.send(request.build(), HttpResponse.BodyHandlers.ofLines());
        assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
        ObjectMapper json = new ObjectMapper();
        return response.body()
                .filter(line -> line.startsWith("data: "))
                .limit(MOST_EVENTS)
                .map(line -> {
                    try {
                        return json.readTree(line.substring("data: ".length()));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }

    private static String basic(String pair) {
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void health_reachableStore_is200() throws Exception {
        HttpResponse<String> health = get("/health");
        assertThat(health.statusCode()).isEqualTo(200);
        assertThat(health.body().strip())
                .isEqualTo("{\"status\":\"up\",\"live\":true,\"ready\":true,\"storeReachable\":true,"
                        + "\"draining\":false,\"reasons\":[]}");
        assertThat(get("/live").statusCode()).isEqualTo(200);
        assertThat(get("/ready").statusCode()).isEqualTo(200);
    }

    @Test
    void health_silentStore_is503() throws Exception {
        store.hold(sql -> true);
        CompletableFuture<HttpResponse<String>> ready = begin("/ready");
        HttpResponse<String> health = get("/health");
        assertThat(health.statusCode()).isEqualTo(503);
        assertThat(health.body()).contains("\"storeReachable\":false", "the store does not answer");
        assertThat(ready.join().statusCode()).isEqualTo(503);
        assertThat(get("/live").statusCode()).isEqualTo(200);
        store.release();
        assertThat(get("/health").statusCode()).isEqualTo(200);
    }

    @Test
    void live_storeThatOnlyANewProcessCures_is503AndTellsWhy() throws Exception {
        store.fail("the store has stopped");
        HttpResponse<String> live = get("/live");
        assertThat(live.statusCode()).isEqualTo(503);
        assertThat(live.body()).contains("\"live\":false", "\"reasons\":[\"the store has stopped\"]");
        assertThat(get("/ready").statusCode()).isEqualTo(503);
    }

    @Test
    void live_eventLoopThatDoesNotAnswer_is503AndTellsWhy() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        gateway.loops().next().execute(() -> await(stuck));
        try {
            HttpResponse<String> live = get("/live");
            assertThat(live.statusCode()).isEqualTo(503);
            assertThat(live.body()).contains("1 event loop does not answer", "\"storeReachable\":true");
            assertThat(get("/metrics").statusCode()).isEqualTo(200);
        } finally {
            stuck.countDown();
        }
        assertThat(get("/live").statusCode()).isEqualTo(200);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void idleConnections_takeNobodysPlace() throws Exception {
        List<Socket> idle = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                idle.add(connect());
            }
            assertThat(get("/live").statusCode()).isEqualTo(200);
            assertThat(get("/metrics").statusCode()).isEqualTo(200);
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    @Test
    void otherMethodsAndPaths_areRefused() throws Exception {
        assertThat(get("/nothing").statusCode()).isEqualTo(404);
        HttpRequest post = HttpRequest.newBuilder(uri("/metrics"))
                .POST(HttpRequest.BodyPublishers.ofString("x"))
                .build();
        assertThat(http.send(post, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(405);
    }

    @Test
    void garbage_isAnsweredOrClosedAndHarmsNobody() throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write(("GET /" + "x".repeat(100_000) + " HTTP/1.1\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            socket.getInputStream().readAllBytes();
        } catch (IOException reset) {
            assertThat(reset).isNotNull();
        }
        assertThat(get("/health").statusCode()).isEqualTo(200);
    }

    private Socket connect() throws IOException {
        return new Socket(address().getAddress(), address().getPort());
    }

    private InetSocketAddress address() {
        return Objects.requireNonNull(gateway.http());
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + address().getPort() + path);
    }

    private HttpResponse<String> get(String path, String authorization) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(uri(path))
                .header("Authorization", authorization)
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return begin(path).get();
    }

    private CompletableFuture<HttpResponse<String>> begin(String path) {
        return http.sendAsync(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
    }
}
