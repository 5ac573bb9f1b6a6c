package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.ssl.SslContextBuilder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.keyline.protocol.AuthSwitchRequest;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ChangeUser;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.SelfSigned;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.Wire;

/**
 * From greeting to OK, and COM_CHANGE_USER. Full exchanges over TLS and RSA are in
 * {@link RelaySha2Test}.
 */
@ExtendWith(LeakCheck.class)
final class ServerHandshakeTest {
    private static final AuthPlugin NATIVE = AuthPlugin.NATIVE_PASSWORD;

    @Test
    void greeting_hasVersionIdFlagsAndPlugin() {
        try (TestClient client = TestClient.create()) {
            List<Wire.Packet> packets = client.answers();
            assertThat(packets).hasSize(1);
            assertThat(packets.get(0).sequenceId()).isZero();
            HandshakeV10 greeting = HandshakeV10.decode(packets.get(0).buffer());
            assertThat(greeting.serverVersion()).isEqualTo("8.0.36-keyline");
            assertThat(greeting.connectionId()).isEqualTo(7);
            assertThat(greeting.capabilities()).isEqualTo(ServerOptions.DEFAULT_CAPABILITIES);
            assertThat(Capabilities.has(greeting.capabilities(), Capabilities.CLIENT_SSL))
                    .isFalse();
            assertThat(greeting.authPlugin()).isEqualTo("mysql_native_password");
        }
    }

    @Test
    void login_nativePassword_isOk() {
        try (TestClient client = TestClient.create()) {
            client.login("native", "secret", NATIVE, TestClient.FLAGS | Capabilities.CLIENT_LOCAL_FILES);
            List<Wire.Packet> packets = client.answers();
            assertThat(packets).hasSize(1);
            assertThat(packets.get(0).sequenceId()).isEqualTo(2);
            assertThat(packets.get(0).header()).isZero();
            Login login = Objects.requireNonNull(client.session).login();
            assertThat(login.user()).isEqualTo("native");
            assertThat(login.authenticatedAs()).isEqualTo("native@%");
            assertThat(login.database()).isEqualTo("db");
            assertThat(login.capabilities()).isEqualTo(TestClient.FLAGS);
            assertThat(login.tls()).isFalse();
        }
    }

    @Test
    void login_wrongPasswordOrUser_isTheSameDenial() {
        for (String user : List.of("native", "nobody")) {
            try (TestClient client = TestClient.create()) {
                client.login(user, "wrong", NATIVE, TestClient.FLAGS);
                ErrPacket error = ErrPacket.decode(client.answers().get(0).buffer());
                assertThat(error.code()).isEqualTo(ErrorCode.ER_ACCESS_DENIED_ERROR.number());
                assertThat(error.sqlState()).isEqualTo("28000");
                assertThat(error.message())
                        .startsWith("Access denied for user '" + user + "'@'")
                        .endsWith("(using password: YES)");
                assertThat(client.denials).hasSize(1);
                assertThat(client.channel.isOpen()).isFalse();
            }
        }
    }

    /** The client's plugin differs from the account's. */
    @Test
    void login_otherPluginThanTheAccounts_isSwitched() {
        ServerOptions options = ServerOptions.of("8.0.36-keyline");
        try (TestClient client = new TestClient(options, AuthPlugin.CACHING_SHA2_PASSWORD, false)) {
            HandshakeV10 greeting = client.greeting();
            assertThat(greeting.authPlugin()).isEqualTo("caching_sha2_password");
            client.send(
                    1, TestClient.response("native", new byte[32], AuthPlugin.CACHING_SHA2_PASSWORD, TestClient.FLAGS));
            Wire.Packet packet = client.answers().get(0);
            assertThat(packet.sequenceId()).isEqualTo(2);
            AuthSwitchRequest request = AuthSwitchRequest.decode(packet.buffer());
            assertThat(request.plugin()).isEqualTo("mysql_native_password");
            assertThat(request.scramble()).isNotEqualTo(greeting.scramble());
            client.send(3, TestClient.proof(request.scramble(), "secret", NATIVE));
            Wire.Packet ok = client.answers().get(0);
            assertThat(ok.sequenceId()).isEqualTo(4);
            assertThat(ok.header()).isZero();
            client.query("SELECT USER()");
            assertThat(client.answers()).hasSize(4);
        }
    }

    /**
     * A MariaDB client without caching_sha2_password names the plugins that it has. It is asked to
     * switch, and reports itself that it cannot (2059).
     */
    @Test
    void clientWithoutTheAccountsPlugin_isAskedForItByName() {
        try (TestClient client =
                new TestClient(ServerOptions.of("8.0.36-keyline"), AuthPlugin.CACHING_SHA2_PASSWORD, false)) {
            byte[] proof = TestClient.proof(client.greeting().scramble(), "secret", NATIVE);
            client.send(1, TestClient.response("sha2", proof, NATIVE, TestClient.FLAGS));
            AuthSwitchRequest request =
                    AuthSwitchRequest.decode(client.answers().get(0).buffer());
            assertThat(request.plugin()).isEqualTo("caching_sha2_password");
        }
    }

    /** A client without plugin support cannot be asked. */
    @Test
    void clientThatKnowsNoPlugins_isError1251() {
        try (TestClient client =
                new TestClient(ServerOptions.of("8.0.36-keyline"), AuthPlugin.CACHING_SHA2_PASSWORD, false)) {
            byte[] proof = TestClient.proof(client.greeting().scramble(), "secret", NATIVE);
            client.send(
                    1, TestClient.response("sha2", proof, NATIVE, TestClient.FLAGS & ~Capabilities.CLIENT_PLUGIN_AUTH));
            ErrPacket error = ErrPacket.decode(client.answers().get(0).buffer());
            assertThat(error.code()).isEqualTo(1251);
            assertThat(error.sqlState()).isEqualTo("08004");
            assertThat(client.denials).hasSize(1);
            assertThat(client.channel.isOpen()).isFalse();
        }
    }

    /** The scramble of the login must not be used again. */
    @Test
    void changeUser_proofOverTheOldScramble_isAskedForAnotherOne() {
        try (TestClient client = TestClient.create()) {
            byte[] scramble = client.greeting().scramble();
            client.send(1, TestClient.response("root", new byte[0], NATIVE, TestClient.FLAGS));
            client.answers();
            byte[] oldProof = TestClient.proof(scramble, "secret", NATIVE);
            changeUser(client, "native", oldProof);
            Wire.Packet packet = client.answers().get(0);
            assertThat(packet.sequenceId()).isEqualTo(1);
            AuthSwitchRequest request = AuthSwitchRequest.decode(packet.buffer());
            assertThat(request.scramble()).isNotEqualTo(scramble);
            client.send(2, TestClient.proof(request.scramble(), "secret", NATIVE));
            Wire.Packet ok = client.answers().get(0);
            assertThat(ok.header()).isZero();
            assertThat(ok.sequenceId()).isEqualTo(3);
            assertThat(Objects.requireNonNull(client.session).login().user()).isEqualTo("native");
            client.query("SELECT USER()");
            assertThat(new String(client.answers().get(2).payload(), StandardCharsets.UTF_8))
                    .endsWith("native@%");
        }
    }

    @Test
    void changeUser_wrongPassword_isDeniedAndTheEnd() {
        try (TestClient client = TestClient.loggedIn()) {
            changeUser(client, "native", new byte[20]);
            client.answers();
            client.send(2, new byte[20]);
            Wire.Packet packet = client.answers().get(0);
            assertThat(ErrPacket.decode(packet.buffer()).code()).isEqualTo(1045);
            assertThat(packet.sequenceId()).isEqualTo(3);
            assertThat(client.channel.isOpen()).isFalse();
        }
    }

    private static void changeUser(TestClient client, String user, byte[] proof) {
        ChangeUser command = new ChangeUser(user, proof, "other", 45, NATIVE.wireName(), Map.of());
        client.send(0, Wire.encode(out -> command.encode(out, TestClient.FLAGS)));
    }

    @Test
    void session_thatOpensLate_isAnsweredThenAndCommandsWait() {
        ServerOptions options = ServerOptions.of("8.0.36-keyline");
        try (TestClient client = new TestClient(options, NATIVE, true)) {
            client.login("root", "", NATIVE, TestClient.FLAGS);
            client.query("SELECT USER()");
            assertThat(client.answers()).isEmpty();
            client.opening.complete(Objects.requireNonNull(client.session));
            client.channel.runPendingTasks();
            assertThat(client.answers()).hasSize(5);
        }
    }

    @Test
    void session_refused_isItsErrorAndTheEnd() {
        ServerOptions options = ServerOptions.of("8.0.36-keyline");
        try (TestClient client = new TestClient(options, NATIVE, true)) {
            client.login("root", "", NATIVE, TestClient.FLAGS);
            client.opening.completeExceptionally(
                    new LoginRefused(ErrPacket.of(ErrorCode.ER_BAD_DB_ERROR, "Unknown database 'db'")));
            client.channel.runPendingTasks();
            Wire.Packet packet = client.answers().get(0);
            assertThat(ErrPacket.decode(packet.buffer()))
                    .isEqualTo(new ErrPacket(1049, "42000", "Unknown database 'db'"));
            assertThat(packet.sequenceId()).isEqualTo(2);
            assertThat(client.channel.isOpen()).isFalse();
            assertThat(client.failures).isEmpty();
        }
    }

    @Test
    void session_opensAfterTheClientLeft_isClosed() {
        ServerOptions options = ServerOptions.of("8.0.36-keyline");
        try (TestClient client = new TestClient(options, NATIVE, true)) {
            client.login("root", "", NATIVE, TestClient.FLAGS);
            client.channel.close().syncUninterruptibly();
            client.opening.complete(Objects.requireNonNull(client.session));
            client.channel.runPendingTasks();
            assertThat(Objects.requireNonNull(client.session).closedCount()).isEqualTo(1);
        }
    }

    @Test
    void handshakeTimeout_afterSilenceOrHalfAPacket_closes() {
        for (byte[] half : List.of(new byte[0], new byte[] {(byte) 0xFF, 0, 0, 1, 5})) {
            try (TestClient client = TestClient.withLimits(2000, Duration.ofMillis(10), Duration.ZERO)) {
                client.answers();
                client.channel.writeInbound(client.copy(Unpooled.wrappedBuffer(half)));
                client.channel.advanceTimeBy(1, TimeUnit.SECONDS);
                client.channel.runScheduledPendingTasks();
                assertThat(ErrPacket.decode(client.answers().get(0).buffer()).code())
                        .isEqualTo(1159);
                assertThat(client.channel.isOpen()).isFalse();
            }
        }
    }

    @Test
    void beforeLogin_commandsOrLongPackets_areRefused() {
        try (TestClient client = TestClient.create()) {
            client.answers();
            client.query("SELECT 1");
            assertThat(ErrPacket.decode(client.answers().get(0).buffer()).code())
                    .isEqualTo(1156);
        }
        try (TestClient client = TestClient.create()) {
            client.answers();
            client.channel.writeInbound(client.copy(Wire.hex("ff ff ff 01")));
            assertThat(ErrPacket.decode(client.answers().get(0).buffer()).code())
                    .isEqualTo(1153);
        }
        try (TestClient client = TestClient.create()) {
            client.answers();
            client.send(1, new byte[] {CommandCode.COM_PING});
            assertThat(client.answers().get(0).header()).isEqualTo(0xFF);
            assertThat(client.channel.isOpen()).isFalse();
        }
    }

    /**
     * Bytes that an attacker adds to the cleartext part of the stream must not be executed inside
     * the encrypted one.
     */
    @Test
    void bytesInTheClear_behindAnSslRequest_areNotReadAsPackets() throws Exception {
        SecureRandom random = new SecureRandom();
        SelfSigned certificate = SelfSigned.create("localhost", Instant.now(), Duration.ofDays(1), random);
        ServerOptions options = ServerOptions.of("8.0.36-keyline")
                .withSslContext(SslContextBuilder.forServer(certificate.key(), certificate.certificate())
                        .build());
        try (TestClient client = new TestClient(options, NATIVE, false)) {
            assertThat(Capabilities.has(client.greeting().capabilities(), Capabilities.CLIENT_SSL))
                    .isTrue();
            ByteBuf bytes = Wire.packet(
                    1, Wire.encode(out -> HandshakeResponse41.encodeSslRequest(out, TestClient.FLAGS, 1 << 24, 45)));
            bytes.writeBytes(Wire.packet(2, TestClient.response("root", new byte[0], NATIVE, TestClient.FLAGS)));
            client.channel.writeInbound(client.copy(bytes));
            client.channel.runPendingTasks();
            assertThat(client.session).isNull();
            assertThat(client.failures).isNotEmpty();
            assertThat(client.channel.isOpen()).isFalse();
        }
    }
}
