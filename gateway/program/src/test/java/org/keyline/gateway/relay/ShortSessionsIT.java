package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.soon;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.differential.RawClient;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * Clients that connect for each request: the statements that a MariaDB counts for them, and the
 * packets of every reply, directly and through two gateways. One relays logins; the other logs its
 * clients in by itself, and opens a store session when a command needs it.
 *
 * <p>{@code -Dkeyline.late.requests=N} sets the number of counted requests,
 * {@code -Dkeyline.short.sessions=N} the number of compared sessions.
 */
class ShortSessionsIT {
    private static final int REQUESTS = Integer.getInteger("keyline.late.requests", 200);
    private static final int SESSIONS = Integer.getInteger("keyline.short.sessions", 300);
    /** At REPEATABLE READ, lines answer the transactions of an account from the 65th on. */
    private static final int WARM = 100;
    /** Statements of the gateway's own account. */
    private static final int BESIDE = 3;

    private static final int EACH_SECOND = 8;

    private static final String USER = "brief";
    private static final String READ = "SELECT v FROM t WHERE id = 1";
    private static final String USE = "COM_INIT_DB ";

    /** SQL, or COM_INIT_DB with a schema. Most statements of popular clients are at the head. */
    private static final List<String> COMMANDS = List.of(
            "SET NAMES utf8mb4",
            "SET NAMES utf8mb4",
            "SET NAMES 'utf8mb4' COLLATE 'utf8mb4_unicode_ci'",
            "SET AUTOCOMMIT = 0",
            "SET autocommit=1",
            USE + "brief1",
            USE + "brief2",
            "USE brief1",
            "USE `brief2`",
            "BEGIN",
            "COMMIT",
            "ROLLBACK",
            "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            "SET SESSION TRANSACTION READ ONLY",
            "SET SESSION TRANSACTION READ WRITE",
            "SET character_set_results = NULL",
            "SET NAMES latin1",
            "SET NAMES utf8",
            "SET NAMES nothing",
            "SET NAMES utf8mb4 COLLATE latin1_bin",
            "SET NAMES DEFAULT",
            "USE nothing",
            USE + "nothing",
            USE + "mysql",
            "SELECT DATABASE(), @@autocommit, @@tx_isolation, @@in_transaction",
            "SELECT @@character_set_client, @@character_set_connection, @@character_set_results, @@collation_connection",
            "SHOW WARNINGS",
            "SELECT ROW_COUNT()",
            "SELECT nothing",
            "SELECT 1/0",
            "INSERT IGNORE INTO t VALUES (1, 'gr\u00fcn')",
            "UPDATE t SET v = CONCAT(v, 'x') WHERE id = 2",
            "SELECT * FROM t WHERE id = 2",
            "CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, v VARCHAR(9))",
            "DROP TEMPORARY TABLE IF EXISTS t",
            "SAVEPOINT s",
            "ROLLBACK TO s",
            "SET @x = 1, sql_mode = ''",
            "SET STATEMENT max_statement_time = 5 FOR SELECT v FROM t WHERE id = 1");

    @TempDir
    private static Path directory;

    private static MariaDb first;
    private static MariaDb second;
    private static RelayGateway relayed;
    private static RelayGateway local;

    @BeforeAll
    static void start() throws Exception {
        assumeFalse(MariaDb.isForeign() || MariaDb.isMySql(), "accounts are MariaDB's");
        first = MariaDb.get("first");
        second = MariaDb.get("second");
        for (MariaDb store : List.of(first, second)) {
            for (String schema : List.of("brief1", "brief2")) {
                store.run(
                        "DROP DATABASE IF EXISTS " + schema,
                        "CREATE DATABASE " + schema + " CHARACTER SET utf8mb4",
                        "CREATE TABLE " + schema + ".t (id INT PRIMARY KEY, v VARCHAR(999))",
                        "INSERT INTO " + schema + ".t VALUES (1, 'gr\u00fcn " + schema + "'), (2, ''), (3, NULL)");
            }
            store.run(
                    "DROP USER IF EXISTS " + USER + "@'127.0.0.1'",
                    "CREATE USER " + USER + "@'127.0.0.1'",
                    "GRANT ALL ON brief1.* TO " + USER + "@'127.0.0.1'",
                    "GRANT ALL ON brief2.* TO " + USER + "@'127.0.0.1'");
        }
        // A reading of the catalog, after definitions past the gateway, would count as well.
        relayed = RelayGateway.start(second, "eventLoops=1", "store.refresh=1h");
        local = RelayGateway.start(second, users());
        for (RelayGateway gateway : List.of(relayed, local)) {
            soon("a line").until(() -> {
                try (RawClient client = client(gateway.port(), "brief1", 0)) {
                    run(client, READ);
                    return Twins.readable(client.query("KEYLINE LAST")).contains("line");
                }
            });
        }
    }

    private static Path users() throws Exception {
        return Files.writeString(
                directory.resolve("keyline.yaml"),
                "store: {refresh: 1h}\nusers:\n  - {name: " + USER + ", plugin: none, storeUser: " + USER
                        + "}\n  - {name: ops, plugin: none, storeUser: " + MariaDb.USER + ", storePassword: "
                        + MariaDb.PASSWORD + "}\n");
    }

    @AfterAll
    static void stop() {
        if (relayed != null) {
            relayed.close();
            local.close();
        }
    }

    private static ClientOptions options(String schema, int variant) {
        int capabilities = ClientOptions.DEFAULT_CAPABILITIES;
        if ((variant & 1) != 0) {
            capabilities &= ~Capabilities.CLIENT_DEPRECATE_EOF;
        }
        if ((variant & 2) != 0) {
            capabilities |= Capabilities.CLIENT_SESSION_TRACK;
        }
        return ClientOptions.of("127.0.0.1", 1, USER)
                .capabilities(capabilities)
                .database(schema.isEmpty() ? null : schema)
                .build();
    }

    private static RawClient client(int port, String schema, int variant) throws Exception {
        return new RawClient(options(schema, variant).toBuilder()
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .build());
    }

    private static void run(RawClient client, String command) throws Exception {
        boolean uses = command.startsWith(USE);
        assertThat((uses
                                ? client.send(Twins.text(CommandCode.COM_INIT_DB, command.substring(USE.length())))
                                : client.query(command))
                        .isError())
                .isFalse();
    }

    private static void compare(Twins twins, String command) throws Exception {
        if (command.startsWith(USE)) {
            twins.send(Twins.text(CommandCode.COM_INIT_DB, command.substring(USE.length())), command);
        } else {
            twins.query(command);
        }
    }

    // ---------------------------------------------------------------- counts

    private static long questions() throws SQLException {
        try (Connection straight = second.connect("")) {
            return Long.parseLong(one(straight, "SHOW GLOBAL STATUS LIKE 'Questions'", 2));
        }
    }

    /**
     * The commands for one read of PyMySQL, of a PHP program that chooses its schema, and of one
     * that names both at the login.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "brief1: SET NAMES utf8mb4; SET AUTOCOMMIT = 0; READ",
                ": SET NAMES utf8mb4; COM_INIT_DB brief1; READ",
                ": SET NAMES utf8mb4; USE `brief1`; READ",
                "brief1: READ"
            })
    void shortConnections_costTheStoreNextToNothing(String request) throws Exception {
        long straight = counted(second.port(), request);
        long began = System.nanoTime();
        long through = counted(relayed.port(), request);
        long alone = counted(local.port(), request);
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
        System.out.printf("| %s | %,d | %,d | %,d |%n", request, straight, through, alone);
        // Once a second there is a login with a query, and there are the gateway's own statements.
        long beside = BESIDE + EACH_SECOND * (1 + seconds);
        // A relayed session also sends COM_QUIT.
        assertThat(through).isLessThanOrEqualTo(REQUESTS + beside);
        assertThat(alone).isLessThanOrEqualTo(straight / 20 + beside);
    }

    @Test
    void useOfTheSchemaOfTheLogin_isNotSentToTheStore() throws Exception {
        String request = "brief2: USE brief2; SELECT 'any'; READ";
        long straight = counted(second.port(), request);
        assertThat(counted(relayed.port(), request)).isLessThan(straight - REQUESTS / 2);
    }

    private static long counted(int port, String request) throws Exception {
        String[] parts = request.split(": ?", 2);
        for (int i = 0; i < WARM; i++) {
            connected(port, parts[0], parts[1]);
        }
        long before = questions();
        for (int i = 0; i < REQUESTS; i++) {
            connected(port, parts[0], parts[1]);
        }
        return questions() - before;
    }

    private static void connected(int port, String schema, String commands) throws Exception {
        try (RawClient client = client(port, schema, 0)) {
            for (String command : commands.split("; ", -1)) {
                run(client, command.replace("READ", READ));
            }
        }
    }

    // ---------------------------------------------------------------- packets

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shortSessions_haveTheSamePackets(boolean users) throws Exception {
        Random random = new Random(20_261_129);
        int replies = 0;
        int lines = 0;
        for (int session = 0; session < SESSIONS; session++) {
            String schema = random.nextInt(3) == 0 ? "" : "brief1";
            // Clients of local users get no session tracking, because the gateway's own logins do
            // not request it.
            int variant = users ? random.nextInt(2) : random.nextInt(4);
            try (Twins twins = twins(users ? local : relayed, schema, variant)) {
                int popular = random.nextInt(2) == 0 ? 9 : COMMANDS.size();
                Twins.Statement prepared = null;
                for (int i = random.nextInt(12); i >= 0; i--) {
                    switch (random.nextInt(6)) {
                        case 0, 1 -> {
                            twins.query(READ);
                            lines += twins.readable("KEYLINE LAST").contains("line") ? 1 : 0;
                        }
                        case 2 -> {
                            if (prepared == null || prepared.straight() < 0) {
                                prepared = twins.prepare("SELECT id, v FROM t WHERE id = ?");
                            }
                            if (prepared.straight() >= 0) {
                                twins.execute(
                                        prepared, new StatementArguments().addInt64(1 + random.nextInt(3)), "read");
                            }
                        }
                        default -> compare(twins, COMMANDS.get(random.nextInt(popular)));
                    }
                }
                replies += twins.replies();
            }
        }
        System.out.println(replies + " replies the same, " + lines + " of them from lines");
        assertThat(lines).isGreaterThan(SESSIONS / 4);
    }

    private static Twins twins(RelayGateway gateway, String schema, int variant) throws Exception {
        return new Twins(first, gateway.port(), options(schema, variant));
    }

    private static Connection admin(RelayGateway gateway) throws SQLException {
        return DriverManager.getConnection(
                gateway == local
                        ? "jdbc:mysql://127.0.0.1:" + gateway.port() + "/?user=ops&password="
                        : gateway.jdbc(""));
    }

    /** Shows the gateway that the account may use a schema, and the settings of new sessions. */
    private static void teach(RelayGateway gateway, String... commands) throws Exception {
        for (int i = 0; i < 6; i++) {
            try (Twins twins = twins(gateway, "brief1", 0)) {
                twins.query(READ);
                for (String command : commands) {
                    compare(twins, command);
                }
                twins.query("SELECT DATABASE()");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void schemaThatWasDroppedThroughTheGateway_isRefusedAsStraight(boolean users) throws Exception {
        RelayGateway gateway = users ? local : relayed;
        try (Connection straight = first.connect("");
                Connection through = admin(gateway)) {
            for (Connection each : List.of(straight, through)) {
                each.createStatement().execute("CREATE DATABASE IF NOT EXISTS brief3");
                each.createStatement().execute("GRANT ALL ON brief3.* TO " + USER + "@'127.0.0.1'");
            }
            teach(gateway, USE + "brief3", "USE brief3");
            for (Connection each : List.of(straight, through)) {
                each.createStatement().execute("DROP DATABASE brief3");
            }
            for (String use : List.of(USE + "brief3", "USE brief3")) {
                try (Twins twins = twins(gateway, "brief1", 0)) {
                    twins.query(READ);
                    compare(twins, use);
                    twins.query("SELECT DATABASE()");
                    twins.query(READ);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rightThatWasRevokedThroughTheGateway_isRefusedAsStraight(boolean users) throws Exception {
        RelayGateway gateway = users ? local : relayed;
        try (Connection straight = first.connect("");
                Connection through = admin(gateway)) {
            teach(gateway, USE + "brief2", "SELECT v FROM t WHERE id = 1");
            for (Connection each : List.of(straight, through)) {
                each.createStatement().execute("REVOKE ALL ON brief2.* FROM " + USER + "@'127.0.0.1'");
            }
            try (Twins twins = twins(gateway, "brief1", 0)) {
                twins.query(READ);
                compare(twins, USE + "brief2");
                twins.query("SELECT v FROM brief2.t WHERE id = 1");
            } finally {
                for (Connection each : List.of(straight, through)) {
                    each.createStatement().execute("GRANT ALL ON brief2.* TO " + USER + "@'127.0.0.1'");
                }
            }
        }
    }

    /**
     * A statement through the gateway may change the settings of new sessions, so the next session
     * is queried.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void globalThatWasSetThroughTheGateway_countsAtOnce(boolean users) throws Exception {
        RelayGateway gateway = users ? local : relayed;
        teach(gateway);
        try (Connection straight = first.connect("");
                Connection through = admin(gateway)) {
            for (String limit : List.of("0", "DEFAULT")) {
                for (Connection each : List.of(straight, through)) {
                    each.createStatement().execute("SET GLOBAL sql_select_limit = " + limit);
                }
                for (int i = 0; i < 3; i++) {
                    try (Twins twins = twins(gateway, "brief1", 0)) {
                        twins.query(READ);
                        twins.query("SELECT @@sql_select_limit");
                    }
                }
            }
        }
    }

    /**
     * A global that was set past the gateway applies to a session at the latest when a write past
     * it is seen, however long the session lives.
     */
    @Test
    void globalThatWasSetPastTheGateway_countsOnceTheAnswerIsOld() throws Exception {
        AtomicLong ahead = new AtomicLong();
        try (RelayGateway gateway = RelayGateway.start(
                second, () -> System.nanoTime() + ahead.get(), "eventLoops=1", "store.refresh=60s")) {
            teach(gateway);
            try {
                for (MariaDb store : List.of(first, second)) {
                    store.run("SET GLOBAL sql_select_limit = 0");
                }
                try (Twins twins = twins(gateway, "brief1", 0)) {
                    ahead.addAndGet(TimeUnit.MINUTES.toNanos(2));
                    twins.query(READ);
                    twins.query(READ);
                }
            } finally {
                for (MariaDb store : List.of(first, second)) {
                    store.run("SET GLOBAL sql_select_limit = DEFAULT");
                }
            }
        }
    }

    /**
     * The store refuses a USE that the gateway has acknowledged: the next command gets the error,
     * and the settings around the USE are not lost.
     */
    @Test
    void schemaThatWasDroppedPastTheGateway_isRefusedWithTheNextCommand() throws Exception {
        try (RelayGateway gateway = RelayGateway.start(second, "eventLoops=1", "store.refresh=60s");
                Connection through = admin(gateway);
                Connection straight = first.connect("")) {
            for (Connection each : List.of(straight, through)) {
                each.createStatement().execute("CREATE DATABASE IF NOT EXISTS brief3");
                each.createStatement().execute("GRANT ALL ON brief3.* TO " + USER + "@'127.0.0.1'");
            }
            teach(gateway, "SET NAMES utf8mb4", "SET NAMES 'utf8mb4' COLLATE 'utf8mb4_bin'", USE + "brief3");
            try (RawClient client = client(gateway.port(), "brief1", 0)) {
                run(client, READ);
                for (MariaDb store : List.of(first, second)) {
                    store.run("DROP DATABASE brief3");
                }
                run(client, USE + "brief3");
                run(client, "SET NAMES 'utf8mb4' COLLATE 'utf8mb4_bin'");
                assertThat(Twins.readable(client.query("SELECT 'any'"))).contains("Unknown database 'brief3'");
                assertThat(Twins.readable(client.query("SELECT DATABASE(), @@collation_connection")))
                        .contains("brief1")
                        .contains("utf8mb4_bin");
                run(client, READ);
            }
        }
    }
}
