package org.keyline.gateway.warm;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/** A gateway that ends and starts again in front of a MariaDB with a binary log. Others write while it is away, and after. */
class WarmRestartIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int HOT = 400;
    private static final int ROWS = 3_000;

    private static MariaDb store;

    @TempDir
    private Path directory;

    private Path file;

    @BeforeAll
    static void connect() {
        store = MariaDb.logging("logging");
    }

    @BeforeEach
    void tables() throws SQLException {
        file = directory.resolve("hot.warm");
        try (Connection straight = straight()) {
            run(
                    straight,
                    "DROP DATABASE IF EXISTS warm",
                    "CREATE DATABASE warm CHARACTER SET utf8mb4",
                    "USE warm",
                    "CREATE TABLE warm.t (k INT PRIMARY KEY, n INT, v VARCHAR(40))",
                    "CREATE TABLE warm.p (a INT, b INT, n INT, PRIMARY KEY (a, b))",
                    "CREATE TABLE warm.q (a INT, b INT, n INT, PRIMARY KEY (a, b))",
                    "CREATE TABLE warm.altered (k INT PRIMARY KEY, n INT)",
                    // Some of the hot keys have no row.
                    "INSERT INTO warm.t SELECT seq, seq, 'text of a row' FROM seq_11_to_" + ROWS,
                    "INSERT INTO warm.p SELECT seq DIV 10, seq, seq FROM seq_1_to_" + ROWS,
                    "INSERT INTO warm.q SELECT seq DIV 20, seq, seq FROM seq_1_to_" + ROWS,
                    "INSERT INTO warm.altered SELECT seq, seq FROM seq_1_to_99");
        }
    }

    @Test
    void restart_beginsWithHotLines_andTheStoresRowsOfNow() throws Exception {
        try (RelayGateway gateway = start();
                Connection through = through(gateway);
                Connection prepared = through(gateway, "&useServerPrepStmts=true")) {
            await().atMost(PATIENCE).until(() -> hitsOfAll(through, prepared, 0) == 2 * HOT);
            for (int k = 1; k < 99; k++) {
                assertThat(n(through, "SELECT n FROM altered WHERE k = " + k)).isEqualTo(k);
            }
        }
        assertThat(Files.readString(file, ISO_8859_1)).contains("SELECT").doesNotContain("text of a row");

        long selects;
        try (Connection straight = straight()) {
            run(
                    straight,
                    "UPDATE warm.t SET n = n + 1000000 WHERE k <= 200",
                    "UPDATE warm.p SET n = n + 1000000 WHERE a <= 20",
                    "ALTER TABLE warm.altered ADD COLUMN m INT FIRST");
            selects = selects(straight);
        }
        try (RelayGateway gateway = start()) {
            try (Connection straight = straight();
                    Connection through = through(gateway)) {
                // All lines but those of the table that is not what it was; and not a statement for each.
                assertThat(status(through, "lines")).isEqualTo(keysOf("t") + keysOf("p"));
                assertThat(selects(straight) - selects).isLessThan(keysOf("t") / 2);
                try (Connection prepared = through(gateway, "&useServerPrepStmts=true")) {
                    // The store is asked by each user once for each statement, which is no hit; nor is what a table's
                    // first loads show.
                    assertThat(hitsOfAll(through, prepared, 1_000_000)).isGreaterThan(2 * HOT * 95 / 100);
                    // The signal may drop again, up to a ttl after it began, what it has told: nothing that was loaded
                    // ahead.
                    await().atMost(PATIENCE).until(() -> {
                        n(through, "SELECT n FROM t WHERE k = 50");
                        return age(through) > 1_500;
                    });
                    assertThat(hitsOfAll(through, prepared, 1_000_000)).isEqualTo(2 * HOT);
                }
                assertThat(n(through, "SELECT n FROM altered WHERE k = 7")).isEqualTo(7);
                run(straight, "UPDATE warm.t SET n = -1 WHERE k IN (100, 300)");
                for (int k : new int[] {100, 300}) {
                    await().atMost(PATIENCE).until(() -> n(through, "SELECT n FROM t WHERE k = " + k) == -1);
                }
            }
        }
    }

    /** Else its lines would be loaded by another prefix than they are read by. */
    @Test
    void granularityThatWasChosen_isTheOneToBeginWith() throws Exception {
        try (RelayGateway gateway = start();
                Connection through = through(gateway, "&useServerPrepStmts=true");
                PreparedStatement byKey = through.prepareStatement("SELECT n FROM q WHERE a = ? AND b = ?")) {
            await().atMost(PATIENCE).until(() -> {
                readAll(byKey);
                return prefixOf(through).equals("1");
            });
            // What was loaded by the full key is gone; now each line has 20 rows.
            readAll(byKey);
        }
        assertThat(WarmFile.read(file).tables())
                .filteredOn(table -> table.name().table().equals("q"))
                .extracting(WarmFile.Table::prefixCells)
                .containsExactly(1);
        try (RelayGateway gateway = start();
                Connection through = through(gateway, "&useServerPrepStmts=true");
                PreparedStatement byKey = through.prepareStatement("SELECT n FROM q WHERE a = ? AND b = ?")) {
            assertThat(status(through, "lines")).isEqualTo(keysOf("q")).isGreaterThan(ROWS / 20 * 9 / 10);
            readAll(byKey);
            long before = status(through, "hits");
            readAll(byKey);
            assertThat(status(through, "hits") - before).isGreaterThan(ROWS * 95 / 100);
        }
    }

    private static void readAll(PreparedStatement byKey) throws SQLException {
        for (int i = 1; i <= ROWS; i++) {
            assertThat(n(byKey, i / 20, i)).isEqualTo(i);
        }
    }

    /** The granularity in force of the table for which it is chosen; empty before the first decision. */
    private static String prefixOf(Connection through) throws SQLException {
        try (Statement sql = through.createStatement();
                ResultSet row = sql.executeQuery(
                        "SELECT prefix FROM keyline.granularities WHERE table_name = 'q' AND in_force = 1")) {
            return row.next() ? row.getString(1) : "";
        }
    }

    @Test
    void damagedFile_isLeftAside() throws Exception {
        try (RelayGateway gateway = start();
                Connection through = through(gateway);
                Connection prepared = through(gateway, "&useServerPrepStmts=true")) {
            await().atMost(PATIENCE).until(() -> hitsOfAll(through, prepared, 0) == 2 * HOT);
        }
        Files.writeString(file, "!", StandardOpenOption.APPEND);
        try (RelayGateway gateway = start();
                Connection through = through(gateway);
                Connection prepared = through(gateway, "&useServerPrepStmts=true")) {
            assertThat(status(through, "lines")).isZero();
            await().atMost(PATIENCE).until(() -> hitsOfAll(through, prepared, 0) == 2 * HOT);
        }
        // It was written anew on shutdown.
        assertThat(WarmFile.read(file).keys()).hasSizeGreaterThan(HOT);
    }

    private long keysOf(String table) throws Exception {
        WarmFile.Content content = WarmFile.read(file);
        return content.keys().stream()
                .filter(key -> content.tables().get(key.table()).name().table().equals(table))
                .count();
    }

    private RelayGateway start() throws Exception {
        return RelayGateway.start(
                store,
                "cache.warmFile=" + file,
                "store.signal=auto",
                "cache.ttl=1s",
                "cache.signalTtl=10m",
                "cache.refreshAhead=false",
                "store.signalPeriod=50ms",
                "tables.warm.p.prefix=1");
    }

    /** Reads what is hot, each row by both protocols; answers how many hits that were. The first half has been written so often. */
    private static long hitsOfAll(Connection through, Connection prepared, int written) throws SQLException {
        long before = status(through, "hits");
        try (PreparedStatement byKey = prepared.prepareStatement("SELECT n FROM t WHERE k = ?");
                PreparedStatement ofPrefix = prepared.prepareStatement("SELECT n FROM p WHERE a = ? AND b = ?")) {
            for (int i = 1; i <= HOT; i++) {
                if (i % 2 == 0) {
                    int expected = i <= 10 ? -7 : i <= 200 ? i + written : i;
                    assertThat(n(through, "SELECT n FROM t WHERE k = " + i)).isEqualTo(expected);
                    assertThat(n(byKey, i)).isEqualTo(expected);
                } else {
                    int expected = i / 10 <= 20 ? i + written : i;
                    assertThat(n(through, "SELECT n FROM p WHERE a = " + i / 10 + " AND b = " + i))
                            .isEqualTo(expected);
                    assertThat(n(ofPrefix, i / 10, i)).isEqualTo(expected);
                }
            }
        }
        return status(through, "hits") - before;
    }

    private static int n(PreparedStatement select, int... key) throws SQLException {
        for (int i = 0; i < key.length; i++) {
            select.setInt(i + 1, key[i]);
        }
        try (ResultSet row = select.executeQuery()) {
            return row.next() ? row.getInt(1) : -7;
        }
    }

    private static int n(Connection connection, String select) throws SQLException {
        try (Statement sql = connection.createStatement();
                ResultSet row = sql.executeQuery(select)) {
            return row.next() ? row.getInt(1) : -7;
        }
    }

    /** Of the last answer, in milliseconds. */
    private static long age(Connection through) throws SQLException {
        try (Statement sql = through.createStatement()) {
            sql.execute("KEYLINE LAST");
            try (ResultSet rows = sql.getResultSet()) {
                while (rows.next()) {
                    if (rows.getString(1).equals("age")) {
                        return Long.parseLong(rows.getString(2).replace(" ms", ""));
                    }
                }
                return -1;
            }
        }
    }

    private static long status(Connection through, String name) throws SQLException {
        return second(through, "SHOW STATUS LIKE 'keyline_" + name + "'");
    }

    /** SELECTs that the server has had from anybody. */
    private static long selects(Connection straight) throws SQLException {
        return second(straight, "SHOW GLOBAL STATUS LIKE 'Com_select'");
    }

    private static long second(Connection connection, String show) throws SQLException {
        try (Statement sql = connection.createStatement();
                ResultSet row = sql.executeQuery(show)) {
            assertThat(row.next()).isTrue();
            return row.getLong(2);
        }
    }

    private static Connection straight() throws SQLException {
        return DriverManager.getConnection(store.jdbc(""));
    }

    private static Connection through(RelayGateway gateway, String... parameters) throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("warm") + String.join("", parameters));
    }

    private static void run(Connection connection, String... statements) throws SQLException {
        try (Statement sql = connection.createStatement()) {
            for (String statement : statements) {
                sql.execute(statement);
            }
        }
    }
}
