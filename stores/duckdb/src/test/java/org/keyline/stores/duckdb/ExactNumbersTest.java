package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Exact numbers compare with values of any scale and size like {@link BigDecimal}. {@code
 * -Dkeyline.exact.oneIn=N} checks one in N conditions (nightly: all).
 */
@Tag("explores")
final class ExactNumbersTest {
    private static final int ONE_IN = Integer.getInteger("keyline.exact.oneIn", 5);

    private static final String MAX_LARGEINT = "170141183460469231731687303715884105727";
    private static final List<BigDecimal> VALUES = Stream.of(
                    "0",
                    "1",
                    "-1",
                    "1.5",
                    "-1.5",
                    "0.000001",
                    "1.0000000000",
                    "1.0000000001",
                    "127",
                    "128",
                    "9223372036854775807",
                    "9223372036854775807.5",
                    "-9223372036854775808",
                    "18446744073709551615",
                    "18446744073709551616",
                    "99999999999999999999999999999999.999999",
                    "-99999999999999999999999999999999.999999",
                    MAX_LARGEINT,
                    "-" + MAX_LARGEINT,
                    "12345678901234567890123456789012345678.5",
                    "1" + "0".repeat(60))
            .map(BigDecimal::new)
            .toList();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TINYINT",
                "INT",
                "BIGINT",
                "BIGINT UNSIGNED",
                "LARGEINT",
                "DECIMAL(38, 6)",
                "DECIMAL(10, 2)",
                "DECIMAL(38, 0)"
            })
    void comparison_ofAColumnAndAValue_isExact(String type) throws SQLException {
        try (StoreServer server = StoreServer.inMemory();
                Connection connection = server.connect(null, "&useServerPrepStmts=true")) {
            StatementsTest.run(connection, "CREATE DATABASE d");
            StatementsTest.run(connection, "CREATE TABLE d.t (k INT PRIMARY KEY, v " + type + ")");
            List<BigDecimal> stored = stored(connection);
            assertThat(stored).hasSizeGreaterThan(3);
            int count = 0;
            for (String operator : List.of("=", "<>", "<", "<=", ">", ">=", "<=>")) {
                for (BigDecimal value : VALUES) {
                    List<BigDecimal> expected = new TreeSet<>(stored.stream()
                                    .filter(x -> holds(x.compareTo(value), operator))
                                    .toList())
                            .stream().toList();
                    String literal = value.toPlainString();
                    String[] conditions = {
                        "v " + operator + " " + literal,
                        flipped(operator, literal),
                        "NOT NOT (v " + operator + " " + literal + ")"
                    };
                    for (String condition : conditions) {
                        if (++count % ONE_IN != 0) {
                            continue;
                        }
                        assertThat(found(connection, condition, null))
                                .as(type + ": " + condition)
                                .isEqualTo(expected);
                    }
                    if (++count % ONE_IN == 0) {
                        assertThat(found(connection, "v " + operator + " ?", value))
                                .as("%s: v %s ? bound to %s", type, operator, value)
                                .isEqualTo(expected);
                    }
                }
            }
        }
    }

    /** Returns all values that the column accepts. */
    private static List<BigDecimal> stored(Connection connection) throws SQLException {
        int key = 0;
        for (BigDecimal value : VALUES) {
            try {
                StatementsTest.run(connection, "INSERT INTO d.t VALUES (" + key + ", " + value.toPlainString() + ")");
                key++;
            } catch (SQLException e) {
                // 1264: the column is too small for it.
                assertThat(e.getErrorCode()).as(e.getMessage()).isEqualTo(1264);
            }
        }
        return found(connection, "v IS NOT NULL", null);
    }

    private static List<BigDecimal> found(Connection connection, String condition, @Nullable BigDecimal bound)
            throws SQLException {
        String sql = "SELECT v FROM d.t WHERE " + condition;
        List<BigDecimal> found = new ArrayList<>();
        if (bound == null) {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                collect(rows, found);
            }
        } else {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setBigDecimal(1, bound);
                try (ResultSet rows = statement.executeQuery()) {
                    collect(rows, found);
                }
            }
        }
        return new TreeSet<>(found).stream().toList();
    }

    private static void collect(ResultSet rows, List<BigDecimal> found) throws SQLException {
        while (rows.next()) {
            found.add(new BigDecimal(Objects.requireNonNull(rows.getString(1))).stripTrailingZeros());
        }
    }

    private static String flipped(String operator, String literal) {
        String turned = switch (operator) {
            case "<" -> ">";
            case "<=" -> ">=";
            case ">" -> "<";
            case ">=" -> "<=";
            default -> operator;
        };
        return literal + " " + turned + " v";
    }

    private static boolean holds(int compared, String operator) {
        return switch (operator) {
            case "=", "<=>" -> compared == 0;
            case "<>" -> compared != 0;
            case "<" -> compared < 0;
            case "<=" -> compared <= 0;
            case ">" -> compared > 0;
            default -> compared >= 0;
        };
    }
}
