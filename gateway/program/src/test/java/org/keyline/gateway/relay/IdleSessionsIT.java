package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;

import com.mysql.cj.jdbc.JdbcConnection;
import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.differential.RawClient;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;
import org.keyline.protocol.fixtures.TcpProxy;

/**
 * Clients of local users, whose store sessions are released while they are idle, and their state
 * afterwards.
 */
class IdleSessionsIT {
    private static final int CLIENTS = 200;

    private static final int NO_SUCH_THREAD = 1094;

    /** The number of sessions that an account may have at the store, for ten times as many clients. */
    private static final int TIGHT = Integer.getInteger("keyline.idle.tight", 4);

    private static final int SAMPLE_MILLIS = 100;
    /** The number of returns after a release, and of statements without one, whose times are compared. */
    private static final int RETURNS = 100;

    /** By how much more a first statement may take after a release, on a busy machine. */
    private static final int MOST_LATER_MILLIS = 50;

    /**
     * The number of sessions that the account of the storm may have; on demand 100, with 2,000
     * clients.
     */
    private static final int STORM_LIMIT = Integer.getInteger("keyline.idle.limit", 20);

    private static final int STORM_CLIENTS = Integer.getInteger("keyline.idle.clients", 200);
    private static final int STORM_LOGINS = Integer.getInteger("keyline.idle.logins", 60);

    /** A read that only the store can answer. */
    private static final String STORE_READ = "SELECT SUM(v) FROM t WHERE id < 3";

    /** The state of a session, in one row. */
    private static final String STATE =
            "SELECT CONCAT_WS('|', DATABASE(), CURRENT_USER(), @@autocommit, @@sql_mode, @@time_zone,"
                    + " @@character_set_client, @@character_set_results, @@collation_connection, @@tx_isolation, @@tx_read_only,"
                    + " @@sql_select_limit, @@lock_wait_timeout, @@foreign_key_checks, LAST_INSERT_ID())";

    @TempDir
    private static Path directory;

    private static MariaDb store;
    private static RelayGateway gateway;
    private static Connection ops;

    @BeforeAll
    static void start() throws Exception {
        assumeFalse(MariaDb.isForeign(), "accounts are MariaDB's");
        store = MariaDb.get("second");
        store.run(
                "DROP DATABASE IF EXISTS idle",
                "CREATE DATABASE idle CHARACTER SET utf8mb4",
                "CREATE TABLE idle.t (id INT PRIMARY KEY AUTO_INCREMENT, v INT)",
                "INSERT INTO idle.t VALUES (1, 10), (2, 20), (3, 30)",
                "CREATE SEQUENCE idle.s",
                "DROP USER IF EXISTS idler@'127.0.0.1'",
                "CREATE USER idler@'127.0.0.1' IDENTIFIED BY '" + MariaDb.PASSWORD + "'",
                "GRANT ALL ON idle.* TO idler@'127.0.0.1'",
                "DROP USER IF EXISTS tight@'127.0.0.1'",
                "CREATE USER tight@'127.0.0.1' IDENTIFIED BY '" + MariaDb.PASSWORD + "' WITH MAX_USER_CONNECTIONS "
                        + TIGHT,
                "GRANT ALL ON idle.* TO tight@'127.0.0.1'",
                "DROP USER IF EXISTS storm@'127.0.0.1'",
                "CREATE USER storm@'127.0.0.1' IDENTIFIED BY '" + MariaDb.PASSWORD + "' WITH MAX_USER_CONNECTIONS "
                        + STORM_LIMIT,
                "GRANT ALL ON idle.* TO storm@'127.0.0.1'");
        Path file = directory.resolve("keyline.yaml");
        Files.writeString(
                file,
                "users:\n  - {name: app, plugin: none, storeUser: idler, storePassword: " + MariaDb.PASSWORD + "}\n"
                        + "  - {name: many, plugin: none, storeUser: tight, storePassword: " + MariaDb.PASSWORD + "}\n"
                        + "  - {name: storm, plugin: none, storeUser: storm, storePassword: " + MariaDb.PASSWORD + "}\n"
                        + "  - {name: ops, plugin: none, storeUser: " + MariaDb.USER + ", storePassword: "
                        + MariaDb.PASSWORD + "}\n"
                        + "access: {views: ops}\nstore: {idleSession: 50ms}\n");
        gateway = RelayGateway.start(store, file);
        ops = login("ops", "");
    }

    @AfterAll
    static void stop() throws SQLException {
        if (gateway != null) {
            ops.close();
            gateway.close();
        }
        store.run("DROP DATABASE idle", "DROP USER idler@'127.0.0.1', tight@'127.0.0.1', storm@'127.0.0.1'");
    }

    private static Connection login(String user, String parameters) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mysql://127.0.0.1:" + gateway.port() + "/idle?user=" + user + "&password=" + parameters);
    }

    private static Connection straight(String parameters) throws SQLException {
        return DriverManager.getConnection("jdbc:mysql://127.0.0.1:" + store.port() + "/idle?user=idler&password="
                + MariaDb.PASSWORD + parameters);
    }

    /** Returns the number of the account's sessions at the store. */
    private static int atStore() throws SQLException {
        try (Connection root = store.connect("")) {
            return Integer.parseInt(
                    one(root, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'idler'"));
        }
    }

    private static String ofApp(String column) throws SQLException {
        return one(ops, "SELECT " + column + " FROM keyline.clients WHERE user = 'app'");
    }

    /** Waits until no client of the account has a store session. */
    private static void awaitReleased() {
        awaitReleased(0);
    }

    /** Waits until only this many clients of the account have a store session. */
    private static void awaitReleased(int others) {
        soon("store sessions released").until(() -> atStore() == others);
    }

    @Test
    void idleClients_holdNoStoreSession_andComeBackAsTheyWere() throws SQLException {
        List<Connection> clients = new ArrayList<>();
        try (Connection straight = straight("")) {
            List<String> sets = List.of(
                    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
                    "SET time_zone = '+03:00', lock_wait_timeout = 77",
                    "SET sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')",
                    "SET foreign_key_checks = 0",
                    "USE information_schema",
                    "SET NAMES latin1",
                    "SET autocommit = 0");
            run(straight, sets.toArray(new String[0]));
            String expected = one(straight, STATE);
            for (int i = 0; i < CLIENTS; i++) {
                Connection client = login("app", "");
                clients.add(client);
                run(client, sets.toArray(new String[0]));
                if (i % 2 == 0) {
                    run(client, "COMMIT");
                }
            }
            assertThat(atStore()).isBetween(1, CLIENTS + 1);

            soon("all but those of straight are released").until(() -> atStore() == 1);

            for (Connection client : clients) {
                assertThat(one(client, STATE)).isEqualTo(expected);
                client.close();
            }
        } finally {
            for (Connection client : clients) {
                client.close();
            }
        }
    }

    /** A reset also resets the database's character set; a USE after it sets that again. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void comesBackAfterReset_withTheCharacterSetOfTheSchema(boolean uses) throws Exception {
        store.run(
                "CREATE OR REPLACE DATABASE idle_latin CHARACTER SET latin1",
                "GRANT ALL ON idle_latin.* TO idler@'127.0.0.1'");
        List<String> found = new ArrayList<>();
        for (boolean through : List.of(false, true)) {
            HostPort address = new HostPort("127.0.0.1", through ? gateway.port() : store.port());
            try (TestClient client = TestClient.connect(
                    address,
                    options -> options.user(through ? "app" : "idler")
                            .password(through ? "" : MariaDb.PASSWORD)
                            .database("idle_latin"))) {
                client.command(CommandCode.COM_RESET_CONNECTION, "");
                if (uses) {
                    client.query("USE idle");
                    client.query("USE idle_latin");
                }
                client.query("SELECT 1");
                if (through) {
                    awaitReleased();
                }
                found.add(client.query("SELECT CONCAT_WS(' ', DATABASE(), @@character_set_database)")
                        .rows()
                        .toString());
            }
        }
        store.run("DROP DATABASE idle_latin");
        assertThat(found.get(1)).isEqualTo(found.get(0)).contains(uses ? "latin1" : "utf8mb4");
    }

    /** COM_SET_OPTION stays in force, as at a server: neither command resets the flags of a login. */
    @ParameterizedTest
    @ValueSource(ints = {CommandCode.COM_CHANGE_USER, CommandCode.COM_RESET_CONNECTION})
    void optionOfSeveralStatements_staysAfterAReset(int reset) throws Exception {
        HostPort address = new HostPort("127.0.0.1", gateway.port());
        try (TestClient client =
                TestClient.connect(address, options -> options.user("app").database("idle"))) {
            boolean before = client.query("SELECT 1; SELECT 2").error() == null;
            client.command(CommandCode.COM_SET_OPTION, before ? "\1\0" : "\0\0");
            assertThat(client.query("SELECT 1; SELECT 2").error() == null).isEqualTo(!before);
            String user = reset == CommandCode.COM_CHANGE_USER ? "app\0\0idle\0-\0mysql_native_password\0" : "";
            assertThat(client.command(reset, user).error()).isNull();
            assertThat(client.query("SELECT 1; SELECT 2").error() == null).isEqualTo(!before);
            if (reset == CommandCode.COM_RESET_CONNECTION) {
                soon("bound").until(() -> ofApp("bound").contains("cannot set again"));
            }
        }
    }

    /** The client gets no reply, and would otherwise wait for it until the store is back. */
    @Test
    void changeOfTheUser_whoseStoreSessionIsLost_endsTheClient() throws Exception {
        try (TcpProxy proxy = new TcpProxy(store.address());
                RelayGateway behind = RelayGateway.start(
                        store, directory.resolve("keyline.yaml"), "store.url=mysql://127.0.0.1:" + proxy.port());
                TestClient client = app(behind.port())) {
            boolean several = client.query("SELECT 1; SELECT 2").error() == null;
            client.command(CommandCode.COM_SET_OPTION, several ? "\1\0" : "\0\0");
            proxy.holdNext(request -> request.startsWith("\3\0\0\0" + (char) CommandCode.COM_SET_OPTION));
            CompletableFuture<Void> lost = CompletableFuture.runAsync(() -> assertThatThrownBy(
                    () -> client.command(CommandCode.COM_CHANGE_USER, "app\0\0idle\0-\0mysql_native_password\0")));
            soon("the option").until(proxy::holds);
            proxy.leadTo(null);
            proxy.cutHeld();
            lost.get(20, TimeUnit.SECONDS);
        }
    }

    /** Its read would have loaded a line, for which another client waits. */
    @Test
    void clientThatLeavesWhileItsStoreSessionIsOpened_delaysNoOther() throws Exception {
        String select = "SELECT id, v FROM t WHERE id = ";
        try (TcpProxy proxy = new TcpProxy(store.address());
                RelayGateway behind = RelayGateway.start(
                        store,
                        directory.resolve("keyline.yaml"),
                        "store.url=mysql://127.0.0.1:" + proxy.port(),
                        "cache.loadTimeout=1h",
                        "limits.loginTimeout=10m");
                TcpProxy front = new TcpProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), behind.port()));
                TestClient stays = app(behind.port());
                TestClient leaves = app(front.port())) {
            assertThat(stays.query("SET @bound = 1").error()).isNull();
            soon("a line").until(() -> {
                stays.query(select + 1);
                return stays.query("KEYLINE LAST").rows().toString().contains("line");
            });
            awaitReleased(1);
            proxy.holdNext(request -> request.contains("idler"));
            // The load shows the definition of the table, so that the next reply may be a load.
            stays.query(select + 2);
            leaves.connection().loop().execute(() -> leaves.connection().query(select + 3, IGNORED));
            soon("the login").until(proxy::holds);
            front.reset();
            soon("the end of the client")
                    .until(() -> stays.query("SHOW STATUS LIKE 'Keyline_sessions'")
                            .rows()
                            .get(0)
                            .get(1)
                            .equals("1"));
            assertThat(stays.query(select + 3).rows()).containsExactly(List.of("3", "30"));
            proxy.release();
        }
    }

    private static final ResultListener IGNORED = new ResultListener() {
        @Override
        public void end(ReplySummary summary) {}

        @Override
        public void failed(Throwable cause) {}
    };

    private static TestClient app(int port) throws Exception {
        return TestClient.connect(
                new HostPort("127.0.0.1", port), options -> options.user("app").database("idle"));
    }

    /** The close of the old store session takes effect later than that of the client's command. */
    @Test
    void changeOfUser_endsLocksAndTransactionBeforeItsReply() throws SQLException {
        try (Connection straight = straight("")) {
            run(straight, "SET innodb_lock_wait_timeout = 0");
            for (int round = 0; round < 150; round++) {
                try (Connection client = login("app", "")) {
                    run(client, "SELECT GET_LOCK('changed', 5)", "BEGIN", "UPDATE t SET v = v + 1 WHERE id = 2");
                    client.unwrap(JdbcConnection.class).changeUser("app", "");
                    assertThat(one(straight, "SELECT IS_FREE_LOCK('changed')")).isEqualTo("1");
                    assertThat(one(straight, "SELECT v FROM t WHERE id = 2 FOR UPDATE"))
                            .isEqualTo("20");
                }
            }
        }
    }

    @Test
    void comesBack_withInsertId_foundRows_andRowCount() throws SQLException {
        try (Connection client = login("app", "");
                Connection straight = straight("")) {
            for (String left : List.of(
                    "INSERT INTO t (v) VALUES (7)", // ROW_COUNT() binds
                    "SET sql_notes = 1",
                    "SELECT id FROM t WHERE id < 4 ORDER BY id LIMIT 2",
                    "SELECT SQL_CALC_FOUND_ROWS id FROM t WHERE id < 4 LIMIT 1",
                    "SELECT id FROM t WHERE id < 0",
                    "SET sql_notes = 1",
                    "SELECT 1")) {
                for (String asks :
                        List.of("SELECT FOUND_ROWS()", "SELECT ROW_COUNT()", "SELECT LAST_INSERT_ID() > 3")) {
                    run(client, left);
                    run(straight, left);
                    soon("released")
                            .until(() -> !ofApp("store_session").equals("1")
                                    || !ofApp("bound").equals("null"));
                    assertThat(one(client, asks)).as(left + "; " + asks).isEqualTo(one(straight, asks));
                }
            }
        }
    }

    @Test
    void moreClientsThanTheStoreAllows_takeTurns_andWaitForTransactions() throws SQLException {
        List<Connection> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 10 * TIGHT; i++) {
                clients.add(login("many", ""));
            }
            for (int turn = 0; turn < 3; turn++) {
                for (Connection client : clients) {
                    assertThat(one(client, "SELECT v FROM t WHERE id = 2")).isEqualTo("20");
                }
            }
            // For a moment, the store may still count a closed session, and then allows fewer than
            // TIGHT.
            int open = 0;
            String refused = "";
            while (refused.isEmpty() && open <= TIGHT) {
                try {
                    run(clients.get(open), "START TRANSACTION", "SELECT COUNT(*) FROM t");
                    open++;
                } catch (SQLException full) {
                    refused = full.toString();
                }
            }
            assertThat(refused).contains("Too many connections: the store has no room for another session of 'many'");
            // After the refusal, Keyline leaves a tenth of the sessions to other programs.
            for (Connection client : clients.subList(0, 1 + TIGHT / 10)) {
                run(client, "COMMIT");
            }
            assertThat(one(clients.get(TIGHT), "SELECT v FROM t WHERE id = 2")).isEqualTo("20");
        } finally {
            for (Connection client : clients) {
                client.close();
            }
        }
    }

    @Test
    void stormOfLogins_andOfReturns_getsNoError() throws Exception {
        List<Connection> clients = Collections.synchronizedList(new ArrayList<>());
        ExecutorService threads = Executors.newFixedThreadPool(5 * STORM_LIMIT);
        try (Samples samples = new Samples()) {
            List<Callable<String>> logins = new ArrayList<>();
            for (int i = 0; i < STORM_CLIENTS; i++) {
                logins.add(() -> {
                    Connection client = login("storm", "");
                    clients.add(client);
                    return one(client, STORE_READ);
                });
            }
            long began = System.nanoTime();
            for (Future<String> login : threads.invokeAll(logins)) {
                assertThat(login.get()).isEqualTo("30");
            }
            long loggedIn = System.nanoTime();
            soon("released")
                    .until(() -> one(
                                    ops,
                                    "SELECT COUNT(*) FROM keyline.clients WHERE user = 'storm' AND store_session = 1")
                            .equals("0"));
            List<Callable<String>> returns = new ArrayList<>();
            for (Connection client : clients) {
                returns.add(() -> one(client, STORE_READ));
            }
            long returning = System.nanoTime();
            for (Future<String> answer : threads.invokeAll(returns)) {
                assertThat(answer.get()).isEqualTo("30");
            }
            long returned = System.nanoTime();
            samples.end(String.format(
                    "%d logins with a query in %d ms, %d returns in %d ms",
                    STORM_CLIENTS, (loggedIn - began) / 1_000_000, clients.size(), (returned - returning) / 1_000_000));
        } finally {
            threads.shutdownNow();
            for (Connection client : clients) {
                client.close();
            }
        }
    }

    /** Each client reads from the store as soon as it is logged in, and stays. */
    @Test
    void loginsThatAllBeginAtOnce_getNoError() throws Exception {
        ClientOptions options = ClientOptions.of("127.0.0.1", gateway.port(), "storm")
                .database("idle")
                .build();
        Queue<ClientConnection> clients = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Integer>> answers = new ArrayList<>();
        AtomicLong loggedIn = new AtomicLong();
        try (Samples samples = new Samples()) {
            long began = System.nanoTime();
            for (int i = 0; i < STORM_LOGINS; i++) {
                answers.add(ClientConnection.connect(options, RawClient.LOOP)
                        .thenCompose(client -> {
                            clients.add(client);
                            loggedIn.accumulateAndGet(System.nanoTime() - began, Math::max);
                            Rows rows = new Rows();
                            client.query(STORE_READ, rows);
                            return rows.received;
                        })
                        .toCompletableFuture());
            }
            for (CompletableFuture<Integer> answer : answers) {
                assertThat(answer.get(1, TimeUnit.MINUTES)).isEqualTo(1);
            }
            samples.end(String.format(
                    "%d logins at once in %d ms, with a query in %d ms",
                    clients.size(), loggedIn.get() / 1_000_000, (System.nanoTime() - began) / 1_000_000));
        } finally {
            clients.forEach(ClientConnection::close);
        }
    }

    /** Counts the rows of a reply without an error. */
    private static final class Rows implements ResultListener {
        private final CompletableFuture<Integer> received = new CompletableFuture<>();
        private int rows;

        @Override
        public void row(ByteBuf row) {
            rows++;
        }

        @Override
        public void end(ReplySummary summary) {
            ErrPacket error = summary.error();
            if (error == null) {
                received.complete(rows);
            } else {
                received.completeExceptionally(new AssertionError(error.toString()));
            }
        }

        @Override
        public void failed(Throwable cause) {
            received.completeExceptionally(cause);
        }
    }

    /** Counts the storm's sessions at the store, every 100 ms. */
    private static final class Samples implements AutoCloseable {
        private final ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor();
        private final AtomicInteger most = new AtomicInteger();
        private final Connection root = store.connect("");
        private final Future<?> sampling;

        Samples() throws SQLException {
            sampling = sampler.scheduleAtFixedRate(
                    () -> most.accumulateAndGet(atStore(), Math::max), 0, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
        }

        private int atStore() {
            try {
                // A login that the store is about to refuse has the command Connect. The store no
                // longer counts a session with the command Quit.
                return Integer.parseInt(one(
                        root,
                        "SELECT COUNT(*) FROM information_schema.PROCESSLIST"
                                + " WHERE USER = 'storm' AND COMMAND NOT IN ('Connect', 'Quit')"));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        /** The samples must be within the limit. */
        void end(String storm) {
            assertThat(sampling.cancel(false)).as("no sample failed").isTrue();
            System.out.printf("storm: %s, of %d sessions at most %d open%n", storm, STORM_LIMIT, most.get());
            // A short storm on a quiet machine can end before the second sample.
            assertThat(most.get()).isLessThanOrEqualTo(STORM_LIMIT);
        }

        @Override
        public void close() throws SQLException {
            sampler.shutdownNow();
            root.close();
        }
    }

    @Test
    void firstStatementAfterARelease_isHardlyLater() throws SQLException {
        long[] open = new long[RETURNS];
        long[] returns = new long[RETURNS];
        try (Connection client = login("app", "")) {
            for (int i = 0; i < RETURNS; i++) {
                awaitReleased();
                returns[i] = micros(client);
                open[i] = micros(client);
            }
        }
        Arrays.sort(open);
        Arrays.sort(returns);
        System.out.printf(
                "first statement: %d us (median), %d us (99 %%) after a release; %d us, %d us on an open session%n",
                returns[RETURNS / 2], returns[RETURNS * 99 / 100], open[RETURNS / 2], open[RETURNS * 99 / 100]);
        assertThat(returns[RETURNS / 2] - open[RETURNS / 2])
                .isLessThan(TimeUnit.MILLISECONDS.toMicros(MOST_LATER_MILLIS));
    }

    /** Returns the time of such a read. */
    private static long micros(Connection client) throws SQLException {
        long began = System.nanoTime();
        assertThat(one(client, STORE_READ)).isEqualTo("30");
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - began);
    }

    /** A pool's SETs for each transaction do not add up until the session cannot be released. */
    @Test
    void accessModeAndLevel_setAgainAndAgain_doNotBind() throws SQLException {
        try (Connection client = login("app", "")) {
            for (int i = 0; i < 30; i++) {
                run(
                        client,
                        "SET SESSION TRANSACTION READ ONLY",
                        "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
                        "SET SESSION TRANSACTION READ WRITE");
            }
            run(client, "SET SESSION TRANSACTION READ ONLY", "SELECT v FROM t LIMIT 1");
            awaitReleased();
            assertThat(one(client, "SELECT CONCAT(@@tx_isolation, @@tx_read_only)"))
                    .isEqualTo("READ-COMMITTEDON");
        }
    }

    @Test
    void kill_ofAClientWithoutStoreSession_endsThatClient() throws SQLException {
        try (Connection victim = login("app", "");
                Connection other = straight("")) {
            awaitReleasedBut(other);
            String id = ofApp("id");

            kill("KILL QUERY " + id);
            assertThat(one(victim, "SELECT 1")).isEqualTo("1");

            awaitReleasedBut(other);
            kill("KILL " + id);
            soon("ended").until(() -> ofApp("id").equals("no row"));
            assertThatThrownBy(() -> one(victim, "SELECT 1")).isInstanceOf(SQLException.class);
            assertThat(one(other, "SELECT 1")).isEqualTo("1");
        }
    }

    /**
     * On a busy machine, the session that was opened for the KILL may be released before the KILL
     * arrives.
     */
    private static void kill(String statement) {
        soon(statement).until(() -> {
            try {
                run(ops, statement);
                return true;
            } catch (SQLException released) {
                assertThat(released.getErrorCode()).isEqualTo(NO_SUCH_THREAD);
                return false;
            }
        });
    }

    /** Waits likewise, if one session is connected to the store directly. */
    private static void awaitReleasedBut(Connection straight) throws SQLException {
        soon("all but " + straight + " released").until(() -> atStore() == 1);
    }

    @Test
    void handleAtTheStore_binds_untilItIsClosed() throws SQLException {
        try (Connection client = login("app", "&useServerPrepStmts=true")) {
            try (PreparedStatement count = client.prepareStatement("SELECT COUNT(*) FROM t WHERE v >= ?")) {
                for (int i = 0; i < 3; i++) {
                    count.setInt(1, 20);
                    try (ResultSet row = count.executeQuery()) {
                        assertThat(row.next()).isTrue();
                        assertThat(row.getInt(1)).isGreaterThanOrEqualTo(2);
                    }
                    soon("bound").until(() -> !ofApp("bound").equals("null"));
                    assertThat(ofApp("bound")).contains("prepared statement");
                }
            }
            awaitReleased();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SET @x = 1 | user variable",
                "SELECT @x := 5 | user variable",
                "CREATE TEMPORARY TABLE tmp (a INT) | temporary",
                "SELECT GET_LOCK('idle', 0) | user-level lock",
                "LOCK TABLES t READ | table locks",
                "START TRANSACTION | transaction",
                "SET autocommit = 0; SELECT v FROM t WHERE id = 1 | transaction",
                "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE | transaction",
                "XA START 'idle' | transaction",
                "PREPARE p FROM 'SELECT 1' | PREPARE",
                "SELECT NEXT VALUE FOR s | sequence",
                "SELECT NEXTVAL(s) | sequence",
                "SELECT CONNECTION_ID() | connection id",
                "SELECT COUNT(*) FROM information_schema.PROCESSLIST | connection id",
                "HANDLER t OPEN | of a kind",
                "SET ROLE NONE | role",
                "SET insert_id = 77 | cannot set again",
                "SET profiling = 1 | cannot set again",
                "SET optimizer_switch = 'mrr=on' | cannot set again",
                "SET sql_select_limit = DEFAULT | cannot set again",
                "SELECT /*! 1 */ | did not parse",
                "SELECT idle.nosuch() | ",
                "UPDATE t SET v = v WHERE id = 77777 | ",
                "UPDATE t SET v = v + 1 WHERE id = 3 | ROW_COUNT",
                "SELECT CAST('x' AS SIGNED) | warnings"
            })
    void bound_clientKeepsItsStoreSession(String statements, String why) throws SQLException {
        try (Connection client = login("app", "&allowMultiQueries=false")) {
            for (String statement : statements.split(";", -1)) {
                try {
                    run(client, statement);
                } catch (SQLException refused) {
                    assertThat(refused.getErrorCode()).isEqualTo(1305);
                }
            }
            if (why == null) {
                soon("released, or bound")
                        .until(() -> !ofApp("store_session").equals("1")
                                || !ofApp("bound").equals("null"));
                return;
            }
            soon("bound").until(() -> !ofApp("bound").equals("null"));
            assertThat(ofApp("bound")).contains(why);
            assertThat(ofApp("store_session")).isEqualTo("1");
            assertThat(atStore()).isEqualTo(1);
        }
    }
}
