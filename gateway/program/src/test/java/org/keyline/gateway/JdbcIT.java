package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.gateway.fixtures.Lines.status;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.keyline.gateway.fixtures.DemoGateway;

/**
 * Connector/J and MariaDB Connector/J, each with statements prepared by the driver and by the
 * server.
 */
final class JdbcIT {
    private static DemoGateway demo;

    /** A driver, and how it prepares statements. */
    enum Driver {
        MYSQL_TEXT("mysql", "useSSL=false&allowPublicKeyRetrieval=true"),
        MYSQL_SERVER(
                "mysql",
                "useSSL=false&allowPublicKeyRetrieval=true&useServerPrepStmts=true&cachePrepStmts=true"
                        + "&rewriteBatchedStatements=false"),
        MARIADB_TEXT("mariadb", "sslMode=disable&useServerPrepStmts=false"),
        MARIADB_SERVER("mariadb", "sslMode=trust&useServerPrepStmts=true");

        private final String scheme;
        private final String parameters;

        Driver(String scheme, String parameters) {
            this.scheme = scheme;
            this.parameters = parameters;
        }

        Connection connect(String schema) throws SQLException {
            return DriverManager.getConnection(demo.jdbc(scheme, schema, parameters), "root", "");
        }
    }

    @BeforeAll
    static void start() throws Exception {
        demo = DemoGateway.start("tables.demo.vertices.prefix=1");
    }

    @AfterAll
    static void stop() {
        demo.close();
    }

    @ParameterizedTest
    @EnumSource
    void stringKeys_comeFromLines(Driver driver) throws Exception {
        try (Connection connection = driver.connect("ycsb");
                PreparedStatement write =
                        connection.prepareStatement("INSERT INTO usertable (YCSB_KEY, FIELD0) VALUES (?, ?)");
                PreparedStatement read =
                        connection.prepareStatement("SELECT FIELD0 FROM usertable WHERE YCSB_KEY = ?")) {
            write.setString(1, "Käthe " + driver);
            write.setString(2, "field");
            write.executeUpdate();
            long before = status(connection, "Keyline_hits");
            // There are more reads than required hits, because on a busy machine lines expire in
            // between.
            for (int i = 0; i < 20; i++) {
                read.setString(1, "Käthe " + driver);
                assertThat(single(read)).isEqualTo("field");
                read.setString(1, "käthe " + driver);
                assertThat(read.executeQuery().next()).as("another key").isFalse();
            }
            assertThat(status(connection, "Keyline_hits")).isGreaterThanOrEqualTo(before + 4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void preparedOverAddedColumn_goesOn(Driver driver) throws Exception {
        String table = "ddl_" + driver.name().toLowerCase(java.util.Locale.ROOT);
        try (Connection connection = driver.connect("demo");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE " + table + " (id BIGINT NOT NULL, a VARCHAR(20)) UNIQUE KEY(id) "
                    + "DISTRIBUTED BY HASH(id) BUCKETS 1");
            statement.execute("INSERT INTO " + table + " VALUES (1, 'x')");
            try (PreparedStatement read = connection.prepareStatement("SELECT a FROM " + table + " WHERE id = ?")) {
                for (int i = 0; i < 3; i++) {
                    read.setLong(1, 1);
                    assertThat(single(read)).isEqualTo("x");
                }
                statement.execute("ALTER TABLE " + table + " ADD COLUMN b INT DEFAULT '7'");
                for (int i = 0; i < 3; i++) {
                    read.setLong(1, 1);
                    assertThat(single(read)).isEqualTo("x");
                }
                try (PreparedStatement added =
                        connection.prepareStatement("SELECT b FROM " + table + " WHERE id = ?")) {
                    for (int i = 0; i < 3; i++) {
                        added.setLong(1, 1);
                        assertThat(single(added)).isEqualTo("7");
                    }
                }
                statement.execute("DROP TABLE " + table);
                read.setLong(1, 1);
                assertThatThrownBy(read::executeQuery).isInstanceOf(SQLException.class);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void valuesOfEveryKind_comeBackAsTheyWere(Driver driver) throws Exception {
        String table = "kinds_" + driver.name().toLowerCase(java.util.Locale.ROOT);
        try (Connection connection = driver.connect("demo");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE " + table + " (id BIGINT NOT NULL, s VARCHAR(200), d DECIMAL(20,4), "
                    + "f DOUBLE, day DATE, n INT, big LARGEINT) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1");
            String text = "quote ' \" \\ \n tab\t ☃ 𝄞 " + "é".repeat(30);
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO " + table + " VALUES (?, ?, ?, ?, ?, ?, ?)")) {
                insert.setLong(1, Long.MIN_VALUE);
                insert.setString(2, text);
                insert.setBigDecimal(3, new BigDecimal("-1234567890.1234"));
                insert.setDouble(4, 1.5e300);
                insert.setDate(5, Date.valueOf("2024-02-29"));
                insert.setNull(6, java.sql.Types.INTEGER);
                insert.setString(7, "170141183460469231731687303715884105727");
                insert.executeUpdate();
            }
            try (PreparedStatement read = connection.prepareStatement("SELECT * FROM " + table + " WHERE id = ?")) {
                for (int i = 0; i < 3; i++) {
                    read.setLong(1, Long.MIN_VALUE);
                    try (ResultSet rows = read.executeQuery()) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getLong(1)).isEqualTo(Long.MIN_VALUE);
                        assertThat(rows.getString(2)).isEqualTo(text);
                        assertThat(rows.getBigDecimal(3)).isEqualByComparingTo("-1234567890.1234");
                        assertThat(rows.getDouble(4)).isEqualTo(1.5e300);
                        assertThat(rows.getDate(5)).isEqualTo(Date.valueOf("2024-02-29"));
                        assertThat(rows.getInt(6)).isZero();
                        assertThat(rows.wasNull()).isTrue();
                        assertThat(rows.getString(7)).isEqualTo("170141183460469231731687303715884105727");
                    }
                }
            }
        }
    }

    @Test
    void cursorFetch_ofAPointReadShape_isForwarded() throws Exception {
        try (Connection connection = DriverManager.getConnection(
                        demo.jdbc(
                                "mysql",
                                "demo",
                                "useSSL=false&useServerPrepStmts=true&useCursorFetch=true&defaultFetchSize=4"),
                        "root",
                        "");
                PreparedStatement read = connection.prepareStatement(
                        "SELECT vertex_id FROM vertices WHERE user_id = ? ORDER BY graph_id, vertex_id")) {
            for (int round = 0; round < 3; round++) {
                read.setLong(1, 2);
                int count = 0;
                try (ResultSet rows = read.executeQuery()) {
                    while (rows.next()) {
                        count++;
                    }
                }
                assertThat(count).isGreaterThan(4);
            }
        }
    }

    private static String single(PreparedStatement read) throws SQLException {
        try (ResultSet rows = read.executeQuery()) {
            assertThat(rows.next()).isTrue();
            String value = rows.getString(1);
            assertThat(rows.next()).isFalse();
            return value;
        }
    }
}
