package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.source;
import static org.keyline.gateway.fixtures.Lines.status;
import static org.keyline.gateway.fixtures.Lines.warm;

import com.mysql.cj.jdbc.JdbcStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ClientOptions;

/**
 * MySQL's features that MariaDB lacks: {@code caching_sha2_password}, query attributes, collations
 * without padding, hidden keys. Runs if {@code -Dkeyline.mysql=PORT} names a server that was
 * started with its certificates and has {@code component_query_attributes}.
 */
@EnabledIfSystemProperty(named = "keyline.mysql", matches = ".+")
class MySqlIT {
    private static final String ATTRIBUTE = "SELECT mysql_query_attribute_string('trace')";
    private static final String READ = "SELECT v FROM t WHERE id = 1";

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("mysql");
        try (Connection straight = store.connect("")) {
            run(
                    straight,
                    "DROP DATABASE IF EXISTS my",
                    "CREATE DATABASE my",
                    "CREATE TABLE my.t (id INT PRIMARY KEY, v VARCHAR(20), doc JSON, e VECTOR(2))",
                    "INSERT INTO my.t VALUES (1, 'one', '{\"a\": 1}', TO_VECTOR('[1, 2]'))");
            if ("0"
                    .equals(one(
                            straight,
                            "SELECT COUNT(*) FROM mysql.component WHERE component_urn LIKE '%query_attributes'"))) {
                run(straight, "INSTALL COMPONENT 'file://component_query_attributes'");
            }
        }
        gateway = RelayGateway.start(store);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static Connection through(String more) throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("my") + more);
    }

    private static @Nullable String first(Statement sql, String select) throws SQLException {
        sql.execute(select);
        try (ResultSet rows = sql.getResultSet()) {
            return rows.next() ? rows.getString(1) : "no row";
        }
    }

    // ---------------------------------------------------------------- query attributes

    @Test
    void queryAttributes_reachTheStore_andKeepTheirStatementFromLines() throws SQLException {
        try (Connection straight = store.connect("my");
                Connection connection = through("");
                Statement sql = connection.createStatement();
                Statement direct = straight.createStatement()) {
            warm(connection, READ);
            for (Statement statement : List.of(direct, sql)) {
                statement.unwrap(JdbcStatement.class).setAttribute("trace", "abc");
                assertThat(first(statement, ATTRIBUTE)).isEqualTo("abc");
                assertThat(first(statement, READ)).isEqualTo("one");
            }
            assertThat(source(connection)).isEqualTo("store");
            sql.unwrap(JdbcStatement.class).clearAttributes();
            assertThat(first(sql, ATTRIBUTE)).isNull();
            assertThat(first(sql, READ)).isEqualTo("one");
            assertThat(source(connection)).isIn("line", "load");
        }
    }

    @Test
    void queryAttributesOfPreparedStatements_reachTheStore() throws SQLException {
        try (Connection connection = through("&useServerPrepStmts=true");
                PreparedStatement received = connection.prepareStatement(ATTRIBUTE);
                PreparedStatement both = connection.prepareStatement(
                        "SELECT CONCAT(?, '/', mysql_query_attribute_string('trace'), '/', ?)");
                PreparedStatement point = connection.prepareStatement("SELECT v FROM t WHERE id = ?")) {
            point.setInt(1, 1);
            soon("a line").until(() -> {
                point.executeQuery().close();
                return "line".equals(source(connection));
            });
            for (PreparedStatement statement : List.of(received, both, point)) {
                statement.unwrap(JdbcStatement.class).setAttribute("trace", "xyz");
            }
            assertThat(value(received)).isEqualTo("xyz");
            both.setString(1, "a");
            both.setInt(2, 7);
            assertThat(value(both)).isEqualTo("a/xyz/7");
            assertThat(value(both)).isEqualTo("a/xyz/7");
            assertThat(value(point)).isEqualTo("one");
            assertThat(source(connection)).isEqualTo("store");
            point.unwrap(JdbcStatement.class).clearAttributes();
            // The types of its parameters are no longer in the command, but a new handle at the
            // store must get them.
            assertThat(value(point)).isEqualTo("one");
            assertThat(source(connection)).isIn("line", "load");
            run(connection, "ALTER TABLE t COMMENT 'other'");
            assertThat(value(point)).isEqualTo("one");
        }
    }

    private static @Nullable String value(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** The gateway analyses the text after the attributes: writes, settings, its own statements. */
    @Test
    void statementsWithAttributes_areUnderstood() throws SQLException {
        try (Connection connection = through("");
                Connection reader = through("");
                Statement sql = connection.createStatement()) {
            warm(reader, READ);
            sql.unwrap(JdbcStatement.class).setAttribute("trace", "abc");
            sql.execute("UPDATE t SET v = 'two' WHERE id = 1");
            assertThat(one(reader, READ)).isEqualTo("two");
            sql.execute("SET max_join_size = 100000");
            assertThat(first(sql, "KEYLINE EXPLAIN " + READ)).isEqualTo("answer");
            assertThat(first(sql, "KEYLINE LAST")).isEqualTo("source");
            one(connection, READ);
            assertThat(source(connection)).isEqualTo("store");
            sql.execute("UPDATE t SET v = 'one' WHERE id = 1");
        }
    }

    // ---------------------------------------------------------------- diagnostics

    /** The reply to a ping has the number of warnings, which the ping leaves. */
    @ParameterizedTest
    @ValueSource(strings = {"DO 1", "DO 1/0", "SHOW WARNINGS", "mistyped", READ})
    void ping_betweenAStatementAndAQuestionAboutIt_isNotNoticed(String statement) throws Exception {
        ClientOptions options = ClientOptions.of("127.0.0.1", 1, MariaDb.USER)
                .password(MariaDb.PASSWORD)
                .retrievePublicKey(true)
                .database("my")
                .build();
        try (Twins twins = new Twins(store, gateway.port(), options)) {
            for (String asked : List.of("SELECT @@warning_count", "SELECT ROW_COUNT()", "SHOW WARNINGS")) {
                twins.query("SELECT CAST('a' AS SIGNED)");
                twins.query(statement);
                for (int i = 0; i < 3; i++) {
                    twins.send(Twins.text(CommandCode.COM_PING, ""), "PING");
                }
                twins.query(asked);
                twins.query("SELECT 1");
            }
        }
    }

    // ---------------------------------------------------------------- logins

    /**
     * The first login of an account needs the password itself, by TLS or RSA; the store caches it
     * for later ones.
     */
    @ParameterizedTest
    @CsvSource({
        "off, off, DISABLED",
        "off, required, DISABLED",
        "offered, off, REQUIRED",
        "offered, required, REQUIRED",
        "offered, preferred, DISABLED"
    })
    void cachingSha2_anyTlsOnEitherSide_logsInFullAndFast(String tls, String storeTls, String clientTls)
            throws Exception {
        try (RelayGateway other =
                        RelayGateway.start(store, "tls.mode=" + tls, "store.tls=" + storeTls, "store.signal=none");
                Connection admin = store.connect("")) {
            run(
                    admin,
                    "DROP USER IF EXISTS fresh@'127.0.0.1'",
                    "CREATE USER fresh@'127.0.0.1' IDENTIFIED WITH caching_sha2_password BY 'sécret'",
                    "GRANT SELECT ON my.* TO fresh@'127.0.0.1'",
                    "FLUSH PRIVILEGES");
            String url = "jdbc:mysql://127.0.0.1:" + other.port() + "/my?allowPublicKeyRetrieval=true&sslMode="
                    + clientTls + "&user=fresh&password=";
            for (int i = 0; i < 3; i++) {
                try (Connection connection = DriverManager.getConnection(url + "sécret")) {
                    assertThat(one(connection, READ)).isEqualTo("one");
                    assertThat(one(connection, "SELECT CURRENT_USER()")).isEqualTo("fresh@127.0.0.1");
                }
                assertThatThrownBy(
                                () -> DriverManager.getConnection(url + "wrong").close())
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                refused -> assertThat(refused.getErrorCode()).isEqualTo(1045));
            }
        }
    }

    // ---------------------------------------------------------------- definitions

    @Test
    void hiddenColumns_areNotInRows_andHiddenKeysAreNone() throws SQLException {
        try (Connection connection = through("")) {
            run(
                    connection,
                    "CREATE TABLE hidden (id INT PRIMARY KEY, v INT, secret INT INVISIBLE DEFAULT 9,"
                            + " twice INT AS (v * 2) VIRTUAL INVISIBLE)",
                    "INSERT INTO hidden (id, v) VALUES (1, 10)",
                    "CREATE TABLE hiddenkey (id INT INVISIBLE PRIMARY KEY DEFAULT 1, v INT)",
                    "INSERT INTO hiddenkey VALUES (5)",
                    "SET sql_generate_invisible_primary_key = 1",
                    "CREATE TABLE nokey (id INT, v INT)",
                    "INSERT INTO nokey VALUES (1, 1), (1, 2)",
                    "CREATE TABLE expressed (id INT PRIMARY KEY, v INT, UNIQUE KEY ((v + 1)))",
                    "INSERT INTO expressed VALUES (1, 1)");
        }
        try (Connection straight = store.connect("my");
                Connection connection = through("")) {
            for (String select : List.of(
                    "SELECT * FROM hidden WHERE id = 1",
                    "SELECT secret FROM hidden WHERE id = 1",
                    "SELECT twice FROM hidden WHERE id = 1",
                    "SELECT * FROM hiddenkey WHERE id = 1",
                    "SELECT v FROM nokey WHERE my_row_id = 2",
                    "SELECT * FROM nokey WHERE id = 1",
                    "SELECT v FROM expressed WHERE id = 1")) {
                for (int i = 0; i < 4; i++) {
                    assertThat(all(connection, select)).as(select).isEqualTo(all(straight, select));
                }
            }
            warm(connection, "SELECT * FROM hidden WHERE id = 1");
            warm(connection, "SELECT v FROM expressed WHERE id = 1");
        }
    }

    /** MySQL reports no collation for JSON, and Connector/J requests text as it is stored. */
    @ParameterizedTest
    @ValueSource(strings = {"", "&useServerPrepStmts=true"})
    void jsonAndVector_comeFromLines(String more) throws SQLException {
        try (Connection straight = DriverManager.getConnection(store.jdbc("my") + more);
                Connection connection = through(more)) {
            // The driver does not support VECTOR; as bytes, it is in the line nevertheless.
            String select = "SELECT v, doc FROM t WHERE id = 1";
            soon("a line").until(() -> {
                assertThat(all(connection, select)).isEqualTo(all(straight, select));
                return "line".equals(source(connection));
            });
        }
    }

    private static List<List<@Nullable String>> all(Connection connection, String select) throws SQLException {
        List<List<@Nullable String>> all = new ArrayList<>();
        try (PreparedStatement sql = connection.prepareStatement(select);
                ResultSet rows = sql.executeQuery()) {
            while (rows.next()) {
                List<@Nullable String> row = new ArrayList<>();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    row.add(rows.getString(i));
                }
                all.add(row);
            }
        }
        return all;
    }

    // ---------------------------------------------------------------- the change signal

    @Test
    void signal_ofTablesWithVectors_isExact() throws Exception {
        try (RelayGateway other = RelayGateway.start(
                        store,
                        "store.signal=binlog",
                        "store.signalPeriod=20ms",
                        "cache.ttl=2s",
                        "cache.signalTtl=10m");
                Connection straight = store.connect("my");
                Connection connection = other.connect("my")) {
            soon("a line").until(() -> status(connection, "keyline_signal_live") == 1);
            warm(connection, READ);
            long losses = status(connection, "keyline_signal_losses");
            long rows = status(connection, "keyline_signal_row_drops");
            run(straight, "UPDATE t SET v = 'out', e = TO_VECTOR('[3, 4]') WHERE id = 1");
            soon("a line").until(() -> "out".equals(one(connection, READ)));
            soon("a line").until(() -> status(connection, "keyline_signal_row_drops") > rows);
            run(straight, "UPDATE t SET v = 'one' WHERE id = 1");
            soon("a line").until(() -> "one".equals(one(connection, READ)));
            assertThat(status(connection, "keyline_signal_losses")).isEqualTo(losses);
        }
    }
}
