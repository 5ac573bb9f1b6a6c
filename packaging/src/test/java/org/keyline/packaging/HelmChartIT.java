package org.keyline.packaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The chart, linted and rendered by Helm: by {@code -Dkeyline.helm=PROGRAM}, by {@code helm} of the
 * path, or by Helm's engine in the Python module helm-python-sdk. The gateway's program validates
 * the rendered configuration.
 */
final class HelmChartIT {
    private static final String PROGRAM = System.getProperty("keyline.helm", "helm");
    private static final Path MODULE = Path.of("src", "test", "resources", "org", "keyline", "packaging", "helm.py");
    private static final List<List<String>> KNOWN = List.of(
            List.of(PROGRAM), List.of(System.getenv().getOrDefault("KEYLINE_PYTHON", "python3"), MODULE.toString()));
    private static final String CHART = "helm/keyline";
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final String PLAIN = """
            {"config": {"store": {"url": "mysql://mariadb.db.svc:3306"}}}
            """;
    private static final String FULL = """
            {
              "config": {
                "store": {"url": "mysql://fe1.db.svc:9030,fe2.db.svc:9030"},
                "tls": {"http": true},
                "cache": {"ttl": "30s"},
                "tables": {"shop": {"orders": {"prefix": 1}}}
              },
              "replicas": 3,
              "secrets": {
                "storePassword": {"name": "store"},
                "httpToken": {"name": "token"},
                "tls": {"name": "certificate"}
              },
              "serviceMonitor": {"enabled": true},
              "drain": {"delaySeconds": 10, "timeoutSeconds": 60},
              "javaOptions": "-Xlog:gc"
            }
            """;

    private static List<String> helm;

    @TempDir
    private Path directory;

    private record Outcome(int status, String text) {}

    @BeforeAll
    static void find() throws Exception {
        for (List<String> known : KNOWN) {
            List<String> command = new ArrayList<>(known);
            command.add("version");
            try {
                if (run(command).status == 0) {
                    helm = known;
                    return;
                }
            } catch (IOException notThere) {
                // the next one may exist
            }
        }
        assumeTrue(false, "neither " + PROGRAM + " nor helm-python-sdk is installed");
    }

    private static Outcome run(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return new Outcome(process.exitValue(), text);
    }

    private Outcome helm(List<String> words, String values) throws Exception {
        List<String> command = new ArrayList<>(helm);
        command.addAll(words);
        command.addAll(List.of(
                "-f",
                Files.writeString(directory.resolve("values.json"), values).toString()));
        return run(command);
    }

    /** Returns the rendered resources by kind and name. */
    private Map<String, JsonNode> rendered(String values) throws Exception {
        Outcome outcome = helm(List.of("template", "edge", CHART), values);
        assertThat(outcome.status).as(outcome.text).isZero();
        Map<String, JsonNode> objects = new TreeMap<>();
        for (JsonNode object : YAML.readerFor(JsonNode.class)
                .<JsonNode>readValues(outcome.text)
                .readAll()) {
            objects.put(
                    object.at("/kind").asText() + " "
                            + object.at("/metadata/name").asText(),
                    object);
        }
        return objects;
    }

    @Test
    void chart_passesLint() throws Exception {
        for (String values : List.of(PLAIN, FULL)) {
            Outcome outcome = helm(List.of("lint", "--strict", CHART), values);
            assertThat(outcome.status).as(outcome.text).isZero();
        }
    }

    @Test
    void plainChart_hasWhatItTakes_andNoMore() throws Exception {
        Map<String, JsonNode> objects = rendered(PLAIN);
        assertThat(objects.keySet())
                .containsExactly("ConfigMap edge", "Deployment edge", "Service edge", "Service edge-http");
        isGood(objects.get("ConfigMap edge").at("/data/keyline.yaml").asText());
        JsonNode pod = objects.get("Deployment edge").at("/spec/template/spec");
        assertThat(pod.at("/terminationGracePeriodSeconds").asInt()).isGreaterThan(5 + 30);
        assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
        JsonNode container = pod.at("/containers/0");
        assertThat(container.at("/securityContext/readOnlyRootFilesystem").asBoolean())
                .isTrue();
        assertThat(container.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/live");
        assertThat(container.at("/readinessProbe/httpGet/path").asText()).isEqualTo("/ready");
        List<String> ports = new ArrayList<>();
        container.at("/ports").forEach(port -> ports.add(port.at("/name").asText()));
        for (String at : List.of("/livenessProbe", "/readinessProbe", "/startupProbe")) {
            assertThat(ports).contains(container.at(at + "/httpGet/port").asText());
        }
        for (String service : List.of("Service edge", "Service edge-http")) {
            JsonNode spec = objects.get(service).at("/spec");
            assertThat(ports).contains(spec.at("/ports/0/targetPort").asText());
            spec.at("/selector")
                    .properties()
                    .forEach(label -> assertThat(objects.get("Deployment edge")
                                    .at("/spec/template/metadata/labels/"
                                            + label.getKey().replace("/", "~1")))
                            .isEqualTo(label.getValue()));
        }
    }

    @Test
    void fullChart_hasBudgetMonitorSecretsAndTls() throws Exception {
        Map<String, JsonNode> objects = rendered(FULL);
        assertThat(objects.keySet()).contains("PodDisruptionBudget edge", "ServiceMonitor edge");
        JsonNode pod = objects.get("Deployment edge").at("/spec/template/spec");
        assertThat(pod.at("/terminationGracePeriodSeconds").asInt()).isGreaterThan(10 + 60);
        assertThat(pod.at("/containers/0/readinessProbe/httpGet/scheme").asText())
                .isEqualTo("HTTPS");
        assertThat(pod.at("/containers/0/env").toString())
                .contains("KEYLINE_STORE_PASSWORD", "KEYLINE_HTTP_TOKEN", "-Xlog:gc");
        assertThat(objects.get("ServiceMonitor edge")
                        .at("/spec/endpoints/0/authorization/credentials/name")
                        .asText())
                .isEqualTo("token");
        String config = objects.get("ConfigMap edge").at("/data/keyline.yaml").asText();
        assertThat(config).contains("drainTimeout: 60s", "/etc/keyline-tls/tls.crt");
        for (String name : List.of("tls.crt", "tls.key")) {
            config = config.replace(
                    "/etc/keyline-tls/" + name,
                    Files.writeString(directory.resolve(name), "").toString());
        }
        isGood(config.replace("/var/lib/keyline", directory.toString()));
        assertThat(rendered(PLAIN).get("Deployment edge").at("/spec/template/metadata/annotations"))
                .as("another configuration makes other pods")
                .isNotEqualTo(objects.get("Deployment edge").at("/spec/template/metadata/annotations"));
    }

    @Test
    void valuesThatDoNotStand_areRefused() throws Exception {
        List<String> template = List.of("template", "edge", CHART);
        assertThat(helm(template, "{}").text).contains("config.store.url is required");
        Outcome embedded = helm(template, PLAIN.replace("mysql://mariadb.db.svc:3306", "duckdb:memory"));
        assertThat(embedded.status).isNotZero();
        assertThat(embedded.text).contains("config.store.url: duckdb:memory (expected: mysql://HOST:PORT");
    }

    /** Asserts that the program accepts the configuration. */
    private void isGood(String config) throws Exception {
        Path file = Files.writeString(directory.resolve("keyline.yaml"), config);
        Outcome outcome = run(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                "../gateway/target/keyline.jar",
                "check-config",
                file.toString()));
        assertThat(outcome.status).as(outcome.text + config).isZero();
    }
}
