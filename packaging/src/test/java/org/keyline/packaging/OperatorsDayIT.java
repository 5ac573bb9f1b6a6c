package org.keyline.packaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.protocol.fixtures.MariaDbServer;

/**
 * The tasks of an operator with the package in front of a MariaDB, while an application reads. No
 * read fails, except while the store is lost.
 */
final class OperatorsDayIT {
    private static final Path PACKAGE = Path.of("target", "keyline.deb").toAbsolutePath();
    private static final Path MANAGER = Path.of(
            "..", "gateway", "program", "src", "test", "resources", "org", "keyline", "gateway", "service_manager.py");
    private static final Pattern TOTALS = Pattern.compile("\"totals\":\\{[^}]*\"queries\":(\\d+)[^}]*\"hits\":(\\d+)");
    private static final int ORDERS = 50;
    private static final int TURNS = 100;
    private static final long TIMEOUT_SECONDS = 120;

    private final MariaDbServer store = MariaDbServer.get();

    @TempDir
    private Path work;

    @Test
    void install_findOut_set_reload_upgrade_loseTheStore() throws Exception {
        Optional<Machine> mounted = Machine.start(Files.createDirectory(work.resolve("machine")));
        assumeTrue(mounted.isPresent(), "no rights to mount");
        try (Machine machine = mounted.orElseThrow()) {
            machine.put(PACKAGE, "srv/keyline.deb");
            machine.put(MANAGER, "srv/service_manager.py");
            machine.run("dpkg", "-i", "/srv/keyline.deb");
            int http = freePort();
            machine.put(
                    Files.writeString(work.resolve("keyline.yaml"), configuration(http)), "etc/keyline/keyline.yaml");
            try (Service service = new Service(machine);
                    Connection operator = connect(service.port)) {
                operator.createStatement().execute("CREATE OR REPLACE DATABASE shop");
                operator.createStatement()
                        .execute(
                                "CREATE TABLE shop.orders (customer INT, id INT, total INT, PRIMARY KEY (customer, id))");
                operator.createStatement()
                        .execute("INSERT INTO shop.orders SELECT seq % 5, seq, 10 * seq FROM shop.seq_1_to_" + ORDERS);
                awaitDefinition(operator);
                Application application = new Application(service.port);
                try {
                    ownDay(machine, service, operator, application, http);
                } finally {
                    application.end();
                }
            }
        }
    }

    /**
     * A definition is read at the store after its reply; until then, reads of the table are
     * forwarded for that reason.
     */
    private static void awaitDefinition(Connection operator) throws SQLException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        do {
            assertThat(System.nanoTime()).isLessThan(end);
            ask(operator, "SELECT id FROM shop.orders WHERE customer = 1 AND id = 1");
        } while (!ask(operator, "SELECT reason FROM keyline.last").equals(List.of("SWITCHED_OFF")));
    }

    private void ownDay(Machine machine, Service service, Connection operator, Application application, int http)
            throws Exception {
        // The question of the page: why does it not hit?
        application.reads(TURNS);
        assertThat(totals(http).hits).isZero();
        String reasons = ask(
                        operator,
                        "SELECT reasons FROM keyline.statements WHERE text LIKE 'SELECT total FROM shop . orders %'")
                .get(0);
        String reason = reasons.substring(0, reasons.indexOf('='));
        assertThat(ask(operator, "SELECT sentence FROM keyline.reasons WHERE reason = '" + reason + "'"))
                .singleElement()
                .asString()
                .contains("off");

        ask(operator, "KEYLINE SET tables.shop.orders.enabled = true");
        risesAbove(80, http);
        assertThat(ask(operator, "SELECT source FROM keyline.settings WHERE path = 'tables.shop.orders.enabled'"))
                .containsExactly("set");

        // The change is made permanent.
        machine.run("sed", "-i", "s/enabled: false/enabled: true/", "/etc/keyline/keyline.yaml");
        ask(operator, "KEYLINE RELOAD");
        assertThat(ask(operator, "SELECT value FROM keyline.settings WHERE path = 'tables.shop.orders.enabled'"))
                .containsExactly("true");
        risesAbove(80, http);

        machine.run(
                "sh",
                "-ec",
                "dpkg-deb -R /srv/keyline.deb /srv/next; sed -i 's/^Version: .*/Version: 99.0/' /srv/next/DEBIAN/control;"
                        + " dpkg-deb -Zgzip -z1 -b /srv/next /srv/next.deb; dpkg --force-confold -i /srv/next.deb");
        service.restart();
        application.reads(TURNS);
        assertThat(application.failures).isEmpty();
        risesAbove(80, http);

        try (Connection after = connect(service.port)) {
            String hits = "SELECT COUNT(*) FROM keyline.tables WHERE table_name = 'orders' AND hits > 0";
            assertThat(ask(after, hits)).containsExactly("1");
            store.stop();
            assertThat(ask(after, hits)).containsExactly("1");
            for (String view : ask(after, "SHOW TABLES FROM keyline")) {
                assertThat(ask(after, "SELECT COUNT(*) FROM keyline.`" + view + "`"))
                        .as(view)
                        .hasSize(1);
            }
            assertThat(totals(http).queries).isPositive();
            awaitReady(503, http);
            assertThat(get(http, "/live")).isEqualTo(200);
            store.start();
            awaitReady(200, http);
            // The current read may have begun before that.
            application.reads(1);
            application.failures.clear();
            application.reads(TURNS);
            assertThat(application.failures).isEmpty();
            risesAbove(80, http);
        }
    }

    private String configuration(int http) {
        return """
                http: 127.0.0.1:%d
                store:
                  url: mysql://127.0.0.1:%d
                  user: keyline
                  password: "%s"
                tables:
                  shop:
                    orders:
                      enabled: false
                      prefix: 1
                """.formatted(http, store.address().getPort(), MariaDbServer.PASSWORD);
    }

    private static Connection connect(int port) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mysql://127.0.0.1:" + port + "/?sslMode=DISABLED&allowPublicKeyRetrieval=true",
                "keyline",
                MariaDbServer.PASSWORD);
    }

    /** Returns the first column of a statement's result, if it has rows. */
    private static List<String> ask(Connection connection, String sql) throws SQLException {
        List<String> first = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            if (statement.execute(sql)) {
                try (ResultSet rows = statement.getResultSet()) {
                    while (rows.next()) {
                        first.add(rows.getString(1));
                    }
                }
            }
        }
        return first;
    }

    private record Totals(long queries, long hits) {}

    private static Totals totals(int http) throws IOException, InterruptedException {
        try (Stream<String> events = events(http)) {
            return totals(events.iterator());
        }
    }

    /** Waits until this percentage of the reads of one second are hits, as the page shows it. */
    private static void risesAbove(int percent, int http) throws IOException, InterruptedException {
        try (Stream<String> stream = events(http)) {
            Iterator<String> events = stream.iterator();
            Totals before = totals(events);
            while (true) {
                Totals now = totals(events);
                long queries = now.queries - before.queries;
                if (queries > 0 && 100 * (now.hits - before.hits) >= percent * queries) {
                    return;
                }
                before = now;
            }
        }
    }

    private static Totals totals(Iterator<String> events) {
        while (true) {
            Matcher found = TOTALS.matcher(events.next());
            if (found.find()) {
                return new Totals(Long.parseLong(found.group(1)), Long.parseLong(found.group(2)));
            }
        }
    }

    private static Stream<String> events(int http) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(request(http, "/events"), HttpResponse.BodyHandlers.ofLines())
                .body();
    }

    private static void awaitReady(int status, int http) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (get(http, "/ready") != status) {
            assertThat(System.nanoTime()).isLessThan(end);
        }
    }

    private static int get(int http, String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(request(http, path), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private static HttpRequest request(int http, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http + path))
                .build();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** The command of the unit, run under its account by a manager that holds the socket. */
    private static final class Service implements AutoCloseable {
        private final Process manager;
        private final BufferedReader output;
        private final int port;

        private Service(Machine machine) throws IOException, InterruptedException {
            String command = machine.run("sed", "-n", "s/^ExecStart=//p", "/lib/systemd/system/keyline.service")
                    .strip();
            manager = machine.start(
                    "setpriv",
                    "--reuid=keyline",
                    "--regid=keyline",
                    "--init-groups",
                    "sh",
                    "-c",
                    "cd /var/lib/keyline && exec python3 /srv/service_manager.py " + command);
            output = new BufferedReader(new InputStreamReader(manager.getInputStream(), UTF_8));
            port = Integer.parseInt(output.readLine());
            await("keyline ready on");
        }

        private void restart() throws IOException {
            manager.getOutputStream().write('\n');
            manager.getOutputStream().flush();
            await("ended 0");
            await("keyline ready on");
        }

        private void await(String start) throws IOException {
            StringBuilder said = new StringBuilder();
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                said.append(line).append('\n');
                if (line.startsWith(start)) {
                    return;
                }
            }
            throw new AssertionError("not " + start + ": " + said);
        }

        @Override
        public void close() throws IOException {
            manager.getOutputStream().close();
            manager.onExit().orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
        }
    }

    /** Reads an order repeatedly over its own connection. */
    private static final class Application {
        private final int port;
        private final Thread thread = new Thread(this::run, "application");
        private final Semaphore reads = new Semaphore(0);
        private final Queue<String> failures = new ConcurrentLinkedQueue<>();
        private volatile boolean ended;

        private Application(int port) {
            this.port = port;
            thread.start();
        }

        private void run() {
            for (int i = 0; !ended; i = (i + 1) % ORDERS) {
                int id = i + 1;
                try (Connection connection = connect(port)) {
                    assertThat(ask(
                                    connection,
                                    "SELECT total FROM shop.orders WHERE customer = " + id % 5 + " AND id = " + id))
                            .containsExactly("" + 10 * id);
                } catch (SQLException | AssertionError e) {
                    failures.add(e.toString());
                }
                reads.release();
            }
        }

        /** Waits for this many reads from now on. */
        private void reads(int count) throws InterruptedException {
            reads.drainPermits();
            assertThat(reads.tryAcquire(count, TIMEOUT_SECONDS, TimeUnit.SECONDS))
                    .isTrue();
        }

        private void end() throws InterruptedException {
            ended = true;
            thread.join();
        }
    }
}
