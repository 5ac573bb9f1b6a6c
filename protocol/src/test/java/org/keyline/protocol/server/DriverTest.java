package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.SslContextBuilder;
import java.io.ByteArrayInputStream;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.RsaKey;
import org.keyline.protocol.auth.SelfSigned;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.TinySession;

/**
 * MySQL Connector/J and MariaDB Connector/J with this module's server, each plugin, with and
 * without TLS.
 */
@ExtendWith(LeakCheck.class)
final class DriverTest {
    private static MySqlServer server;

    /** One way to connect. */
    record Way(String driver, String user, boolean tls) {
        String url() {
            int port = server.address().getPort();
            return driver.equals("mysql")
                    ? "jdbc:mysql://127.0.0.1:" + port
                            + "/db?useServerPrepStmts=true&allowPublicKeyRetrieval=true&sslMode="
                            + (tls ? "REQUIRED" : "DISABLED")
                    : "jdbc:mariadb://127.0.0.1:" + port
                            + "/db?useServerPrepStmts=true&allowPublicKeyRetrieval=true&sslMode="
                            + (tls ? "trust" : "disable");
        }

        Connection connect(String password) throws SQLException {
            Properties properties = new Properties();
            properties.setProperty("user", user);
            properties.setProperty("password", password);
            return DriverManager.getConnection(url(), properties);
        }
    }

    static List<Way> ways() {
        List<Way> ways = new ArrayList<>();
        for (String driver : List.of("mysql", "mariadb")) {
            for (String user : List.of("native", "sha2", "root")) {
                ways.add(new Way(driver, user, false));
                ways.add(new Way(driver, user, true));
            }
        }
        return ways;
    }

    @BeforeAll
    static void start() throws Exception {
        Random random = new Random(1);
        Map<String, Account> accounts = Map.of(
                "native",
                new Account("native@%", Credential.ofPassword(AuthPlugin.NATIVE_PASSWORD, "secret", random)),
                "sha2",
                new Account("sha2@%", Credential.ofPassword(AuthPlugin.CACHING_SHA2_PASSWORD, "secret", random)),
                "root",
                new Account("root@%", Credential.ofPassword(AuthPlugin.CACHING_SHA2_PASSWORD, "", random)));
        RsaKey key = RsaKey.generate(new SecureRandom());
        SelfSigned certificate = SelfSigned.create("localhost", Instant.now(), Duration.ofDays(1), new SecureRandom());
        ServerOptions options = ServerOptions.of("8.0.36-keyline")
                .withEventLoops(2)
                .withLimits(64 << 20, Duration.ofSeconds(10), Duration.ZERO, Duration.ofSeconds(5), 100)
                .withSslContext(SslContextBuilder.forServer(certificate.key(), certificate.certificate())
                        .build());
        server = MySqlServer.bind(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                options,
                new ServerAuthenticator(AuthPlugin.CACHING_SHA2_PASSWORD, key, new SecureRandom()),
                (user, from) -> accounts.get(user),
                (login, peer) -> CompletableFuture.completedFuture(new TinySession(login)),
                ServerListener.NONE);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void connect_rightPassword_runsStatements(Way way) throws SQLException {
        String password = way.user().equals("root") ? "" : "secret";
        // Twice: the second caching_sha2 login takes the fast path.
        for (int i = 0; i < 2; i++) {
            try (Connection connection = way.connect(password);
                    Statement statement = connection.createStatement()) {
                assertThat(single(statement, "SELECT USER()")).isEqualTo(way.user() + "@%");
                assertThat(single(statement, "SELECT tls")).isEqualTo(Boolean.toString(way.tls()));
                try (ResultSet rows = statement.executeQuery("SELECT ROWS 1000 100")) {
                    int count = 0;
                    while (rows.next()) {
                        assertThat(rows.getString(1)).hasSize(100);
                        count++;
                    }
                    assertThat(count).isEqualTo(1000);
                }
                assertThatThrownBy(() -> statement.execute("FAIL now"))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("no: FAIL now")
                        .satisfies(e ->
                                assertThat(((SQLException) e).getErrorCode()).isEqualTo(1064));
                assertThat(connection.isValid(5)).isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void preparedStatement_everyType_comesBackAsSent(Way way) throws SQLException {
        String password = way.user().equals("root") ? "" : "secret";
        try (Connection connection = way.connect(password);
                PreparedStatement statement = connection.prepareStatement("SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?")) {
            Timestamp time = Timestamp.valueOf("2024-02-29 23:59:58.123456");
            for (int i = 0; i < 3; i++) {
                statement.setInt(1, -i);
                statement.setLong(2, Long.MIN_VALUE + i);
                statement.setString(3, "a'\\\"\u00e4\u20ac\ud83d\ude00");
                statement.setBytes(4, new byte[] {0, 1, (byte) 0xFF});
                statement.setBigDecimal(5, new BigDecimal("-12345678901234567890.0123456789"));
                statement.setTimestamp(6, time);
                statement.setDate(7, Date.valueOf("1999-12-31"));
                statement.setDouble(8, 0.1);
                statement.setFloat(9, 1.5f);
                statement.setObject(10, null);
                statement.setBinaryStream(11, new ByteArrayInputStream(new byte[100_000]));
                try (ResultSet row = statement.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getInt(1)).isEqualTo(-i);
                    assertThat(row.getLong(2)).isEqualTo(Long.MIN_VALUE + i);
                    assertThat(row.getString(3)).isEqualTo("a'\\\"\u00e4\u20ac\ud83d\ude00");
                    assertThat(row.getBytes(4)).containsExactly(0, 1, 0xFF);
                    assertThat(row.getBigDecimal(5)).isEqualTo("-12345678901234567890.0123456789");
                    assertThat(row.getTimestamp(6)).isEqualTo(time);
                    assertThat(row.getDate(7)).isEqualTo(Date.valueOf("1999-12-31"));
                    assertThat(row.getDouble(8)).isEqualTo(0.1);
                    assertThat(row.getFloat(9)).isEqualTo(1.5f);
                    assertThat(row.getObject(10)).isNull();
                    assertThat(row.getBytes(11)).hasSize(100_000);
                    assertThat(row.next()).isFalse();
                }
            }
        }
    }

    private static String single(Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }
}
