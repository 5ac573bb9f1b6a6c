package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.TestClient;

/** The program as a process: its configuration is read again, and what it logs. */
final class ProcessIT {
    @TempDir
    Path directory;

    @Test
    void sighup_readsTheConfigurationAgain_unlessItIsNotGood() throws Exception {
        Path file = Files.writeString(directory.resolve("keyline.yaml"), "cache: {ttl: 2s}\n");
        Path errors = directory.resolve("stderr");
        try (GatewayProcess gateway = GatewayProcess.start(
                        List.of("-Xmx256m"),
                        Map.of("KEYLINE_HTTP_TOKEN", "secret"),
                        ProcessBuilder.Redirect.to(errors.toFile()),
                        "--config",
                        file.toString());
                TestClient client = TestClient.connect(gateway.address())) {
            assertThat(setting(client, "access.httpToken")).isEqualTo(List.of("***", "environment"));
            assertThat(setting(client, "demo")).isEqualTo(List.of("true", "option"));
            assertThat(setting(client, "cache.ttl")).isEqualTo(List.of("2s", "file"));
            Files.writeString(file, "cache: {ttl: 3s}\nstore: {refresh: 1m}\n");
            hangUp(gateway);
            Lines.soon("read again").until(() -> setting(client, "cache.ttl").equals(List.of("3s", "file")));
            assertThat(setting(client, "store.refresh")).isEqualTo(List.of("5s", "default"));
            Files.writeString(file, "cache: {ttl: soon}\n");
            hangUp(gateway);
            written(errors, "SIGHUP: the configuration is unchanged");
            assertThat(setting(client, "cache.ttl")).isEqualTo(List.of("3s", "file"));
        }
        assertThat(Files.readString(errors))
                .contains(
                        "configuration: cache.ttl: 2s -> 3s (applied)",
                        "configuration: store.refresh: 5s -> 1m (needs a restart)",
                        "cache.ttl: soon (expected: a duration")
                .doesNotContain("secret");
    }

    @Test
    void log_changesItsLevelAndFormatWhileItRuns() throws Exception {
        Path errors = directory.resolve("stderr");
        try (GatewayProcess gateway = GatewayProcess.start(
                        List.of("-Xmx256m"), ProcessBuilder.Redirect.to(errors.toFile()), "--set", "log.level=warn");
                TestClient client = TestClient.connect(gateway.address())) {
            query(client, "KEYLINE SET cache.ttl = '2s'");
            query(client, "KEYLINE SET log.level = 'info'");
            query(client, "KEYLINE SET cache.ttl = '3s'");
            // A line has the format that was set when it was written.
            written(errors, "2s -> 3s");
            query(client, "KEYLINE SET log.format = json");
            query(client, "KEYLINE SET cache.ttl = '4s'");
            written(errors, "3s -> 4s");
            query(client, "KEYLINE SET log.format = DEFAULT");
            query(client, "KEYLINE SET cache.ttl = '5s'");
            // The default is the value of the command line.
            query(client, "KEYLINE SET log.level = DEFAULT");
            query(client, "KEYLINE SET cache.ttl = '6s'");
        }
        List<String> lines = Files.readAllLines(errors);
        assertThat(lines)
                .noneMatch(line -> line.contains("serving") || line.contains("-> 2s") || line.contains("-> 6s"))
                .anyMatch(line -> line.endsWith("INFO  LiveConfig: configuration: cache.ttl: 2s -> 3s (applied)"))
                .anyMatch(line -> line.endsWith("INFO  LiveConfig: configuration: cache.ttl: 4s -> 5s (applied)"));
        JsonNode json = new ObjectMapper()
                .readTree(lines.stream()
                        .filter(line -> line.contains("3s -> 4s"))
                        .findFirst()
                        .orElseThrow());
        assertThat(json.get("formattedMessage").asText()).isEqualTo("configuration: cache.ttl: 3s -> 4s (applied)");
        assertThat(json.get("level").asText()).isEqualTo("INFO");
        assertThat(json.get("loggerName").asText()).isEqualTo(LiveConfig.class.getName());
        assertThat(json.get("timestamp").isIntegralNumber()).isTrue();
    }

    /** As for an operator whose collector reads files. */
    @Test
    void log_ofAnOwnConfiguration_hasItsAppendersAndLevels() throws Exception {
        Path log = directory.resolve("own.log");
        Path slow = directory.resolve("slow.json");
        Path errors = directory.resolve("stderr");
        Path file = Files.writeString(directory.resolve("own.xml"), """
                <configuration>
                  <appender name="own" class="ch.qos.logback.core.FileAppender">
                    <file>%s</file>
                    <encoder><pattern>own %%level %%logger: %%msg%%n</pattern></encoder>
                  </appender>
                  <root level="warn"><appender-ref ref="own"/></root>
                </configuration>
                """.formatted(log));
        try (GatewayProcess gateway = GatewayProcess.start(
                        List.of("-Xmx256m", "-Dlogback.configurationFile=" + file),
                        ProcessBuilder.Redirect.to(errors.toFile()),
                        "--set",
                        "log.slow.file=" + slow,
                        "--set",
                        "log.slow.threshold=0s");
                TestClient client = TestClient.connect(gateway.address())) {
            query(client, "KEYLINE SET cache.ttl = '2s'");
            query(client, "KEYLINE SET log.level = 'debug'");
            query(client, "KEYLINE SET cache.ttl = '3s'");
            query(client, "SELECT 1 + 1");
            written(slow, "SELECT ? + ?");
        }
        assertThat(Files.readString(log))
                .contains("own INFO " + LiveConfig.class.getName() + ": configuration: cache.ttl: 2s -> 3s (applied)")
                .doesNotContain("serving", "-> 2s");
        assertThat(errors).isEmptyFile();
    }

    /**
     * The audit log has a line for each statement that changes something, and for each denied login.
     * 10,000 refusals make only some lines, and the log counts the omitted ones.
     */
    @Test
    void changesAndDeniedLogins_areToldInALineEach_andTheSameAgainAndAgainInAFew() throws Exception {
        Path errors = directory.resolve("stderr");
        String forged = "x'\n2026-11-22T12:00:00Z INFO  Gateway: forged";
        try (GatewayProcess gateway =
                        GatewayProcess.start(List.of("-Xmx256m"), ProcessBuilder.Redirect.to(errors.toFile()));
                TestClient client = TestClient.connect(gateway.address())) {
            assertThatThrownBy(() -> TestClient.connect(gateway.address(), options -> options.user(forged)))
                    .hasMessageContaining("Access denied");
            query(client, "KEYLINE FLUSH ALL");
            assertThat(client.query("KEYLINE SET cache.tll = '1s'").error()).isNotNull();
            query(client, "KEYLINE SET access.changes = somebody");
            for (String change :
                    List.of("KEYLINE FLUSH ALL", "KEYLINE RELOAD", "KEYLINE SET access.httpToken = 't0ken'")) {
                assertThat(client.query(change).error()).as(change).isNotNull();
            }
            for (int i = 0; i < 10_000; i++) {
                client.query("KEYLINE RELOAD");
            }
        }
        String told = Files.readString(errors);
        assertThat(told)
                .containsPattern("KEYLINE FLUSH ALL by 'root'@127.0.0.1: allowed")
                .containsPattern("KEYLINE SET cache.tll by 'root'@127.0.0.1: refused: cache.tll: unknown key")
                .doesNotContain("KEYLINE SET cache.tll by 'root'@127.0.0.1: allowed")
                .containsPattern("KEYLINE SET access.changes by 'root'@127.0.0.1: allowed")
                .containsPattern("KEYLINE FLUSH ALL by 'root'@127.0.0.1: denied")
                .containsPattern("KEYLINE RELOAD by 'root'@127.0.0.1: denied")
                .containsPattern("KEYLINE SET access.httpToken by 'root'@127.0.0.1: denied")
                .doesNotContain("t0ken")
                .contains("login of 'x'\\n2026-11-22T12:00:00Z INFO  Gateway: forged' was denied")
                .contains("Gateway: stopped");
        assertThat(told.lines()).noneMatch(line -> line.startsWith("2026-11-22T12:00:00Z"));
        assertThat(told.lines().filter(line -> line.contains("denied"))).hasSizeBetween(4, 54);
    }

    private static void query(TestClient client, String statement) throws Exception {
        assertThat(client.query(statement).error()).isNull();
    }

    private static void written(Path log, String text) {
        Lines.soon(text).until(() -> Files.readString(log).contains(text));
    }

    private static void hangUp(GatewayProcess gateway) throws Exception {
        int unused = new ProcessBuilder(
                        "kill", "-HUP", String.valueOf(gateway.process().pid()))
                .start()
                .waitFor();
    }

    private static List<String> setting(TestClient client, String path) throws Exception {
        return client.query("SELECT value, source FROM keyline.settings WHERE path = '" + path + "'")
                .rows()
                .get(0);
    }

    /**
     * The test writes more into a standard error without a reader than a pipe and the log buffer.
     */
    @Test
    void log_thatNobodyReads_holdsNobodyUp() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.start(List.of("-Xmx256m"), ProcessBuilder.Redirect.PIPE);
                TestClient client = TestClient.connect(gateway.address())) {
            for (int i = 0; i < 1_000; i++) {
                query(client, "KEYLINE SET cache.ttl = '" + (1 + i % 2) + "s'");
            }
            try (TestClient other = TestClient.connect(gateway.address())) {
                query(other, "SELECT 1");
            }
            gateway.process().destroy();
            assertThat(gateway.await()).isZero();
        }
    }
}
