package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.source;

import java.io.ByteArrayInputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Defects of other products that are visible on the wire, each tested on hits against the store's
 * own answer. Lines live for an hour here.
 */
class RelayTrapsIT {
    private static final int ROWS = 64;
    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("second");
        gateway = RelayGateway.start(store);
        try (Connection through = DriverManager.getConnection(gateway.jdbc(""));
                Statement sql = through.createStatement()) {
            sql.execute("DROP DATABASE IF EXISTS traps");
            sql.execute("CREATE DATABASE traps CHARACTER SET utf8mb4");
            sql.execute("CREATE TABLE traps.types (id INT PRIMARY KEY, y YEAR, d DATETIME(6), t TIME(3), b BIT(17),"
                    + " z DATETIME, u BIGINT UNSIGNED, n DECIMAL(30,10), e ENUM('a','b'), c VARCHAR(20), x BLOB)");
            sql.execute("SET sql_mode = ''");
            sql.execute("INSERT INTO traps.types VALUES"
                    + " (1, 2155, '2024-02-29 23:59:59.999999', '-838:59:58.999', b'10000000000000001', '0000-00-00', 18446744073709551615,"
                    + " 12345678901234567890.0123456789, 'b', 'caf\u00e9', x'00FF'),"
                    + " (2, 0, '0000-00-00', '00:00:00', b'0', '2024-00-00', 9223372036854775808, -0.0000000001, NULL, '', ''),"
                    + " (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
            sql.execute("CREATE TABLE traps.numbered (id INT PRIMARY KEY, v VARCHAR(2000))");
            for (int i = 0; i < ROWS; i++) {
                sql.execute("INSERT INTO traps.numbered VALUES (" + i + ", REPEAT('" + (char) ('A' + i % 26) + i
                        + " ', " + (1 + 37 * i % 400) + "))");
            }
        }
        await().until(() -> {
            try (Connection through = through("")) {
                run(through, "SELECT * FROM types WHERE id = 1");
                run(through, "SELECT * FROM types WHERE id = 1");
                run(through, "SELECT * FROM types WHERE id = 1");
                return source(through).equals("line");
            }
        });
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static Connection through(String parameters) throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("traps") + parameters);
    }

    private static Connection straight(String parameters) throws SQLException {
        return DriverManager.getConnection(store.jdbc("traps") + parameters);
    }

    /** Returns every cell as the driver reads it, and the metadata of its columns. */
    private static List<String> read(ResultSet rows) throws SQLException {
        List<String> seen = new ArrayList<>();
        ResultSetMetaData columns = rows.getMetaData();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            seen.add(String.join(
                    " ",
                    columns.getCatalogName(i),
                    columns.getTableName(i),
                    columns.getColumnName(i),
                    columns.getColumnLabel(i),
                    columns.getColumnTypeName(i),
                    Integer.toString(columns.getColumnDisplaySize(i)),
                    Integer.toString(columns.getPrecision(i)),
                    Integer.toString(columns.getScale(i)),
                    Boolean.toString(columns.isSigned(i)),
                    Integer.toString(columns.isNullable(i)),
                    Boolean.toString(columns.isAutoIncrement(i))));
        }
        while (rows.next()) {
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                byte[] bytes = rows.getBytes(i);
                seen.add(bytes == null ? "NULL" : java.util.HexFormat.of().formatHex(bytes));
                seen.add(String.valueOf(rows.getString(i)));
            }
        }
        return seen;
    }

    private static List<String> prepared(Connection connection, int id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT * FROM types WHERE id = ?")) {
            statement.setInt(1, id);
            try (ResultSet rows = statement.executeQuery()) {
                return read(rows);
            }
        }
    }

    private static List<String> text(Connection connection, int id) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM types WHERE id = " + id)) {
            return read(rows);
        }
    }

    private static final String SERVER_PREPARED = "&useServerPrepStmts=true&zeroDateTimeBehavior=CONVERT_TO_NULL";

    @ParameterizedTest
    @ValueSource(strings = {"", "&useServerPrepStmts=true", SERVER_PREPARED + "&characterEncoding=latin1"})
    void everyTypeAndItsMetadata_areTheStores(String parameters) throws SQLException {
        String all = parameters + (parameters.contains("zeroDate") ? "" : "&zeroDateTimeBehavior=CONVERT_TO_NULL");
        try (Connection straight = straight(all);
                Connection through = through(all)) {
            for (int turn = 0; turn < 4; turn++) {
                for (int id = 1; id <= 4; id++) {
                    assertThat(text(through, id)).as("text %s", id).isEqualTo(text(straight, id));
                    assertThat(prepared(through, id)).as("prepared %s", id).isEqualTo(prepared(straight, id));
                }
            }
        }
    }

    @Test
    void textAndPreparedHits_ofOneStatementStayApart() throws SQLException {
        try (Connection straight = straight(SERVER_PREPARED);
                Connection through = through(SERVER_PREPARED)) {
            List<String> sources = new ArrayList<>();
            for (int turn = 0; turn < 4; turn++) {
                assertThat(text(through, 1)).isEqualTo(text(straight, 1));
                sources.add(source(through));
                assertThat(prepared(through, 1)).isEqualTo(prepared(straight, 1));
                sources.add(source(through));
            }
            assertThat(sources.subList(4, 8)).containsOnly("line");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:mysql", "jdbc:mariadb"})
    void everyByteValue_survivesEachWayOfSendingIt(String protocol) throws SQLException {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        String url = gateway.jdbc("traps").replace("jdbc:mysql", protocol) + "&useServerPrepStmts=true"
                + (protocol.endsWith("mariadb") ? "&sslMode=disable" : "");
        try (Connection through = DriverManager.getConnection(url);
                PreparedStatement update = through.prepareStatement("REPLACE INTO types (id, x) VALUES (9, ?)")) {
            for (int way = 0; way < 3; way++) {
                switch (way) {
                    case 0 -> update.setBytes(1, all);
                    case 1 -> update.setBinaryStream(1, new ByteArrayInputStream(all), all.length);
                    default -> update.setObject(1, all);
                }
                assertThat(update.executeUpdate()).isPositive();
                for (int turn = 0; turn < 3; turn++) {
                    try (PreparedStatement select = through.prepareStatement("SELECT x FROM types WHERE id = ?")) {
                        select.setInt(1, 9);
                        try (ResultSet row = select.executeQuery()) {
                            assertThat(row.next()).isTrue();
                            assertThat(row.getBytes(1)).isEqualTo(all);
                        }
                    }
                }
            }
        }
    }

    /**
     * Buffers are pooled and reused: a reply that still refers to one would show another session's
     * row.
     */
    @Test
    void manySessionsAtOnce_eachGetTheirOwnRows() throws Exception {
        int sessions = 8;
        ExecutorService threads = Executors.newFixedThreadPool(sessions);
        try {
            List<Callable<Integer>> readers = new ArrayList<>();
            for (int reader = 0; reader < sessions; reader++) {
                int seed = reader;
                readers.add(() -> readNumbered(seed));
            }
            for (Future<Integer> read : threads.invokeAll(readers)) {
                assertThat(read.get()).isEqualTo(1_000);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static int readNumbered(int seed) throws SQLException {
        int right = 0;
        try (Connection through = through("&useServerPrepStmts=" + (seed % 2 == 0));
                PreparedStatement select = through.prepareStatement("SELECT v FROM numbered WHERE id = ?")) {
            for (int i = 0; i < 1_000; i++) {
                int id = (seed * 31 + i * 7) % ROWS;
                select.setInt(1, id);
                try (ResultSet row = select.executeQuery()) {
                    String expected = ((char) ('A' + id % 26) + "" + id + " ").repeat(1 + 37 * id % 400);
                    right += row.next() && row.getString(1).equals(expected) ? 1 : 0;
                }
            }
        }
        return right;
    }

    @Test
    void setNamesInAPreparedStatement_changesWhatIsRead() throws SQLException {
        for (String names : List.of("SET NAMES latin1", "SET NAMES utf8mb4", "SET NAMES binary")) {
            try (Connection straight = straight(SERVER_PREPARED);
                    Connection through = through(SERVER_PREPARED)) {
                for (Connection connection : List.of(straight, through)) {
                    text(connection, 1);
                    run(connection, "PREPARE names FROM '" + names + "'");
                    run(connection, "EXECUTE names");
                }
                for (int turn = 0; turn < 3; turn++) {
                    assertThat(text(through, 1)).as(names).isEqualTo(text(straight, 1));
                }
            }
        }
    }

    /** A load from another server than the one that writes may return the old row. */
    @Test
    void loadsAskTheServerThatTakesTheWrites() throws SQLException {
        try (Connection through = through("");
                Connection straight = straight("");
                Statement sql = straight.createStatement()) {
            for (int i = 0; i < 50; i++) {
                run(through, "REPLACE INTO types (id, c) VALUES (6, 'r" + i + "')");
                for (int turn = 0; turn < 2; turn++) {
                    assertThat(text(through, 6)).isEqualTo(text(straight, 6));
                }
            }
            assertThat(source(through)).isEqualTo("line");
            try (ResultSet loads = sql.executeQuery("SELECT COUNT(*) FROM information_schema.processlist"
                    + " WHERE user = '" + MariaDb.USER + "' AND db IS NULL AND command = 'Sleep'")) {
                loads.next();
                assertThat(loads.getInt(1))
                        .as("the gateway's own sessions there")
                        .isPositive();
            }
        }
    }

    /** The line and the store must agree at any moment, also while rows change. */
    @Test
    void withAndWithoutTheLine_aWriterRunning() throws SQLException {
        try (Connection through = through("")) {
            for (int i = 0; i < 200; i++) {
                String select = "SELECT y, c FROM types WHERE id = 5";
                run(
                        through,
                        switch (i % 4) {
                            case 0 -> "REPLACE INTO types (id, y, c) VALUES (5, 2000, 'v" + i + "')";
                            case 1 -> "UPDATE types SET c = 'w" + i + "' WHERE id = 5";
                            case 2 -> "DELETE FROM types WHERE id = 5";
                            default -> "INSERT INTO types (id, c) VALUES (5, 'x" + i + "')";
                        });
                for (int turn = 0; turn < 2; turn++) {
                    try (Statement statement = through.createStatement()) {
                        List<String> cached = read(statement.executeQuery(select));
                        assertThat(cached)
                                .isEqualTo(read(statement.executeQuery(select + " /* keyline_max_staleness = 0 */")));
                    }
                }
            }
        }
    }
}
