package org.keyline.protocol.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.protocol.fixtures.Clients.close;
import static org.keyline.protocol.fixtures.Clients.connect;
import static org.keyline.protocol.fixtures.Clients.query;
import static org.keyline.protocol.fixtures.Clients.run;

import io.netty.buffer.ByteBuf;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.RsaKey;
import org.keyline.protocol.auth.SelfSigned;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.codec.BinaryRowReader;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.Rows;
import org.keyline.protocol.fixtures.TinySession;
import org.keyline.protocol.server.Account;
import org.keyline.protocol.server.MySqlServer;
import org.keyline.protocol.server.ServerListener;
import org.keyline.protocol.server.ServerOptions;

/** Our client and our server, each testing the other over loopback. */
@ExtendWith(LeakCheck.class)
final class ClientServerTest {
    private static final String PASSWORD = "s€cret";

    private static MySqlServer greetsNative;
    private static MySqlServer greetsSha2;
    private static SelfSigned certificate;

    @BeforeAll
    static void start() throws Exception {
        SecureRandom random = new SecureRandom();
        RsaKey key = RsaKey.generate(random);
        certificate = SelfSigned.create("test", Instant.now(), Duration.ofDays(1), random);
        SslContext tls = SslContextBuilder.forServer(certificate.key(), certificate.certificate())
                .build();
        greetsNative = server(new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, key, random), tls);
        greetsSha2 = server(new ServerAuthenticator(AuthPlugin.CACHING_SHA2_PASSWORD, key, random), tls);
    }

    private static MySqlServer server(ServerAuthenticator authenticator, SslContext tls) throws Exception {
        Map<String, Account> accounts = Map.of(
                "native", account("native", AuthPlugin.NATIVE_PASSWORD, PASSWORD),
                "sha2", account("sha2", AuthPlugin.CACHING_SHA2_PASSWORD, PASSWORD),
                "clear", account("clear", AuthPlugin.CLEAR_PASSWORD, PASSWORD),
                "open", account("open", AuthPlugin.CACHING_SHA2_PASSWORD, ""));
        return MySqlServer.bind(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ServerOptions.of("8.0.36-test").withEventLoops(1).withSslContext(tls),
                authenticator,
                (user, from) -> accounts.get(user),
                (login, peer) -> CompletableFuture.completedFuture(new TinySession(login)),
                ServerListener.NONE);
    }

    private static Account account(String user, AuthPlugin plugin, String password) {
        return new Account(user + "@%", Credential.ofPassword(plugin, password, new SecureRandom()));
    }

    @AfterAll
    static void stop() {
        greetsNative.close();
        greetsSha2.close();
    }

    private static ClientOptions.Builder options(String user) {
        return options(greetsNative, user);
    }

    private static ClientOptions.Builder options(MySqlServer server, String user) {
        return ClientOptions.of(server.address(), user).password("open".equals(user) ? "" : PASSWORD);
    }

    @ParameterizedTest
    @CsvSource({
        "native, OFF",
        "native, REQUIRED",
        "sha2, OFF",
        "sha2, PREFERRED",
        "sha2, VERIFY",
        "clear, REQUIRED",
        "open, OFF",
        "open, VERIFY"
    })
    void login_everyPluginAndTlsMode_onBothGreetings(String user, TlsMode tls) throws Exception {
        SslContext trusting = SslContextBuilder.forClient()
                .trustManager(certificate.certificate())
                .build();
        for (MySqlServer server : List.of(greetsNative, greetsSha2)) {
            ClientOptions options = options(server, user)
                    .tls(tls, tls == TlsMode.VERIFY ? trusting : null)
                    .retrievePublicKey(true)
                    .build();
            // Twice: the second login takes the fast path where there is one.
            for (int i = 0; i < 2; i++) {
                ClientConnection connection = connect(options);
                assertThat(query(connection, "SELECT USER()").text(0)).containsExactly(user + "@%");
                assertThat(query(connection, "SELECT tls").text(0))
                        .containsExactly(Boolean.toString(tls != TlsMode.OFF));
                close(connection);
            }
            ClientOptions wrong = options.toBuilder().password("wrong").build();
            assertThatThrownBy(() -> connect(wrong))
                    .hasCauseInstanceOf(ServerErrorException.class)
                    .hasMessageContaining("1045");
        }
        assertThatThrownBy(() -> connect(options("nobody").build())).hasMessageContaining("1045");
    }

    @Test
    void login_clearPasswordWithoutTls_isRefused() {
        assertThatThrownBy(() -> connect(options("clear").build())).hasMessageContaining("1045");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void query_inBothEofModes_decodesRowsAndErrors(boolean deprecateEof) throws Exception {
        int capabilities = ClientOptions.DEFAULT_CAPABILITIES;
        ClientConnection connection = connect(options("native")
                .capabilities(deprecateEof ? capabilities : capabilities & ~Capabilities.CLIENT_DEPRECATE_EOF)
                .build());
        assertThat(query(connection, "ROWS 1000 100").rows).hasSize(1_000);
        assertThat(query(connection, "ROWS 0 1").columns).hasSize(1);
        assertThat(requireNonNull(query(connection, "FAIL x").error).code()).isEqualTo(1064);
        assertThat(query(connection, "anything").results).isEqualTo(1);
        assertThat(run(connection, rows -> connection.sendText(0x77, "", rows)).error)
                .isNotNull();
        close(connection);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void execute_inBothEofModes_echoesItsArguments(boolean deprecateEof) throws Exception {
        int capabilities = ClientOptions.DEFAULT_CAPABILITIES;
        ClientConnection connection = connect(options("native")
                .capabilities(deprecateEof ? capabilities : capabilities & ~Capabilities.CLIENT_DEPRECATE_EOF)
                .build());
        PreparedStatement statement =
                requireNonNull(run(connection, rows -> connection.prepare("ECHO ? ? ? ? ? ?", rows)).statement);
        assertThat(statement.parameters()).hasSize(6);
        assertThat(statement.columns()).hasSize(6);
        StatementArguments arguments = new StatementArguments()
                .addInt64(Long.MIN_VALUE)
                .addUint64(-1)
                .addNull()
                .addText("é€𝄞")
                .addFloat64(-0.5)
                .add(ColumnType.DATE, new byte[] {4, (byte) 0xE8, 7, 2, 29});
        Rows rows = run(connection, to -> connection.execute(statement.id(), arguments, to));
        BinaryRowReader reader = new BinaryRowReader(rows.columns.get(0));
        byte[] row = rows.rows.get(0);
        reader.read(row, 0, row.length);
        assertThat(reader.int64(0)).isEqualTo(Long.MIN_VALUE);
        assertThat(reader.text(1, StandardCharsets.UTF_8)).isEqualTo("18446744073709551615");
        assertThat(reader.isNull(2)).isTrue();
        assertThat(reader.text(3, StandardCharsets.UTF_8)).isEqualTo("é€𝄞");
        assertThat(reader.float64(4)).isEqualTo(-0.5);
        assertThat(reader.text(5, StandardCharsets.UTF_8)).isEqualTo("2024-02-29");
        connection.loop().execute(() -> connection.closeStatement(statement.id()));
        assertThat(run(connection, to -> connection.execute(statement.id(), arguments, to)).error)
                .isNotNull();
        close(connection);
    }

    @ParameterizedTest
    @ValueSource(ints = {0xFFFFFF - 6, 0xFFFFFF - 7, 0xFFFFFF, 0x1000001, 0x2000000})
    void packetsOver16MiB_passBothWays(int length) throws Exception {
        ClientConnection connection = connect(options("native").build());
        String sql = "BYTES " + "x".repeat(length - 6);
        assertThat(query(connection, sql).text(0)).containsExactly(Integer.toString(length));
        assertThat(query(connection, "ROWS 2 " + length).rows).allMatch(row -> row.length >= length + 4);
        assertThat(query(connection, "ROWS 1 1").text(0)).containsExactly("x");
        close(connection);
    }

    @Test
    void pipelining_overTls_answersInOrder() throws Exception {
        ClientConnection connection = connect(
                options("native").tls(TlsMode.REQUIRED, null).maxInFlight(1_000).build());
        List<Rows> all = new ArrayList<>();
        CompletableFuture<Void> sent = new CompletableFuture<>();
        connection.loop().execute(() -> {
            for (int i = 0; i < 500; i++) {
                Rows rows = new Rows();
                all.add(rows);
                connection.query("BYTES " + "x".repeat(i), rows);
            }
            sent.complete(null);
        });
        sent.get(10, TimeUnit.SECONDS);
        for (int i = 0; i < 500; i++) {
            assertThat(all.get(i).await().text(0)).containsExactly(Integer.toString(6 + i));
        }
        close(connection);
    }

    @Test
    void pause_resultLargerThanAllBuffers_waitsAndArrivesWhole() throws Exception {
        ClientConnection connection = connect(options("native").build());
        Rows rows = new Rows() {
            @Override
            public void row(ByteBuf row) {
                super.row(row);
                if (rows.size() % 1_000 == 0) {
                    connection.pause();
                    connection.loop().execute(connection::resume);
                }
            }
        };
        connection.loop().execute(() -> connection.query("ROWS 20000 1000", rows));
        assertThat(rows.await().rows).hasSize(20_000);
        close(connection);
    }
}
