package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.rows;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.source;
import static org.keyline.gateway.fixtures.Lines.warm;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Foreign keys cascade a write of a parent into other tables. The lines of these are dropped, and
 * all others stay. The binary log omits the cascaded rows.
 */
@Tag("explores")
final class CascadesIT {
    private static final int STEPS = Integer.getInteger("keyline.cascades", 450);
    private static final int ROWS = 6;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final List<String> TABLES = List.of("parents", "children", "codes", "grandchildren", "trees");
    private static final String APART = "SELECT v FROM apart WHERE id = 1";

    private static MariaDb store;
    private static RelayGateway gateway;
    private Connection straight;
    private Connection writer;
    private Connection reader;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.logging("logging");
        store.run(
                "DROP DATABASE IF EXISTS cascades",
                "CREATE DATABASE cascades",
                "USE cascades",
                "CREATE TABLE apart (id INT PRIMARY KEY, v INT)",
                "CREATE TABLE parents (id INT PRIMARY KEY, code INT UNIQUE, v INT)",
                "CREATE TABLE children (id INT PRIMARY KEY, parent INT, v INT,"
                        + " FOREIGN KEY (parent) REFERENCES parents (id) ON DELETE CASCADE ON UPDATE CASCADE)",
                "CREATE TABLE codes (id INT PRIMARY KEY, code INT, v INT,"
                        + " FOREIGN KEY (code) REFERENCES parents (code) ON DELETE SET NULL ON UPDATE CASCADE)",
                "CREATE TABLE grandchildren (id INT PRIMARY KEY, parent INT, v INT,"
                        + " FOREIGN KEY (parent) REFERENCES children (id) ON DELETE CASCADE ON UPDATE SET NULL)",
                "CREATE TABLE trees (id INT PRIMARY KEY, up INT, v INT,"
                        + " FOREIGN KEY (up) REFERENCES trees (id) ON DELETE CASCADE)",
                "INSERT INTO apart VALUES (1, 1)");
        gateway = RelayGateway.start(
                store, "store.signalPeriod=50ms", "store.refresh=1h", "cache.ttl=10m", "privilegeTtl=1h");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        straight = store.connect("cascades");
        writer = gateway.connect("cascades");
        reader = gateway.connect("cascades");
    }

    @AfterEach
    void disconnect() throws SQLException {
        straight.close();
        writer.close();
        reader.close();
    }

    private void fill() throws SQLException {
        run(straight, "SET foreign_key_checks = 0");
        for (String table : TABLES) {
            run(straight, "DELETE FROM " + table);
            for (int id = 1; id <= ROWS; id++) {
                run(straight, "INSERT INTO " + table + " VALUES (" + id + ", " + id + ", 0)");
            }
        }
        run(straight, "UPDATE trees SET up = NULL WHERE id = 1", "UPDATE trees SET up = id - 1 WHERE id > 1");
        run(straight, "SET foreign_key_checks = 1");
        logged();
    }

    /** Waits until the log's events of all earlier writes have arrived. */
    private void logged() throws SQLException {
        String read = "SELECT v FROM trees WHERE id = 6";
        warm(reader, read);
        run(straight, "UPDATE trees SET v = v + 1 WHERE id = 6");
        String written = one(straight, read);
        await().atMost(PATIENCE).until(() -> one(reader, read).equals(written));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO parents VALUES (90, 90, 0)",
                "INSERT IGNORE INTO parents VALUES (1, 91, 0)",
                "UPDATE parents SET v = v + 1 WHERE id = 1",
                "INSERT INTO parents VALUES (1, 1, 0) ON DUPLICATE KEY UPDATE v = v + 1",
                "UPDATE parents SET v = 7",
            })
    void write_thatCannotCascade_leavesTheLinesOfOtherTables(String write) throws SQLException {
        fill();
        String child = "SELECT v FROM children WHERE id = 1";
        warm(reader, child);
        warm(reader, APART);
        run(writer, write);
        logged();
        for (String read : new String[] {child, APART}) {
            one(reader, read);
            assertThat(source(reader)).as(read).isEqualTo("line");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"DELETE FROM parents WHERE id = 1", "UPDATE parents SET id = 80 WHERE id = 1"})
    void write_thatCascades_leavesTheLinesOfTablesThatItDoesNotReach(String write) throws SQLException {
        fill();
        warm(reader, "SELECT v FROM grandchildren WHERE id = 1");
        warm(reader, APART);
        run(writer, write);
        one(reader, APART);
        assertThat(source(reader)).isEqualTo("line");
        assertThat(one(reader, "SELECT parent FROM children WHERE id = 1"))
                .isEqualTo(write.startsWith("DELETE") ? "no row" : "80");
        assertThat(one(reader, "SELECT v FROM grandchildren WHERE id = 1"))
                .isEqualTo(write.startsWith("DELETE") ? "no row" : "0");
    }

    /** Random writes through the gateway: each following read returns the store's rows. */
    @Test
    void reads_behindWritesThroughTheGateway_areCurrent() throws SQLException {
        fill();
        Random random = new Random(5);
        int hits = 0;
        for (int step = 0; step < STEPS; step++) {
            boolean within = random.nextInt(5) == 0;
            String write = write(random);
            if (within) {
                run(writer, "START TRANSACTION");
            }
            attempt(writer, write);
            if (within) {
                attempt(writer, write(random));
                run(writer, random.nextBoolean() ? "COMMIT" : "ROLLBACK");
            }
            for (int i = 0; i < 6; i++) {
                String read = read(random);
                String answer = row(reader, read);
                hits += source(reader).equals("line") ? 1 : 0;
                assertThat(answer).as("step %d: %s; %s", step, write, read).isEqualTo(row(straight, read));
            }
        }
        assertThat(hits).as("hits").isGreaterThan(STEPS);
    }

    /** The same writes past the gateway. */
    @Test
    void reads_behindWritesPastTheGateway_areSoonCurrent() throws SQLException {
        fill();
        Random random = new Random(6);
        for (int step = 0; step < STEPS / 15; step++) {
            String write = write(random);
            attempt(straight, write);
            for (int i = 0; i < 6; i++) {
                String read = read(random);
                String stored = row(straight, read);
                await("step " + step + ": " + write + "; " + read)
                        .atMost(PATIENCE)
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(5))
                        .until(() -> row(reader, read).equals(stored));
            }
        }
    }

    private static void attempt(Connection connection, String write) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(write);
        } catch (SQLException refused) {
            // A duplicate key, or a row to which another one refers.
            assertThat(refused.getErrorCode()).as(write).isIn(1062, 1451, 1452, 1216, 1217);
        }
    }

    private static String row(Connection connection, String read) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return String.join(";", rows(statement, read));
        }
    }

    private static String read(Random random) {
        String table = TABLES.get(random.nextInt(TABLES.size()));
        return "SELECT * FROM " + table + " WHERE id = " + id(random);
    }

    private static int id(Random random) {
        return 1 + random.nextInt(ROWS);
    }

    private static String write(Random random) {
        String table = TABLES.get(random.nextInt(3) == 0 ? random.nextInt(TABLES.size()) : 0);
        String link = switch (table) {
            case "trees" -> "up";
            case "parents", "codes" -> "code";
            default -> "parent";
        };
        int id = id(random);
        int other = id(random);
        int value = random.nextInt(1_000);
        return switch (random.nextInt(13)) {
            case 0 -> "DELETE FROM " + table + " WHERE id = " + id;
            case 1 -> "REPLACE INTO " + table + " VALUES (" + id + ", " + other + ", " + value + ")";
            case 2 -> "UPDATE " + table + " SET id = " + other + " WHERE id = " + id;
            case 3 -> "UPDATE " + table + " SET " + link + " = " + other + " WHERE id = " + id;
            case 4 -> "UPDATE " + table + " SET v = " + value + ", " + link + " = NULL WHERE id = " + id;
            case 5 -> "UPDATE " + table + " SET v = " + value + " WHERE id = " + id;
            case 6 ->
                "INSERT INTO " + table + " VALUES (" + id + ", " + other + ", " + value + ") ON DUPLICATE KEY UPDATE "
                        + link + " = VALUES(" + link + ")";
            case 7 ->
                "INSERT INTO " + table + " VALUES (" + id + ", " + other + ", " + value
                        + ") ON DUPLICATE KEY UPDATE v = " + value;
            case 8 -> "DELETE FROM " + table + " WHERE v < " + value / 4;
            case 9 -> "UPDATE " + table + " SET v = v + 1 WHERE " + link + " = " + other;
            default -> "INSERT INTO " + table + " VALUES (" + id + ", " + other + ", " + value + ")";
        };
    }
}
