package org.keyline.gateway.relay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.StartException;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.gateway.fixtures.FreePorts;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.slf4j.LoggerFactory;

/**
 * A store that is unreachable, at the start or later: clients, the log and Prometheus get the
 * reason.
 */
final class OutageIT {
    private static final String LOGIN = "?sslMode=%s&user=" + MariaDb.USER + "&password=" + MariaDb.PASSWORD;
    private static final int PATIENCE_SECONDS = 120;

    private final Queue<ILoggingEvent> logged = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> log = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
            logged.add(line);
        }
    };
    private final int port = FreePorts.next();
    private final int http = FreePorts.next();
    private MariaDb store;
    private String sentence;

    @BeforeEach
    void startStore() {
        store = MariaDb.get("faulty");
        sentence = "Keyline cannot reach the store at 127.0.0.1:" + store.port() + ": connection refused";
        log.start();
        ((Logger) LoggerFactory.getLogger("org.keyline")).addAppender(log);
    }

    @AfterEach
    void stopLog() {
        ((Logger) LoggerFactory.getLogger("org.keyline")).detachAppender(log);
    }

    private void stopStore() throws Exception {
        ProcessHandle process = ProcessHandle.of(store.pid()).orElseThrow();
        process.destroy();
        process.onExit().get(PATIENCE_SECONDS, SECONDS);
    }

    private CompletableFuture<RelayGateway> starting(String... settings) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                String[] all = Stream.concat(
                                Stream.of(
                                        "listen=127.0.0.1:" + port,
                                        "http=127.0.0.1:" + http,
                                        "store.refresh=100ms",
                                        "store.signal=none"),
                                Stream.of(settings))
                        .toArray(String[]::new);
                return RelayGateway.start(store, all);
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
    }

    @Test
    void storeAway_atStartAndLater_isOneSentenceEverywhere() throws Exception {
        stopStore();
        CompletableFuture<RelayGateway> starting = starting();
        awaitReady(503);
        assertClientsGetTheSentence();
        assertThat(get("/live").statusCode()).isEqualTo(200);
        assertThat(get("/metrics").body()).contains("keyline_store_up 0\n", "keyline_build_info{");
        assertThat(starting).isNotDone();
        assertThat(lines(Level.WARN)).hasSize(1).allMatch(line -> line.startsWith(sentence));

        store.startAgain();
        RelayGateway gateway = starting.get(PATIENCE_SECONDS, SECONDS);
        try {
            assertThat(lines(Level.INFO))
                    .filteredOn(line -> line.startsWith("Keyline reached the store"))
                    .hasSize(1);
            logged.clear();
            try (Connection idle = DriverManager.getConnection(jdbc("mysql"))) {
                assertThat(idle.isValid(PATIENCE_SECONDS)).isTrue();
                assertThat(get("/metrics").body()).contains("keyline_store_up 1.0\n", "keyline_build_info{");

                stopStore();
                assertClientsGetTheSentence();
                awaitReady(503);
                awaitMetric("keyline_store_up 0.0");
                assertThat(get("/metrics").body())
                        .containsPattern("keyline_connections_total\\{outcome=\"unreachable\"\\} [1-9]")
                        .contains("keyline_connections_total{outcome=\"denied\"} 0.0");
                assertThatThrownBy(() -> idle.createStatement().execute("SELECT 1"))
                        .isInstanceOf(SQLException.class);
            }
            assertThat(lines(Level.WARN)).hasSize(1).allMatch(line -> line.startsWith(sentence));

            logged.clear();
            store.startAgain();
            awaitReady(200);
            awaitMetric("keyline_store_up 1.0");
            assertThat(lines(Level.INFO))
                    .filteredOn(line -> line.startsWith("Keyline reaches the store"))
                    .hasSize(1);
            DriverManager.getConnection(jdbc("mysql")).close();
            assertThat(lines(Level.WARN)).isEmpty();
        } finally {
            gateway.close();
        }
    }

    @Test
    void storeAway_longerThanStartTimeout_endsTheStartWithTheSentence() throws Exception {
        stopStore();
        try {
            assertThatThrownBy(() -> starting("store.startTimeout=1s").get(PATIENCE_SECONDS, SECONDS))
                    .hasRootCauseInstanceOf(ConnectException.class)
                    .cause()
                    .isInstanceOf(StartException.class)
                    .hasMessage(sentence);
        } finally {
            store.startAgain();
        }
    }

    private void assertClientsGetTheSentence() throws Exception {
        for (String driver : List.of("mysql", "mariadb")) {
            assertThatThrownBy(() -> DriverManager.getConnection(jdbc(driver)).close())
                    .hasMessageContaining(sentence)
                    .isInstanceOfSatisfying(SQLException.class, e -> {
                        assertThat(e.getErrorCode()).isEqualTo(1429);
                        assertThat(e.getSQLState()).isEqualTo("08001");
                    });
        }
        String shown = new String(
                ClientProcess.mysql(port, MariaDb.USER, MariaDb.PASSWORD, "SELECT 1".getBytes(UTF_8)), UTF_8);
        assertThat(shown).contains("ERROR 1429 (08001)", sentence);
    }

    private String jdbc(String driver) {
        return "jdbc:" + driver + "://127.0.0.1:" + port + "/"
                + LOGIN.formatted(driver.equals("mysql") ? "DISABLED" : "disable");
    }

    private List<String> lines(Level level) {
        return logged.stream()
                .filter(line -> line.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private void awaitReady(int status) {
        await().atMost(PATIENCE_SECONDS, SECONDS)
                .ignoreExceptionsMatching(IOException.class::isInstance)
                .until(() -> get("/ready").statusCode() == status);
    }

    private void awaitMetric(String line) {
        await().atMost(PATIENCE_SECONDS, SECONDS)
                .untilAsserted(() -> assertThat(get("/metrics").body()).contains(line + "\n"));
    }

    private HttpResponse<String> get(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
