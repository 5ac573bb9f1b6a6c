package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.keyline.stores.duckdb.engine.EngineOptions;

/** Memory of the process while statements make long texts. */
@Tag("explores")
final class TextMemoryTest {
    /** One in this many attacks runs (nightly: all). */
    private static final int ONE_IN = Integer.getInteger("keyline.texts.oneIn", 3);

    private static final long MEBIBYTE = 1 << 20;
    private static final long ENGINE = 256 * MEBIBYTE;

    /** The memory of the test's heap, the client in it and the allocator, besides the engine. */
    private static final long AROUND = 320 * MEBIBYTE;

    private static final Path RESET_PEAK = Path.of("/proc/self/clear_refs");

    private static StoreServer server;
    private static Connection root;

    @BeforeAll
    static void start() throws SQLException {
        server = StoreServer.start(EngineOptions.of(null, ENGINE, () -> 100, () -> Duration.ZERO));
        root = server.connect(null);
        run(root, "CREATE DATABASE d");
        root.setCatalog("d");
        run(root, "CREATE TABLE t (k INT PRIMARY KEY, s VARCHAR(200))");
        run(
                root,
                "INSERT INTO t VALUES "
                        + IntStream.range(0, 4096)
                                .mapToObj(k -> "(" + k + ", '"
                                        + String.valueOf((char) ('a' + k % 26)).repeat(100) + "')")
                                .collect(Collectors.joining(",")));
    }

    @AfterAll
    static void stop() throws SQLException {
        root.close();
        server.close();
    }

    /** Returns statements, each of which would create at least 1 to 5 GB of text. */
    static List<String> attacks() {
        String doubled = "s";
        for (int i = 0; i < 5; i++) {
            doubled = "CONCAT(" + doubled + ", k, " + doubled + ")";
        }
        String derived = "t";
        for (int i = 0; i < 14; i++) {
            derived = "(SELECT k, CONCAT(s, s) AS s FROM " + derived + ") d" + i;
        }
        String wide =
                IntStream.range(0, 400).mapToObj(i -> "CONCAT(s, " + i + ")").collect(Collectors.joining(", "));
        String copies =
                IntStream.range(1, 400).mapToObj(i -> "SUBSTRING(s, " + i + ")").collect(Collectors.joining(", "));
        String longer = "(SELECT k, REPEAT(s, 50) AS s FROM t) d";
        List<String> all = List.of(
                "SELECT LENGTH(REPEAT(s, 5000)) FROM t",
                "SELECT REPEAT(s, 5000) FROM t",
                "SELECT REPEAT(" + doubled + ", 300) FROM t",
                "SELECT MAX(s) FROM " + derived,
                "SELECT " + wide + " FROM " + longer,
                "SELECT " + copies + " FROM " + longer,
                "SELECT " + wide + " FROM " + longer + " GROUP BY s, k",
                "SELECT SUM(LENGTH(LPAD(s, 1000000, 'x'))) FROM t",
                "SELECT SUM(LENGTH(RPAD(s, 1000000, k))) FROM t",
                "SELECT SUM(LENGTH(CONCAT(SPACE(1000000), k))) FROM t",
                "SELECT SUM(LENGTH(CONCAT(SPACE(1000000), RAND()))) FROM t",
                "SELECT SUM(LENGTH(CONCAT(SPACE(1000000), UUID()))) FROM t",
                "SELECT SUM(LENGTH(SUBSTRING(SPACE(1000000), k / 1000))) FROM t",
                "SELECT SUM(LENGTH(DATE_FORMAT(DATE_ADD('2020-01-01', INTERVAL k DAY), REPEAT('%W', 200000)))) FROM t",
                "SELECT SUM(LENGTH(CONCAT_WS(REPEAT(s, 1000), k, k, k, k, k, k, k))) FROM t",
                "SELECT SUM(LENGTH(REPLACE(s, LEFT(s, 1), REPEAT(s, 100)))) FROM t",
                "SELECT SUM(LENGTH(REGEXP_REPLACE(s, '.', REPEAT(s, 100)))) FROM t",
                "SELECT SUM(LENGTH(HEX(REPEAT(s, 4000)))) FROM t",
                "SELECT SUM(LENGTH(TO_BASE64(REPEAT(s, 4000)))) FROM t",
                "SELECT SUM(LENGTH(QUOTE(REPEAT(s, 4000)))) FROM t",
                "SELECT SUM(LENGTH(INSERT(s, 1, 1, REPEAT(s, 4000)))) FROM t",
                "SELECT SUM(LENGTH(JSON_QUOTE(REPEAT(s, 4000)))) FROM t",
                "SELECT SUM(LENGTH(UPPER(REPEAT(s, 4000)))) FROM t",
                "SELECT SUM(LENGTH(CAST(REPEAT(s, 4000) AS BINARY))) FROM t",
                "SELECT LENGTH(GROUP_CONCAT(a.s)) FROM t a, t b WHERE b.k < 3000",
                "SELECT k FROM t WHERE REPEAT(s, 5000) LIKE '%y' ORDER BY REPEAT(s, 5000)",
                "SELECT REPEAT('x', IF(RAND() < 0.01, 1, 500000)) FROM t",
                "UPDATE t SET s = LEFT(REPEAT(s, 5000), 100)",
                "SELECT COUNT(*) FROM t WHERE k IN (SELECT LENGTH(REPEAT(a.s, 5000)) FROM t a)",
                "SELECT v FROM (SELECT k, CASE WHEN k % 64 = 0 THEN REPEAT(s, 250000) ELSE '' END AS v FROM t) d WHERE v <> ''");
        return IntStream.range(0, all.size())
                .filter(i -> i % ONE_IN == 0)
                .mapToObj(all::get)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("attacks")
    void longTexts_stayWithinTheEnginesMemory(String sql) throws Exception {
        assumeThat(RESET_PEAK).as("only Linux measures the peak of a process").isWritable();
        assertThat(growth(sql)).as(sql).isLessThan(ENGINE + ENGINE / 10 + AROUND);
        assertThat(rows(root, "SELECT CONCAT(s, k) FROM t WHERE k = 1")).containsExactly("b".repeat(100) + "1");
    }

    /** Returns how much the process's memory grew during a statement, whatever its result. */
    private static long growth(String sql) throws IOException, SQLException {
        System.gc();
        Files.writeString(RESET_PEAK, "5");
        long before = status("VmRSS");
        try (Connection client = server.connect("d", "&useServerPrepStmts=true");
                Statement statement = client.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
            statement.setFetchSize(Integer.MIN_VALUE);
            if (statement.execute(sql)) {
                try (ResultSet rows = statement.getResultSet()) {
                    while (rows.next()) {
                        // each row is read, none is stored
                    }
                }
            }
        } catch (SQLException refused) {
            assertThat(refused.getErrorCode()).as(refused.getMessage()).isIn(1041, 1235, 1301);
        }
        return status("VmHWM") - before;
    }

    private static long status(String name) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith(name + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                .sum();
    }

    @Test
    void textBeyondMaxAllowedPacket_isError1301() throws SQLException {
        try (StoreServer large =
                        StoreServer.start(EngineOptions.of(null, 2048 * MEBIBYTE, () -> 100, () -> Duration.ZERO));
                Connection client = large.connect(null, "&useServerPrepStmts=true")) {
            for (String call : List.of(
                    "REPEAT('x', 67108865)",
                    "SPACE(1000000000)",
                    "LPAD('x', 100000000, 'y')",
                    "CONCAT(SPACE(40000000), SPACE(40000000))",
                    "JSON_QUOTE(SPACE(12000000))",
                    "CONCAT(SPACE(67108860), 1)")) {
                assertTooLong(call, () -> rows(client, "SELECT " + call));
            }
            try (PreparedStatement prepared = client.prepareStatement("SELECT REPEAT(?, ?)")) {
                prepared.setString(1, "x");
                prepared.setInt(2, 70_000_000);
                assertTooLong("REPEAT(?, ?)", prepared::executeQuery);
            }
            assertThat(rows(client, "SELECT LENGTH(REPEAT('x', 20000000))")).containsExactly("20000000");
            assertThat(rows(client, "SELECT CONCAT_WS(',', REPEAT(NULL, 2), 'a'), UPPER(UPPER(NULL))"))
                    .containsExactly("a|null");
        }
    }

    private static void assertTooLong(String call, ThrowingCallable statement) {
        assertThatThrownBy(statement)
                .as(call)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1301));
    }

    @Test
    void textOfRandomValues_isMade() throws SQLException {
        assertThat(rows(
                        root,
                        "SELECT LENGTH(REPLACE(UUID(), '-', '')), LENGTH(LEFT(MD5(RAND()), 1 + RAND() * 0)),"
                                + " LENGTH(CONCAT(IF(RAND() < 2, 'ab', 'c'), SUBSTRING('xyz', 1 + RAND() * 0, 1)))"))
                .containsExactly("32|1|3");
    }

    @Test
    void textInAKeyOfGroupBy_isThatOfTheSelectList() throws SQLException {
        assertThat(rows(
                        root,
                        "SELECT CONCAT(LEFT(s, 1), k DIV 4096), COUNT(*) FROM t WHERE k IN (1, 27)"
                                + " GROUP BY CONCAT(LEFT(s, 1), k DIV 4096) ORDER BY CONCAT(LEFT(s, 1), k DIV 4096)"))
                .containsExactly("b0|2");
    }
}
