package org.keyline.gateway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.source;
import static org.keyline.gateway.fixtures.Lines.warm;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.EngineServer;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * The promises of the gateway in front of a MySQL of another vendor, of which the gateway knows
 * only what the server reports. Lines live for an hour here. A statement that such a server does
 * not support proves nothing about the gateway.
 */
@EnabledIfSystemProperty(named = "keyline.engines", matches = "(go-mysql-server-accounts|seekdb)(,.*)?")
class ForeignEngineIT {
    private static final String BALANCE = "SELECT balance FROM accounts WHERE id = 1";
    private static final int WRITES = 1_000;
    /**
     * Without it, Connector/J sets {@code character_set_results} to NULL, which go-mysql-server
     * reports as an empty text.
     */
    private static final String UTF8 = "&characterSetResults=UTF-8";

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("foreign");
        gateway = RelayGateway.start(store, "store.refresh=1s", "tables.bank.notes.prefix=1");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void tables() throws SQLException {
        try (Connection connection = DriverManager.getConnection(gateway.jdbc(""))) {
            run(
                    connection,
                    "DROP DATABASE IF EXISTS bank",
                    "CREATE DATABASE bank",
                    "CREATE TABLE bank.accounts (id INT PRIMARY KEY, owner VARCHAR(40), balance INT)",
                    "INSERT INTO bank.accounts VALUES (1, 'ann', 10), (2, 'bob', 20), (3, 'cem', 30)",
                    "CREATE TABLE bank.notes (id INT, at INT, text VARCHAR(40), PRIMARY KEY (id, at))",
                    "INSERT INTO bank.notes VALUES (1, 1, 'old'), (1, 2, 'é'), (2, 1, NULL)",
                    "KEYLINE FLUSH ALL");
        }
    }

    private static Connection through(String... parameters) throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("bank") + UTF8 + String.join("", parameters));
    }

    /** Returns all cells of a statement's rows. */
    private static List<String> rows(Connection connection, String select, int... parameters) throws SQLException {
        try (PreparedStatement sql = connection.prepareStatement(select)) {
            for (int i = 0; i < parameters.length; i++) {
                sql.setInt(i + 1, parameters[i]);
            }
            List<String> cells = new ArrayList<>();
            try (ResultSet rows = sql.executeQuery()) {
                while (rows.next()) {
                    for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                        cells.add(String.valueOf(rows.getString(i)));
                    }
                }
            }
            return cells;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&useServerPrepStmts=true"})
    void readsByWholeNumbers_areAnsweredFromLines(String protocol) throws SQLException {
        try (Connection straight = DriverManager.getConnection(store.jdbc("bank") + protocol);
                Connection connection = through(protocol)) {
            for (String select : List.of(
                    "SELECT * FROM accounts WHERE id = ?",
                    "SELECT owner, balance FROM accounts WHERE id = ?",
                    "SELECT * FROM notes WHERE id = ? ORDER BY at",
                    "SELECT at, text FROM notes WHERE at = 1 AND id = ?")) {
                for (int id = 1; id < 5; id++) {
                    int of = id;
                    List<String> expected = rows(straight, select, of);
                    soon(select).until(() -> {
                        assertThat(rows(connection, select, of)).as(select).isEqualTo(expected);
                        return source(connection).equals("line");
                    });
                }
            }
        }
    }

    /**
     * Every kind of write of a row that the reader has in a line. If the server refuses the write,
     * the row must be unchanged.
     */
    @ParameterizedTest
    @CsvFileSource(
            resources = "ForeignEngineIT.everyKindOfWrite_isSeenWhenItIsAcknowledged.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void everyKindOfWrite_isSeenWhenItIsAcknowledged(String writes) throws SQLException {
        for (String protocol : List.of("", "&useServerPrepStmts=true")) {
            tables();
            try (Connection reader = through(protocol);
                    Connection writer = through();
                    Connection straight = DriverManager.getConnection(store.jdbc("bank") + protocol)) {
                warm(reader, BALANCE);
                for (String write : writes.split("; ", -1)) {
                    try {
                        run(writer, write);
                    } catch (SQLException refused) {
                        assertThat(refused.getSQLState()).as(write).doesNotStartWith("08");
                    }
                }
                for (int i = 0; i < 3; i++) {
                    assertThat(one(reader, BALANCE)).isEqualTo(one(straight, BALANCE));
                }
            }
        }
    }

    /** Several statements in one text, if the server accepts that. */
    @Test
    void writeBesideOthersInOneText_isSeen() throws SQLException {
        try (Connection reader = through();
                Connection writer = through("&allowMultiQueries=true");
                Connection straight = DriverManager.getConnection(store.jdbc("bank"))) {
            warm(reader, BALANCE);
            run(writer, "SELECT 1; UPDATE accounts SET balance = 42 WHERE id = 1; SELECT 2");
            for (int i = 0; i < 3; i++) {
                assertThat(one(reader, BALANCE)).isEqualTo(one(straight, BALANCE));
            }
        }
    }

    /** The server determines what a transaction shows, and how it reports an open one. */
    @ParameterizedTest
    @ValueSource(strings = {"START TRANSACTION", "BEGIN", "SET autocommit = 0", "BEGIN; SAVEPOINT s"})
    void transactions_showToOthersWhatTheStoreShows(String begin) throws SQLException {
        try (Connection reader = through();
                Connection writer = through();
                Connection straight = DriverManager.getConnection(store.jdbc("bank"))) {
            warm(reader, BALANCE);
            for (String end : List.of("ROLLBACK", "COMMIT")) {
                run(writer, begin.split("; ", -1));
                run(writer, "UPDATE accounts SET balance = 99 WHERE id = 1");
                assertThat(one(writer, BALANCE)).isEqualTo("99");
                for (int i = 0; i < 4; i++) {
                    // If the gateway considered the transaction ended, a line would have the old
                    // row from here on.
                    assertThat(one(reader, BALANCE)).isEqualTo(one(straight, BALANCE));
                }
                run(writer, end);
                for (int i = 0; i < 4; i++) {
                    assertThat(one(reader, BALANCE)).as(end).isEqualTo(one(straight, BALANCE));
                }
            }
            assertThat(one(reader, BALANCE)).isEqualTo("99");
        }
    }

    /** Rows that the store deletes or changes together with others. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ON DELETE CASCADE|DELETE FROM accounts WHERE id = 3",
                "ON DELETE SET NULL|DELETE FROM accounts WHERE id = 3",
                "ON UPDATE CASCADE|UPDATE accounts SET id = 33 WHERE id = 3"
            })
    void cascades_reachOtherTables(String test) throws SQLException {
        String read = "SELECT account FROM cards WHERE id = 5";
        try (Connection reader = through();
                Connection writer = through();
                Connection straight = DriverManager.getConnection(store.jdbc("bank"))) {
            run(
                    writer,
                    "CREATE TABLE cards (id INT PRIMARY KEY, account INT, CONSTRAINT FOREIGN KEY (account) REFERENCES accounts (id) "
                            + test.substring(0, test.indexOf('|')) + ")",
                    "INSERT INTO cards VALUES (5, 3)");
            warm(reader, read);
            assertThat(one(reader, read)).isEqualTo("3");
            run(writer, test.substring(test.indexOf('|') + 1));
            for (int i = 0; i < 3; i++) {
                assertThat(one(reader, read)).isEqualTo(one(straight, read));
            }
        }
    }

    /** A read must not show less than was acknowledged before it began. */
    @Test
    void readersBesideAWriter_neverSeeLessThanWasAcknowledged() throws Exception {
        // There a commit restores all tables that its session has read, so that concurrent writes
        // are lost.
        assumeFalse(EngineServer.wanted().get(0).startsWith("go-mysql-server"), "the server itself loses writes");
        AtomicLong acknowledged = new AtomicLong(10);
        AtomicBoolean done = new AtomicBoolean();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (String protocol : List.of("", "&useServerPrepStmts=true", "")) {
            readers.add(CompletableFuture.runAsync(() -> {
                try (Connection reader = through(protocol);
                        PreparedStatement read = reader.prepareStatement("SELECT balance FROM accounts WHERE id = ?")) {
                    read.setInt(1, 1);
                    long last = 0;
                    while (!done.get()) {
                        long least = Math.max(last, acknowledged.get());
                        try (ResultSet rows = read.executeQuery()) {
                            assertThat(rows.next()).isTrue();
                            last = rows.getLong(1);
                        }
                        assertThat(last).isGreaterThanOrEqualTo(least);
                    }
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        try (Connection writer = through()) {
            for (int i = 11; i < 10 + WRITES; i++) {
                run(writer, "UPDATE accounts SET balance = " + i + " WHERE id = 1");
                acknowledged.set(i);
            }
        } finally {
            done.set(true);
        }
        CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).join();
    }

    @Test
    void definitions_areFollowed() throws SQLException {
        try (Connection reader = through();
                Connection writer = through()) {
            String all = "SELECT * FROM accounts WHERE id = 2";
            warm(reader, all);
            run(writer, "ALTER TABLE accounts ADD COLUMN extra INT DEFAULT 8");
            assertThat(rows(reader, all)).containsExactly("2", "bob", "20", "8");
            warm(reader, all);
            assertThat(rows(reader, all)).containsExactly("2", "bob", "20", "8");
            // A write past the gateway, which the next load shows.
            try (Connection straight = DriverManager.getConnection(store.jdbc("bank"))) {
                run(straight, "ALTER TABLE accounts DROP COLUMN extra");
            }
            run(reader, "KEYLINE FLUSH ALL");
            assertThat(rows(reader, all)).containsExactly("2", "bob", "20");
        }
    }
}
