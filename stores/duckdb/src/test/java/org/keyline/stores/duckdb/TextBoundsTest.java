package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Deep, long or repetitive texts: each is answered or refused soon, and the process survives. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class TextBoundsTest {
    /**
     * Refused as too deep or too large, by a syntax error, an unknown name, a wrong number of
     * columns, or as not supported.
     */
    private static final Set<Integer> REFUSALS = Set.of(
            1436, 3170, 1116, 1064, 1054, 1066, 1241, 1235, 1305, 1136, 1248, 1052, 1146, 1690, 1065, 1062, 1292, 1366,
            1264, 1210, 1365, 1582, 1318);

    /** A depth that is below the limit. */
    private static final int DEPTH = 90;

    private static StoreServer server;

    @BeforeAll
    static void start() throws SQLException {
        server = StoreServer.inMemory();
        try (Connection connection = server.connect(null)) {
            run(connection, "CREATE DATABASE d");
            run(connection, "CREATE TABLE d.t (id BIGINT NOT NULL PRIMARY KEY, v INT)");
            run(connection, "INSERT INTO d.t VALUES (1, 2)");
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Returns the error's number; 0 without one. */
    private static int error(String sql) throws SQLException {
        try (Connection connection = server.connect("d")) {
            int error = 0;
            try {
                run(connection, sql);
            } catch (SQLException e) {
                error = e.getErrorCode();
            }
            run(connection, "SELECT 1");
            return error;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {DEPTH, 2_500, 60_000})
    void statements_ofOnePieceRepeated_areAnsweredOrRefused(int times) throws SQLException {
        List<String> statements = new ArrayList<>();
        for (String piece : List.of(
                " AND id = 1",
                " OR id = 1",
                " AND (id = 1 OR v = 2)",
                " + 1",
                " = 1",
                " XOR 1",
                " COLLATE utf8mb4_bin",
                " BETWEEN 1 AND 1",
                " IS NOT NULL",
                " IN (1)",
                " LIKE 'a'",
                " UNION SELECT v FROM t")) {
            statements.add("SELECT v FROM t WHERE id = 1" + piece.repeat(times));
        }
        for (String piece : List.of(
                "- ",
                "~ ",
                "! ",
                "NOT ",
                "BINARY ",
                "(",
                "((1, ",
                "ABS(",
                "1 + (",
                "CAST(",
                "CASE WHEN ",
                "EXISTS (SELECT ",
                "(SELECT ",
                "IF(1, ",
                "INTERVAL ",
                "@a := ",
                "'a' ",
                "_utf8mb4 'a' ",
                "1, ",
                "v, ",
                ", ")) {
            statements.add("SELECT " + piece.repeat(times) + "1");
        }
        statements.add("SELECT " + "(".repeat(times) + "1" + ")".repeat(times));
        statements.add("SELECT " + "CASE WHEN 1 THEN ".repeat(times) + "1" + " END".repeat(times));
        if (times <= DEPTH) {
            statements.addAll(nestedCalls());
        }
        statements.add("SELECT CASE v" + " WHEN 1 THEN 2".repeat(times) + " END FROM t");
        statements.add("SELECT * FROM " + "(SELECT * FROM ".repeat(times) + "t" + ") AS a".repeat(times));
        statements.add("SELECT 1 FROM t"
                + IntStream.range(0, times)
                        .mapToObj(i -> " JOIN t AS a" + i + " ON a" + i + ".id = t.id")
                        .collect(Collectors.joining()));
        statements.add("SELECT 1 FROM t"
                + IntStream.range(0, times).mapToObj(i -> ", t AS a" + i).collect(Collectors.joining()));
        statements.add("SELECT v FROM t WHERE id IN (" + "1, ".repeat(times) + "1)");
        statements.add("SELECT v FROM t WHERE NOT (id = 1" + " OR id = 2".repeat(times) + ")");
        statements.add("SELECT CONCAT(" + "'a', ".repeat(times) + "'b')");
        statements.add("UPDATE t SET v = 1 WHERE id = 1" + " AND id = 1".repeat(times));
        statements.add("DELETE FROM t WHERE id = 7" + " OR id = 8".repeat(times));
        statements.add("INSERT INTO t VALUES (1, 1" + " + 1".repeat(times) + ")");
        statements.add("SET @a = " + "(".repeat(times) + "1");
        statements.add("SHOW TABLES WHERE 1" + " AND 1".repeat(times));
        statements.add("ALTER TABLE t ADD COLUMN c INT DEFAULT " + "(".repeat(times) + "1");
        statements.add("CREATE TABLE e (a INT, CHECK (" + "(".repeat(times) + "a");
        statements.add("EXPLAIN SELECT 1" + " + 1".repeat(times));
        statements.add("WITH a0 AS (SELECT * FROM t)"
                + IntStream.range(1, Math.min(times, 40))
                        .mapToObj(i -> ", a" + i + " AS (SELECT x.id, x.v FROM a" + (i - 1) + " x JOIN a" + (i - 1)
                                + " y ON x.id = y.id)")
                        .collect(Collectors.joining())
                + " SELECT COUNT(*) FROM a" + (Math.min(times, 40) - 1));
        List<String> slow = new ArrayList<>();
        for (String statement : statements) {
            long began = System.nanoTime();
            int error = error(statement);
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
            String shown = statement.substring(0, Math.min(60, statement.length()));
            if (seconds >= 10 || (error != 0 && !REFUSALS.contains(error))) {
                slow.add(seconds + " s, error " + error + ": " + shown);
            }
        }
        assertThat(slow).isEmpty();
    }

    private static List<String> nestedCalls() {
        List<String> statements = new ArrayList<>();
        for (String call : List.of(
                "NULLIF",
                "GREATEST",
                "SUBSTRING",
                "DAY",
                "HOUR",
                "WEEK",
                "YEAR",
                "ROUND",
                "CONCAT_WS",
                "IFNULL",
                "IF",
                "SUBSTRING_INDEX",
                "FIND_IN_SET",
                "REPLACE",
                "TIMESTAMPDIFF",
                "FIELD",
                "BIT_COUNT",
                "TRUNCATE",
                "MOD")) {
            for (String rest : List.of("", ", 1", ", 1, 2", ", 'a', 'b'")) {
                statements.add("SELECT " + (call + "(").repeat(DEPTH) + "v" + (rest + ")").repeat(DEPTH) + " FROM t");
            }
        }
        statements.add("SELECT " + "(".repeat(DEPTH) + "v" + " BETWEEN 1 AND v)".repeat(DEPTH) + " FROM t");
        statements.add(
                "SELECT " + "CASE ".repeat(DEPTH) + "v" + " WHEN 1 THEN 2 WHEN 2 THEN 3 END".repeat(DEPTH) + " FROM t");
        statements.add("SELECT " + "(".repeat(DEPTH) + "v" + " << 1)".repeat(DEPTH) + " FROM t");
        statements.add("SELECT " + "(".repeat(DEPTH) + "v" + " DIV 3)".repeat(DEPTH) + " FROM t");
        return statements;
    }

    /** Each step doubles the columns of the one before; the 20th would have 2,097,152. */
    private static String doubled(int steps) {
        return "WITH a0 AS (SELECT * FROM t)"
                + IntStream.range(1, steps + 1)
                        .mapToObj(i -> ", a" + i + " AS (SELECT * FROM a" + (i - 1) + " x, a" + (i - 1) + " y)")
                        .collect(Collectors.joining())
                + " SELECT COUNT(*) FROM a" + steps;
    }

    @Test
    void stars_thatMultiplyColumns_areTooManyColumns() throws SQLException {
        assertThat(error(doubled(20))).isEqualTo(1117);
        assertThat(error("SELECT " + "t.*, ".repeat(2_048) + "1 FROM t")).isEqualTo(1117);
        assertThat(error("SELECT " + "t.*, ".repeat(2_047) + "1 FROM t")).isZero();
        String wide = "SELECT " + "t.*, ".repeat(2_047) + "1 FROM t";
        assertThat(error("WITH w AS (" + wide + ") SELECT 1" + ", (SELECT COUNT(*) FROM w)".repeat(20)))
                .isEqualTo(1117);
    }

    @Test
    void statements_beyondTheBounds_areToldWhichBoundItWas() throws SQLException {
        assertThat(error("SELECT v FROM t WHERE id = 1" + " AND id = 1".repeat(1_000)))
                .isZero();
        assertThat(error("SELECT v FROM t WHERE id = 1" + " AND id = 1".repeat(2_500)))
                .isEqualTo(3170);
        assertThat(error("SELECT " + "(".repeat(200) + "1" + ")".repeat(200))).isEqualTo(1436);
        assertThat(error("SELECT " + "- ".repeat(20_000) + "1")).isEqualTo(3170);
        assertThat(error("SELECT 1 FROM "
                        + IntStream.range(0, 101).mapToObj(i -> "t AS a" + i).collect(Collectors.joining(", "))))
                .isEqualTo(1116);
        assertThat(error("SELECT v FROM t WHERE id IN (" + "1, ".repeat(20_000) + "1)"))
                .isZero();
        assertThat(error("REPLACE INTO t VALUES " + "(1, 2), ".repeat(20_000) + "(1, 2)"))
                .isZero();
    }
}
