package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mysql.cj.jdbc.JdbcConnection;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.keyline.protocol.AuthSwitchRequest;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.RsaKey;
import org.keyline.protocol.auth.SelfSigned;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.TlsMode;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.RawClient;
import org.keyline.protocol.fixtures.Relays;
import org.keyline.protocol.fixtures.TinySession;
import org.keyline.protocol.fixtures.Wire;

/**
 * {@code caching_sha2_password} through a relay, each side with and without TLS, with other
 * projects' drivers. The server is this module's own, because MariaDB does not support the plugin.
 */
@ExtendWith(LeakCheck.class)
final class RelaySha2Test {
    private static RsaKey key;
    private static SslContext tls;

    /** A combination of driver and TLS. */
    record Way(String driver, boolean clientTls, TlsMode storeTls) {}

    static List<Way> ways() {
        List<Way> ways = new ArrayList<>();
        for (String driver : List.of("mysql", "mariadb")) {
            for (TlsMode storeTls : List.of(TlsMode.OFF, TlsMode.REQUIRED)) {
                ways.add(new Way(driver, false, storeTls));
                ways.add(new Way(driver, true, storeTls));
            }
        }
        return ways;
    }

    @BeforeAll
    static void makeKey() throws Exception {
        key = RsaKey.generate(new SecureRandom());
        SelfSigned certificate = SelfSigned.create("localhost", Instant.now(), Duration.ofDays(1), new SecureRandom());
        tls = SslContextBuilder.forServer(certificate.key(), certificate.certificate())
                .build();
    }

    /**
     * Returns a server that has not seen the password yet, so that the first login is a full
     * exchange.
     */
    private static MySqlServer store(AuthPlugin greeted) throws Exception {
        Account account =
                new Account("sha2@%", Credential.ofPassword(AuthPlugin.CACHING_SHA2_PASSWORD, "sécret", new Random(1)));
        Account plain = new Account("plain@%", Credential.empty(AuthPlugin.NATIVE_PASSWORD));
        return MySqlServer.bind(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ServerOptions.of("8.0.36-store").withEventLoops(1).withSslContext(tls),
                new ServerAuthenticator(greeted, key, new SecureRandom()),
                (user, from) -> user.equals("sha2") ? account : user.equals("plain") ? plain : null,
                (login, peer) -> CompletableFuture.completedFuture(new TinySession(login)),
                ServerListener.NONE);
    }

    private static MySqlServer relay(MySqlServer store, TlsMode storeTls, boolean retrieveKey) throws Exception {
        ClientOptions upstream = Relays.upstream(store.address())
                .tls(storeTls, null)
                .retrievePublicKey(retrieveKey)
                .build();
        return Relays.to(upstream, Relays.options().withSslContext(tls), ServerListener.NONE);
    }

    private static Connection connect(MySqlServer relay, Way way, String password) throws SQLException {
        return connect(relay, way, "sha2", password);
    }

    private static Connection connect(MySqlServer relay, Way way, String user, String password) throws SQLException {
        String mode = way.driver().equals("mysql")
                ? (way.clientTls() ? "REQUIRED" : "DISABLED")
                : (way.clientTls() ? "trust" : "disable");
        return DriverManager.getConnection(
                "jdbc:" + way.driver() + "://127.0.0.1:" + relay.address().getPort()
                        + "/db?allowPublicKeyRetrieval=true&sslMode=" + mode,
                user,
                password);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void login_fullThenFast_passes(Way way) throws Exception {
        for (AuthPlugin greeted : List.of(AuthPlugin.CACHING_SHA2_PASSWORD, AuthPlugin.NATIVE_PASSWORD)) {
            try (MySqlServer store = store(greeted);
                    MySqlServer relay = relay(store, way.storeTls(), true)) {
                for (int i = 0; i < 2; i++) {
                    try (Connection connection = connect(relay, way, "sécret");
                            Statement statement = connection.createStatement();
                            ResultSet row = statement.executeQuery("SELECT tls")) {
                        assertThat(row.next()).isTrue();
                        assertThat(row.getString(1)).isEqualTo(Boolean.toString(way.storeTls() != TlsMode.OFF));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void login_wrongPassword_isRefusedByTheServer(Way way) throws Exception {
        try (MySqlServer store = store(AuthPlugin.CACHING_SHA2_PASSWORD);
                MySqlServer relay = relay(store, way.storeTls(), true)) {
            assertThatThrownBy(() -> connect(relay, way, "wrong"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("Access denied for user 'sha2'@'127.0.0.1' (using password: YES)");
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void changeUser_fullThenFast_passes(Way way) throws Exception {
        if (!way.driver().equals("mysql")) {
            return;
        }
        try (MySqlServer store = store(AuthPlugin.CACHING_SHA2_PASSWORD);
                MySqlServer relay = relay(store, way.storeTls(), true);
                Connection connection = connect(relay, way, "plain", "");
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 2; i++) {
                connection.unwrap(JdbcConnection.class).changeUser("sha2", "sécret");
                try (ResultSet row = statement.executeQuery("SELECT USER()")) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getString(1)).startsWith("sha2");
                }
            }
            assertThatThrownBy(() -> connection.unwrap(JdbcConnection.class).changeUser("sha2", "wrong"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("Access denied for user 'sha2'@'127.0.0.1' (using password: YES)");
        }
    }

    @Test
    void changeUser_tlsEndsHereAndTheKeyMustNotBeRequested_doesNotSendThePassword() throws Exception {
        Way way = new Way("mysql", true, TlsMode.OFF);
        try (MySqlServer store = store(AuthPlugin.CACHING_SHA2_PASSWORD);
                MySqlServer relay = relay(store, TlsMode.OFF, false);
                Connection connection = connect(relay, way, "plain", "")) {
            assertThatThrownBy(() -> connection.unwrap(JdbcConnection.class).changeUser("sha2", "sécret"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("requesting the key is disabled");
        }
    }

    /**
     * The server decides the error of a MariaDB client without the plugin: the switch passes, and
     * so does its error.
     */
    @Test
    void clientWithoutThePlugin_isAnsweredAsByTheServer() throws Exception {
        try (MySqlServer store = store(AuthPlugin.CACHING_SHA2_PASSWORD);
                MySqlServer relay = relay(store, TlsMode.OFF, true)) {
            for (int flags : List.of(RawClient.FLAGS, RawClient.FLAGS & ~Capabilities.CLIENT_PLUGIN_AUTH)) {
                List<Wire.Packet> straight = loginByNativePassword(store, flags);
                List<Wire.Packet> through = loginByNativePassword(relay, flags);
                Wire.Packet last = through.get(through.size() - 1);
                assertThat(last.header())
                        .isEqualTo(straight.get(straight.size() - 1).header());
                if (last.header() == 0xFF) {
                    ErrPacket error = ErrPacket.decode(last.buffer());
                    assertThat(error.code()).isEqualTo(1251);
                    assertThat(error.sqlState()).isEqualTo("08004");
                } else {
                    assertThat(AuthSwitchRequest.decode(last.buffer()).plugin()).isEqualTo("caching_sha2_password");
                }
            }
        }
    }

    private static List<Wire.Packet> loginByNativePassword(MySqlServer server, int flags) throws IOException {
        try (RawClient client = new RawClient(server.address())) {
            return client.login("sha2", "sécret", flags, 0);
        }
    }

    @Test
    void login_tlsEndsHereAndTheKeyMustNotBeRequested_doesNotSendThePassword() throws Exception {
        try (MySqlServer store = store(AuthPlugin.CACHING_SHA2_PASSWORD);
                MySqlServer relay = relay(store, TlsMode.OFF, false)) {
            assertThatThrownBy(() -> connect(relay, new Way("mysql", true, TlsMode.OFF), "sécret"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("requesting the key is disabled");
        }
    }
}
