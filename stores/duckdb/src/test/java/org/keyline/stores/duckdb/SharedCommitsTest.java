package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.keyline.stores.duckdb.engine.EngineOptions;

/**
 * INSERTs that share a commit. Each client gets the reply of a store that commits each
 * statement separately, one client after the other, and the tables have the same rows.
 *
 * <p>{@code -Dkeyline.commits.steps=N} sets the number of statements per client (nightly: 200),
 * {@code -Dkeyline.commits.seed=N} the seed.
 */
@Tag("explores")
final class SharedCommitsTest {
    private static final int CLIENTS = 10;
    private static final int STEPS = Integer.getInteger("keyline.commits.steps", 20);
    private static final long SEED = Long.getLong("keyline.commits.seed", 17);

    /**
     * Values for the columns n, name, price and day. Most are valid, some are refused, some produce
     * a note.
     */
    private static final List<String> ROWS = List.of(
            "1, 'a', 1.5, '2026-01-02'",
            "127, '', 0, '2026-01-02'",
            "-128, 'it''s', -1.25, '1999-12-31'",
            "- 5, 'a\\\\b', 9999.99, '2026-01-02'",
            "0, '\u00e4\u20ac', 7, NULL",
            "'12', '\ud83d\ude00', '1.5', '2026-01-02'",
            "3, 'a''\\n', 1.50, '20260102'",
            "NULL, 'a', 1, '2026-01-02'",
            "128, 'a', 1, '2026-01-02'",
            "1, 'too long', 1, '2026-01-02'",
            "1, 'ab      ', 1, '2026-01-02'",
            "1, 'a', 1.555, '2026-01-02'",
            "1, 'a', 1, '2026-02-30'",
            "1, 'a', 1, '2026-01-02 10:11:12'",
            "'x', 'a', 1, '2026-01-02'",
            "1 + 1, 'a', 1, '2026-01-02'");

    private static final List<String> QUESTIONS =
            List.of("SELECT ROW_COUNT()", "SHOW WARNINGS", "SELECT FOUND_ROWS()", "SELECT LAST_INSERT_ID() > 0");

    private static ExecutorService threads;

    @BeforeAll
    static void start() {
        threads = Executors.newCachedThreadPool();
    }

    @AfterAll
    static void stop() {
        threads.shutdownNow();
    }

    /** Returns a store that commits each write separately. */
    private static StoreServer apart() {
        EngineOptions all = EngineOptions.of(null);
        return StoreServer.start(new EngineOptions(
                null, all.workers(), 1, all.memoryBytes(), all.preparedStatements(), all.maxExecutionTime()));
    }

    private static void define(StoreServer server) throws SQLException {
        try (Connection connection = server.connect(null)) {
            run(connection, "CREATE DATABASE d");
            run(
                    connection,
                    "CREATE TABLE d.t (id BIGINT PRIMARY KEY, n TINYINT NOT NULL, name VARCHAR(5), price DECIMAL(6, 2),"
                            + " day DATE, body TEXT DEFAULT 'none', made DATETIME DEFAULT CURRENT_TIMESTAMP)");
            run(connection, "CREATE TABLE d.a (id BIGINT AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL)");
        }
    }

    @Test
    void everyReply_isThatOfAnInsertThatGoesAlone() throws Exception {
        try (StoreServer joining = StoreServer.inMemory();
                StoreServer apart = apart()) {
            define(joining);
            define(apart);
            CyclicBarrier together = new CyclicBarrier(CLIENTS);
            List<CompletableFuture<List<String>>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                clients.add(CompletableFuture.supplyAsync(() -> client(joining, client, together), threads));
            }
            CyclicBarrier alone = new CyclicBarrier(1);
            int replies = 0;
            for (int i = 0; i < CLIENTS; i++) {
                List<String> told = clients.get(i).get();
                assertThat(told).as("client %d", i).isEqualTo(client(apart, i, alone));
                replies += told.size();
            }
            String all = "SELECT id, n, name, price, day, body FROM d.t ORDER BY id";
            String generated = "SELECT n FROM d.a ORDER BY n";
            try (Connection one = joining.connect(null);
                    Connection two = apart.connect(null)) {
                assertThat(rows(one, all)).isEqualTo(rows(two, all)).isNotEmpty();
                assertThat(rows(one, generated)).isEqualTo(rows(two, generated)).isNotEmpty();
            }
            System.out.printf(
                    "%d replies the same, in %d commits%n",
                    replies, joining.store().commits());
            assertThat(joining.store().commits()).isLessThan(joining.store().writes());
        }
    }

    private static List<String> client(StoreServer server, int client, CyclicBarrier together) {
        Random random = new Random(SEED * 1000 + client);
        List<String> told = new ArrayList<>();
        long id = client * 1_000_000L;
        try (Connection connection = server.connect("d", "&useServerPrepStmts=true");
                Statement sql = connection.createStatement();
                PreparedStatement prepared = connection.prepareStatement(
                        "INSERT INTO t (n, id, name, price, day) VALUES (?, ?, ?, ?, '2026-03-04')")) {
            together.await();
            for (int i = 0; i < STEPS; i++) {
                step(sql, prepared, random, random.nextInt(8) == 0 ? id : ++id, told);
                if (random.nextInt(4) == 0) {
                    told(sql, QUESTIONS.get(random.nextInt(QUESTIONS.size())), told);
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException("client " + client, e);
        }
        return told;
    }

    private static void step(Statement sql, PreparedStatement prepared, Random random, long id, List<String> told)
            throws SQLException {
        switch (random.nextInt(20)) {
            case 0 -> {
                told(sql, "BEGIN", told);
                told(sql, "INSERT INTO t (id, n) VALUES (" + id + ", 1)", told);
                told(sql, random.nextBoolean() ? "COMMIT" : "ROLLBACK", told);
            }
            case 1 -> told(sql, "INSERT IGNORE INTO t (id, n) VALUES (" + id + ", 1)", told);
            case 2 -> told(sql, "INSERT INTO t (id, n) VALUES (" + id + ", 1) ON DUPLICATE KEY UPDATE n = n + 1", told);
            case 3 -> told(sql, "INSERT INTO t SET n = 7, id = " + id + ", body = 'a'", told);
            case 4 -> told(sql, "DELETE FROM t WHERE id = " + id, told);
            case 5 -> told(sql, "SET sql_mode = " + (random.nextBoolean() ? "''" : "DEFAULT"), told);
            case 6, 7 -> generated(sql, id, told);
            case 8, 9, 10, 11, 12 -> {
                if (random.nextInt(20) == 0) {
                    prepared.setNull(1, Types.INTEGER);
                } else {
                    prepared.setInt(1, random.nextInt(20) == 0 ? 400 : random.nextInt(256) - 128);
                }
                prepared.setLong(2, id);
                prepared.setString(3, random.nextInt(8) == 0 ? "far too long" : random.nextInt(8) == 0 ? null : "it's");
                switch (random.nextInt(3)) {
                    case 0 -> prepared.setDouble(4, 1.25);
                    case 1 -> prepared.setString(4, "1.259");
                    default -> prepared.setBigDecimal(4, new BigDecimal("-3.50"));
                }
                told("EXECUTE " + id, prepared::executeUpdate, prepared, told);
            }
            default -> {
                String row =
                        random.nextInt(3) > 0 ? ROWS.get(random.nextInt(7)) : ROWS.get(random.nextInt(ROWS.size()));
                told(sql, "INSERT INTO t (id, n, name, price, day) VALUES (" + id + ", " + row + ")", told);
            }
        }
    }

    /** A client gets the id of its own row. */
    private static void generated(Statement sql, long n, List<String> told) throws SQLException {
        told.add(
                "a row: " + sql.executeUpdate("INSERT INTO a (n) VALUES (" + n + ")", Statement.RETURN_GENERATED_KEYS));
        long id;
        try (var keys = sql.getGeneratedKeys()) {
            assertThat(keys.next()).isTrue();
            id = keys.getLong(1);
        }
        assertThat(rows(sql.getConnection(), "SELECT LAST_INSERT_ID()")).containsExactly(Long.toString(id));
        assertThat(rows(sql.getConnection(), "SELECT n FROM a WHERE id = " + id))
                .containsExactly(Long.toString(n));
    }

    private interface Execution {
        int run() throws SQLException;
    }

    private static void told(Statement sql, String text, List<String> told) throws SQLException {
        if (text.startsWith("S") && !text.startsWith("SET")) {
            told.add(text + ": " + rows(sql.getConnection(), text));
        } else {
            told(text, () -> sql.executeUpdate(text), sql, told);
        }
    }

    private static void told(String what, Execution execution, Statement of, List<String> told) throws SQLException {
        try {
            told.add(what + ": " + execution.run() + " " + of.getWarnings());
        } catch (SQLException e) {
            told.add(what + ": " + e.getErrorCode() + " " + e.getSQLState() + " " + e.getMessage());
        }
    }

    /**
     * All clients insert rows with the same keys: for each key, one client is acknowledged, and its
     * row exists.
     */
    @Test
    void rowsOfTheSameKeys_areThoseOfWhoWasToldSo() throws Exception {
        int keys = 4 * STEPS;
        try (StoreServer server = StoreServer.inMemory();
                Connection reader = server.connect(null)) {
            define(server);
            Map<Integer, Integer> winners = new ConcurrentHashMap<>();
            AtomicInteger refused = new AtomicInteger();
            CyclicBarrier together = new CyclicBarrier(CLIENTS);
            List<CompletableFuture<Void>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                clients.add(CompletableFuture.runAsync(
                        () -> {
                            try (Connection connection = server.connect("d");
                                    Statement sql = connection.createStatement()) {
                                together.await();
                                for (int key = 0; key < keys; key++) {
                                    try {
                                        sql.executeUpdate("INSERT INTO t (id, n) VALUES (" + key + ", " + client + ")");
                                        assertThat(winners.put(key, client))
                                                .as("key %d", key)
                                                .isNull();
                                    } catch (SQLException e) {
                                        assertThat(e.getErrorCode()).isEqualTo(1062);
                                        refused.incrementAndGet();
                                    }
                                }
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        threads));
            }
            CompletableFuture.allOf(clients.toArray(new CompletableFuture<?>[0]))
                    .get();
            assertThat(refused).hasValue(keys * (CLIENTS - 1));
            List<String> expected = new ArrayList<>();
            for (int key = 0; key < keys; key++) {
                expected.add(key + "|" + winners.get(key));
            }
            assertThat(rows(reader, "SELECT id, n FROM d.t ORDER BY id")).isEqualTo(expected);
        }
    }

    /**
     * Clients whose connections end during their INSERTs: the rows of the others exist, and so do
     * the acknowledged rows of these clients.
     */
    @Test
    void clientsThatLeave_takeNothingOfOthersWithThem() throws Exception {
        int rows = 4 * STEPS;
        try (StoreServer server = StoreServer.inMemory();
                Connection reader = server.connect(null)) {
            define(server);
            Set<Long> sent = new ConcurrentSkipListSet<>();
            Set<Long> acknowledged = new ConcurrentSkipListSet<>();
            CyclicBarrier together = new CyclicBarrier(CLIENTS);
            List<CompletableFuture<Void>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                long from = i * 1_000_000L;
                boolean leaves = i % 2 == 0;
                clients.add(CompletableFuture.runAsync(
                        () -> {
                            try {
                                together.await();
                                if (leaves) {
                                    leaving(server, from, rows / 5, sent, acknowledged);
                                } else {
                                    staying(server, from, rows, sent, acknowledged);
                                }
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        threads));
            }
            CompletableFuture.allOf(clients.toArray(new CompletableFuture<?>[0]))
                    .get();
            List<Long> stored = rows(reader, "SELECT id FROM d.t").stream()
                    .map(Long::valueOf)
                    .toList();
            assertThat(stored).containsAll(acknowledged).isSubsetOf(sent).hasSizeGreaterThanOrEqualTo(rows * 5);
        }
    }

    private static void staying(StoreServer server, long from, int rows, Set<Long> sent, Set<Long> acknowledged)
            throws SQLException {
        try (Connection connection = server.connect("d");
                Statement sql = connection.createStatement()) {
            for (long id = from; id < from + rows; id++) {
                sent.add(id);
                assertThat(sql.executeUpdate("INSERT INTO t (id, n) VALUES (" + id + ", 1)"))
                        .isEqualTo(1);
                acknowledged.add(id);
            }
        }
    }

    private static void leaving(StoreServer server, long from, int rows, Set<Long> sent, Set<Long> acknowledged)
            throws Exception {
        for (long id = from; id < from + rows; id++) {
            long key = id;
            Connection connection = server.connect("d");
            sent.add(key);
            CompletableFuture<Void> inserts = CompletableFuture.runAsync(
                    () -> {
                        try (Statement sql = connection.createStatement()) {
                            sql.executeUpdate("INSERT INTO t (id, n) VALUES (" + key + ", 1)");
                            acknowledged.add(key);
                        } catch (SQLException gone) {
                            assertThat(gone.getErrorCode()).as(gone.toString()).isNotEqualTo(1062);
                        }
                    },
                    threads);
            connection.abort(Runnable::run);
            inserts.get();
        }
    }
}
