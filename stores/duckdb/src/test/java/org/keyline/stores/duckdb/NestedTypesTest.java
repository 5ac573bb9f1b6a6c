package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** ARRAY, MAP, STRUCT and VARIANT: the text is Doris's, in both protocols. */
final class NestedTypesTest extends FreshDatabase {
    private static String stored(String type, String literal) throws SQLException {
        try (Connection connection = server.connect("d", "&useServerPrepStmts=true")) {
            StatementsTest.run(connection, "DROP TABLE IF EXISTS t");
            StatementsTest.run(
                    connection,
                    "CREATE TABLE t (k INT NOT NULL, v " + type
                            + " NULL) UNIQUE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1"
                            + " PROPERTIES (\"replication_num\" = \"1\")");
            StatementsTest.run(connection, "INSERT INTO t VALUES (1, " + literal + ")");
            String text = StatementsTest.rows(connection, "SELECT v FROM t WHERE k = 1")
                    .get(0);
            try (PreparedStatement select = connection.prepareStatement("SELECT v FROM t WHERE k = ?")) {
                select.setInt(1, 1);
                try (ResultSet rows = select.executeQuery()) {
                    assertThat(StatementsTest.rows(rows)).containsExactly(text);
                }
            }
            return text;
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
        array<int>; [1, null, 3]; [1, null, 3]
        array<int>; []; []
        array<int>; '[ 7,8 ]'; [7, 8]
        array<decimalv3(9, 3)>; [1.1, -2]; [1.100, -2.000]
        array<boolean>; [true, false, null]; [1, 0, null]
        array<double>; [1.5, 2]; [1.5, 2]
        array<text>; ["a", 'b, c']; ["a", "b, c"]
        array<text>; array('x', null); ["x", null]
        array<datetime>; "[2022-01-01 11:30:38, 2022-01-02]"; ["2022-01-01 11:30:38", "2022-01-02 00:00:00"]
        array<datetimev2(3)>; ['2022-01-01 11:30:38.12']; ["2022-01-01 11:30:38.120"]
        array<array<int>>; [[1, 2], [], null]; [[1, 2], [], null]
        map<text, int>; {'a': 1, "b": null}; {"a":1, "b":null}
        map<int, array<text>>; map(1, ['x']); {1:["x"]}
        struct<a:int, b:text>; struct(1, 'x'); {"a":1, "b":"x"}
        struct<a:int, b:text>; '{"b": "x", "a": 1}'; {"a":1, "b":"x"}
        struct<a:int, b:array<int>>; named_struct('a', 1, 'b', [2]); {"a":1, "b":[2]}
        variant; '{"k2": 200, "k1": "v1"}'; {"k1":"v1","k2":200}
        """, quoteCharacter = '`')
    void nestedValue_isShownAsDorisShowsIt(String type, String literal, String shown) throws SQLException {
        assertThat(stored(type, literal)).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
        array<int>; ['x']; Incorrect integer value
        array<int>; 'no array'; Incorrect array value
        array<tinyint>; [300]; Out of range
        array<int>; [1 + 1]; doesn't support
        array<text>; ['a"b']; doesn't support
        struct<a:int>; struct(1, 2); Incorrect struct value
        variant; '{'; Incorrect variant value
        """, quoteCharacter = '`')
    void nestedValue_thatIsNone_isRefused(String type, String literal, String message) {
        assertThatThrownBy(() -> stored(type, literal))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining(message);
    }

    @Test
    void parameter_ofAnArrayColumn_isReadAsArray() throws SQLException {
        try (Connection connection = server.connect("d", "&useServerPrepStmts=true")) {
            StatementsTest.run(
                    connection,
                    "CREATE TABLE t (k INT, v ARRAY<INT>) UNIQUE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1"
                            + " PROPERTIES (\"replication_num\" = \"1\")");
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO t VALUES (?, ?)")) {
                insert.setInt(1, 1);
                insert.setString(2, "[3,  4]");
                insert.execute();
            }
            StatementsTest.run(connection, "INSERT INTO t SELECT k + 1, v FROM t");
            assertThat(StatementsTest.rows(connection, "SELECT k, v, size(v), v[1], v[-1], v[3] FROM t ORDER BY k"))
                    .containsExactly("1|[3, 4]|2|3|4|null", "2|[3, 4]|2|3|4|null");
            assertThatThrownBy(
                            () -> StatementsTest.run(connection, "INSERT INTO t SELECT 9, concat('[', k, ']') FROM t"))
                    .hasMessageContaining("expressions for the ARRAY column 'v'");
        }
    }

    @Test
    void parts_ofValues_areReadByTheirNames() throws SQLException {
        try (Connection connection = server.connect("d")) {
            StatementsTest.run(
                    connection,
                    "CREATE TABLE t (k INT, m MAP<STRING,INT>, s STRUCT<a:INT,b:STRING>, j VARIANT) UNIQUE KEY(k)"
                            + " DISTRIBUTED BY HASH(k) BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")");
            StatementsTest.run(
                    connection, "INSERT INTO t VALUES (1, {'x': 5}, {2, 'y'}, '{\"a\": {\"b\": \"deep\"}, \"n\": 7}')");
            assertThat(StatementsTest.rows(
                            connection, "SELECT m['x'], m['none'], struct_element(s, 'b'), j['a']['b'], j['n'] FROM t"))
                    .containsExactly("5|null|y|deep|7");
        }
    }

    @Test
    void nestedColumn_isNoKey() throws SQLException {
        try (Connection connection = server.connect("d")) {
            StatementsTest.run(connection, "CREATE TABLE t (k INT, v ARRAY<INT>) DISTRIBUTED BY HASH(k) BUCKETS 1");
            assertThat(StatementsTest.rows(connection, "SHOW CREATE TABLE t").get(0))
                    .contains("DUPLICATE KEY(`k`)");
            assertThatThrownBy(() -> StatementsTest.run(
                            connection,
                            "CREATE TABLE u (v ARRAY<INT>, k INT) UNIQUE KEY(v) DISTRIBUTED BY HASH(k) BUCKETS 1"))
                    .hasMessageContaining("must not be a key column");
        }
    }

    @Test
    void literals_withoutAColumn_areShownAsWritten() throws SQLException {
        try (Connection connection = server.connect(null)) {
            assertThat(StatementsTest.rows(
                            connection, "SELECT [1, null], {'a': [1.5]}, struct('n', 2, [3]), [{'id': '1'}, null]"))
                    .containsExactly(
                            "[1, null]|{\"a\":[1.5]}|{\"col1\":\"n\", \"col2\":2, \"col3\":[3]}|[{\"id\":\"1\"},"
                                    + " null]");
        }
    }
}
