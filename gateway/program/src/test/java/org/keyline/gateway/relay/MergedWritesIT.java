package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.status;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.differential.RawClient;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * Clients that insert rows at the same time, directly and through a gateway that merges their
 * INSERTs. Every reply is the same, packet by packet. So are each session's functions about its
 * last statement, and the rows of the table.
 *
 * <p>{@code -Dkeyline.merged.steps=N} sets the number of statements per client,
 * {@code -Dkeyline.merged.seed=N} the seed.
 */
class MergedWritesIT {
    private static final int CLIENTS = 8;
    private static final int STEPS = Integer.getInteger("keyline.merged.steps", 150);
    private static final long SEED = Long.getLong("keyline.merged.seed", 17);

    /** Keys from here on belong to clients that insert beside the compared ones. */
    private static final long OTHERS = 1_000_000_000L;

    private static final String TABLE =
            "CREATE TABLE merged.t (id BIGINT PRIMARY KEY, n TINYINT NOT NULL, name VARCHAR(5),"
                    + " price DECIMAL(6, 2), day DATE, body TEXT DEFAULT 'none', made DATETIME DEFAULT current_timestamp(),"
                    + " CHECK (n <> 100))";

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
            "100, 'a', 1, '2026-01-02'",
            "128, 'a', 1, '2026-01-02'",
            "1, 'too long', 1, '2026-01-02'",
            "1, 'ab      ', 1, '2026-01-02'",
            "1, 'a', 1.555, '2026-01-02'",
            "1, 'a', 1, '2026-02-30'",
            "NULL, 'a', 1, '2026-01-02'",
            "1, 'a', 1, '2026-01-02 10:11:12'",
            "1, x'41', 1e1, '2026-01-02'",
            "1 + 1, 'a', 1, '2026-01-02'");

    private static final List<String> QUESTIONS = List.of(
            "SELECT ROW_COUNT()",
            "SHOW WARNINGS",
            "SELECT @@warning_count, @@error_count",
            "SELECT LAST_INSERT_ID()",
            "SELECT FOUND_ROWS()",
            "CALL merged.counted()",
            "SELECT ROW_COUNT() FROM merged.one",
            "SELECT 1 UNION SELECT 2",
            "DO 0");

    private static final List<String> SETTINGS = List.of(
            "SET sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES'",
            "SET sql_mode = 'ANSI_QUOTES,STRICT_TRANS_TABLES'",
            "SET sql_mode = ''",
            "SET sql_mode = DEFAULT",
            "SET foreign_key_checks = 0",
            "SET check_constraint_checks = 0",
            "SET sql_notes = 0",
            "SET time_zone = '+03:00'",
            "SET NAMES latin1",
            "SET NAMES utf8mb4",
            "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "SET insert_id = 5");

    private static ExecutorService threads;

    @BeforeAll
    static void start() {
        threads = Executors.newCachedThreadPool();
    }

    @AfterAll
    static void stop() {
        threads.shutdownNow();
    }

    private static ClientOptions options() {
        return ClientOptions.of("127.0.0.1", 1, MariaDb.USER)
                .password(MariaDb.PASSWORD)
                .retrievePublicKey(true)
                .build();
    }

    private static void define(MariaDb store) throws SQLException {
        store.run(
                "DROP DATABASE IF EXISTS merged",
                "CREATE DATABASE merged CHARACTER SET utf8mb4",
                TABLE,
                "CREATE TABLE merged.computed (id BIGINT PRIMARY KEY, n TINYINT NOT NULL, twice INT AS (n * 2))",
                "CREATE TABLE merged.watched (id BIGINT PRIMARY KEY, n TINYINT NOT NULL)",
                "CREATE TABLE merged.seen (id BIGINT PRIMARY KEY, n TINYINT NOT NULL)",
                "CREATE TRIGGER merged.watches BEFORE INSERT ON merged.watched FOR EACH ROW"
                        + " INSERT INTO merged.seen VALUES (NEW.id, NEW.n)",
                "CREATE TABLE merged.one (id INT PRIMARY KEY)",
                "INSERT INTO merged.one VALUES (1)",
                "CREATE PROCEDURE merged.counted() SELECT ROW_COUNT()");
    }

    /** Returns a gateway that knows the table. */
    private static RelayGateway gateway(MariaDb store, String... settings) throws Exception {
        List<String> all = new ArrayList<>(List.of(settings));
        for (String table : List.of("t", "computed", "watched")) {
            all.add("tables.merged." + table + ".mergeWrites=true");
        }
        return RelayGateway.start(store, all.toArray(new String[0]));
    }

    private static long figure(RelayGateway gateway, String name) throws SQLException {
        try (Connection connection = gateway.connect("")) {
            return status(connection, "Keyline_merged_" + name);
        }
    }

    @Test
    void everyReply_isThatOfAnInsertThatGoesAlone() throws Exception {
        define(MariaDb.get("first"));
        define(MariaDb.get("second"));
        try (RelayGateway gateway = gateway(MariaDb.get("second"))) {
            AtomicBoolean ended = new AtomicBoolean();
            List<Future<?>> others = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                long from = OTHERS + i * 10_000_000L;
                others.add(threads.submit(() -> other(gateway, from, ended)));
            }
            List<Future<Integer>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                clients.add(threads.submit(() -> client(gateway, client)));
            }
            int replies = 0;
            for (Future<Integer> client : clients) {
                replies += client.get(240, TimeUnit.SECONDS);
            }
            ended.set(true);
            for (Future<?> other : others) {
                other.get(60, TimeUnit.SECONDS);
            }
            try (Twins twins = twins(gateway)) {
                twins.query("SELECT id, n, name, price, day, body FROM merged.t WHERE id < " + OTHERS + " ORDER BY id");
                for (String table : List.of("computed", "watched", "seen")) {
                    twins.query("SELECT * FROM merged." + table + " ORDER BY id");
                }
            }
            System.out.printf(
                    "%d replies the same; %d rows in %d batches, %d batches failed%n",
                    replies, figure(gateway, "rows"), figure(gateway, "batches"), figure(gateway, "failed_batches"));
            assertThat(figure(gateway, "rows")).isGreaterThan(STEPS);
            assertThat(figure(gateway, "failed_batches")).isPositive();
            assertThat(figure(gateway, "unknown_batches")).isZero();
        }
    }

    private static Twins twins(RelayGateway gateway) throws Exception {
        return new Twins(MariaDb.get("first"), gateway.port(), options()).withAnyIndex();
    }

    /** A client that inserts rows without a pause, so that others can be merged with it. */
    private static boolean other(RelayGateway gateway, long from, AtomicBoolean ended) throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.port());
        try (RawClient client =
                new RawClient(options().toBuilder().address(address).build())) {
            for (long id = from; !ended.get(); id++) {
                client.run("INSERT INTO merged.t (" + (id % 2 == 0 ? "id, n" : "n, id") + ", name, price, day) VALUES ("
                        + (id % 2 == 0 ? id + ", 1" : "1, " + id) + ", 'a', 1.5, '2026-01-02')");
            }
        }
        return true;
    }

    private static int client(RelayGateway gateway, int client) throws Exception {
        Random random = new Random(SEED * 1000 + client);
        int replies = 0;
        long id = client * 1_000_000L;
        for (int session = 0; session < 3; session++) {
            try (Twins twins = twins(gateway)) {
                // A session of MariaDB begins with the FOUND_ROWS() of an ended one.
                twins.query("SELECT 1");
                if (random.nextInt(3) == 0) {
                    twins.query(any(random, SETTINGS));
                }
                Twins.Statement prepared = twins.prepare(
                        "INSERT INTO merged.t (n, id, name, price, day) VALUES (?, ?, ?, ?, '2026-03-04')");
                for (int i = 0; i < STEPS / 3; i++) {
                    step(twins, prepared, random, random.nextInt(12) == 0 ? id : ++id);
                }
                replies += twins.replies();
            }
        }
        return replies;
    }

    private static void step(Twins twins, Twins.Statement prepared, Random random, long id) throws Exception {
        switch (random.nextInt(26)) {
            case 0 -> twins.query(any(random, QUESTIONS));
            case 1 -> {
                twins.query(random.nextBoolean() ? "BEGIN" : "SET autocommit = 0");
                twins.query("INSERT INTO merged.t (id, n) VALUES (" + id + ", 1)");
                twins.query(random.nextBoolean() ? "COMMIT" : "ROLLBACK");
                twins.query("SET autocommit = 1");
            }
            case 2 -> twins.query(any(random, SETTINGS));
            case 3 -> twins.query("INSERT IGNORE INTO merged.t (id, n) VALUES (" + id + ", 1)");
            case 4 ->
                twins.query("INSERT INTO merged.t (id, n) VALUES (" + id + ", 1) ON DUPLICATE KEY UPDATE n = n + 1");
            case 5 -> twins.query("INSERT INTO merged.t SET n = 7, id = " + id + ", body = 'a'");
            case 6, 7, 8, 9, 10, 11 -> {
                StatementArguments values = new StatementArguments();
                if (random.nextInt(20) == 0) {
                    values.addNull();
                } else {
                    values.addInt64(random.nextInt(20) == 0 ? 400 : random.nextInt(256) - 128);
                }
                values.addInt64(id);
                switch (random.nextInt(8)) {
                    case 0 -> values.addNull();
                    case 1 -> values.addText("far too long");
                    default -> values.addText(any(random, List.of("", "it's", "a\\b", "\u00e4\ud83d\ude00", "x\0y")));
                }
                switch (random.nextInt(6)) {
                    case 0 -> values.addFloat64(1.25);
                    case 1 -> values.addText("1.259");
                    default -> values.addText("-3.50");
                }
                twins.execute(prepared, values, "id " + id);
            }
            // A row of these tables depends on more than its values, so each INSERT runs alone.
            case 24 -> twins.query("INSERT INTO merged.computed (id, n) VALUES (" + id + ", 5)");
            case 25 ->
                twins.query("INSERT INTO merged.watched (id, n) VALUES (" + id + ", "
                        + (random.nextInt(4) == 0 ? "400" : "5") + ")");
            default ->
                twins.query("INSERT INTO merged.t (id, n, name, price, day) VALUES (" + id + ", "
                        + (random.nextInt(3) > 0 ? ROWS.get(random.nextInt(7)) : any(random, ROWS)) + ")");
        }
        if (random.nextInt(4) == 0) {
            twins.query(any(random, QUESTIONS));
        }
    }

    private static <T> T any(Random random, List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    // ---------------------------------------------------------------- waits of a batch

    /** Holds a row lock, so that an INSERT of the same key waits. */
    private static final class Holder implements AutoCloseable {
        private final Connection connection;
        private final Statement sql;

        Holder(MariaDb store, long... ids) throws SQLException {
            connection = store.connect("merged");
            sql = connection.createStatement();
            connection.setAutoCommit(false);
            for (long id : ids) {
                sql.execute("INSERT INTO t (id, n) VALUES (" + id + ", 1)");
            }
        }

        /** Waits until an INSERT of the key waits. */
        void awaitWaiting(long id) {
            soon("the INSERT that waits").until(() -> {
                try (Connection own = MariaDb.get("second").connect("");
                        Statement ask = own.createStatement();
                        var rows = ask.executeQuery("SELECT COUNT(*) FROM information_schema.processlist"
                                + " WHERE info LIKE 'INSERT INTO merged.t%(" + id + ",%'")) {
                    rows.next();
                    return rows.getInt(1) > 0;
                }
            });
        }

        @Override
        public void close() throws SQLException {
            connection.rollback();
            connection.close();
        }
    }

    /** A client whose INSERTs may be merged. */
    private static final class Inserter implements AutoCloseable {
        final Connection connection;
        final Statement sql;

        Inserter(RelayGateway gateway, long firstId) throws SQLException {
            this(gateway.jdbc(""));
            insert(firstId);
        }

        /** Creates a client that has inserted nothing yet. */
        Inserter(String url) throws SQLException {
            connection = DriverManager.getConnection(url);
            sql = connection.createStatement();
        }

        int insert(long id) throws SQLException {
            return sql.executeUpdate("INSERT INTO merged.t (id, n) VALUES (" + id + ", 1)");
        }

        CompletableFuture<Integer> begin(long id) {
            return CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return insert(id);
                        } catch (SQLException e) {
                            throw new CompletionException(e);
                        }
                    },
                    threads);
        }

        String ask(String question) throws SQLException {
            return one(connection, question);
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    @Test
    void oneThatWaitsForALock_makesNobodyWaitLong_andQuestionsBehindABatchAreAnsweredOrRefused() throws Exception {
        MariaDb store = MariaDb.get("second");
        define(store);
        try (RelayGateway gateway = gateway(store);
                Inserter waits = new Inserter(gateway, 1);
                Inserter one = new Inserter(gateway, 2);
                Inserter two = new Inserter(gateway, 3)) {
            long id = 10;
            assertThat(two.ask("SELECT 7 UNION SELECT 8")).isEqualTo("7");
            while (figure(gateway, "batches") == 0) {
                assertThat(id).as("rounds without a batch").isLessThan(500);
                id += 10;
                try (Holder holder = new Holder(store, id)) {
                    CompletableFuture<Integer> blocked = waits.begin(id);
                    holder.awaitWaiting(id);
                    CompletableFuture<Integer> first = one.begin(id + 1);
                    CompletableFuture<Integer> second = two.begin(id + 2);
                    assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(1);
                    assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(1);
                    assertThat(blocked).isNotDone();
                    holder.connection.rollback();
                    assertThat(blocked.get(10, TimeUnit.SECONDS)).isEqualTo(1);
                }
            }
            // Its last result had one row, like the statement that sets ROW_COUNT().
            assertThat(refusal(one, "SET @x = ROW_COUNT()")).isZero();
            assertThat(one.ask("SELECT @x")).isEqualTo("1");
            assertThat(refusal(two, "SET @x = ROW_COUNT()")).isEqualTo(1235);
            assertThat(two.ask("SELECT @@error_count")).isEqualTo("1");
            for (Inserter merged : List.of(one, two)) {
                assertThat(refusal(merged, "SELECT @@last_gtid")).isEqualTo(1235);
            }
        }
    }

    private static int refusal(Inserter client, String statement) {
        try {
            client.sql.execute(statement);
            return 0;
        } catch (SQLException e) {
            return e.getErrorCode();
        }
    }

    @Test
    void batchWithARowThatSomebodyHolds_waitsForNothing_andOnlyItsOwnClientWaits() throws Exception {
        MariaDb store = MariaDb.get("second");
        define(store);
        try (RelayGateway gateway = gateway(store);
                Inserter waits = new Inserter(gateway, 1);
                Inserter one = new Inserter(gateway, 2);
                Inserter two = new Inserter(gateway, 3)) {
            long id = 10;
            while (figure(gateway, "failed_batches") == 0) {
                assertThat(id).as("rounds without a batch").isLessThan(500);
                id += 10;
                // A row in between, because the waiting INSERTs would otherwise block each other
                // when the holder leaves.
                assertThat(waits.insert(id + 1)).isEqualTo(1);
                try (Holder holder = new Holder(store, id, id + 2)) {
                    CompletableFuture<Integer> blocked = waits.begin(id);
                    holder.awaitWaiting(id);
                    CompletableFuture<Integer> first = one.begin(id + 2);
                    CompletableFuture<Integer> second = two.begin(id + 3);
                    assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(1);
                    holder.awaitWaiting(id + 2);
                    assertThat(first).isNotDone();
                    holder.connection.rollback();
                    assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(1);
                    assertThat(blocked.get(10, TimeUnit.SECONDS)).isEqualTo(1);
                }
            }
            assertThat(one.ask("SELECT ROW_COUNT()")).isEqualTo("1");
        }
    }

    /**
     * A store reads some rights when a session begins, so two sessions of one account may differ.
     */
    @Test
    void sessionThatMayNotInsert_isRefused_whoeverOfItsAccountMay() throws Exception {
        MariaDb store = MariaDb.get("second");
        define(store);
        try (Connection admin = store.connect("");
                Statement sql = admin.createStatement();
                RelayGateway gateway = gateway(store)) {
            sql.execute("CREATE OR REPLACE USER inserter@'127.0.0.1' IDENTIFIED BY 'secret'");
            sql.execute("GRANT SELECT, INSERT ON *.* TO inserter@'127.0.0.1'");
            String url = gateway.jdbc("").replace("user=" + MariaDb.USER, "user=inserter");
            try (Inserter waits = new Inserter(url);
                    Inserter one = new Inserter(url)) {
                waits.insert(1);
                one.insert(2);
                sql.execute("REVOKE INSERT ON *.* FROM inserter@'127.0.0.1'");
                try (Inserter two = new Inserter(url)) {
                    for (long id = 10; id < 60; id += 10) {
                        try (Holder holder = new Holder(store, id)) {
                            CompletableFuture<Integer> blocked = waits.begin(id);
                            holder.awaitWaiting(id);
                            CompletableFuture<Integer> first = one.begin(id + 1);
                            assertThat(refusal(two, "INSERT INTO merged.t (id, n) VALUES (" + (id + 2) + ", 1)"))
                                    .isEqualTo(1142);
                            assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(1);
                            holder.connection.rollback();
                            assertThat(blocked.get(10, TimeUnit.SECONDS)).isEqualTo(1);
                        }
                    }
                }
            }
        }
    }
}
