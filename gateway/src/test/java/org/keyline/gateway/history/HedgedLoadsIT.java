package org.keyline.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/** A load whose reply is late, on a connection that a proxy holds, is asked for on another one. */
class HedgedLoadsIT {
    private static final int ROWS = 20_000;
    /** By these the gateway learns how long loads take. */
    private static final int LEARNED = 200;

    private static final String LOAD = "SELECT * FROM `hedged`.`t`";

    private static MariaDb store;
    private static ExecutorService threads;

    /** A gateway that reaches the store by a proxy. */
    private static final class Way implements AutoCloseable {
        final TcpProxy proxy;
        final RelayGateway gateway;

        Way(boolean hedged, String... more) throws Exception {
            proxy = new TcpProxy(store.address());
            List<String> settings = new ArrayList<>(List.of(more));
            settings.add("store.url=mysql://127.0.0.1:" + proxy.port());
            settings.add("http=127.0.0.1:0");
            settings.add("eventLoops=1");
            settings.add("loadConnections=4");
            settings.add("cache.hedgedLoads=" + hedged);
            gateway = RelayGateway.start(store, settings.toArray(new String[0]));
        }

        Connection client() throws SQLException {
            return DriverManager.getConnection(gateway.jdbc("hedged"));
        }

        /** A counter of all tables. */
        double metric(String name) throws Exception {
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.http() + "/metrics"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            return answer.body()
                    .lines()
                    .filter(line -> line.startsWith("keyline_table_" + name + "_total{"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        }

        @Override
        public void close() throws IOException {
            gateway.close();
            proxy.close();
        }
    }

    private int next;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("second");
        threads = Executors.newCachedThreadPool();
    }

    @AfterAll
    static void stop() {
        threads.shutdownNow();
    }

    @BeforeEach
    void define() throws SQLException {
        try (Connection straight = DriverManager.getConnection(store.jdbc(""))) {
            run(straight, "DROP DATABASE IF EXISTS hedged");
            run(straight, "CREATE DATABASE hedged");
            run(straight, "CREATE TABLE hedged.t (k INT PRIMARY KEY, v INT, w INT)");
            run(straight, "INSERT INTO hedged.t SELECT seq, seq, 0 FROM hedged.seq_1_to_" + ROWS);
        }
    }

    private static void run(Connection connection, String statement) throws SQLException {
        try (Statement sql = connection.createStatement()) {
            sql.execute(statement);
        }
    }

    /** A reply to it has not all columns, so it is loaded for. */
    private static int read(Connection connection, int key) throws SQLException {
        try (Statement sql = connection.createStatement();
                ResultSet rows = sql.executeQuery("SELECT v FROM t WHERE k = " + key)) {
            assertThat(rows.next()).isTrue();
            return rows.getInt(1);
        }
    }

    private void learn(Connection reader) throws SQLException {
        for (int i = 0; i < LEARNED; i++) {
            next++;
            // More than once, so that loads pay.
            for (int j = 0; j < 3; j++) {
                assertThat(read(reader, next)).isEqualTo(next);
            }
        }
    }

    /** Reads rows until the store's reply to a load is held; answers the read that waits for it. */
    private Future<Integer> held(TcpProxy proxy, Connection slow) {
        return held(proxy, slow, 1);
    }

    /** The same, of so many trips for it. */
    private Future<Integer> held(TcpProxy proxy, Connection slow, int replies) {
        proxy.holdNext(replies, request -> request.contains(LOAD));
        Future<Integer> read;
        do {
            int key = ++next;
            read = threads.submit(() -> read(slow, key));
            Future<Integer> begun = read;
            await().until(() -> proxy.holds() || begun.isDone());
        } while (!proxy.holds());
        return read;
    }

    @Test
    void load_whoseReplyIsHeld_isAnsweredByAnotherConnection_andItsOwnReplyIsNobodys() throws Exception {
        try (Way way = new Way(true);
                Connection slow = way.client();
                Connection writer = way.client();
                Connection reader = way.client()) {
            learn(reader);
            double hedged = way.metric("hedged_loads");
            double won = way.metric("hedges_won");
            Future<Integer> waits = held(way.proxy, slow);
            int key = next;
            assertThat(waits.get(30, TimeUnit.SECONDS)).isEqualTo(key);
            assertThat(way.metric("hedged_loads")).isGreaterThan(hedged);
            assertThat(way.metric("hedges_won")).isGreaterThan(won);
            run(writer, "UPDATE t SET v = -1 WHERE k = " + key);
            way.proxy.release();
            for (int i = 0; i < 20; i++) {
                assertThat(read(reader, key)).isEqualTo(-1);
                assertThat(read(slow, key)).isEqualTo(-1);
            }
            // The connection that was slow is of use again.
            learn(reader);
        }
    }

    /** A reply that is held for ever, as on a connection that is dead without a word. */
    @Test
    void connection_thatStaysSilent_isGivenUp() throws Exception {
        try (Way way = new Way(true, "cache.loadTimeout=1s");
                Connection slow = way.client();
                Connection reader = way.client()) {
            learn(reader);
            Future<Integer> waits = held(way.proxy, slow);
            assertThat(waits.get(30, TimeUnit.SECONDS)).isEqualTo(next);
            await().until(() -> !way.proxy.holds());
            learn(reader);
        }
    }

    @Test
    void rowsOfBothTrips_thatComeAfterAWrite_areNotKept() throws Exception {
        try (Way way = new Way(true);
                Connection slow = way.client();
                Connection writer = way.client();
                Connection reader = way.client()) {
            learn(reader);
            Future<Integer> waits = held(way.proxy, slow, 2);
            int key = next;
            await().until(() -> way.proxy.held() == 2);
            run(writer, "UPDATE t SET v = -1 WHERE k = " + key);
            way.proxy.release();
            // It began before the write did, so it may see either.
            assertThat(waits.get(30, TimeUnit.SECONDS)).isIn(key, -1);
            for (int i = 0; i < 20; i++) {
                assertThat(read(reader, key)).isEqualTo(-1);
            }
        }
    }

    @Test
    void loads_thatAreLateByChance_areAskedForTwiceWithinTheBudget() throws Exception {
        try (Way way = new Way(true);
                Connection reader = way.client()) {
            // A store that becomes slower and slower, so that very many are late.
            for (int micros = 500; micros <= 16_000; micros *= 2) {
                way.proxy.delay(micros);
                learn(reader);
            }
            double loads = way.metric("loads");
            assertThat(loads).isGreaterThan(5 * LEARNED);
            assertThat(way.metric("hedged_loads")).isBetween(1.0, loads / 50);
        }
    }

    @Test
    void loads_areAskedForOnce_unlessToldOtherwise() throws Exception {
        try (Way way = new Way(false);
                Connection slow = way.client();
                Connection reader = way.client()) {
            learn(reader);
            Future<Integer> waits = held(way.proxy, slow);
            learn(reader);
            assertThat(waits.isDone()).isFalse();
            way.proxy.release();
            assertThat(waits.get(30, TimeUnit.SECONDS)).isEqualTo(next - LEARNED);
            assertThat(way.metric("hedged_loads")).isZero();
        }
    }

    /** One of a hundred replies of the store is late by 200 ms. On demand, with {@code -Dkeyline.hedged.loads=N}. */
    @Test
    @EnabledIfSystemProperty(named = "keyline.hedged.loads", matches = "\\d+")
    void loads_withAndWithoutASecondQuestion() throws Exception {
        for (boolean hedged : new boolean[] {false, true}) {
            try (Way way = new Way(hedged);
                    Connection reader = way.client()) {
                next = 0;
                learn(reader);
                way.proxy.late(0.01, 200_000);
                long[] times = new long[Integer.getInteger("keyline.hedged.loads")];
                for (int i = 0; i < times.length; i++) {
                    next = next % ROWS + 1;
                    run(reader, "KEYLINE FLUSH ROWS t WHERE k = " + next);
                    long began = System.nanoTime();
                    assertThat(read(reader, next)).isEqualTo(next);
                    times[i] = System.nanoTime() - began;
                    // So that loads pay.
                    assertThat(read(reader, next)).isEqualTo(next);
                    assertThat(read(reader, next)).isEqualTo(next);
                }
                Arrays.sort(times);
                System.out.printf(
                        "%s: median %d us, p99 %d us, p99.9 %d us; %.0f loads, %.0f asked for twice, %.0f answered so%n",
                        hedged ? "hedged" : "once",
                        times[times.length / 2] / 1000,
                        times[(int) (times.length * 0.99)] / 1000,
                        times[(int) (times.length * 0.999)] / 1000,
                        way.metric("loads"),
                        way.metric("hedged_loads"),
                        way.metric("hedges_won"));
            }
        }
    }
}
