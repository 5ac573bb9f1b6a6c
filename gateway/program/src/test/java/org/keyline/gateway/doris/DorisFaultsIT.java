package org.keyline.gateway.doris;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.keyline.gateway.doris.LiveDoris.prepared;
import static org.keyline.gateway.doris.LiveDoris.rows;
import static org.keyline.gateway.doris.LiveDoris.run;
import static org.keyline.gateway.doris.LiveDoris.source;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.keyline.protocol.fixtures.TcpProxy;

/**
 * A real Doris with failing parts, which {@code -Dkeyline.doris=HOST:PORT} names: no wrong row
 * remains, and no client hangs. {@code -Dkeyline.doris.lookupError=FILE} names a file; while it
 * exists, the backend's lookups fail. {@code -Dkeyline.doris.restartBackend} and
 * {@code restartFrontend} are commands that do so. {@code -Dkeyline.doris.second=HOST:PORT} is
 * another frontend of that cluster.
 */
@EnabledIfSystemProperty(named = "keyline.doris", matches = ".+")
final class DorisFaultsIT {
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final String READ = "SELECT k, v, d, t FROM items WHERE k = 1";
    private static final List<String> ROW = List.of("1|one|1.50|2026-01-02T03:04:05");

    private static LiveDoris doris;

    @BeforeAll
    static void start() throws Exception {
        doris = new LiveDoris();
    }

    @AfterAll
    static void stop() throws Exception {
        doris.close();
    }

    private static void awaitLine(Connection client) {
        await().atMost(LONG).ignoreExceptions().untilAsserted(() -> {
            assertThat(prepared(client, 1)).isEqualTo(ROW);
            assertThat(source(client)).isEqualTo("line");
        });
    }

    /**
     * A backend whose lookups fail is put on the frontend's blacklist, and every row is then
     * absent. At least ten failures a second keep it there, as long as the frontend receives its
     * heartbeats.
     */
    @Test
    @EnabledIfSystemProperty(named = "keyline.doris.lookupError", matches = ".+")
    void backendOnTheBlackList_leavesNoFalseAbsence() throws Exception {
        doris.table("items", "one");
        Path error = Path.of(System.getProperty("keyline.doris.lookupError", ""));
        AtomicInteger absentStraight = new AtomicInteger();
        Map<String, Integer> errors = new TreeMap<>();
        int absent = 0;
        int failed = 0;
        int right = 0;
        try (Connection client = doris.through()) {
            awaitLine(client);
            Files.writeString(error, "");
            Thread failures = new Thread(() -> readUntilGone(error, absentStraight), "failures");
            failures.start();
            try {
                long end = System.nanoTime() + Duration.ofSeconds(25).toNanos();
                for (int read = 0; System.nanoTime() < end; read++) {
                    try {
                        if (read % 5 == 0) {
                            // Drops the line, so that loads run while lookups fail.
                            run(client, "KEYLINE FLUSH ALL");
                        }
                        List<String> answer = read % 2 == 0 ? prepared(client, 1) : rows(client, READ);
                        if (answer.isEmpty()) {
                            // Only a forwarded read may report an absent row, as Doris itself does.
                            absent++;
                            assertThat(source(client)).isEqualTo("store");
                        } else {
                            assertThat(answer).isEqualTo(ROW);
                            right++;
                        }
                    } catch (SQLException e) {
                        failed++;
                        errors.merge(String.valueOf(e.getMessage()).replaceAll("\\d+", "N"), 1, Integer::sum);
                    }
                }
            } finally {
                Files.delete(error);
                failures.join();
            }
            System.getLogger("doris")
                    .log(
                            System.Logger.Level.INFO,
                            "while lookups fail: " + right + " right, " + failed + " errors, " + absent
                                    + " empty by Doris; straight " + absentStraight + " empty; " + errors);
            assertThat(absentStraight).hasPositiveValue();
            assertThat(right).isPositive();
            awaitLine(client);
            for (int i = 0; i < 100; i++) {
                assertThat(prepared(client, 1)).isEqualTo(ROW);
            }
        }
    }

    /** Reads past the gateway while lookups fail, and counts the answers without a row. */
    private static void readUntilGone(Path error, AtomicInteger absent) {
        try (Connection straight = LiveDoris.asRoot()) {
            run(straight, "USE keyline");
            while (Files.exists(error)) {
                try {
                    if (rows(straight, READ).isEmpty()) {
                        absent.incrementAndGet();
                    }
                } catch (SQLException failed) {
                    // these failures put the backend on the blacklist
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "keyline.doris.restartBackend", matches = ".+")
    void backendThatIsRestarted_leavesClientsAsTheyAre() throws Exception {
        restarted("keyline.doris.restartBackend");
    }

    @Test
    @EnabledIfSystemProperty(named = "keyline.doris.restartFrontend", matches = ".+")
    void frontendThatIsRestarted_isFoundAgain() throws Exception {
        restarted("keyline.doris.restartFrontend");
    }

    private static void restarted(String property) throws Exception {
        doris.table("items", "one");
        List<Connection> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                clients.add(doris.through());
                awaitLine(clients.get(i));
            }
            Process restart = new ProcessBuilder("sh", "-c", System.getProperty(property, ""))
                    .inheritIO()
                    .start();
            int right = 0;
            int failed = 0;
            while (restart.isAlive()) {
                for (int i = 0; i < clients.size(); i++) {
                    try {
                        if (clients.get(i).isClosed()) {
                            clients.set(i, doris.through());
                        }
                        List<String> answer = prepared(clients.get(i), 1);
                        if (answer.isEmpty()) {
                            assertThat(source(clients.get(i))).isEqualTo("store");
                        } else {
                            assertThat(answer).isEqualTo(ROW);
                            right++;
                        }
                    } catch (SQLException e) {
                        failed++;
                    }
                }
                await().pollDelay(Duration.ofMillis(100)).until(() -> true);
            }
            assertThat(restart.waitFor(10, TimeUnit.SECONDS)).isTrue();
            System.getLogger("doris")
                    .log(System.Logger.Level.INFO, property + ": " + right + " right answers, " + failed + " errors");
            // A restarted stand-in for a backend has lost its tablets.
            await().atMost(LONG)
                    .pollInterval(Duration.ofSeconds(2))
                    .ignoreExceptions()
                    .untilAsserted(() -> doris.table("items", "one"));
            try (Connection fresh = newClient(doris)) {
                awaitLine(fresh);
                assertThat(rows(fresh, "SELECT v FROM items WHERE k = 200")).containsExactly("high");
            }
        } finally {
            for (Connection client : clients) {
                client.close();
            }
        }
    }

    /**
     * The gateway loses its frontend and fails over. The next frontend must have the last write
     * that the first one acknowledged.
     */
    @Test
    void frontendThatIsLost_isFollowedByAnother_thatKnowsTheLastWrite() throws Exception {
        String[] first = LiveDoris.ADDRESS.split(":", 2);
        String second = System.getProperty("keyline.doris.second", LiveDoris.ADDRESS);
        try (TcpProxy road = new TcpProxy(new InetSocketAddress(first[0], Integer.parseInt(first[1])));
                LiveDoris two = new LiveDoris("127.0.0.1:" + road.port() + "," + second);
                Connection before = two.through()) {
            awaitLine(before);
            end(road);
            run(two.straight(), "INSERT INTO items VALUES (1, 'later', 1, NULL)");
            // Lines may answer until the gateway has failed over; then the session ends.
            await().atMost(LONG).until(() -> !before.isValid(5));
            try (Connection after = newClient(two)) {
                for (int i = 0; i < 100; i++) {
                    assertThat(prepared(after, 1)).containsExactly("1|later|1.00|null");
                }
                assertThat(source(after)).isEqualTo("line");
                run(two.straight(), "INSERT INTO items VALUES (1, 'last', 1, NULL)");
                await().atMost(LONG)
                        .untilAsserted(() -> assertThat(prepared(after, 1)).containsExactly("1|last|1.00|null"));
            }
        }
    }

    private static void end(TcpProxy road) throws IOException {
        road.close();
    }

    private static Connection newClient(LiveDoris doris) {
        List<Connection> made = new ArrayList<>();
        await().atMost(LONG).ignoreExceptions().until(() -> made.add(doris.through()));
        return made.get(0);
    }
}
