package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.source;
import static org.keyline.gateway.fixtures.Lines.warm;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Statements that are prepared in text and run by EXECUTE: their writes are seen, and lines without
 * their writes remain.
 */
class NamedStatementsIT {
    private static final String READ = "SELECT v FROM t WHERE id = 1";
    private static final String NEVER = "UPDATE named.never SET v = 1";

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("second");
        try (Connection straight = straight()) {
            run(
                    straight,
                    "DROP DATABASE IF EXISTS named",
                    "DROP DATABASE IF EXISTS named_too",
                    "CREATE DATABASE named",
                    "CREATE DATABASE named_too",
                    "CREATE TABLE named_too.t (id INT PRIMARY KEY, v INT)",
                    "INSERT INTO named_too.t VALUES (1, 1000)",
                    "USE named",
                    "CREATE TABLE t (id INT PRIMARY KEY, v INT)",
                    "INSERT INTO t VALUES (1, 10), (2, 20)",
                    "CREATE TABLE never (id INT PRIMARY KEY, v INT)",
                    "CREATE PROCEDURE prepares() PREPARE w FROM 'UPDATE named.t SET v = v + 1 WHERE id = 1'",
                    "CREATE FUNCTION writes() RETURNS INT BEGIN UPDATE named.t SET v = v + 1 WHERE id = 1; RETURN 1; END");
        }
        gateway = RelayGateway.start(store);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static Connection straight() throws SQLException {
        return DriverManager.getConnection(store.jdbc("") + "&allowMultiQueries=true");
    }

    private static Connection through() throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("named") + "&allowMultiQueries=true");
    }

    /** Each increments the row that the line has. */
    static Stream<List<String>> writes() {
        String write = "'UPDATE t SET v = v + 1 WHERE id = 1'";
        String decoy = "PREPARE w FROM 'SELECT v FROM t WHERE id = 1'";
        return Stream.of(
                List.of("PREPARE w FROM " + write, "EXECUTE w"),
                List.of("PREPARE w FROM 'UPDATE t SET v = v + 1 WHERE id = ?'", "SET @id = 1", "EXECUTE w USING @id"),
                List.of("PREPARE w FROM " + write, "USE named_too", "EXECUTE W"),
                List.of("EXECUTE IMMEDIATE " + write),
                List.of(decoy, "PREPARE w FROM " + write, "EXECUTE w"),
                List.of(decoy, "PREPARE `w` FROM " + write, "EXECUTE w"),
                List.of(decoy, "SET @sql = " + write, "PREPARE w FROM @sql", "EXECUTE w"),
                List.of(decoy, "PREPARE w FROM 'UPDATE t SET v = v + 1 WHERE id = ''1'''", "EXECUTE w"),
                List.of(decoy, "PREPARE w FROM " + write + "; SELECT 1", "EXECUTE w"),
                List.of(decoy, "BEGIN NOT ATOMIC PREPARE w FROM " + write + "; END", "EXECUTE w"),
                List.of(decoy, "CALL prepares()", "EXECUTE w"),
                List.of(decoy, "PREPARE c FROM 'CALL prepares()'", "EXECUTE c", "EXECUTE w"),
                List.of("PREPARE w FROM 'SELECT writes()'", "EXECUTE w"),
                List.of("PREPARE w FROM 'SELECT 1'", "DEALLOCATE PREPARE w", "CALL prepares()", "EXECUTE w"));
    }

    @ParameterizedTest
    @MethodSource("writes")
    void whatIsExecuted_isSeen(List<String> statements) throws SQLException {
        if (MariaDb.isMySql() && statements.stream().anyMatch(sql -> sql.matches("(?i)EXECUTE IMM.*|BEGIN.*"))) {
            return;
        }
        try (Connection reader = through();
                Connection writer = through();
                Connection straight = straight()) {
            run(straight, "USE named");
            warm(reader, READ);
            int before = Integer.parseInt(one(straight, READ));
            warm(writer, READ);
            run(writer, statements.toArray(String[]::new));
            assertThat(one(straight, READ)).isEqualTo(Integer.toString(before + 1));
            for (int i = 0; i < 3; i++) {
                assertThat(one(reader, READ)).isEqualTo(Integer.toString(before + 1));
            }
        }
    }

    /** If it could write anything, it would exclude all reads from lines while it is held. */
    @Test
    void whileAStatementThatOnlyReadsIsExecuted_linesAnswer() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (Connection reader = through();
                Connection holder = straight();
                Connection other = through()) {
            warm(reader, READ);
            run(holder, "DO GET_LOCK('named', 0)");
            run(other, "PREPARE r FROM 'SELECT GET_LOCK(?, 60)'");
            Future<String> held = threads.submit(() -> one(other, "EXECUTE r USING 'named'"));
            try (Connection straight = straight()) {
                soon("the lock is waited for")
                        .until(() -> !one(
                                        straight,
                                        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'EXECUTE r%' OR"
                                                + " INFO LIKE 'SELECT GET_LOCK%'")
                                .equals("0"));
            }
            assertThat(one(reader, READ)).isNotEqualTo("no row");
            assertThat(source(reader)).isEqualTo("line");
            run(holder, "DO RELEASE_LOCK('named')");
            assertThat(held.get(1, TimeUnit.MINUTES)).isEqualTo("1");
            run(other, "PREPARE n FROM '" + NEVER + "'", "EXECUTE n");
            assertThat(one(reader, READ)).isNotEqualTo("no row");
            assertThat(source(reader)).isEqualTo("line");
        } finally {
            threads.shutdownNow();
        }
    }
}
