package org.keyline.gateway;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.gateway.table.Advice;
import org.keyline.gateway.table.MissReason;

/**
 * The page in a real browser, if Chromium is installed. The page runs under its own content policy;
 * each plot and table has values; on a phone, the page is as wide as the screen.
 * {@code -Dkeyline.screenshots=DIRECTORY} stores screenshots: light, dark and of a phone.
 */
final class PageIT {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final int USERS = 40;
    private static final int PHONE_PIXELS = 390;
    private static final int MOST_TURNS = 10_000;

    /**
     * Becomes true when each line of each plot has values above zero, and all tables have rows. The
     * page receives figures every second.
     */
    private static final String SHOWN = """
            new Promise(done => {
              const floor = line => +line.parentNode.querySelector('line').getAttribute('y1');
              const drawn = line => line.getBoundingClientRect().width > 0 && getComputedStyle(line).stroke !== 'none'
                && line.getAttribute('points').split(' ').filter(point => +point.split(',')[1] < floor(line)).length > %d;
              const scaled = plot => plot.querySelectorAll('text').length > 3
                && [...plot.querySelectorAll('text')].every(text => text.getBoundingClientRect().height > 10);
              const look = () => {
                const plots = [...document.querySelectorAll('svg')];
                const lines = plots.map(plot => [...plot.querySelectorAll('polyline')]);
                const rows = ['reasons', 'statements', 'tables'].map(id => document.getElementById(id).childElementCount);
                if (plots.length === 3 && lines.every(of => of.length > 0 && of.every(drawn)) && plots.every(scaled)
                    && rows.every(count => count > 0)) {
                  done(document.body.innerText);
                } else {
                  setTimeout(look, 100);
                }
              };
              look();
            })""";

    @Test
    void page_inABrowser_fillsItsPlotsAndTables(@TempDir Path profile) throws Exception {
        assumeTrue(Files.isExecutable(CHROMIUM), "no Chromium on this machine");
        String pictures = System.getProperty("keyline.screenshots", "");
        try (DemoGateway demo = DemoGateway.start("access.httpToken=s3cret");
                Browser browser = Browser.start(profile);
                Connection connection = DriverManager.getConnection(demo.jdbc("mysql", "demo", "user=root"))) {
            int port = requireNonNull(demo.gateway().http()).getPort();
            browser.open("http://any:s3cret@127.0.0.1:" + port + "/");
            browser.ask("Log.enable", Map.of());
            Map<String, Object> shown = Map.of(
                    "expression",
                    SHOWN.formatted(pictures.isEmpty() ? 0 : 60),
                    "awaitPromise",
                    true,
                    "returnByValue",
                    true);
            int question = browser.begin("Runtime.evaluate", shown);
            @Nullable JsonNode answer = null;
            for (int turn = 1; answer == null && turn < MOST_TURNS; turn++) {
                read(connection, turn);
                answer = browser.answer(question, 10);
            }
            assertThat(requireNonNull(answer, "plots or tables stay empty")
                            .at("/result/value")
                            .asText())
                    .contains("live", "demo.users", "point reads from memory", "of the reads by key come from memory")
                    .contains("NO_TEMPLATE", MissReason.NO_TEMPLATE.sentence(), Advice.of(MissReason.NO_TEMPLATE))
                    .contains("SELECT name FROM users WHERE user_id = ?", "NO_TEMPLATE=1")
                    .as("there are no others")
                    .doesNotContain("Other gateways");
            if (!pictures.isEmpty()) {
                for (String colours : List.of("light", "dark")) {
                    browser.ask(
                            "Emulation.setEmulatedMedia",
                            Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colours))));
                    browser.picture(Path.of(pictures, "page-" + colours + ".png"));
                }
            }
            browser.ask(
                    "Emulation.setDeviceMetricsOverride",
                    Map.of("width", PHONE_PIXELS, "height", 2 * PHONE_PIXELS, "deviceScaleFactor", 1, "mobile", true));
            assertThat(browser.ask(
                                    "Runtime.evaluate",
                                    Map.of("expression", "document.documentElement.scrollWidth", "returnByValue", true))
                            .at("/result/value")
                            .asInt())
                    .isEqualTo(PHONE_PIXELS);
            if (!pictures.isEmpty()) {
                browser.picture(Path.of(pictures, "page-phone.png"));
            }
            assertThat(browser.complaints).isEmpty();
        }
    }

    /**
     * Runs an increasing number of point reads: of lines that are cached or were dropped, with a
     * value that is no key, and an invalid statement.
     */
    private static void read(Connection connection, int turn) throws SQLException {
        try (Statement sql = connection.createStatement()) {
            for (int i = 0; i < turn % 100; i++) {
                try (ResultSet row =
                        sql.executeQuery("SELECT name FROM users WHERE user_id = " + (1 + i * turn % USERS))) {
                    assertThat(row.next()).isTrue();
                }
            }
            sql.executeUpdate("UPDATE users SET balance = balance + 1 WHERE user_id = " + (1 + turn % USERS));
            try (ResultSet row = sql.executeQuery("SELECT name FROM users WHERE user_id = 1.5")) {
                assertThat(row.next()).isFalse();
            }
            try (ResultSet row = sql.executeQuery("SELECT city, COUNT(*) FROM users GROUP BY city")) {
                assertThat(row.next()).isTrue();
            }
        }
    }

    /** A browser and one tab of it, by the DevTools protocol. */
    private static final class Browser implements AutoCloseable, WebSocket.Listener {
        private static final String LISTENING = "DevTools listening on ws://";

        private final ObjectMapper json = new ObjectMapper();
        private final HttpClient http = HttpClient.newHttpClient();
        private final LinkedBlockingQueue<JsonNode> answers = new LinkedBlockingQueue<>();
        private final StringBuilder part = new StringBuilder();
        private final Process process;
        private final String address;
        /** The errors of the browser's console. */
        final List<String> complaints = new ArrayList<>();

        private @Nullable WebSocket tab;
        private int asked;

        private Browser(Process process, String address) {
            this.process = process;
            this.address = address;
        }

        static Browser start(Path profile) throws IOException {
            Process process = new ProcessBuilder(
                            CHROMIUM.toString(),
                            "--headless",
                            "--no-sandbox",
                            "--disable-gpu",
                            "--hide-scrollbars",
                            "--window-size=1100,1000",
                            "--remote-debugging-port=0",
                            "--user-data-dir=" + profile)
                    .redirectErrorStream(true)
                    .start();
            BufferedReader out = process.inputReader();
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (line.startsWith(LISTENING)) {
                    String address = line.substring(LISTENING.length());
                    return new Browser(process, address.substring(0, address.indexOf('/')));
                }
            }
            throw new IOException("Chromium ended: " + process.onExit().join().exitValue());
        }

        void open(String url) throws Exception {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + "/json/new?about:blank"))
                    .PUT(HttpRequest.BodyPublishers.noBody())
                    .build();
            JsonNode made = json.readTree(
                    http.send(request, HttpResponse.BodyHandlers.ofString()).body());
            tab = http.newWebSocketBuilder()
                    .buildAsync(URI.create(made.get("webSocketDebuggerUrl").asText()), this)
                    .get(1, TimeUnit.MINUTES);
            ask("Page.enable", Map.of());
            ask("Page.navigate", Map.of("url", url));
        }

        void picture(Path file) throws Exception {
            String image = ask("Page.captureScreenshot", Map.of("format", "png"))
                    .get("data")
                    .asText();
            Files.write(file, Base64.getDecoder().decode(image));
        }

        JsonNode ask(String method, Map<String, Object> parameters) throws Exception {
            @Nullable JsonNode answer = answer(begin(method, parameters), TimeUnit.MINUTES.toMillis(1));
            return requireNonNull(answer, method);
        }

        /** Sends a request and returns its number. */
        int begin(String method, Map<String, Object> parameters) throws Exception {
            asked++;
            requireNonNull(tab, "no tab is open")
                    .sendText(
                            json.writeValueAsString(Map.of("id", asked, "method", method, "params", parameters)), true)
                    .get(1, TimeUnit.MINUTES);
            return asked;
        }

        /** Returns the result of a request; null after the timeout. */
        @Nullable
        JsonNode answer(int question, long millis) throws Exception {
            for (JsonNode next = answers.poll(millis, TimeUnit.MILLISECONDS);
                    next != null;
                    next = answers.poll(millis, TimeUnit.MILLISECONDS)) {
                if (next.path("id").asInt() == question) {
                    assertThat(next.get("error")).isNull();
                    return next.get("result");
                }
                if (next.path("method").asText().equals("Log.entryAdded")
                        && next.at("/params/entry/level").asText().equals("error")) {
                    complaints.add(next.at("/params/entry").toString());
                }
            }
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            part.append(data);
            if (last) {
                try {
                    answers.add(json.readTree(part.toString()));
                } catch (IOException e) {
                    socket.abort();
                }
                part.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public void close() {
            if (tab != null) {
                tab.abort();
            }
            process.destroyForcibly();
            process.onExit().join();
        }
    }
}
