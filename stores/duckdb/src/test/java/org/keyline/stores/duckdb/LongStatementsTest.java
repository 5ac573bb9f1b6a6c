package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.keyline.stores.duckdb.engine.EngineOptions;

/** No statement waits for the threads of long statements, and all of them can be ended. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class LongStatementsTest {
    private static final EngineOptions DEFAULTS = EngineOptions.of(null);
    private static final EngineOptions EIGHT_WORKERS = new EngineOptions(
            null,
            8,
            DEFAULTS.writesPerCommit(),
            DEFAULTS.memoryBytes(),
            DEFAULTS.preparedStatements(),
            DEFAULTS.maxExecutionTime());

    private static final int LONG_STATEMENTS = 12;
    private static final String ENDLESS =
            "SELECT COUNT(*) FROM t a, t b, t c, t d WHERE CONCAT(a.id, b.id, c.id, d.id) = 'x'";

    private static StoreServer filled(EngineOptions options) throws SQLException {
        StoreServer server = StoreServer.start(options);
        try (Connection connection = server.connect(null)) {
            run(connection, "CREATE DATABASE d");
            run(connection, "CREATE TABLE d.t (id BIGINT NOT NULL PRIMARY KEY, v VARCHAR(10))");
            for (int from = 0; from < 4096; from += 128) {
                run(
                        connection,
                        IntStream.range(from, from + 128)
                                .mapToObj(id -> "(" + id + ", 'v')")
                                .collect(Collectors.joining(", ", "INSERT INTO d.t VALUES ", "")));
            }
        }
        return server;
    }

    /** Starts more endless statements than there are workers; returns the error of each. */
    private static List<Future<Integer>> endless(StoreServer server, ExecutorService clients) {
        List<Future<Integer>> endless = new ArrayList<>();
        for (int i = 0; i < LONG_STATEMENTS; i++) {
            endless.add(clients.submit(() -> {
                try (Connection connection = server.connect("d")) {
                    return error(connection, ENDLESS);
                }
            }));
        }
        return endless;
    }

    /** Returns the lines of the process list when all of them have begun. */
    private static List<String> awaitBusy(Connection control) throws SQLException {
        List<String> busy = List.of();
        while (busy.size() < LONG_STATEMENTS) {
            busy = rows(control, "SHOW PROCESSLIST").stream()
                    .filter(process -> process.contains("|SELECT COUNT"))
                    .toList();
        }
        return busy;
    }

    private static void kill(Connection control, List<String> busy) throws SQLException {
        for (String process : busy) {
            run(control, "KILL QUERY " + process.substring(0, process.indexOf('|')));
        }
    }

    @Test
    void longStatements_onAllTheirThreads_holdUpNeitherControlNorShortOnes() throws Exception {
        ExecutorService clients = Executors.newCachedThreadPool();
        try (StoreServer server = filled(EIGHT_WORKERS)) {
            List<Future<Integer>> endless = endless(server, clients);
            try (Connection control = server.connect("d")) {
                List<String> busy = awaitBusy(control);
                assertThat(rows(control, "SHOW STATUS LIKE 'Uptime'")).hasSize(1);
                assertThat(rows(control, "SELECT v FROM t WHERE id = 7")).containsExactly("v");
                run(control, "INSERT INTO t VALUES (5000, 'new')");
                run(control, "UPDATE t SET v = 'newer' WHERE id = 5000");
                run(control, "BEGIN");
                run(control, "DELETE FROM d.t WHERE id = 4000");
                run(control, "COMMIT");
                try (Connection prepared = server.connect("d", "&useServerPrepStmts=true");
                        PreparedStatement read =
                                prepared.prepareStatement("SELECT v FROM t AS a WHERE a.id IN (?, ?)")) {
                    read.setLong(1, 5000);
                    read.setLong(2, 4000);
                    try (ResultSet found = read.executeQuery()) {
                        assertThat(found.next()).isTrue();
                        assertThat(found.getString(1)).isEqualTo("newer");
                        assertThat(found.next()).isFalse();
                    }
                }
                kill(control, busy);
            }
            for (Future<Integer> query : endless) {
                assertThat(query.get(1, TimeUnit.MINUTES)).isEqualTo(1317);
            }
        } finally {
            clients.shutdownNow();
        }
    }

    @Test
    void kill_endsAStatement_thatDuckDbHasNotBegunWith() throws Exception {
        ExecutorService client = Executors.newSingleThreadExecutor();
        try (StoreServer server = filled(EngineOptions.of(null));
                Connection control = server.connect("d");
                Connection killed = server.connect("d")) {
            String id = rows(killed, "SELECT CONNECTION_ID()").get(0);
            for (int i = 0; i < 50; i++) {
                // The translation of a new text takes a while.
                String statement = ENDLESS + " OR a.id = -" + i;
                Future<Integer> error = client.submit(() -> error(killed, statement));
                while (rows(control, "SHOW PROCESSLIST").stream()
                        .noneMatch(process -> process.startsWith(id + "|") && process.contains("|SELECT COUNT"))) {
                    assertThat(error.isDone()).isFalse();
                }
                run(control, "KILL QUERY " + id);
                assertThat(error.get(1, TimeUnit.MINUTES)).isEqualTo(1317);
            }
            assertThat(rows(killed, "SELECT 1")).containsExactly("1");
        } finally {
            client.shutdownNow();
        }
    }

    @Test
    void kill_endsAWrite_thatWaitsForALargeOne() throws Exception {
        ExecutorService clients = Executors.newCachedThreadPool();
        try (StoreServer server = filled(EngineOptions.of(null));
                Connection control = server.connect("d");
                Connection large = server.connect("d");
                Connection waiting = server.connect("d")) {
            String largeId = rows(large, "SELECT CONNECTION_ID()").get(0);
            String id = rows(waiting, "SELECT CONNECTION_ID()").get(0);
            String endless = "UPDATE t SET v = 'x' WHERE id < (" + ENDLESS + ")";
            Future<Integer> write = clients.submit(() -> error(large, endless));
            for (String statement : List.of(
                    "UPDATE t SET v = 'y' WHERE v = 'none'",
                    "INSERT IGNORE INTO t SELECT id, v FROM t WHERE v = 'none'",
                    "CREATE TABLE IF NOT EXISTS e (a INT)")) {
                int error = 0;
                // Until the large write has begun, the statement does not wait.
                while (error == 0) {
                    Future<Integer> waits = clients.submit(() -> error(waiting, statement));
                    int shown = 0;
                    while (!waits.isDone() && shown < 20) {
                        shown += rows(control, "SHOW PROCESSLIST").stream()
                                        .anyMatch(
                                                process -> process.startsWith(id + "|") && process.endsWith(statement))
                                ? 1
                                : 0;
                    }
                    run(control, "KILL QUERY " + id);
                    error = waits.get(10, TimeUnit.SECONDS);
                }
                assertThat(error).as(statement).isEqualTo(1317);
                assertThat(write.isDone()).isFalse();
            }
            run(control, "KILL QUERY " + largeId);
            assertThat(write.get(1, TimeUnit.MINUTES)).isEqualTo(1317);
            assertThat(rows(waiting, "SELECT COUNT(*) FROM t WHERE v = 'v'")).containsExactly("4096");
        } finally {
            clients.shutdownNow();
        }
    }

    /** Returns the error code of a statement; 0 if it succeeds. */
    private static int error(Connection connection, String statement) {
        try {
            run(connection, statement);
            return 0;
        } catch (SQLException e) {
            return e.getErrorCode();
        }
    }

    @Test
    void statements_longerThanTheStoresLimit_areInterrupted() throws Exception {
        AtomicReference<Duration> limit = new AtomicReference<>(Duration.ofMinutes(1));
        EngineOptions options =
                EngineOptions.of(null, DEFAULTS.memoryBytes(), DEFAULTS.preparedStatements(), limit::get);
        try (StoreServer server = filled(options);
                Connection connection = server.connect("d");
                Connection cursors = server.connect("d", "&useCursorFetch=true&defaultFetchSize=10")) {
            limit.set(Duration.ofSeconds(1));
            String update = "UPDATE t SET v = 'x' WHERE id < (" + ENDLESS + ")";
            for (String statement : List.of(ENDLESS, update, "SET @a = (" + ENDLESS + ")", "DO (" + ENDLESS + ")")) {
                assertThatThrownBy(() -> run(connection, statement))
                        .as(statement)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getErrorCode()).isEqualTo(3024));
            }
            try (PreparedStatement open = cursors.prepareStatement(ENDLESS)) {
                assertThatThrownBy(open::executeQuery)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getErrorCode()).isEqualTo(3024));
            }
            limit.set(Duration.ofMinutes(1));
            assertThat(rows(connection, "SELECT v FROM t WHERE id = 0")).containsExactly("v");
            run(connection, "UPDATE t SET v = 'y' WHERE id >= 0");
            assertThat(rows(cursors, "SELECT v FROM t WHERE id = 0")).containsExactly("y");
        }
    }
}
