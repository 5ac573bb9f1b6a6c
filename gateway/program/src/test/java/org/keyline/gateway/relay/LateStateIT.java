package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.source;
import static org.keyline.gateway.fixtures.Lines.warm;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * The number of statements that a MariaDB counts for requests on warm lines. Each request is framed
 * like those of a client with default settings, and runs directly and through the gateway.
 *
 * <p>{@code -Dkeyline.late.requests=N} sets the number of counted requests.
 */
class LateStateIT {
    private static final int REQUESTS = Integer.getInteger("keyline.late.requests", 200);
    /** Requests before the count begins; at REPEATABLE READ, lines answer from the 65th on. */
    private static final int WARM = 200;

    /** The number of transactions after which lines certainly answer one. */
    private static final int MOST = 1_000;

    private static final int KEYS = 10;
    /**
     * The number of statements that the gateway may send by itself meanwhile, such as a ping after
     * a second.
     */
    private static final int BESIDE = 20;

    private static final int EACH_SECOND = 10;
    private static final int DEFINED = 30;
    private static final int LIMIT_SECONDS = 5;

    private static final String READ = "SELECT v FROM t WHERE id = ";
    private static final int TYPES = 3;
    private static final String OWNER = "SELECT id, name FROM owners WHERE id = ?";
    private static final String PETS =
            "SELECT p.id, p.name, t.name FROM pets p JOIN types t ON t.id = p.type_id WHERE p.owner_id = ?";
    private static final String TYPE = "SELECT id, name FROM types WHERE id = ?";

    private static MariaDb store;
    private static RelayGateway gateway;

    /** The statements of a client for a request that reads one row. */
    private interface Request {
        void run(Connection session, int key) throws SQLException;
    }

    @BeforeAll
    static void start() throws Exception {
        assumeFalse(MariaDb.isForeign(), "one server, which counts for nobody else");
        store = MariaDb.get("second");
        try (Connection straight = store.connect("")) {
            run(
                    straight,
                    "DROP DATABASE IF EXISTS late",
                    "CREATE DATABASE late CHARACTER SET utf8mb4",
                    "CREATE TABLE late.t (id INT PRIMARY KEY, v INT)",
                    "CREATE TABLE late.owners (id INT PRIMARY KEY, name VARCHAR(20))",
                    "CREATE TABLE late.pets (id INT PRIMARY KEY, owner_id INT, type_id INT, name VARCHAR(20), KEY (owner_id))",
                    "CREATE TABLE late.types (id INT PRIMARY KEY, name VARCHAR(20))",
                    "INSERT INTO late.types VALUES (1, 'cat'), (2, 'dog'), (3, 'newt')");
            for (int key = 1; key <= KEYS; key++) {
                run(
                        straight,
                        "INSERT INTO late.t VALUES (" + key + ", " + key + ")",
                        "INSERT INTO late.owners VALUES (" + key + ", 'owner')",
                        "INSERT INTO late.pets VALUES (" + key + ", " + key + ", 1 + " + key + " % 3, 'pet')");
            }
        }
        gateway = RelayGateway.start(store);
        try (Connection session = through("")) {
            for (int key = 1; key <= KEYS; key++) {
                warm(session, READ + key);
            }
        }
    }

    @AfterAll
    static void stop() {
        if (gateway != null) {
            gateway.close();
        }
    }

    private static Connection through(String parameters) throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("late") + parameters);
    }

    private static Map<String, Request> requests() {
        Map<String, Request> requests = new TreeMap<>();
        requests.put(
                "the same between SET SESSION TRANSACTION READ ONLY and READ WRITE (Spring Data JPA findById)",
                (session, key) -> readOnly(session, LateStateIT::prepared, key));
        requests.put(
                "SET autocommit=0; read; COMMIT; SET autocommit=1 (Spring @Transactional, Django ATOMIC_REQUESTS)",
                (session, key) -> {
                    session.setAutoCommit(false);
                    prepared(session, key);
                    session.commit();
                    session.setAutoCommit(true);
                });
        requests.put("START TRANSACTION; read; COMMIT (Go, Sequelize)", (session, key) -> {
            run(session, "START TRANSACTION");
            prepared(session, key);
            run(session, "COMMIT");
        });
        requests.put("BEGIN; read; ROLLBACK (Rails)", (session, key) -> {
            run(session, "BEGIN");
            one(session, READ + key);
            run(session, "ROLLBACK");
        });
        requests.put("ping; read (pools that test connections)", (session, key) -> {
            assertThat(session.isValid(10)).isTrue();
            prepared(session, key);
        });
        return requests;
    }

    private static void prepared(Connection session, int key) throws SQLException {
        try (PreparedStatement read = session.prepareStatement(READ + "?")) {
            read.setInt(1, key);
            check(read.executeQuery(), key);
        }
    }

    /** Runs reads in a read-only transaction as Spring does with a connection of a pool. */
    private static void readOnly(Connection session, Request reads, int key) throws SQLException {
        session.setReadOnly(true);
        session.setAutoCommit(false);
        reads.run(session, key);
        session.commit();
        session.setAutoCommit(true);
        session.setReadOnly(false);
    }

    /** Reads a row, a join of two tables, and three rows of a third one. */
    private static void page(Connection session, int key) throws SQLException {
        row(session, OWNER, key);
        row(session, PETS, key);
        for (int type = 1; type <= TYPES; type++) {
            row(session, TYPE, type);
        }
    }

    private static void row(Connection session, String select, int key) throws SQLException {
        try (PreparedStatement read = session.prepareStatement(select)) {
            read.setInt(1, key);
            check(read.executeQuery(), key);
        }
    }

    /** Returns the server's count of statements since its start, including this one. */
    private static long questions() throws SQLException {
        try (Connection straight = store.connect("")) {
            return Long.parseLong(one(straight, "SHOW GLOBAL STATUS LIKE 'Questions'", 2));
        }
    }

    private static long counted(String url, Request request) throws SQLException {
        return counted(url, Connection.TRANSACTION_REPEATABLE_READ, request);
    }

    private static long counted(String url, int isolation, Request request) throws SQLException {
        try (Connection session = DriverManager.getConnection(url)) {
            session.setTransactionIsolation(isolation);
            for (int i = 0; i < WARM; i++) {
                request.run(session, 1 + i % KEYS);
            }
            // A login costs the same for both.
            long before = questions();
            for (int i = 0; i < REQUESTS; i++) {
                request.run(session, 1 + i % KEYS);
            }
            return questions() - before;
        }
    }

    @Test
    void requestsOnWarmLines_costTheStoreNextToNothing() throws SQLException {
        for (Map.Entry<String, Request> request : requests().entrySet()) {
            requestsCostNextToNothing(request.getKey(), request.getValue(), store.jdbc("late"), gateway.jdbc("late"));
        }
    }

    private static void requestsCostNextToNothing(String what, Request request, String store, String gateway)
            throws SQLException {
        long straight = counted(store, request);
        long began = System.nanoTime();
        long through = counted(gateway, request);
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
        System.out.printf("| %s | %,d | %,d | %.2f |%n", what, straight, through, 1.0 * through / straight);
        assertThat(through).as(what).isLessThan(straight * 6 / 100 + BESIDE + EACH_SECOND * seconds);
    }

    /**
     * Read-only transactions of Spring: each {@code pages}-th is a page, all others only read its
     * first row.
     */
    @ParameterizedTest
    @CsvSource({
        "REPEATABLE READ, 1, 80",
        "READ COMMITTED, 1, 40",
        "REPEATABLE READ, 2, 80",
        "READ COMMITTED, 2, 40",
        "REPEATABLE READ, 10, 80",
        "REPEATABLE READ, 100, 80"
    })
    void pagesOfReadOnlyTransactions_costTheStoreLess(String level, int pages, int percent) throws SQLException {
        int isolation = level.equals("READ COMMITTED")
                ? Connection.TRANSACTION_READ_COMMITTED
                : Connection.TRANSACTION_REPEATABLE_READ;
        AtomicInteger count = new AtomicInteger();
        Request request = (session, key) -> readOnly(
                session,
                count.getAndIncrement() % pages == 0 ? LateStateIT::page : (at, of) -> row(at, OWNER, of),
                key);
        long straight = counted(store.jdbc("late"), isolation, request);
        long began = System.nanoTime();
        long through = counted(gateway.jdbc("late"), isolation, request);
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
        System.out.printf(
                "| %s: one page in %d, else its first row | %,d | %,d | %.2f |%n",
                level, pages, straight, through, 1.0 * through / straight);
        assertThat(through).isLessThan(straight * percent / 100 + BESIDE + EACH_SECOND * seconds);
    }

    /**
     * A pooled connection gives some of its statements a time limit, as its driver does; lines
     * answer these and all others.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mysql:",
                "jdbc:mysql: &useServerPrepStmts=true",
                "jdbc:mariadb: &sslMode=disable",
                "jdbc:mariadb: &sslMode=disable&useServerPrepStmts=true"
            })
    void statementsWithATimeLimit_costTheStoreNextToNothing(String driver) throws SQLException {
        String[] parts = driver.split(" ", -1);
        Request limited = (session, key) -> {
            try (Statement read = session.createStatement()) {
                read.setQueryTimeout(LIMIT_SECONDS);
                check(read.executeQuery(READ + key), key);
            }
            try (PreparedStatement read = session.prepareStatement(READ + "?")) {
                read.setQueryTimeout(LIMIT_SECONDS);
                read.setInt(1, key);
                check(read.executeQuery(), key);
            }
            prepared(session, key);
        };
        String parameters = parts.length == 1 ? "" : parts[1];
        String store = LateStateIT.store.jdbc("late").replace("jdbc:mysql:", parts[0]) + parameters;
        String through = gateway.jdbc("late").replace("jdbc:mysql:", parts[0]) + parameters;
        requestsCostNextToNothing("setQueryTimeout(5) by " + driver, limited, store, through);
    }

    private static void check(ResultSet read, int key) throws SQLException {
        try (ResultSet rows = read) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getInt(1)).isEqualTo(key);
        }
    }

    /**
     * The first transaction of a connection is framed by the gateway, if other connections of the
     * account have shown the replies.
     */
    @Test
    void transactionOfAShortConnection_isFramedHere() throws SQLException {
        Request framed = (session, key) -> {
            session.setAutoCommit(false);
            one(session, READ + key);
            session.commit();
            session.setAutoCommit(true);
        };
        for (String url : new String[] {store.jdbc("late"), gateway.jdbc("late")}) {
            for (int i = 0; i < WARM; i++) {
                connected(url, framed, 1 + i % KEYS);
            }
        }
        long straight = countedByConnections(store.jdbc("late"), framed);
        long began = System.nanoTime();
        long through = countedByConnections(gateway.jdbc("late"), framed);
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
        System.out.printf("| connect, transaction with one read, quit | %,d | %,d |%n", straight, through);
        // Of the read, COMMIT and SET autocommit=1, one statement remains: the query of the
        // session's variables.
        assertThat(through).isLessThan(straight - 3L * REQUESTS / 2 + BESIDE + EACH_SECOND * seconds);
    }

    private static void connected(String url, Request request, int key) throws SQLException {
        try (Connection session = DriverManager.getConnection(url)) {
            request.run(session, key);
        }
    }

    private static long countedByConnections(String url, Request request) throws SQLException {
        long before = questions();
        for (int i = 0; i < REQUESTS; i++) {
            connected(url, request, 1 + i % KEYS);
        }
        return questions() - before;
    }

    /**
     * The cost of definitions besides themselves: the catalog is not read until a statement needs a
     * changed table.
     */
    @Test
    void definitions_costTheStoreNoReadingEach() throws SQLException {
        long straight = defined(store.jdbc("late"));
        long began = System.nanoTime();
        long through = defined(gateway.jdbc("late"));
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
        System.out.printf("| %d CREATE TABLE, as many ALTER TABLE | %,d | %,d |%n", DEFINED, straight, through);
        // The periodic read, every ten seconds.
        assertThat(through).isLessThan(straight * 13 / 10 + 2 * EACH_SECOND * (1 + seconds / EACH_SECOND));
    }

    private static long defined(String url) throws SQLException {
        try (Connection session = DriverManager.getConnection(url)) {
            long before = questions();
            for (int i = 0; i < DEFINED; i++) {
                run(session, "CREATE TABLE made" + i + " (id INT PRIMARY KEY)");
                run(session, "ALTER TABLE made" + i + " ADD COLUMN v INT");
            }
            long counted = questions() - before;
            for (int i = 0; i < DEFINED; i++) {
                run(session, "DROP TABLE made" + i);
            }
            return counted;
        }
    }

    /**
     * A table that a series of definitions has changed is read soon after a statement needs it, and
     * then lines answer again.
     */
    @Test
    void tableThatWasDefinedAnew_isReadWhenAStatementNeedsIt() throws SQLException {
        try (Connection session = through("")) {
            for (int i = 0; i < 8; i++) {
                run(
                        session,
                        "DROP TABLE IF EXISTS again",
                        "CREATE TABLE again (id INT PRIMARY KEY, c" + i + " INT)",
                        "INSERT INTO again VALUES (1, " + i + ")");
                assertThat(one(session, "SELECT c" + i + " FROM again WHERE id = 1"))
                        .isEqualTo("" + i);
            }
            warm(session, "SELECT c7 FROM again WHERE id = 1");
            run(session, "UPDATE again SET c7 = 70 WHERE id = 1");
            assertThat(one(session, "SELECT c7 FROM again WHERE id = 1")).isEqualTo("70");
            run(session, "DROP TABLE again");
        }
    }

    @Test
    void autocommitAnsweredHere_isAppliedAheadOfWhatReachesTheStore() throws SQLException {
        try (Connection session = through("");
                Connection straight = store.connect("late")) {
            boolean line = false;
            for (int i = 0; i < MOST && !line; i++) {
                session.setAutoCommit(true);
                session.setAutoCommit(false);
                one(session, READ + 1);
                line = source(session).equals("line");
                if (!line) {
                    session.commit();
                }
            }
            assertThat(line).isTrue();
            run(session, "UPDATE t SET v = 100 WHERE id = 2");
            assertThat(one(straight, READ + 2)).isEqualTo("2");
            session.rollback();
            assertThat(one(session, "SELECT @@autocommit")).isEqualTo("0");
            session.setAutoCommit(true);
            assertThat(one(session, "SELECT @@autocommit")).isEqualTo("1");
            run(session, "UPDATE t SET v = 2 WHERE id = 2");
            assertThat(one(straight, READ + 2)).isEqualTo("2");
        }
    }
}
