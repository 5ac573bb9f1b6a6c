package org.keyline.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.fixtures.Lines.one;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.Counters;
import org.keyline.gateway.fixtures.GatewayProcess;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.protocol.fixtures.TcpProxy;

/**
 * The packaged program in front of a MariaDB with faults: the errors that clients see, and the time
 * until forwards and hits work again. Prints the table of the documentation. Takes minutes: on
 * demand, with {@code -Dkeyline.faults=true}.
 */
@EnabledIfSystemProperty(named = "keyline.faults", matches = "true")
final class FaultsIT {
    private static final String APP = "?user=app&password=secret&allowPublicKeyRetrieval=true&connectTimeout=5000";
    /** Timeouts of the clients, longer than any fault here. */
    private static final String PATIENT = APP + "&useServerPrepStmts=true&socketTimeout=30000";

    private static final String PROBING = APP + "&socketTimeout=2000";
    private static final int SLOW_MICROS = 300_000;
    private static final List<String> TABLE = new ArrayList<>();

    private static MariaDb store;
    private static Connection admin;

    @TempDir
    Path directory;

    private interface Step {
        void run() throws Exception;
    }

    private interface Probe {
        void run(Statement sql) throws SQLException;
    }

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("faulty");
        try (Connection connection = store.connect("");
                Statement sql = connection.createStatement()) {
            sql.execute("CREATE DATABASE IF NOT EXISTS faults");
            sql.execute("USE faults");
            sql.execute("CREATE OR REPLACE TABLE still (id INT PRIMARY KEY, v INT NOT NULL)");
            sql.execute("INSERT INTO still VALUES (1, 7)");
            sql.execute("CREATE OR REPLACE TABLE aside (id INT PRIMARY KEY, v INT NOT NULL)");
            // An account to which read_only and max_connections apply.
            sql.execute("CREATE OR REPLACE USER app@'127.0.0.1' IDENTIFIED BY 'secret'");
            sql.execute("GRANT SELECT, INSERT, UPDATE ON faults.* TO app@'127.0.0.1'");
        }
        admin = store.connect("faults");
        TABLE.add("| fault | lasts s | reads right meanwhile | writes acknowledged meanwhile | what the clients saw "
                + "| a new client | forwards again after s | hits again after s |");
        TABLE.add("|---|--:|--:|--:|---|---|--:|--:|");
    }

    @BeforeEach
    void createCounters() throws SQLException {
        try (Statement sql = admin.createStatement()) {
            Counters.create(sql, "(id INT PRIMARY KEY, n INT NOT NULL)");
        }
    }

    @AfterAll
    static void tell() throws SQLException {
        TABLE.forEach(System.out::println);
        admin.close();
    }

    // ---------------------------------------------------------------- the faults

    @Test
    void storeKilled_andStartedAgain() throws Exception {
        long pid = store.pid();
        fault("store killed, started again", store.port(), 5, () -> kill(pid), () -> {
            store.startAgain();
            admin = store.connect("faults");
        });
    }

    @Test
    void storeStopped_for20Seconds() throws Exception {
        long pid = store.pid();
        fault("store stopped (SIGSTOP)", store.port(), 20, () -> signal(pid, "STOP"), () -> signal(pid, "CONT"));
    }

    @Test
    void storeSlow() throws Exception {
        try (TcpProxy proxy = new TcpProxy(store.address())) {
            fault("up to 300 ms late each way", proxy.port(), 10, () -> proxy.delay(SLOW_MICROS), () -> proxy.delay(0));
        }
    }

    /**
     * All connections to the store are dead, and neither side knows: those of clients, of loads,
     * and of the catalog.
     */
    @Test
    void storeHalfOpen() throws Exception {
        try (TcpProxy proxy = new TcpProxy(store.address())) {
            fault("connections half-open", proxy.port(), 60, proxy::forget, proxy::remember);
        }
    }

    @Test
    void storeReadOnly() throws Exception {
        fault("`read_only=ON`", store.port(), 10, () -> run("SET GLOBAL read_only = ON"), () -> {
            run("SET GLOBAL read_only = OFF");
        });
    }

    @Test
    void storeOutOfConnections() throws Exception {
        List<Connection> all = new ArrayList<>();
        int usual = Integer.parseInt(value("SELECT @@GLOBAL.max_connections"));
        fault(
                "`max_connections` reached",
                store.port(),
                10,
                () -> {
                    run("SET GLOBAL max_connections = 40");
                    assertThat(fill(all)).isEqualTo("error 1040");
                },
                () -> {
                    for (Connection connection : all) {
                        connection.close();
                    }
                    run("SET GLOBAL max_connections = " + usual);
                });
    }

    /**
     * Shifts the wall clock of the gateway's process alone, by libfaketime. The age of lines is
     * measured by another clock.
     */
    @Test
    void clockSteps_concernNobody() throws Exception {
        assumeTrue(Files.exists(FAKE_TIME), FAKE_TIME + " is not installed (Debian: libfaketime)");
        Path errors = directory.resolve("stderr");
        Path clock = Files.writeString(directory.resolve("clock"), "+0");
        Map<String, String> variables = Map.of(
                "LD_PRELOAD",
                FAKE_TIME.toString(),
                "FAKETIME_TIMESTAMP_FILE",
                clock.toString(),
                "FAKETIME_NO_CACHE",
                "1",
                // Shifts of the wall clock must not change the monotonic clock.
                "FAKETIME_DONT_FAKE_MONOTONIC",
                "1");
        try (GatewayProcess gateway = start(errors, variables, store.port(), "--set", "access.views=app");
                Counters counters = new Counters(url(gateway, PATIENT)).begin();
                Prober hits = new Prober(url(gateway, PROBING), FaultsIT::hit);
                Connection reader = DriverManager.getConnection(url(gateway, PATIENT));
                Statement sql = reader.createStatement()) {
            int past = 0;
            for (int hours : new int[] {0, 1, -1, 0}) {
                Files.writeString(clock, hours * 3600 >= 0 ? "+" + hours * 3600 : String.valueOf(hours * 3600));
                long stepped = System.nanoTime();
                await().atMost(1, TimeUnit.MINUTES)
                        .until(() -> Math.abs(logged(sql) - (System.currentTimeMillis() / 1000 + hours * 3600L)) < 60);
                counters.takeErrors();
                double hitting = hits.await(stepped);
                int reads = counters.reads();
                int writes = counters.writes();
                double slowest = 0;
                for (int i = 0; i < 5; i++) {
                    past++;
                    run("INSERT INTO aside VALUES (1, " + past + ") ON DUPLICATE KEY UPDATE v = VALUES(v)");
                    slowest = Math.max(slowest, seen(sql, past));
                }
                counters.awaitReads(1_000);
                Map<String, Integer> saw = counters.takeErrors();
                TABLE.add(String.format(
                        Locale.ROOT,
                        "the clock is %+d h off: %,d reads, %,d writes, the clients saw %s; a hit after %.2f s; writes past the"
                                + " gateway were seen after %.2f s at most",
                        hours,
                        counters.reads() - reads,
                        counters.writes() - writes,
                        saw.isEmpty() ? "nothing" : told(saw),
                        hitting,
                        slowest));
                assertThat(saw).isEmpty();
                // Far below the hour of the shift, far above the ttl of one second on a busy
                // machine.
                assertThat(slowest).isLessThan(15);
            }
            counters.end();
            counters.verify(admin);
            hits.leave();
            await().atMost(1, TimeUnit.MINUTES).until(() -> value(SESSIONS).equals("1"));
        }
        assertNoStackTrace(errors);
    }

    private static final Path FAKE_TIME = Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1");

    /** Returns the time that the gateway logs for a statement, in seconds. */
    private static long logged(Statement sql) throws SQLException {
        try (ResultSet rows = sql.executeQuery(
                "SELECT last_seen FROM keyline.statements WHERE text LIKE '%counters%' ORDER BY last_seen DESC LIMIT 1")) {
            rows.next();
            String time = String.valueOf(rows.getString(1));
            return LocalDateTime.parse(time.replace(' ', 'T')).toEpochSecond(ZoneOffset.UTC);
        }
    }

    /**
     * Returns the seconds until a read through the gateway shows a value that was written past it.
     */
    private static double seen(Statement sql, int value) throws SQLException {
        long since = System.nanoTime();
        while (true) {
            try (ResultSet rows = sql.executeQuery("SELECT v FROM aside WHERE id = 1")) {
                if (rows.next() && rows.getInt(1) == value) {
                    return seconds(since);
                }
            }
            assertThat(seconds(since)).as("old rows").isLessThan(60);
        }
    }

    private static String fill(List<Connection> all) {
        try {
            while (true) {
                all.add(DriverManager.getConnection("jdbc:mysql://127.0.0.1:" + store.port() + "/" + APP));
            }
        } catch (SQLException full) {
            return Counters.kind(full);
        }
    }

    @Test
    void sigterm_underALongQuery_endsWithinTheBound() throws Exception {
        Path errors = directory.resolve("stderr");
        int drainSeconds = 3;
        GatewayProcess gateway = start(errors, store.port(), "--set", "drainTimeout=" + drainSeconds + "s");
        CompletableFuture<String> client = CompletableFuture.supplyAsync(() -> {
            try (Connection connection = DriverManager.getConnection(url(gateway, PATIENT));
                    Statement sql = connection.createStatement()) {
                sql.execute("SELECT SLEEP(25)");
                return "the answer";
            } catch (SQLException e) {
                return Counters.kind(e);
            }
        });
        await().atMost(1, TimeUnit.MINUTES).until(() -> !value(SLEEPING).equals("0"));
        long began = System.nanoTime();
        gateway.process().destroy();
        int status = gateway.await();
        double ended = seconds(began);
        String saw = client.get(1, TimeUnit.MINUTES);
        await().atMost(1, TimeUnit.MINUTES).until(() -> value(SLEEPING).equals("0"));
        double gone = seconds(began);
        // The query would end later by itself.
        assertThat(gone).isLessThan(drainSeconds + 15);
        TABLE.add(String.format(
                Locale.ROOT,
                "SIGTERM under a query of 25 s, `drainTimeout` %d s: status %d after %.1f s, the client saw: %s;"
                        + " the store's session was gone after %.1f s",
                drainSeconds,
                status,
                ended,
                saw,
                gone));
        assertThat(status).isZero();
        assertThat(ended).isLessThan(drainSeconds + 20);
        assertNoStackTrace(errors);
    }

    /**
     * Clients whose address is no longer reachable: they neither disconnect nor answer. One is
     * idle, one is receiving a reply. A third one is reachable, and reads nothing all the while.
     */
    @Test
    void clientsVanish_andTheirSessionsEnd_butNotThoseOfWhoOnlyDoesNotRead() throws Exception {
        Path errors = directory.resolve("stderr");
        int bound = 10;
        try (GatewayProcess gateway = start(errors, store.port(), "--set", "limits.peerTimeout=" + bound + "s")) {
            String vanishing = url(gateway, APP + "&localSocketAddress=" + VANISHING);
            Connection idle = DriverManager.getConnection(vanishing);
            Connection busy = DriverManager.getConnection(vanishing);
            CompletableFuture<Boolean> reply = CompletableFuture.supplyAsync(() -> slept(busy));
            await().atMost(1, TimeUnit.MINUTES).until(() -> !value(NAPPING).equals("0"));
            assertThat(execute("ip", "route", "add", "blackhole", VANISHING, "table", "local"))
                    .as("a route needs the right to")
                    .isZero();
            try (Connection lazy = DriverManager.getConnection(url(gateway, APP));
                    Statement sql = lazy.createStatement()) {
                long began = System.nanoTime();
                sql.setFetchSize(Integer.MIN_VALUE);
                try (ResultSet rows = sql.executeQuery("SELECT seq, REPEAT('x', 1000) FROM seq_1_to_20000")) {
                    await().atMost(2, TimeUnit.MINUTES)
                            .until(() -> value(SESSIONS).equals("1"));
                    double gone = seconds(began);
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2L * bound) - (System.nanoTime() - began));
                    int read = 0;
                    while (rows.next()) {
                        read++;
                    }
                    assertThat(read).isEqualTo(20_000);
                    TABLE.add(String.format(
                            Locale.ROOT,
                            "clients vanished, `limits.peerTimeout` %d s: their sessions were gone after %.1f s; one that read nothing for"
                                    + " %.0f s lives",
                            bound,
                            gone,
                            seconds(began)));
                    assertThat(gone).isLessThan(3 * bound);
                }
            } finally {
                assertThat(execute("ip", "route", "del", "blackhole", VANISHING, "table", "local"))
                        .isZero();
                idle.abort(Runnable::run);
                busy.abort(Runnable::run);
            }
            assertThat(reply.get(1, TimeUnit.MINUTES)).isFalse();
        }
        assertNoStackTrace(errors);
    }

    private static boolean slept(Connection connection) {
        try (Statement sql = connection.createStatement()) {
            return sql.execute("SELECT SLEEP(3)");
        } catch (SQLException lost) {
            return false;
        }
    }

    /** A local address that nothing else uses. */
    private static final String VANISHING = "127.0.0.9";

    private static final String NAPPING =
            "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP(3)%'";

    private static final String SLEEPING =
            "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP(25)%'";

    // ---------------------------------------------------------------- one fault

    private void fault(String name, int storePort, int lasts, Step begin, Step end) throws Exception {
        Path errors = directory.resolve("stderr");
        GatewayProcess gateway = start(errors, storePort);
        try (gateway;
                Counters counters = new Counters(url(gateway, PATIENT)).begin();
                Prober forwards = new Prober(url(gateway, PROBING), FaultsIT::forwarded);
                Prober hits = new Prober(url(gateway, PROBING), FaultsIT::hit)) {
            forwards.await(System.nanoTime());
            hits.await(System.nanoTime());
            counters.awaitReads(1_000);
            counters.takeErrors();
            begin.run();
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(lasts);
            int reads = counters.reads();
            int writes = counters.writes();
            String newClient = login(url(gateway, PROBING));
            while (System.nanoTime() < until) {
                LockSupport.parkNanos(until - System.nanoTime());
            }
            reads = counters.reads() - reads;
            writes = counters.writes() - writes;
            end.run();
            long ended = System.nanoTime();
            CompletableFuture<Double> forwarding = CompletableFuture.supplyAsync(() -> forwards.await(ended));
            double hitting = hits.await(ended);
            double forwarded = forwarding.join();
            counters.awaitReads(1_000);
            counters.end();
            Map<String, Integer> saw = counters.takeErrors();
            // No client is connected, so no session with the clients' database may exist.
            hits.leave();
            forwards.leave();
            counters.verify(admin);
            await().atMost(1, TimeUnit.MINUTES).until(() -> value(SESSIONS).equals("0"));
            TABLE.add(String.format(
                    Locale.ROOT,
                    "| %s | %d | %,d | %,d | %s | %s | %.2f | %.2f |",
                    name,
                    lasts,
                    reads,
                    writes,
                    saw.isEmpty() ? "nothing" : told(saw),
                    newClient,
                    forwarded,
                    hitting));
        }
        assertNoStackTrace(errors);
    }

    private static final String SESSIONS = "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'app'";

    private static String told(Map<String, Integer> errors) {
        return errors.entrySet().stream()
                .map(error -> error.getKey() + " ×" + error.getValue())
                .reduce((a, b) -> a + ", " + b)
                .orElse("");
    }

    /**
     * A client that repeats its statement until the answer is the expected one. It reconnects after
     * it has lost its connection.
     */
    private static final class Prober implements AutoCloseable {
        private static final long GIVE_UP_SECONDS = 90;

        private final String url;
        private final Probe probe;
        private @Nullable Connection connection;

        Prober(String url, Probe probe) {
            this.url = url;
            this.probe = probe;
        }

        /** Returns the seconds from a moment until the expected answer. */
        double await(long since) {
            while (true) {
                try {
                    if (connection == null || connection.isClosed()) {
                        connection = DriverManager.getConnection(url);
                    }
                    try (Statement sql = connection.createStatement()) {
                        probe.run(sql);
                        return seconds(since);
                    }
                } catch (SQLException notYet) {
                    if (seconds(since) > GIVE_UP_SECONDS) {
                        throw new AssertionError("not answered in " + GIVE_UP_SECONDS + " s", notYet);
                    }
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                }
            }
        }

        void leave() throws SQLException {
            if (connection != null) {
                connection.close();
            }
        }

        @Override
        public void close() throws SQLException {
            leave();
        }
    }

    private static void forwarded(Statement sql) throws SQLException {
        try (ResultSet rows = sql.executeQuery("SELECT COUNT(*) FROM counters")) {
            rows.next();
            assertThat(rows.getInt(1)).isEqualTo(20);
        }
    }

    /** Throws if the row did not come from a line. */
    private static void hit(Statement sql) throws SQLException {
        try (ResultSet rows = sql.executeQuery("SELECT v FROM still WHERE id = 1")) {
            rows.next();
            assertThat(rows.getInt(1)).isEqualTo(7);
        }
        sql.execute("KEYLINE LAST");
        try (ResultSet rows = sql.getResultSet()) {
            rows.next();
            if (!rows.getString(2).equals("line")) {
                throw new SQLException("no hit: " + rows.getString(2));
            }
        }
    }

    private static String login(String url) {
        long began = System.nanoTime();
        try (Connection connection = DriverManager.getConnection(url)) {
            return connection.isValid(2) ? String.format(Locale.ROOT, "served, %.1f s", seconds(began)) : "not served";
        } catch (SQLException e) {
            return String.format(Locale.ROOT, "%s, %.1f s", Counters.kind(e), seconds(began));
        }
    }

    // ---------------------------------------------------------------- gateway and store

    private GatewayProcess start(Path errors, int storePort, String... more) throws IOException {
        return start(errors, Map.of(), storePort, more);
    }

    private GatewayProcess start(Path errors, Map<String, String> variables, int storePort, String... more)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--store",
                "mysql://127.0.0.1:" + storePort,
                "--store-user",
                MariaDb.USER,
                "--set",
                "store.password=" + MariaDb.PASSWORD,
                "--set",
                "eventLoops=2"));
        arguments.addAll(List.of(more));
        return GatewayProcess.startJar(
                List.of("-Xmx256m"),
                variables,
                ProcessBuilder.Redirect.to(errors.toFile()),
                arguments.toArray(String[]::new));
    }

    private static String url(GatewayProcess gateway, String options) {
        return "jdbc:mysql://" + gateway.address() + "/faults" + options;
    }

    private static void assertNoStackTrace(Path errors) throws IOException {
        String log = Files.readString(errors);
        assertThat(log.lines()).as(log).noneMatch(line -> line.startsWith("\tat "));
    }

    private static int execute(String... command) throws Exception {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    private static void run(String statement) throws SQLException {
        try (Statement sql = admin.createStatement()) {
            sql.execute(statement);
        }
    }

    private static String value(String query) throws SQLException {
        return one(admin, query);
    }

    private static void kill(long pid) throws Exception {
        signal(pid, "KILL");
        ProcessHandle.of(pid).ifPresent(process -> process.onExit().join());
    }

    private static void signal(long pid, String signal) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                        .start()
                        .waitFor())
                .isZero();
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }
}
