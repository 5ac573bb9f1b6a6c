package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.fixtures.Arrivals;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.client.ClientOptions;

/**
 * Restarts. Under a service manager that holds the socket, no client is refused, and clients
 * complete their transactions. More restarts run on demand:
 * {@code -Dkeyline.restarts=100 -Dkeyline.connects=500} sets restarts, and connects per second.
 */
@EnabledOnOs(OS.LINUX)
final class RestartIT {
    private static final int RESTARTS = Integer.getInteger("keyline.restarts", 1);
    private static final int CONNECTS = Integer.getInteger("keyline.connects", 50);
    private static final String READ = "SELECT name FROM users WHERE user_id = 42";

    @TempDir
    private Path directory;

    @Test
    void restarts_refuseNobody_andLetTransactionsEnd() throws Exception {
        Process manager = manager();
        try (BufferedReader out =
                        new BufferedReader(new InputStreamReader(manager.getInputStream(), StandardCharsets.UTF_8));
                OutputStream restart = manager.getOutputStream()) {
            HostPort address = new HostPort("127.0.0.1", Integer.parseInt(out.readLine()));
            assertThat(out.readLine()).isEqualTo("keyline ready on " + address);
            assertThat(ask(address, READ)).hasSize(1);
            try (TestClient client = TestClient.connect(address)) {
                assertThat(client.query("CREATE DATABASE kept").error()).isNull();
                assertThat(client.query(
                                        "CREATE TABLE kept.t (id INT NOT NULL, v INT) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
                                .error())
                        .isNull();
                assertThat(client.query("INSERT INTO kept.t VALUES (1, 0)").error())
                        .isNull();
            }
            try (Arrivals arrivals = Arrivals.begin(options(address), READ, CONNECTS)) {
                for (int i = 1; i <= RESTARTS; i++) {
                    try (TestClient busy = TestClient.connect(address, "kept")) {
                        assertThat(busy.query("BEGIN").error()).isNull();
                        assertThat(busy.query("UPDATE t SET v = " + i + " WHERE id = 1")
                                        .error())
                                .isNull();
                        restart.write('\n');
                        restart.flush();
                        // The closing process still serves it, without competition.
                        assertThat(busy.query("SELECT v FROM t WHERE id = 1").rows())
                                .isEqualTo(List.of(List.of("" + i)));
                        assertThat(busy.query("COMMIT").error()).isNull();
                    }
                    assertThat(out.readLine()).isEqualTo("ended 0");
                    assertThat(out.readLine()).isEqualTo("keyline ready on " + address);
                    assertThat(ask(address, "SELECT v FROM kept.t WHERE id = 1"))
                            .isEqualTo(List.of(List.of("" + i)));
                }
                arrivals.end();
                System.out.println("restarts: " + RESTARTS + ", meanwhile " + arrivals);
                assertThat(arrivals.failures()).isEmpty();
                assertThat(arrivals.served()).isPositive();
            }
        } finally {
            // The end of its input closes the gateway, too.
            assertThat(manager.waitFor(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void nextProcess_listensBesideThisOne_whichEndsTheTransactionsItHas() throws Exception {
        try (GatewayProcess first = beside("127.0.0.1:0")) {
            HostPort address = first.address();
            try (TestClient busy = TestClient.connect(address, "demo")) {
                assertThat(busy.query("BEGIN").error()).isNull();
                assertThat(busy.query("UPDATE users SET name = 'n' WHERE user_id = 42")
                                .error())
                        .isNull();
                try (GatewayProcess next = beside(address.toString())) {
                    assertThat(next.address()).isEqualTo(address);
                    first.process().destroy();
                    assertThat(busy.query(READ).rows()).isEqualTo(List.of(List.of("n")));
                    assertThat(busy.query("COMMIT").error()).isNull();
                    assertThat(first.await()).isZero();
                    assertThat(ask(address, READ)).hasSize(1);
                }
            }
        }
    }

    private GatewayProcess beside(String address) throws IOException {
        return GatewayProcess.start(
                List.of("-Xmx256m"),
                ProcessBuilder.Redirect.appendTo(directory.resolve("stderr").toFile()),
                "--listen",
                address,
                "--set",
                "reusePort=true");
    }

    private Process manager() throws IOException {
        List<String> command = GatewayProcess.java();
        command.addAll(List.of(
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                "org.keyline.gateway.Main",
                "serve",
                "--demo",
                "--http",
                "off",
                "--store",
                "duckdb:" + directory.resolve("store")));
        return ClientProcess.startPython(
                Path.of("src", "test", "resources", "org", "keyline", "gateway", "service_manager.py"),
                directory.resolve("stderr"),
                command);
    }

    private static ClientOptions options(HostPort address) {
        ClientOptions.Builder options = ClientOptions.of(address.host(), address.port(), "root");
        return options.database("demo").connectTimeout(Duration.ofMinutes(1)).build();
    }

    private static List<List<String>> ask(HostPort address, String read) throws Exception {
        try (TestClient client = TestClient.connect(
                address, options -> options.database("demo").connectTimeout(Duration.ofMinutes(1)))) {
            TestClient.Answer answer = client.query(read);
            assertThat(answer.error()).isNull();
            return answer.rows();
        }
    }
}
