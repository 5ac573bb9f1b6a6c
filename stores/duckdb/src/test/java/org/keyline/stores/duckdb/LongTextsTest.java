package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions that make long texts of short ones. */
final class LongTextsTest extends FreshDatabase {
    /** Each is NULL, and the process has made nothing of the kind before it knew. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SPACE(1000000000)",
                "REPEAT('ab', 600000000)",
                "LPAD('a', 1000000000, 'b')",
                "LPAD('a', 20000000, 'ä')",
                "RPAD('a', 1000000000, 'b')",
                "CONCAT(REPEAT('a', 40000000), REPEAT('b', 40000000))",
                "CONCAT_WS(REPEAT('a', 30000000), 'b', 'c', 'd', 'e')",
                "REPLACE(REPEAT('a', 1000000), 'a', REPEAT('b', 1000))",
                "REGEXP_REPLACE(REPEAT('a', 1000000), 'a', REPEAT('b', 1000))",
                "INSERT(REPEAT('a', 40000000), 5, 1, REPEAT('b', 40000000))",
                "HEX(REPEAT('a', 40000000))",
                "TO_BASE64(REPEAT('a', 60000000))",
                "QUOTE(REPEAT('a', 40000000))"
            })
    void texts_beyondAPacket_areNull(String expression) throws SQLException {
        try (Statement sql = connection.createStatement();
                ResultSet rows = sql.executeQuery("SELECT " + expression + " IS NULL")) {
            rows.next();
            assertThat(rows.getInt(1)).isEqualTo(1);
        }
    }

    @Test
    void texts_thatGrowWithEachCall_areNull() throws SQLException {
        run(connection, "SELECT " + "HEX(".repeat(60) + "'a'" + ")".repeat(60));
        run(connection, "SELECT CONCAT(" + "x.a, ".repeat(900) + "'') FROM (SELECT REPEAT('a', 60000000) AS a) AS x");
    }

    @Test
    void texts_belowAPacket_areMade() throws SQLException {
        try (Statement sql = connection.createStatement();
                ResultSet rows =
                        sql.executeQuery("SELECT CONCAT(REPEAT('ä', 3), 'b', NULL), CONCAT(UPPER('x'), 'y', 1),"
                                + " CONCAT_WS(',', 'a', NULL, UPPER('b')), REPLACE('a.b.c', '.', '--'), REPLACE('abc', '', 'x'),"
                                + " INSERT('Quadratic', 3, 4, 'What'), INSERT('Quadratic', -1, 4, 'What'), HEX('az'),"
                                + " TO_BASE64('abc'), QUOTE(NULL), LENGTH(REPLACE(REPEAT('a', 1000000), 'a', 'bb')),"
                                + " LENGTH(REGEXP_REPLACE(REPEAT('ab', 300000), 'b', REPEAT('c', 100)))")) {
            rows.next();
            List<String> made = new ArrayList<>();
            for (int i = 1; i <= 12; i++) {
                made.add(rows.getString(i));
            }
            assertThat(made)
                    .containsExactly(
                            null,
                            "Xy1",
                            "a,B",
                            "a--b--c",
                            "abc",
                            "QuWhattic",
                            "Quadratic",
                            "617A",
                            "YWJj",
                            "NULL",
                            "2000000",
                            "30300000");
        }
    }
}
