package org.keyline.gateway.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.util.JsonFormat;
import com.sun.net.httpserver.HttpServer;
import io.netty.buffer.ByteBuf;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.fixtures.FreePorts;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;

/**
 * What looking into a gateway costs hits: processor time a hit while everything is asked again and again (metrics, the page, the view of
 * statements, the push to an OpenTelemetry collector; the slow log in its file) against while nothing is. The two
 * take turns in one process, since processes differ by some hundredths for as long as they live. The gateways have one processor, the clients
 * the others. All answers are looked at.
 *
 * <pre>
 * mvn verify -pl gateway -am -Dit.test=ObservationMeasurement -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false -Dkeyline.observation=25,3,0,1
 * </pre>
 *
 * <p>That is twenty-five rounds of three seconds for each, with as many hits as there can be; another number than 0 is their rate a second. The
 * last number is every how many seconds all is asked but the page, which is live.
 */
@EnabledIfSystemProperty(named = "keyline.observation", matches = "\\d+,\\d+,\\d+,\\d+")
final class ObservationMeasurement {
    private static final int[] WANTED = Arrays.stream(
                    System.getProperty("keyline.observation", "1,1,1000,1").split(","))
            .mapToInt(Integer::parseInt)
            .toArray();
    private static final int ROUNDS = WANTED[0];
    private static final int SECONDS = WANTED[1];
    private static final int RATE = WANTED[2];
    private static final int PERIOD = WANTED[3];
    private static final int WARMING_ROUNDS = 6;
    /** Of what is asked on request, so that it is compiled, as it is in a gateway that has been asked for a day. */
    private static final int WARMING_LOOKS = 400;

    private static final int GATEWAYS = 3;

    private static final int CONNECTIONS = 8;
    private static final int USERS = 40;
    private static final int BURSTS_PER_SECOND = 100;
    private static final List<String> JVM = List.of("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC");

    private final ScheduledExecutorService observers = Executors.newScheduledThreadPool(3);
    private final HttpClient http = HttpClient.newHttpClient();
    private final AtomicLong pushes = new AtomicLong();
    private final AtomicLong scrapes = new AtomicLong();
    private final AtomicLong views = new AtomicLong();
    private final AtomicLong pages = new AtomicLong();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();

    @TempDir
    private Path directory;

    @Test
    void measure() throws Exception {
        HttpServer collector = collector();
        List<Gateway> gateways = new ArrayList<>();
        try {
            for (int i = 0; i < GATEWAYS; i++) {
                gateways.add(new Gateway(collector.getAddress().getPort(), directory.resolve("slow" + i + ".log")));
            }
            pin(ProcessHandle.current().pid(), "1-" + (Runtime.getRuntime().availableProcessors() - 1));
            double[][] ratios = new double[GATEWAYS][ROUNDS];
            double[] beside = new double[ROUNDS * GATEWAYS];
            System.out.println(
                    "round | gateway | observed, us a hit | alone | ratio | hits/s, observed | alone | beside the loop, observed, % | alone");
            for (int round = -WARMING_ROUNDS; round < ROUNDS; round++) {
                for (int gateway = 0; gateway < GATEWAYS; gateway++) {
                    Compared compared = gateways.get(gateway).compared(round, gateway);
                    if (round >= 0) {
                        ratios[gateway][round] = compared.ratio();
                        beside[round * GATEWAYS + gateway] = compared.besidePercent();
                    }
                }
            }
            System.out.printf(
                    Locale.ROOT,
                    "median ratio %.3f, of each gateway %s; threads beside the loop take %.2f %% more of all time; metrics %d, pages %d, views %d, pushes %d; load of the machine %.1f%n",
                    median(Arrays.stream(ratios).flatMapToDouble(Arrays::stream).toArray()),
                    Arrays.stream(ratios)
                            .map(of -> String.format(Locale.ROOT, "%.3f", median(of)))
                            .toList(),
                    median(beside),
                    scrapes.get(),
                    pages.get(),
                    views.get(),
                    pushes.get(),
                    ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
            assertThat(failures).isEmpty();
            assertThat(List.of(scrapes.get(), pages.get(), views.get(), pushes.get()))
                    .allMatch(count -> count >= (long) ROUNDS * GATEWAYS * (SECONDS / PERIOD - 1));
        } finally {
            observers.shutdownNow();
            for (Gateway gateway : gateways) {
                gateway.close();
            }
            collector.stop(0);
        }
    }

    private static void pin(long process, String processors) throws Exception {
        Process pinning = new ProcessBuilder("taskset", "-apc", processors, Long.toString(process))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(pinning.waitFor()).as("taskset").isZero();
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** A gateway that is asked for everything, and for nothing, in turns. */
    private final class Gateway implements AutoCloseable {
        private final int port = FreePorts.next();
        private final GatewayProcess process;
        private final Load load;
        private final TestClient looking;

        Gateway(int collectorPort, Path slowLog) throws Exception {
            List<String> options = new ArrayList<>(List.of("--ttl", "24h"));
            options.addAll(List.of("--http", "127.0.0.1:" + port));
            for (String set : List.of(
                    "eventLoops=1",
                    "access.httpToken=s3cret",
                    "log.slow.threshold=off",
                    "log.slow.file=" + slowLog,
                    "otlp.period=1h",
                    "otlp.url=http://127.0.0.1:" + collectorPort + "/v1/metrics")) {
                options.addAll(List.of("--set", set));
            }
            process = GatewayProcess.start(JVM, ProcessBuilder.Redirect.INHERIT, options.toArray(String[]::new));
            try {
                pin(process.process().pid(), "0");
                load = new Load(process);
                looking = TestClient.connect(process.address());
                for (int i = 0; i < WARMING_LOOKS; i++) {
                    scrape(port);
                    view(looking);
                }
            } catch (Exception | AssertionError e) {
                process.close();
                throw e;
            }
        }

        Compared compared(int round, int gateway) throws Exception {
            Cost with = null;
            Cost without = null;
            for (int turn = 0; turn < 2; turn++) {
                // Which of them begins changes, so that no one of them always follows the other.
                if ((turn == 0) == (round % 2 == 0)) {
                    set("otlp.period = '" + PERIOD + "s'", "log.slow.threshold = '1ms'");
                    List<ScheduledFuture<?>> begun = observe(port, looking);
                    with = load.run();
                    for (ScheduledFuture<?> observer : begun) {
                        observer.cancel(false);
                    }
                    set("otlp.period = '1h'", "log.slow.threshold = 'off'");
                } else {
                    without = load.run();
                }
            }
            Compared compared = new Compared(requireNonNull(with), requireNonNull(without));
            System.out.printf(
                    Locale.ROOT,
                    "%d | %d | %.2f | %.2f | %.3f | %.0f | %.0f | %.2f | %.2f%n",
                    round + 1,
                    gateway + 1,
                    with.micros,
                    without.micros,
                    compared.ratio(),
                    with.rate,
                    without.rate,
                    with.besidePercent,
                    without.besidePercent);
            return compared;
        }

        private void set(String... changes) throws Exception {
            for (String change : changes) {
                assertThat(looking.query("KEYLINE SET " + change).error()).isNull();
            }
        }

        @Override
        public void close() {
            looking.close();
            load.close();
            process.close();
        }
    }

    /** Asks for everything, as an operator's tools do. */
    private List<ScheduledFuture<?>> observe(int port, TestClient looking) throws Exception {
        List<ScheduledFuture<?>> begun = new ArrayList<>();
        begun.add(each(() -> scrape(port)));
        begun.add(each(() -> view(looking)));
        InputStream page = http.send(request(port, "/events"), HttpResponse.BodyHandlers.ofInputStream())
                .body();
        begun.add(observers.schedule(
                () -> {
                    byte[] read = new byte[1 << 16];
                    try (page) {
                        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
                        while (System.nanoTime() < end && page.read(read) > 0) {
                            pages.incrementAndGet();
                        }
                    } catch (IOException e) {
                        failures.add(e.toString());
                    }
                },
                0,
                TimeUnit.SECONDS));
        return begun;
    }

    private void scrape(int port) throws Exception {
        HttpResponse<String> answer = http.send(request(port, "/metrics"), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.body()).contains("keyline_table_hits_total");
        scrapes.incrementAndGet();
    }

    private void view(TestClient looking) throws Exception {
        TestClient.Answer answer =
                looking.query("SELECT text, count, p99_us FROM keyline.statements ORDER BY total_us DESC LIMIT 20");
        assertThat(answer.rows()).isNotEmpty();
        views.incrementAndGet();
    }

    /**
     * What hits took.
     *
     * @param micros of processor time, each
     * @param rate of them a second
     * @param besidePercent of the processor time, taken by other threads than the event loop
     */
    private record Cost(double micros, double rate, double besidePercent) {}

    private record Compared(Cost with, Cost without) {
        double ratio() {
            return with.micros / without.micros;
        }

        double besidePercent() {
            return with.besidePercent - without.besidePercent;
        }
    }

    private interface Look {
        void look() throws Exception;
    }

    private ScheduledFuture<?> each(Look look) {
        return observers.scheduleAtFixedRate(
                () -> {
                    try {
                        look.look();
                    } catch (Exception | AssertionError e) {
                        failures.add(e.toString());
                    }
                },
                0,
                PERIOD,
                TimeUnit.SECONDS);
    }

    private static HttpRequest request(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer s3cret")
                .timeout(Duration.ofMinutes(1))
                .build();
    }

    /** Reads what comes by OpenTelemetry's own definition of the messages. */
    private HttpServer collector() throws IOException {
        HttpServer collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            if (exchange.getRequestURI().getPath().endsWith("/metrics")) {
                ExportMetricsServiceRequest.Builder pushed = ExportMetricsServiceRequest.newBuilder();
                JsonFormat.parser().merge(body, pushed);
                pushes.addAndGet(pushed.getResourceMetricsCount());
            }
            byte[] answer = "{}".getBytes(UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        collector.start();
        return collector;
    }

    /** Clients of one gateway that ask for rows which lines have. */
    private static final class Load implements AutoCloseable {
        private final GatewayProcess gateway;
        private final Path loop;
        private final List<TestClient> clients = new ArrayList<>();
        private final AtomicLong answered = new AtomicLong();
        private final AtomicLong wrong = new AtomicLong();

        Load(GatewayProcess gateway) throws Exception {
            this.gateway = gateway;
            HostPort address = gateway.address();
            for (int i = 0; i < CONNECTIONS; i++) {
                clients.add(TestClient.connect(address, "demo"));
            }
            // It is there since the first of them came.
            loop = loop(gateway.process().pid());
            for (int again = 0; again < 3; again++) {
                for (int user = 1; user <= USERS; user++) {
                    assertThat(clients.get(0).query(read(user)).rows()).hasSize(1);
                }
            }
        }

        private static String read(int user) {
            return "SELECT name FROM users WHERE user_id = " + user;
        }

        Cost run() throws Exception {
            long before = answered.get();
            long cpu = cpuNanos();
            long inLoop = loopNanos();
            long begin = System.nanoTime();
            if (RATE == 0) {
                flood(begin + TimeUnit.SECONDS.toNanos(SECONDS));
            } else {
                pace(begin);
            }
            assertThat(wrong.get()).as("wrong answers").isZero();
            long hits = answered.get() - before;
            double seconds = (System.nanoTime() - begin) / (double) TimeUnit.SECONDS.toNanos(1);
            long taken = cpuNanos() - cpu;
            double beside = 100.0 * (taken - (loopNanos() - inLoop)) / taken;
            return new Cost(taken / 1e3 / hits, hits / seconds, beside);
        }

        /** Each client asks again as soon as it is answered. */
        private void flood(long endNanos) throws InterruptedException {
            CountDownLatch over = new CountDownLatch(CONNECTIONS);
            clients.forEach(client -> ask(client, 1, () -> System.nanoTime() < endNanos, over::countDown));
            assertThat(over.await(SECONDS + 60, TimeUnit.SECONDS)).isTrue();
        }

        /** So many a second, in bursts. */
        private void pace(long begin) {
            long before = answered.get();
            int burst = RATE / BURSTS_PER_SECOND;
            for (int i = 0; i < SECONDS * BURSTS_PER_SECOND; i++) {
                for (int read = 0; read < burst; read++) {
                    ask(clients.get(read % CONNECTIONS), 1 + (i + read) % USERS, () -> false, () -> {});
                }
                long due = begin + (i + 1) * TimeUnit.SECONDS.toNanos(1) / BURSTS_PER_SECOND;
                long asked = (long) (i + 1) * burst;
                await().pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> System.nanoTime() >= due && answered.get() - before >= asked);
            }
        }

        private void ask(TestClient client, int user, BooleanSupplier again, Runnable over) {
            client.connection()
                    .loop()
                    .execute(() -> client.connection().query(read(user), new ResultListener() {
                        private int rows;

                        @Override
                        public void row(ByteBuf row) {
                            rows++;
                        }

                        @Override
                        public void end(ReplySummary summary) {
                            if (rows != 1) {
                                wrong.incrementAndGet();
                            }
                            answered.incrementAndGet();
                            if (again.getAsBoolean()) {
                                ask(client, 1 + user % USERS, again, over);
                            } else {
                                over.run();
                            }
                        }

                        @Override
                        public void failed(Throwable cause) {
                            wrong.incrementAndGet();
                            over.run();
                        }
                    }));
        }

        private long cpuNanos() {
            return gateway.process()
                    .toHandle()
                    .info()
                    .totalCpuDuration()
                    .orElseThrow()
                    .toNanos();
        }

        /** The part of it that was the event loop's. */
        private long loopNanos() throws IOException {
            return Long.parseLong(Files.readString(loop).split(" ", -1)[0]);
        }

        private static Path loop(long process) throws IOException {
            try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", process + "/task"))) {
                for (Path thread : threads) {
                    if (Files.readString(thread.resolve("comm")).startsWith("keyline-loop")) {
                        return thread.resolve("schedstat");
                    }
                }
            }
            throw new IOException("process " + process + " has no event loop");
        }

        @Override
        public void close() {
            clients.forEach(TestClient::close);
        }
    }
}
