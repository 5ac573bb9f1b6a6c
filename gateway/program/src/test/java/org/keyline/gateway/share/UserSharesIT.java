package org.keyline.gateway.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;

import com.mysql.cj.jdbc.JdbcConnection;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TestClient;

/**
 * The limits of one user in front of MariaDB, for sessions and for statements at the store. They do
 * not affect other users.
 */
final class UserSharesIT {
    private static final MariaDb STORE = MariaDb.get("second");
    private static final String BUSY = "busy";

    private RelayGateway gateway;
    private Connection straight;
    private Connection operator;
    private final List<Connection> opened = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        straight = STORE.connect("");
        run(straight, "CREATE DATABASE IF NOT EXISTS shares");
        run(straight, "CREATE OR REPLACE TABLE shares.items (id INT PRIMARY KEY, v INT)");
        run(straight, "INSERT INTO shares.items VALUES (1, 10), (2, 20)");
        run(straight, "CREATE OR REPLACE USER " + BUSY + "@'127.0.0.1' IDENTIFIED BY '" + MariaDb.PASSWORD + "'");
        run(straight, "GRANT ALL ON shares.* TO " + BUSY + "@'127.0.0.1'");
        gateway = RelayGateway.start(STORE, "store.refresh=1h", "privilegeTtl=1h");
        operator = open(MariaDb.USER);
    }

    @AfterEach
    void stop() throws Exception {
        for (Connection connection : opened) {
            connection.close();
        }
        gateway.close();
        straight.close();
    }

    private Connection open(String user) throws SQLException {
        Connection connection =
                DriverManager.getConnection(gateway.jdbc("shares").replace("user=" + MariaDb.USER, "user=" + user));
        opened.add(connection);
        return connection;
    }

    private static void refused(int code, String told, ThrowingCallable action) {
        assertThatThrownBy(action)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(code))
                .hasMessageContaining(told);
    }

    /** Runs a statement that waits at the store until the lock is released. */
    private static CompletableFuture<String> held(Connection connection, String statement) throws Exception {
        CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> {
            try {
                return one(connection, statement);
            } catch (SQLException e) {
                throw new CompletionException(e);
            }
        });
        awaitWaiter();
        return answer;
    }

    private static void awaitWaiter() throws SQLException {
        try (Connection other = STORE.connect("")) {
            soon("a statement that waits")
                    .until(() -> one(
                                    other,
                                    "SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE 'Waiting for table%'")
                            .equals("1"));
        }
    }

    @Test
    void sessions_beyondTheLimit_areRefusedForThatUserOnly_untilOneEnds() throws Exception {
        run(operator, "KEYLINE SET limits.connectionsPerUser = 2");
        Connection first = open(BUSY);
        Connection second = open(BUSY);
        refused(1203, "User 'busy' already has more than 'max_user_connections'", () -> open(BUSY));
        assertThat(one(open(MariaDb.USER), "SELECT 1")).isEqualTo("1");
        refused(1203, "max_user_connections", () -> open(MariaDb.USER));
        assertThat(one(first, "SELECT v FROM items WHERE id = 1")).isEqualTo("10");
        second.close();
        soon("room for another").until(() -> {
            try {
                return one(open(BUSY), "SELECT 1").equals("1");
            } catch (SQLException e) {
                return false;
            }
        });
        run(operator, "KEYLINE SET limits.connectionsPerUser = DEFAULT");
        assertThat(one(open(BUSY), "SELECT 1")).isEqualTo("1");
    }

    @Test
    void sessions_ofRefusedLogins_countForNobody() throws Exception {
        run(operator, "KEYLINE SET limits.connectionsPerUser = 1");
        for (int i = 0; i < 3; i++) {
            refused(
                    1044,
                    "nowhere",
                    () -> DriverManager.getConnection(
                            gateway.jdbc("nowhere").replace("user=" + MariaDb.USER, "user=" + BUSY)));
            refused(
                    1045,
                    "Access denied",
                    () -> DriverManager.getConnection(gateway.jdbc("")
                            .replace("user=" + MariaDb.USER, "user=" + BUSY)
                            .replace("password=" + MariaDb.PASSWORD, "password=wrong")));
        }
        assertThat(one(open(BUSY), "SELECT 1")).isEqualTo("1");
    }

    @Test
    void changeUser_movesTheSessionToTheOtherUsersShare() throws Exception {
        Connection moving = open(MariaDb.USER);
        run(operator, "KEYLINE SET limits.connectionsPerUser = 2");
        moving.unwrap(JdbcConnection.class).changeUser(BUSY, MariaDb.PASSWORD);
        assertThat(one(moving, "SELECT CURRENT_USER()")).startsWith(BUSY);
        Connection second = open(MariaDb.USER);
        assertThat(one(open(BUSY), "SELECT 1")).isEqualTo("1");
        refused(1203, "max_user_connections", () -> open(BUSY));
        // The limit is reached, so its session ends.
        assertThatThrownBy(() -> {
                    second.unwrap(JdbcConnection.class).changeUser(BUSY, MariaDb.PASSWORD);
                    one(second, "SELECT 1");
                })
                .isInstanceOf(SQLException.class);
        soon("what it left").until(() -> {
            try {
                return one(open(MariaDb.USER), "SELECT 1").equals("1");
            } catch (SQLException e) {
                return false;
            }
        });
    }

    @Test
    void statements_beyondTheLimit_areRefused_butHitsTransactionsAndWhatEndsThemAreNot() throws Exception {
        Connection idle = open(BUSY);
        Connection within = open(BUSY);
        Lines.warm(idle, "SELECT v FROM items WHERE id = 1");
        run(operator, "KEYLINE SET limits.forwardsPerUser = 1");
        run(within, "BEGIN");
        run(within, "UPDATE items SET v = 21 WHERE id = 2");
        run(straight, "CREATE OR REPLACE TABLE shares.gate (id INT PRIMARY KEY)");
        Connection waiting = open(BUSY);
        run(straight, "LOCK TABLES shares.gate WRITE");
        CompletableFuture<String> held = held(waiting, "SELECT COUNT(*) FROM gate");

        for (String statement : List.of(
                "SELECT SUM(v) FROM items", "INSERT INTO items VALUES (3, 30)", "DELETE FROM items WHERE id = 1")) {
            refused(1226, "'limits.forwardsPerUser' resource (current value: 1)", () -> run(idle, statement));
        }
        assertThat(one(idle, "SELECT v FROM items WHERE id = 1")).isEqualTo("10");
        assertThat(Lines.source(idle)).isEqualTo("line");
        // Other users are served.
        assertThat(one(operator, "SELECT COUNT(*) FROM items")).isEqualTo("2");
        assertThat(one(within, "SELECT v FROM items WHERE id = 2")).isEqualTo("21");
        run(within, "INSERT INTO items VALUES (4, 40)");
        run(within, "COMMIT");
        run(straight, "UNLOCK TABLES");
        assertThat(held.get(1, TimeUnit.MINUTES)).isEqualTo("0");

        assertThat(one(idle, "SELECT SUM(v) FROM items")).isEqualTo("71");
        run(idle, "INSERT INTO items VALUES (3, 30)");
        assertThat(one(idle, "SELECT v FROM items WHERE id = 3")).isEqualTo("30");
    }

    /** The store would append the values of the next execution to those of the refused one. */
    @Test
    void longData_ofARefusedExecution_isNotStoredLater() throws Exception {
        run(straight, "CREATE OR REPLACE TABLE shares.texts (id INT PRIMARY KEY, t TEXT)");
        run(straight, "INSERT INTO shares.texts VALUES (1, '')");
        run(straight, "CREATE OR REPLACE TABLE shares.gate (id INT PRIMARY KEY)");
        Connection writer = DriverManager.getConnection(
                gateway.jdbc("shares").replace("user=" + MariaDb.USER, "user=" + BUSY) + "&useServerPrepStmts=true");
        opened.add(writer);
        try (PreparedStatement write = writer.prepareStatement("UPDATE texts SET t = ? WHERE id = 1")) {
            run(operator, "KEYLINE SET limits.forwardsPerUser = 1");
            run(straight, "LOCK TABLES shares.gate WRITE");
            CompletableFuture<String> held = held(open(BUSY), "SELECT COUNT(*) FROM gate");
            write.setCharacterStream(1, new StringReader("first"));
            refused(1226, "forwardsPerUser", write::execute);
            run(straight, "UNLOCK TABLES");
            assertThat(held.get(1, TimeUnit.MINUTES)).isEqualTo("0");

            write.setCharacterStream(1, new StringReader("second"));
            write.execute();
            assertThat(one(straight, "SELECT t FROM shares.texts")).isEqualTo("second");
        }
    }

    @Test
    void statements_thatFailOrWhoseClientLeaves_giveTheirPlaceBack() throws Exception {
        run(operator, "KEYLINE SET limits.forwardsPerUser = 1");
        Connection busy = open(BUSY);
        for (int i = 0; i < 3; i++) {
            refused(1146, "nothing", () -> run(busy, "SELECT COUNT(*) FROM nothing"));
        }
        run(straight, "LOCK TABLES shares.items WRITE");
        try (TestClient leaving = TestClient.connect(
                new HostPort("127.0.0.1", gateway.port()),
                options -> options.user(BUSY).password(MariaDb.PASSWORD).database("shares"))) {
            CompletableFuture<TestClient.Answer> unused = leaving.send("SELECT SUM(v) FROM items");
            awaitWaiter();
            refused(1226, "forwardsPerUser", () -> one(busy, "SELECT 2 + 2"));
        }
        // The statement runs there even if its client has disconnected.
        refused(1226, "forwardsPerUser", () -> one(busy, "SELECT 2 + 2"));
        run(straight, "UNLOCK TABLES");
        soon("its place").until(() -> {
            try {
                return one(busy, "SELECT 2 + 2").equals("4");
            } catch (SQLException e) {
                return false;
            }
        });
        run(straight, "LOCK TABLES shares.items WRITE");
        Connection victim = open(BUSY);
        String id = one(victim, "SELECT CONNECTION_ID()");
        CompletableFuture<String> killed = held(victim, "SELECT SUM(v) FROM items");
        refused(1226, "forwardsPerUser", () -> one(busy, "SELECT 2 + 2"));
        // A user at the limit can still end a statement.
        run(busy, "KILL " + id);
        assertThat(killed).failsWithin(1, TimeUnit.MINUTES);
        soon("the place of the killed one").until(() -> {
            try {
                return one(busy, "SELECT 2 + 2").equals("4");
            } catch (SQLException e) {
                return false;
            }
        });
        run(straight, "UNLOCK TABLES");
        assertThat(one(busy, "SELECT SUM(v) FROM items")).isEqualTo("30");
    }
}
