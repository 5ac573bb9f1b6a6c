package org.keyline.gateway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.source;
import static org.keyline.gateway.fixtures.Lines.warm;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.EngineServer;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * A distributed store: MariaDB with the engine Spider, which stores the rows of a table at two
 * other servers. Those servers determine keys and comparisons, so its tables have no lines.
 */
@EnabledIfSystemProperty(named = "keyline.engines", matches = "(.*,)?spider(,.*)?")
class SpiderIT {
    private static final String COLUMNS =
            " (user_id INT, order_id INT, note VARCHAR(40), amount INT, PRIMARY KEY (user_id, order_id))";
    private static final int USERS = 20;

    private static EngineServer coordinator;
    private static EngineServer[] shards;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        shards = new EngineServer[] {EngineServer.start(EngineServer.SPIDER), EngineServer.start(EngineServer.SPIDER)};
        coordinator = EngineServer.start(EngineServer.SPIDER);
        for (EngineServer shard : shards) {
            run(shard, "CREATE DATABASE shop", "CREATE TABLE shop.orders" + COLUMNS);
        }
        run(
                coordinator,
                "CREATE DATABASE shop",
                server("s0", shards[0]),
                server("s1", shards[1]),
                "CREATE TABLE shop.orders" + COLUMNS
                        + " ENGINE = SPIDER COMMENT = 'wrapper \"mysql\", table \"orders\"'"
                        + " PARTITION BY KEY (user_id)"
                        + " (PARTITION p0 COMMENT = 'srv \"s0\"', PARTITION p1 COMMENT = 'srv \"s1\"')",
                "CREATE TABLE shop.plain (id INT PRIMARY KEY, n INT)");
        gateway = RelayGateway.start(coordinator, "store.signal=binlog", "cache.signalTtl=1h");
    }

    @AfterAll
    static void stop() {
        gateway.close();
        coordinator.close();
        for (EngineServer shard : shards) {
            shard.close();
        }
    }

    private static String server(String name, EngineServer at) {
        return "CREATE SERVER " + name + " FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1', DATABASE 'shop', USER"
                + " 'keyline', PASSWORD 'secret', PORT " + at.port() + ")";
    }

    private static void run(EngineServer server, String... statements) throws SQLException {
        try (Connection straight = DriverManager.getConnection(server.jdbc(""))) {
            run(straight, statements);
        }
    }

    private static void run(Connection connection, String... statements) throws SQLException {
        try (Statement sql = connection.createStatement()) {
            for (String statement : statements) {
                sql.execute(statement);
            }
        }
    }

    private static Connection through() throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("shop"));
    }

    @BeforeEach
    void rows() throws SQLException {
        StringBuilder rows = new StringBuilder("INSERT INTO shop.orders VALUES ");
        for (int user = 0; user < USERS; user++) {
            rows.append(user == 0 ? "" : ", ").append('(').append(user).append(", 1, 'first', 10)");
        }
        run(
                coordinator,
                "DELETE FROM shop.orders",
                rows.toString(),
                "DELETE FROM shop.plain",
                "INSERT INTO shop.plain VALUES (1, 10)");
        try (Connection connection = through()) {
            run(connection, "KEYLINE FLUSH ALL");
        }
    }

    private static String read(int user) {
        return "SELECT amount FROM orders WHERE user_id = " + user + " AND order_id = 1";
    }

    @Test
    void rowsOfBothServers_areAlwaysTheStores() throws SQLException {
        try (Connection connection = through()) {
            assertThat(straight(coordinator, "SELECT COUNT(*) FROM shop.orders"))
                    .isEqualTo(String.valueOf(USERS));
            for (EngineServer shard : shards) {
                assertThat(Integer.parseInt(straight(shard, "SELECT COUNT(*) FROM shop.orders")))
                        .isBetween(1, USERS - 1);
                // A write past the gateway and past the coordinator, whose log does not contain it.
                run(shard, "UPDATE shop.orders SET amount = 11");
            }
            for (int round = 0; round < 4; round++) {
                for (int user = 0; user < USERS; user++) {
                    assertThat(one(connection, read(user))).isEqualTo("11");
                    assertThat(source(connection)).isEqualTo("store");
                }
                assertThat(one(connection, "SELECT COUNT(*) FROM orders WHERE user_id = 3"))
                        .isEqualTo("1");
            }
        }
    }

    private static String straight(EngineServer server, String select) throws SQLException {
        try (Connection straight = DriverManager.getConnection(server.jdbc(""))) {
            return one(straight, select);
        }
    }

    @Test
    void serverThatDies_costsErrorsOfItsRowsOnly_andTheyComeBack() throws Exception {
        try (Connection connection = through()) {
            String local = "SELECT n FROM plain WHERE id = 1";
            warm(connection, local);
            int lost = userOf(shards[1]);
            int kept = userOf(shards[0]);
            run(connection, "UPDATE orders SET amount = 12 WHERE user_id = " + lost);
            shards[1].kill();
            assertThatThrownBy(() -> one(connection, read(lost))).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> run(connection, "UPDATE orders SET amount = 13 WHERE user_id = " + lost))
                    .isInstanceOf(SQLException.class);
            assertThat(one(connection, read(kept))).isEqualTo("10");
            assertThat(one(connection, local)).isEqualTo("10");
            // The gateway reads the catalog again, including the table of the lost server.
            run(connection, "ALTER TABLE plain COMMENT = 'read anew'");
            warm(connection, local);
            shards[1].startAgain();
            await().atMost(Duration.ofMinutes(1))
                    .ignoreExceptions()
                    .until(() -> one(connection, read(lost)).equals("12"));
            run(connection, "UPDATE orders SET amount = 14 WHERE user_id = " + lost);
            assertThat(one(connection, read(lost))).isEqualTo("14");
        }
    }

    /** Returns a user whose rows are at this server. */
    private static int userOf(EngineServer shard) throws SQLException {
        return Integer.parseInt(straight(shard, "SELECT MIN(user_id) FROM shop.orders"));
    }

    /**
     * A gateway in front of one of the servers sees the coordinator's writes there, also with
     * two-phase commit.
     */
    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void writeOfTheCoordinator_isSeenInFrontOfOneServer(String phases) throws Exception {
        int user = userOf(shards[0]);
        try (RelayGateway there = RelayGateway.start(
                        shards[0],
                        "store.signal=binlog",
                        "store.signalPeriod=20ms",
                        "cache.ttl=2s",
                        "cache.signalTtl=1h");
                Connection reader = DriverManager.getConnection(there.jdbc("shop"));
                Connection writer = DriverManager.getConnection(coordinator.jdbc("shop"))) {
            await().until(() ->
                    one(reader, "SHOW STATUS LIKE 'keyline_signal_live'", 2).equals("1"));
            warm(reader, read(user));
            run(writer, "SET spider_internal_xa = " + phases);
            for (int amount = 100; amount < 120; amount++) {
                String expected = String.valueOf(amount);
                run(writer, "BEGIN", "UPDATE orders SET amount = " + expected + " WHERE user_id = " + user, "COMMIT");
                soon("the write").until(() -> one(reader, read(user)).equals(expected));
                warm(reader, read(user));
                assertThat(one(reader, read(user))).isEqualTo(expected);
            }
        }
    }
}
