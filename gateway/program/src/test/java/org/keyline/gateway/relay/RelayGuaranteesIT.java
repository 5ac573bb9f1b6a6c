package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.source;
import static org.keyline.gateway.fixtures.Lines.warm;

import com.mysql.cj.jdbc.JdbcConnection;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * The guarantees of a gateway in front of a MariaDB: freshness, isolation, authority. Lines live
 * for an hour here.
 */
class RelayGuaranteesIT {
    private static final Duration PRIVILEGE_TTL = Duration.ofMillis(400);

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("second");
        gateway = RelayGateway.start(store, "privilegeTtl=" + PRIVILEGE_TTL.toMillis() + "ms");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void schema() throws SQLException {
        try (Connection straight = DriverManager.getConnection(store.jdbc(""));
                Statement sql = straight.createStatement()) {
            sql.execute("DROP DATABASE IF EXISTS bank");
            sql.execute("CREATE DATABASE bank CHARACTER SET utf8mb4");
            sql.execute("CREATE TABLE bank.accounts (id INT PRIMARY KEY, owner VARCHAR(40), balance INT)");
            sql.execute("INSERT INTO bank.accounts VALUES (1, 'ann', 10), (2, 'bob', 20), (3, 'cem', 30)");
            sql.execute("CREATE TABLE bank.notes (id INT PRIMARY KEY, text VARCHAR(40))");
            sql.execute("INSERT INTO bank.notes VALUES (1, 'old')");
        }
        // The catalog has to read the definitions that were made past the gateway.
        try (Connection through = through();
                Statement sql = through.createStatement()) {
            sql.execute("DROP TABLE IF EXISTS bank.known");
            sql.execute("CREATE TABLE bank.known (id INT PRIMARY KEY)");
            // A line of the test before, of an identical table, would live for an hour.
            sql.execute("KEYLINE FLUSH ALL");
        }
        soon("the definition")
                .until(() -> explain("SELECT * FROM bank.accounts WHERE id = 1").startsWith("SHORT-CIRCUIT"));
    }

    private static Connection through(String... parameters) throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("bank") + String.join("", parameters));
    }

    private static String explain(String select) throws SQLException {
        try (Connection connection = DriverManager.getConnection(gateway.jdbc(""))) {
            return one(connection, "KEYLINE EXPLAIN " + select, 2);
        }
    }

    private static final String BALANCE = "SELECT balance FROM accounts WHERE id = 1";

    @Test
    void acknowledgedWrites_areSeenByEverybody() throws SQLException {
        try (Connection reader = through();
                Connection writer = through()) {
            for (int i = 0; i < 50; i++) {
                warm(reader, BALANCE);
                run(writer, "UPDATE accounts SET balance = " + i + " WHERE id = 1");
                assertThat(one(reader, BALANCE)).isEqualTo(Integer.toString(i));
            }
        }
    }

    @Test
    void absentRow_isSeenAfterItsInsert() throws SQLException {
        try (Connection reader = through();
                Connection writer = through()) {
            String absent = "SELECT balance FROM accounts WHERE id = 77";
            warm(reader, absent);
            assertThat(one(reader, absent)).isEqualTo("no row");
            run(writer, "INSERT INTO accounts VALUES (77, 'new', 7)");
            assertThat(one(reader, absent)).isEqualTo("7");
        }
    }

    @Test
    void transactions_seeTheirOwnWritesAndNobodyElseDoes() throws SQLException {
        try (Connection reader = through();
                Connection writer = through()) {
            warm(reader, BALANCE);
            writer.setAutoCommit(false);
            run(writer, "UPDATE accounts SET balance = 99 WHERE id = 1");
            assertThat(one(writer, BALANCE)).isEqualTo("99");
            assertThat(one(reader, BALANCE)).isEqualTo("10");
            writer.rollback();
            assertThat(one(reader, BALANCE)).isEqualTo("10");
            run(writer, "UPDATE accounts SET balance = 98 WHERE id = 1");
            writer.commit();
            assertThat(one(reader, BALANCE)).isEqualTo("98");
        }
    }

    /**
     * If the store's sessions begin with the lowest isolation level, lines must not contain
     * uncommitted rows.
     */
    @Test
    void uncommittedRows_getIntoNoLine() throws Exception {
        try (Connection straight = DriverManager.getConnection(store.jdbc("bank"))) {
            run(straight, "SET GLOBAL TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");
            try (RelayGateway fresh = RelayGateway.start(store);
                    Connection reader = DriverManager.getConnection(fresh.jdbc("bank"))) {
                run(reader, "SET SESSION transaction_isolation = 'READ-COMMITTED'");
                warm(reader, "SELECT balance FROM accounts WHERE id = 2");
                run(straight, "START TRANSACTION", "UPDATE accounts SET balance = 0 WHERE id = 1");
                assertThat(one(reader, BALANCE)).isEqualTo("10");
                assertThat(source(reader)).isNotEqualTo("store");
                run(straight, "ROLLBACK");
            } finally {
                run(straight, "SET GLOBAL TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            }
        }
    }

    @Test
    void triggersAndCascades_reachOtherTables() throws SQLException {
        try (Connection reader = through();
                Connection writer = through()) {
            run(
                    writer,
                    "CREATE TRIGGER noted AFTER UPDATE ON accounts FOR EACH ROW UPDATE notes SET text = 'by trigger' WHERE id = 1",
                    "CREATE TABLE cards (id INT PRIMARY KEY, account INT, CONSTRAINT FOREIGN KEY (account) REFERENCES accounts (id)"
                            + " ON DELETE CASCADE)",
                    "INSERT INTO cards VALUES (5, 3)");
            soon("the definition")
                    .until(() ->
                            explain("SELECT * FROM bank.cards WHERE id = 5").startsWith("SHORT-CIRCUIT"));
            warm(reader, "SELECT text FROM notes WHERE id = 1");
            warm(reader, "SELECT account FROM cards WHERE id = 5");
            run(writer, "UPDATE accounts SET balance = 5 WHERE id = 2");
            assertThat(one(reader, "SELECT text FROM notes WHERE id = 1")).isEqualTo("by trigger");
            run(writer, "DELETE FROM accounts WHERE id = 3");
            assertThat(one(reader, "SELECT account FROM cards WHERE id = 5")).isEqualTo("no row");
            // If stored code exists, sessions of later tests are not tracked after statements that
            // may run it.
            run(writer, "DROP TRIGGER noted");
        }
    }

    @Test
    void proceduresViewsAndSeveralTables_reachWhatTheyWrite() throws SQLException {
        try (Connection reader = through();
                Connection writer = through("&allowMultiQueries=true")) {
            run(
                    writer,
                    "CREATE PROCEDURE pay(n INT) UPDATE accounts SET balance = balance + n WHERE id = 1",
                    "CREATE VIEW rich AS SELECT * FROM accounts WHERE balance > 0");
            soon("the definition")
                    .until(() ->
                            explain("SELECT * FROM bank.accounts WHERE id = 1").startsWith("SHORT-CIRCUIT"));
            warm(reader, BALANCE);
            run(writer, "CALL pay(5)");
            assertThat(one(reader, BALANCE)).isEqualTo("15");
            warm(reader, BALANCE);
            run(writer, "UPDATE rich SET balance = 40 WHERE id = 1");
            assertThat(one(reader, BALANCE)).isEqualTo("40");
            warm(reader, BALANCE);
            run(writer, "UPDATE accounts a JOIN notes n ON a.id = n.id SET a.balance = 41, n.text = 'joined'");
            assertThat(one(reader, BALANCE)).isEqualTo("41");
            warm(reader, BALANCE);
            run(writer, "SELECT 1; UPDATE accounts SET balance = 42 WHERE id = 1; SELECT 2");
            assertThat(one(reader, BALANCE)).isEqualTo("42");
            warm(reader, BALANCE);
            run(writer, "PREPARE p FROM 'UPDATE accounts SET balance = 43 WHERE id = 1'", "EXECUTE p");
            assertThat(one(reader, BALANCE)).isEqualTo("43");
        }
    }

    /**
     * Every kind of write of the row that the reader has in a line. Some fail, and then must leave
     * the row unchanged.
     */
    @ParameterizedTest
    @CsvFileSource(
            resources = "RelayGuaranteesIT.everyKindOfWrite_isSeenWhenItIsAcknowledged.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void everyKindOfWrite_isSeenWhenItIsAcknowledged(String writes) throws SQLException {
        try (Connection reader = through();
                Connection writer = through("&allowMultiQueries=true");
                Connection straight = DriverManager.getConnection(store.jdbc("bank"))) {
            run(
                    writer,
                    "DROP TABLE IF EXISTS other",
                    "CREATE TABLE other (id INT PRIMARY KEY, owner VARCHAR(40), balance INT)");
            warm(reader, BALANCE);
            for (String write : writes.startsWith("BEGIN NOT") || writes.startsWith("WITH")
                    ? new String[] {writes}
                    : writes.split("; ")) {
                try {
                    run(writer, write);
                } catch (SQLException refused) {
                    // Besides duplicate keys and timeouts, statements that MySQL cannot parse.
                    assertThat(refused.getErrorCode()).as(write).isIn(1062, 1969, MariaDb.isMySql() ? 1064 : 1062);
                }
            }
            for (int i = 0; i < 3; i++) {
                assertThat(one(reader, BALANCE)).isEqualTo(one(straight, BALANCE));
            }
        }
    }

    @Test
    void definitionsChangedUnderOpenHandles_areFollowed() throws SQLException {
        try (Connection reader = through("&useServerPrepStmts=true");
                Connection writer = through();
                PreparedStatement all = reader.prepareStatement("SELECT * FROM accounts WHERE id = ?")) {
            for (int i = 0; i < 5; i++) {
                all.setInt(1, 1);
                all.executeQuery().close();
            }
            // The number of columns is unchanged, because Connector/J itself does not follow a
            // change of it.
            run(writer, "ALTER TABLE accounts CHANGE balance amount VARCHAR(20) FIRST");
            try (ResultSet rows = all.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getMetaData().getColumnLabel(1)).isEqualTo("amount");
                assertThat(rows.getString("amount")).isEqualTo("10");
                assertThat(rows.getString("owner")).isEqualTo("ann");
            }
        }
    }

    @Test
    void definitionsChangedPastTheGateway_areNoticedByTheNextLoad() throws SQLException {
        try (Connection reader = through();
                Connection straight = DriverManager.getConnection(store.jdbc("bank"))) {
            warm(reader, "SELECT * FROM accounts WHERE id = 2");
            run(straight, "ALTER TABLE accounts ADD COLUMN first INT DEFAULT 8 FIRST");
            run(reader, "KEYLINE FLUSH ALL");
            assertThat(one(reader, "SELECT * FROM accounts WHERE id = 2")).isEqualTo("8");
        }
    }

    @Test
    void hitsNeedTheRightsOfTheirOwnUser() throws SQLException {
        try (Connection admin = DriverManager.getConnection(store.jdbc("bank"));
                Connection reader = through()) {
            run(
                    admin,
                    "DROP USER IF EXISTS clerk@'127.0.0.1'",
                    "CREATE USER clerk@'127.0.0.1' IDENTIFIED BY 'c'",
                    "GRANT SELECT (id, owner) ON bank.accounts TO clerk@'127.0.0.1'");
            warm(reader, BALANCE);
            warm(reader, "SELECT owner FROM accounts WHERE id = 1");
            String url = "jdbc:mysql://127.0.0.1:" + gateway.port()
                    + "/bank?user=clerk&password=c&allowPublicKeyRetrieval=true";
            try (Connection clerk = DriverManager.getConnection(url)) {
                assertThatThrownBy(() -> one(clerk, BALANCE)).hasMessageContaining("SELECT command denied");
                warm(clerk, "SELECT owner FROM accounts WHERE id = 1");
                assertThatThrownBy(() -> one(clerk, BALANCE)).hasMessageContaining("SELECT command denied");
            }
        }
    }

    @Test
    void aRevokedRight_stopsHitsOfOpenHandlesWithinTheBound() throws SQLException {
        try (Connection admin = DriverManager.getConnection(store.jdbc("bank"))) {
            run(
                    admin,
                    "DROP USER IF EXISTS clerk@'127.0.0.1'",
                    "CREATE USER clerk@'127.0.0.1' IDENTIFIED BY 'c'",
                    "GRANT SELECT ON bank.accounts TO clerk@'127.0.0.1'");
            String url = "jdbc:mysql://127.0.0.1:" + gateway.port()
                    + "/bank?user=clerk&password=c&allowPublicKeyRetrieval=true&useServerPrepStmts=true";
            try (Connection clerk = DriverManager.getConnection(url);
                    PreparedStatement handle = clerk.prepareStatement("SELECT owner FROM accounts WHERE id = ?")) {
                handle.setInt(1, 1);
                for (int i = 0; i < 5; i++) {
                    handle.executeQuery().close();
                }
                // A change past the gateway, without any notification.
                run(admin, "REVOKE SELECT ON bank.accounts FROM clerk@'127.0.0.1'");
                await().atMost(PRIVILEGE_TTL.multipliedBy(10))
                        .untilAsserted(() -> assertThatThrownBy(
                                        () -> handle.executeQuery().close())
                                .hasMessageContaining("SELECT command denied"));
            }
        }
    }

    @Test
    void changedUser_hasItsOwnRightsAndNotTheFormerOnes() throws SQLException {
        try (Connection admin = DriverManager.getConnection(store.jdbc("bank"));
                Connection session = through()) {
            run(
                    admin,
                    "DROP USER IF EXISTS nobody@'127.0.0.1'",
                    "CREATE USER nobody@'127.0.0.1' IDENTIFIED BY 'n'",
                    "GRANT SELECT ON bank.notes TO nobody@'127.0.0.1'");
            warm(session, BALANCE);
            session.unwrap(JdbcConnection.class).changeUser("nobody", "n");
            assertThat(one(session, "SELECT CURRENT_USER()")).isEqualTo("nobody@127.0.0.1");
            assertThatThrownBy(() -> one(session, "SELECT balance FROM bank.accounts WHERE id = 1"))
                    .hasMessageContaining("denied");
        }
    }

    @Test
    void temporaryTablesAndLocks_turnHitsOff() throws SQLException {
        try (Connection session = through()) {
            warm(session, BALANCE);
            run(session, "CREATE TEMPORARY TABLE accounts (id INT PRIMARY KEY, balance INT)");
            assertThat(one(session, BALANCE)).isEqualTo("no row");
        }
        try (Connection session = through()) {
            warm(session, BALANCE);
            run(session, "LOCK TABLES notes READ");
            assertThatThrownBy(() -> one(session, BALANCE)).hasMessageContaining("was not locked");
            run(session, "UNLOCK TABLES");
            warm(session, BALANCE);
        }
    }

    @Test
    void killTakesTheIdThatTheClientSees() throws Exception {
        try (Connection victim = through();
                Connection killer = through()) {
            String id = one(victim, "SELECT CONNECTION_ID()");
            CompletableFuture<String> sleeping = CompletableFuture.supplyAsync(() -> {
                try {
                    return one(victim, "SELECT SLEEP(60)");
                } catch (SQLException e) {
                    return String.valueOf(e.getMessage());
                }
            });
            soon("the sleep")
                    .until(() -> one(killer, "SELECT STATE FROM information_schema.PROCESSLIST WHERE ID = " + id)
                            .contains("sleep"));
            run(killer, "KILL QUERY " + id);
            assertThat(sleeping.get()).isIn("1", "Query execution was interrupted");
            run(killer, "KILL " + id);
            assertThatThrownBy(() -> one(victim, "SELECT 1")).isInstanceOf(SQLException.class);
            assertThat(one(killer, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void bytesThatAreNoText_failTheStatementAtMost() throws SQLException {
        try (Connection session = through()) {
            warm(session, BALANCE);
            String odd = new String(
                    new byte[] {'S', 'E', 'L', 'E', 'C', 'T', ' ', (byte) 0xFF}, StandardCharsets.ISO_8859_1);
            assertThatThrownBy(() -> one(session, odd)).isInstanceOf(SQLException.class);
            assertThat(one(session, BALANCE)).isEqualTo("10");
        }
    }
}
