package org.keyline.gateway;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.audit.AuditFigures;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.fixtures.ClientProcess;
import org.keyline.gateway.fixtures.ItemStore;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.metrics.MergeFigures;
import org.keyline.gateway.metrics.SignalFigures;
import org.keyline.gateway.metrics.TierFigures;
import org.keyline.gateway.table.Statements;
import org.keyline.planner.PlanCache;
import org.keyline.planner.Planner;
import org.keyline.protocol.memory.MemoryBudget;

/** The Grafana dashboard and the alert rules refer only to existing metrics and labels. */
final class DashboardTest {
    private static final Path PACKAGING = Path.of("..", "..", "packaging");
    private static final Path RULES = PACKAGING.resolve("prometheus").resolve("keyline-alerts.yaml");
    private static final Pattern METRIC = Pattern.compile("\\b(?:keyline|jvm|process)_[a-z_]+");
    private static final Pattern OUTCOME = Pattern.compile("outcome=\"([a-z]+)\"");

    private static Set<String> found(Pattern pattern, List<String> texts) {
        Set<String> found = new TreeSet<>();
        for (String text : texts) {
            Matcher matcher = pattern.matcher(text);
            while (matcher.find()) {
                found.add(matcher.group());
            }
        }
        return found;
    }

    private static String scrape() throws Exception {
        ItemStore store = new ItemStore();
        store.put(1, 2, "two");
        ConfigLoader loader = new ConfigLoader(Map.of())
                .set("listen=127.0.0.1:0")
                .set("http=127.0.0.1:0")
                .set("eventLoops=1")
                .set("cache.ttl=1h");
        try (Gateway gateway = new Gateway(loader.load(), store);
                TestClient client = TestClient.connect(gateway.listening(), "shop")) {
            for (int i = 0; i < 3; i++) {
                client.query("SELECT name FROM items WHERE id = 1 AND sku = 2");
            }
            URI metrics = URI.create(
                    "http://127.0.0.1:" + requireNonNull(gateway.http()).getPort() + "/metrics");
            return HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    /** Returns meters that a single gateway without INSERTs of many clients does not have. */
    private static String scrapeOfOthers() {
        try (GatewayMetrics metrics = new GatewayMetrics(
                List::of,
                new PlanCache(new Planner(List.of()), new ItemStore().catalog(), 1 << 20),
                new AuditFigures(),
                () -> SignalFigures.NONE,
                MemoryBudget.unlimited(),
                new Statements())) {
            metrics.merges(new MergeFigures());
            metrics.tier(() ->
                    new TierFigures(true, 0, 0, 0, 0, 0, Map.of(), List.of(new TierFigures.Member("b", 0, -1, true))));
            return metrics.scrape();
        }
    }

    private static List<String> alerts() throws IOException {
        return new ObjectMapper(new YAMLFactory()).readTree(RULES.toFile()).findValuesAsText("expr");
    }

    @Test
    void everyRowOfThePage_hasARule() throws Exception {
        String page = Files.readString(Path.of("..", "..", "docs", "operations.md"));
        int begin = page.indexOf("## What to watch");
        List<String> rows = page.substring(begin, page.indexOf("\n\n`packaging", begin))
                .lines()
                .filter(line -> line.startsWith("| `"))
                .toList();
        assertThat(rows).hasSizeGreaterThan(8);
        Set<String> ruled = found(METRIC, alerts());
        assertThat(rows).allSatisfy(row -> {
            String cell = row.split("\\|", 3)[1];
            assertThat(ruled).containsAll(found(METRIC, List.of(cell)));
            assertThat(found(METRIC, List.of(cell))).isNotEmpty();
        });
    }

    @Test
    void rules_areGoodForPrometheus() throws Exception {
        ClientProcess.assumeProgram("promtool");
        assertThat(ClientProcess.output("promtool", "check", "rules", RULES.toString()))
                .contains("SUCCESS: " + alerts().size() + " rules found");
    }

    @Test
    void boardAndRules_nameWhatTheScrapeHas() throws Exception {
        JsonNode board = new ObjectMapper()
                .readTree(PACKAGING.resolve("grafana").resolve("keyline.json").toFile());
        List<String> panels = board.findValuesAsText("expr");
        List<String> alerts = alerts();
        assertThat(board.get("panels")).hasSizeGreaterThan(10).allSatisfy(panel -> {
            assertThat(panel.get("targets")).isNotEmpty();
            assertThat(panel.path("description").asText()).hasSizeGreaterThan(40);
        });
        assertThat(alerts).hasSizeGreaterThan(5);
        String scrape = scrape() + scrapeOfOthers();
        assertThat(found(METRIC, List.of(scrape)))
                .containsAll(found(METRIC, panels))
                .containsAll(found(METRIC, alerts));
        assertThat(found(OUTCOME, List.of(scrape))).containsAll(found(OUTCOME, alerts));
    }
}
