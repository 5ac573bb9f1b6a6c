package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.TlsMode;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.MariaDbServer;
import org.keyline.protocol.fixtures.RawClient;
import org.keyline.protocol.fixtures.RelaySession;
import org.keyline.protocol.fixtures.Relays;
import org.keyline.protocol.fixtures.Wire;

/**
 * Logins through a relay to a real server: TLS on each side, its plugins, its refusals; and servers
 * that fail.
 */
@ExtendWith(LeakCheck.class)
final class RelayLoginIT {
    private static final Duration SOON = Duration.ofSeconds(20);

    private static InetSocketAddress mariaDb;

    /** A combination of driver and TLS. */
    record Way(String driver, boolean clientTls, TlsMode storeTls) {}

    static List<Way> ways() {
        List<Way> ways = new ArrayList<>();
        for (String driver : List.of("mysql", "mariadb")) {
            for (TlsMode storeTls : TlsMode.values()) {
                ways.add(new Way(driver, false, storeTls));
                ways.add(new Way(driver, true, storeTls));
            }
        }
        return ways;
    }

    @BeforeAll
    static void start() throws Exception {
        mariaDb = MariaDbServer.get().address();
    }

    private static MySqlServer relay(TlsMode storeTls) throws Exception {
        SslContext trusting = SslContextBuilder.forClient()
                .trustManager(MariaDbServer.get().certificate().certificate())
                .build();
        ClientOptions upstream = Relays.upstream(mariaDb)
                .tls(storeTls, storeTls == TlsMode.VERIFY ? trusting : null)
                .build();
        return Relays.to(upstream, Relays.tlsOptions(), ServerListener.NONE);
    }

    private static Connection connect(InetSocketAddress to, String driver, boolean tls, String user, String password)
            throws SQLException {
        String mode = driver.equals("mysql") ? (tls ? "REQUIRED" : "DISABLED") : (tls ? "trust" : "disable");
        return DriverManager.getConnection(
                "jdbc:" + driver + "://127.0.0.1:" + to.getPort() + "/test?sslMode=" + mode, user, password);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void login_tlsOnEitherSide_isWhatEachSideSays(Way way) throws Exception {
        try (MySqlServer relay = relay(way.storeTls());
                Connection connection =
                        connect(relay.address(), way.driver(), way.clientTls(), "keyline", MariaDbServer.PASSWORD);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE 'Ssl_cipher'")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString(2).isEmpty()).isEqualTo(way.storeTls() == TlsMode.OFF);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void login_ed25519_passesByAuthSwitch(boolean tls) throws Exception {
        assumeTrue(MariaDbServer.hasPlugin("auth_ed25519.so"));
        try (Connection admin = connect(mariaDb, "mariadb", false, "keyline", MariaDbServer.PASSWORD);
                Statement statement = admin.createStatement()) {
            statement.execute("INSTALL PLUGIN IF NOT EXISTS ed25519 SONAME 'auth_ed25519'");
            statement.execute(
                    "CREATE OR REPLACE USER edward@'127.0.0.1'" + " IDENTIFIED VIA ed25519 USING PASSWORD('sécret')");
            statement.execute("GRANT ALL ON *.* TO edward@'127.0.0.1'");
        }
        try (MySqlServer relay = relay(tls ? TlsMode.OFF : TlsMode.REQUIRED)) {
            try (Connection connection = connect(relay.address(), "mariadb", tls, "edward", "sécret");
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT CURRENT_USER()")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo("edward@127.0.0.1");
            }
            assertThatThrownBy(() -> connect(relay.address(), "mariadb", tls, "edward", "wrong"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("Access denied for user 'edward'@'127.0.0.1'");
        }
    }

    @Test
    void login_storeVerifiedAgainstUnknownAuthority_isRefusedInClearText() throws Exception {
        ClientOptions upstream =
                Relays.upstream(mariaDb).tls(TlsMode.VERIFY, null).build();
        try (MySqlServer relay = Relays.to(upstream, Relays.options(), ServerListener.NONE);
                RawClient client = new RawClient(relay.address())) {
            Wire.Packet refused = client.login("keyline", MariaDbServer.PASSWORD, RawClient.FLAGS, 0)
                    .get(1);
            ErrPacket error = ErrPacket.decode(refused.buffer());
            assertThat(error.code()).isEqualTo(1429);
            assertThat(error.sqlState()).isEqualTo("08001");
            assertThat(client.readToEnd()).isEmpty();
        }
    }

    @Test
    void login_userRequiresTls_isUpToTheStoresSide() throws Exception {
        try (Connection admin = connect(mariaDb, "mariadb", false, "keyline", MariaDbServer.PASSWORD);
                Statement statement = admin.createStatement()) {
            statement.execute("CREATE OR REPLACE USER secure@'127.0.0.1' IDENTIFIED BY 'x' REQUIRE SSL");
            statement.execute("GRANT ALL ON *.* TO secure@'127.0.0.1'");
        }
        try (MySqlServer relay = relay(TlsMode.REQUIRED)) {
            connect(relay.address(), "mysql", false, "secure", "x").close();
        }
        try (MySqlServer relay = relay(TlsMode.OFF)) {
            assertThatThrownBy(() -> connect(relay.address(), "mysql", true, "secure", "x"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("Access denied");
        }
    }

    /** The behaviour of a server that does not greet. */
    enum Fault {
        REFUSES("connection refused"),
        SAYS_NOTHING("no answer in time"),
        CLOSES("it closed the connection"),
        SPEAKS_SOMETHING_ELSE("");

        /** The error message's text for it. */
        private final String reason;

        Fault(String reason) {
            this.reason = reason;
        }
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void login_storeFailsBeforeItsGreeting_getsClearTextWithSqlState(Fault fault) throws Exception {
        try (ServerSocket store = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                Socket deaf = new Socket()) {
            deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = fault == Fault.REFUSES ? deaf.getLocalPort() : store.getLocalPort();
            Thread serving = new Thread(() -> serve(store, fault));
            serving.start();
            ClientOptions upstream = Relays.upstream(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                    .connectTimeout(Duration.ofMillis(300))
                    .build();
            try (MySqlServer relay = Relays.to(upstream, Relays.options(), ServerListener.NONE);
                    RawClient client = new RawClient(relay.address())) {
                Wire.Packet refused = client.login("keyline", "x", Capabilities.CLIENT_PROTOCOL_41, 0)
                        .get(1);
                assertThat(refused.sequenceId()).isEqualTo(2);
                ErrPacket error = ErrPacket.decode(refused.buffer());
                assertThat(error.code()).isEqualTo(1429);
                assertThat(error.sqlState()).isEqualTo("08001");
                assertThat(error.message())
                        .startsWith("Keyline cannot reach the store at localhost:" + port + ": " + fault.reason);
                assertThat(client.readToEnd()).isEmpty();
                for (String driver : List.of("mysql", "mariadb")) {
                    assertThatThrownBy(() -> connect(relay.address(), driver, false, "keyline", "x"))
                            .isInstanceOfSatisfying(
                                    SQLException.class,
                                    e -> assertThat(e.getSQLState()).isEqualTo("08001"))
                            .hasMessageContaining("Keyline cannot reach the store at localhost:");
                }
            }
        }
    }

    private static void serve(ServerSocket store, Fault fault) {
        List<Socket> open = new ArrayList<>();
        try {
            while (true) {
                Socket client = store.accept();
                open.add(client);
                if (fault == Fault.SPEAKS_SOMETHING_ELSE) {
                    client.getOutputStream()
                            .write("HTTP/1.1 400 Bad Request\r\n\r\n".repeat(9).getBytes(StandardCharsets.US_ASCII));
                } else if (fault == Fault.CLOSES) {
                    client.close();
                }
            }
        } catch (IOException closed) {
            open.forEach(RelayLoginIT::closeQuietly);
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void login_storeRefusesInPlaceOfAGreeting_passesItsBytes() throws Exception {
        byte[] blocked = Wire.encode(new ErrPacket(1129, "HY000", "Host '10.0.0.1' is blocked")::encode);
        try (ServerSocket store = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread serving = new Thread(() -> {
                try (Socket client = store.accept()) {
                    Wire.packet(0, blocked).readBytes(client.getOutputStream(), blocked.length + 4);
                } catch (IOException e) {
                    // the test checks the client's side
                }
            });
            serving.start();
            ClientOptions upstream = Relays.upstream(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), store.getLocalPort()))
                    .build();
            try (MySqlServer relay = Relays.to(upstream, Relays.options(), ServerListener.NONE);
                    RawClient client = new RawClient(relay.address())) {
                assertThat(client.read().payload()).isEqualTo(blocked);
                assertThat(client.readToEnd()).isEmpty();
            }
        }
    }

    /** The point at which a client disconnects. */
    enum Leaving {
        AT_ONCE,
        AFTER_GREETING,
        AFTER_RESPONSE
    }

    @ParameterizedTest
    @EnumSource(Leaving.class)
    void login_clientLeaves_closesTheStoresConnection(Leaving leaving) throws Exception {
        CompletableFuture<Integer> ended = new CompletableFuture<>();
        try (ServerSocket store = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> answered = new CompletableFuture<>();
            Thread serving = new Thread(() -> {
                try (Socket client = store.accept()) {
                    byte[] greeting = greeting();
                    Wire.packet(0, greeting).readBytes(client.getOutputStream(), greeting.length + 4);
                    int read = client.getInputStream().read(new byte[1024]);
                    answered.complete(null);
                    while (read >= 0) {
                        read = client.getInputStream().read(new byte[1024]);
                    }
                    ended.complete(read);
                } catch (IOException e) {
                    ended.complete(-1);
                }
            });
            serving.start();
            ClientOptions upstream = Relays.upstream(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), store.getLocalPort()))
                    // The store never answers the login that the relay ends in the client's place.
                    .connectTimeout(Duration.ofMillis(500))
                    .build();
            int before = RelaySession.open();
            try (MySqlServer relay = Relays.to(upstream, Relays.options(), ServerListener.NONE)) {
                RawClient client = new RawClient(relay.address());
                if (leaving != Leaving.AT_ONCE) {
                    client.read();
                }
                if (leaving == Leaving.AFTER_RESPONSE) {
                    client.write(1, RawClient.response("u", "", new byte[20], "other_plugin", RawClient.FLAGS, 0));
                    answered.get(SOON.toSeconds(), TimeUnit.SECONDS);
                }
                client.close();
                if (leaving == Leaving.AT_ONCE) {
                    // The relay may not even have connected.
                    await().atMost(SOON).until(() -> relay.connections() == 0);
                } else {
                    assertThat(ended.get(SOON.toSeconds(), TimeUnit.SECONDS)).isNegative();
                }
            }
            assertThat(RelaySession.open()).isEqualTo(before);
        }
    }

    @Test
    void login_storeDiesInTheMiddle_sendsAnErrorToTheClient() throws Exception {
        try (ServerSocket store = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread serving = new Thread(() -> {
                try (Socket client = store.accept()) {
                    byte[] greeting = greeting();
                    Wire.packet(0, greeting).readBytes(client.getOutputStream(), greeting.length + 4);
                    int unused = client.getInputStream().read(new byte[1024]);
                } catch (IOException e) {
                    // the test checks the relay's side
                }
            });
            serving.start();
            ClientOptions upstream = Relays.upstream(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), store.getLocalPort()))
                    .build();
            try (MySqlServer relay = Relays.to(upstream, Relays.options(), ServerListener.NONE);
                    RawClient client = new RawClient(relay.address())) {
                Wire.Packet packet = client.login("u", "p", RawClient.FLAGS, 0).get(1);
                assertThat(packet.sequenceId()).isEqualTo(2);
                assertThat(ErrPacket.decode(packet.buffer()).code()).isEqualTo(1429);
                assertThat(client.readToEnd()).isEmpty();
            }
        }
    }

    private static byte[] greeting() {
        return Wire.encode(new HandshakeV10(
                "8.0.36-test", 4711, new byte[20], ServerOptions.DEFAULT_CAPABILITIES, 45, 2, "other_plugin")::encode);
    }
}
