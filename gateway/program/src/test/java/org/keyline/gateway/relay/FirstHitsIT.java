package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.benmanes.caffeine.cache.Ticker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TestClient;

/**
 * Runs each shape of the family for the same rows until it hits, on gateways that have just started
 * with default settings. Prints, as the table of docs/clients.md, the first execution that was a
 * hit, or the reason why none was.
 */
class FirstHitsIT {
    /** An account that has only SELECT. */
    private static final String READER = "first_hits_reader";
    /** An account with the rights that docs/operations.md names. */
    private static final String DOCUMENTED = "first_hits_documented";

    private static final int MOST = 40;
    private static final int AIM = 3;
    private static final Duration BETWEEN = Duration.ofSeconds(10);

    private static final Map<String, String> SHAPES = shapes();

    private final AtomicLong passed = new AtomicLong();
    private final Ticker clock = () -> System.nanoTime() + passed.get();

    private static Map<String, String> shapes() {
        Map<String, String> shapes = new LinkedHashMap<>();
        shapes.put("full key", "label FROM demo.vertices WHERE user_id = 7 AND graph_id = 2 AND vertex_id = 1");
        shapes.put("IN", "label FROM demo.vertices WHERE user_id = 7 AND graph_id = 2 AND vertex_id IN (1, 2, 3)");
        shapes.put("prefix", "vertex_id, label FROM demo.vertices WHERE user_id = 7 AND graph_id = 2");
        shapes.put(
                "page",
                "vertex_id, label FROM demo.vertices WHERE user_id = 7 AND graph_id = 2 ORDER BY vertex_id LIMIT 2");
        shapes.put(
                "range",
                "label FROM demo.vertices WHERE user_id = 7 AND graph_id BETWEEN 1 AND 2 ORDER BY graph_id, vertex_id");
        shapes.put("count", "COUNT(*) FROM demo.vertices WHERE user_id = 7");
        shapes.put("scan", "label FROM demo.vertices WHERE user_id >= 7 ORDER BY user_id, graph_id, vertex_id LIMIT 5");
        shapes.put("other column", "COUNT(*) FROM demo.vertices WHERE label = 'v3'");
        return shapes;
    }

    /** Opens a connection to a gateway that has just started. */
    private interface Start {
        Started gateway() throws Exception;
    }

    private record Started(AutoCloseable gateway, String jdbc, boolean logging, HostPort address, String account) {}

    private Started demo() throws Exception {
        DemoGateway gateway = DemoGateway.start(clock, "http=off", "cache.ttl=1m");
        return new Started(gateway, gateway.jdbc("mysql", "demo", "user=root"), false, gateway.address(), "root");
    }

    /** Starts a gateway in front of a store; the gateway and its client use the same account. */
    private Started inFrontOf(MariaDb store, String account, boolean logging) throws Exception {
        RelayGateway gateway = RelayGateway.start(store, clock, "cache.ttl=1s", "store.user=" + account);
        String jdbc = gateway.jdbc("demo").replace("user=" + MariaDb.USER, "user=" + account);
        HostPort address = new HostPort("127.0.0.1", gateway.port());
        return new Started(gateway, jdbc, logging && account.equals(DOCUMENTED), address, account);
    }

    private static MariaDb filled(MariaDb store) throws SQLException {
        try (Connection connection = store.connect("");
                Statement sql = connection.createStatement()) {
            sql.execute("CREATE DATABASE IF NOT EXISTS demo");
            sql.execute("CREATE TABLE IF NOT EXISTS demo.vertices (user_id BIGINT, graph_id INT, vertex_id BIGINT,"
                    + " label VARCHAR(32), PRIMARY KEY (user_id, graph_id, vertex_id))");
            for (int user = 1; user <= 20; user++) {
                StringJoiner rows = new StringJoiner(", ", "REPLACE INTO demo.vertices VALUES ", "");
                for (int row = 0; row < 20; row++) {
                    rows.add("(" + user + ", " + (1 + row / 4) + ", " + (1 + row % 4) + ", 'v" + row + "')");
                }
                sql.execute(rows.toString());
            }
            account(sql, READER, "SELECT");
            account(sql, DOCUMENTED, "SELECT, SHOW VIEW, TRIGGER, REPLICATION SLAVE, REPLICATION CLIENT");
        }
        return store;
    }

    private static void account(Statement sql, String name, String rights) throws SQLException {
        sql.execute("CREATE USER IF NOT EXISTS " + name + "@'127.0.0.1' IDENTIFIED BY '" + MariaDb.PASSWORD + "'");
        sql.execute("GRANT " + rights + " ON *.* TO " + name + "@'127.0.0.1'");
    }

    @Test
    void eachShape_ofADemoThatHasJustStarted_isAHitAtItsThirdExecution() throws Exception {
        assertHits("demo", this::demo, Between.LINES_LIVE);
    }

    @Test
    void eachShape_inFrontOfAMariaDbWithoutABinaryLog_isAHitAtItsThirdExecution_whileLinesLive() throws Exception {
        MariaDb store = filled(MariaDb.get("second"));
        for (String account : List.of(READER, DOCUMENTED)) {
            assertHits("without a binary log, " + account, () -> inFrontOf(store, account, false), Between.LINES_END);
        }
    }

    @Test
    void eachShape_inFrontOfAMariaDbWithABinaryLog_isAHitAtItsThirdExecution() throws Exception {
        MariaDb store = filled(MariaDb.logging("logging"));
        for (String account : List.of(READER, DOCUMENTED)) {
            assertHits("with a binary log, " + account, () -> inFrontOf(store, account, true), Between.NOT_ASKED);
        }
    }

    /** The first complete report of the log would drop lines that were loaded before it. */
    @Test
    void aBinaryLogsChanges_areReportedAsComplete_beforeThereAreLines() throws Exception {
        MariaDb store = filled(MariaDb.logging("logging"));
        Started started = inFrontOf(store, DOCUMENTED, true);
        try (AutoCloseable closed = started.gateway();
                Connection connection = DriverManager.getConnection(started.jdbc());
                Statement sql = connection.createStatement();
                Connection straight = store.connect("demo");
                Statement outside = straight.createStatement()) {
            awaitSignal(started, sql);
            outside.execute("CREATE OR REPLACE TABLE made (id INT PRIMARY KEY)");
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> Lines.rows(sql, "SELECT lag_ms FROM keyline.signals")
                            .get(0)
                            .matches("[0-9]+"));
            assertThat(closed).isNotNull();
        }
    }

    /** The state of lines between two executions that are {@link #BETWEEN} apart. */
    private enum Between {
        LINES_LIVE,
        LINES_END,
        /** The signal's freshness has a separate clock, which the test does not move. */
        NOT_ASKED
    }

    private void assertHits(String store, Start start, Between lines) throws Exception {
        List<String> alone = new ArrayList<>();
        List<String> connecting = new ArrayList<>();
        for (String shape : SHAPES.keySet()) {
            alone.addAll(ask(start, List.of(shape), Duration.ZERO));
            connecting.add(connecting(start, shape));
        }
        List<String> all = List.copyOf(SHAPES.keySet());
        List<String> together = ask(start, all, Duration.ZERO);
        List<String> after = lines == Between.NOT_ASKED ? List.of() : ask(start, all, BETWEEN);
        print(store + ", each alone, at once", alone);
        print(store + ", each alone, at once, a connection for each execution", connecting);
        print(store + ", one shape after the other, at once", together);
        if (!after.isEmpty()) {
            print(store + ", one shape after the other, 10 s between", after);
        }
        assertThat(alone).as(store).allSatisfy(FirstHitsIT::assertAim);
        assertThat(connecting).as(store).allSatisfy(FirstHitsIT::assertAim);
        assertThat(together).as(store).allSatisfy(FirstHitsIT::assertAim);
        if (lines == Between.LINES_LIVE) {
            assertThat(after).as(store).allSatisfy(FirstHitsIT::assertAim);
        }
    }

    private static void assertAim(String first) {
        assertThat(first).matches("[0-9]+");
        assertThat(Integer.parseInt(first)).isLessThanOrEqualTo(AIM);
    }

    private static void print(String what, List<String> firsts) {
        System.out.println("| " + what + " | " + String.join(" | ", firsts) + " |");
    }

    /** Returns the first execution of each shape that was a hit, or the reason why none was. */
    private List<String> ask(Start start, List<String> shapes, Duration between) throws Exception {
        List<String> firsts = new ArrayList<>();
        Started started = start.gateway();
        try (AutoCloseable closed = started.gateway();
                Connection connection = DriverManager.getConnection(started.jdbc());
                Statement sql = connection.createStatement()) {
            awaitSignal(started, sql);
            for (String shape : shapes) {
                String first = "";
                for (int i = 1; i <= MOST && first.isEmpty(); i++) {
                    String select = "SELECT " + SHAPES.get(shape);
                    assertThat(Lines.rows(sql, select)).isNotEmpty();
                    String last = Lines.rows(sql, "KEYLINE LAST").toString();
                    if (last.contains("source line")) {
                        first = Integer.toString(i);
                    } else if (i == MOST) {
                        first = last.replaceAll("[\\[\\]]|, age.*", "") + ": " + lifetime(sql, select);
                    }
                    passed.addAndGet(between.toNanos());
                }
                firsts.add(first);
            }
            assertThat(closed).isNotNull();
        }
        return firsts;
    }

    /** When the gateway begins to follow the log, it drops all lines. */
    private static void awaitSignal(Started started, Statement sql) {
        if (started.logging()) {
            await().atMost(Duration.ofSeconds(20))
                    .until(() ->
                            Lines.rows(sql, "SELECT live FROM keyline.signals").equals(List.of("1")));
        }
    }

    /** Returns the same for a program that connects for each execution, as PHP does. */
    private static String connecting(Start start, String shape) throws Exception {
        Started started = start.gateway();
        try (AutoCloseable closed = started.gateway()) {
            if (started.logging()) {
                try (Connection connection = DriverManager.getConnection(started.jdbc());
                        Statement sql = connection.createStatement()) {
                    awaitSignal(started, sql);
                }
            }
            String password = started.account().equals("root") ? "" : MariaDb.PASSWORD;
            List<String> seen = new ArrayList<>();
            for (int i = 1; i <= MOST; i++) {
                try (TestClient client = TestClient.connect(
                        started.address(),
                        options -> options.user(started.account())
                                .password(password)
                                .database("demo"))) {
                    assertThat(client.query("SET NAMES utf8mb4").error()).isNull();
                    assertThat(client.query("SELECT " + SHAPES.get(shape)).rows())
                            .isNotEmpty();
                    String last = client.query("KEYLINE LAST").rows().toString();
                    if (last.contains("source, line")) {
                        return Integer.toString(i);
                    }
                    seen.add(last);
                }
            }
            assertThat(closed).isNotNull();
            return seen.subList(0, AIM).toString();
        }
    }

    private static String lifetime(Statement sql, String select) throws SQLException {
        return String.join(
                "",
                Lines.rows(sql, "KEYLINE EXPLAIN " + select).stream()
                        .filter(row -> row.matches("(lifetime|because) .*"))
                        .map(row -> row.substring(row.indexOf(' ') + 1))
                        .toList());
    }
}
