package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.Scramble;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.fixtures.TinySession;
import org.keyline.protocol.fixtures.Wire;

/** A client at the other end of an embedded channel with a {@link ServerConnection} in it. */
final class TestClient implements AutoCloseable {
    static final int FLAGS = Capabilities.CLIENT_PROTOCOL_41
            | Capabilities.CLIENT_SECURE_CONNECTION
            | Capabilities.CLIENT_PLUGIN_AUTH
            | Capabilities.CLIENT_CONNECT_WITH_DB
            | Capabilities.CLIENT_MULTI_STATEMENTS
            | Capabilities.CLIENT_DEPRECATE_EOF;

    private static final Random RANDOM = new Random(1);
    private static final Map<String, Account> ACCOUNTS = Map.of(
            "native", new Account("native@%", Credential.ofPassword(AuthPlugin.NATIVE_PASSWORD, "secret", RANDOM)),
            "sha2", new Account("sha2@%", Credential.ofPassword(AuthPlugin.CACHING_SHA2_PASSWORD, "secret", RANDOM)),
            "root", new Account("root@%", Credential.empty(AuthPlugin.NATIVE_PASSWORD)));

    final EmbeddedChannel channel;
    final List<Throwable> failures = new ArrayList<>();
    final List<String> denials = new ArrayList<>();
    final CompletableFuture<CommandHandler> opening = new CompletableFuture<>();
    final boolean openLate;

    @Nullable
    TinySession session;

    int closedEvents;

    TestClient(ServerOptions options, AuthPlugin defaultPlugin, boolean openLate) {
        this.openLate = openLate;
        ServerListener listener = new ServerListener() {
            @Override
            public void denied(int id, String user, String reason) {
                denials.add(user + ": " + reason);
            }

            @Override
            public void failed(int id, Throwable cause) {
                failures.add(cause);
            }

            @Override
            public void closed(int id) {
                closedEvents++;
            }
        };
        ServerContext context = new ServerContext(
                options,
                new ServerAuthenticator(defaultPlugin, null, new SecureRandom()),
                (user, from) -> ACCOUNTS.get(user),
                (login, peer) -> {
                    TinySession opened = new TinySession(login);
                    session = opened;
                    return this.openLate ? opening : CompletableFuture.completedFuture(opened);
                },
                listener,
                Runnable::run);
        channel = new EmbeddedChannel(new ServerConnection(context, 7));
    }

    /** Returns a client of a server with these limits. */
    static TestClient withLimits(int maxPacketBytes, Duration login, Duration idle) {
        ServerOptions options =
                ServerOptions.of("8.0.36-keyline").withLimits(maxPacketBytes, login, idle, Duration.ofSeconds(10), 10);
        return new TestClient(options, AuthPlugin.NATIVE_PASSWORD, false);
    }

    static TestClient create() {
        return withLimits(64 << 20, Duration.ofSeconds(10), Duration.ZERO);
    }

    /** Returns a client that is logged in to a session of this kind. */
    static TestClient withHandler(CommandHandler handler) {
        TestClient client = new TestClient(ServerOptions.of("8.0.36-keyline"), AuthPlugin.NATIVE_PASSWORD, true);
        client.login("root", "", AuthPlugin.NATIVE_PASSWORD, FLAGS);
        client.opening.complete(handler);
        client.channel.runPendingTasks();
        client.answers();
        return client;
    }

    /** Returns a client that is logged in as root. */
    static TestClient loggedIn() {
        TestClient client = create();
        client.login("root", "", AuthPlugin.NATIVE_PASSWORD, FLAGS);
        Wire.sentPackets(client.channel);
        return client;
    }

    HandshakeV10 greeting() {
        List<Wire.Packet> packets = Wire.sentPackets(channel);
        return HandshakeV10.decode(packets.get(0).buffer());
    }

    /** Reads the greeting and answers it. */
    void login(String user, String password, AuthPlugin plugin, int flags) {
        send(1, response(user, proof(greeting().scramble(), password, plugin), plugin, flags));
    }

    static byte[] response(String user, byte[] proof, AuthPlugin plugin, int flags) {
        HandshakeResponse41 response = new HandshakeResponse41(
                flags, 1 << 24, Collation.UTF8MB4_GENERAL_CI, user, proof, "db", plugin.wireName(), Map.of());
        return Wire.encode(response::encode);
    }

    static byte[] proof(byte[] scramble, String password, AuthPlugin plugin) {
        byte[] bytes = password.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0) {
            return bytes;
        }
        return plugin == AuthPlugin.NATIVE_PASSWORD
                ? Scramble.nativeProof(bytes, scramble)
                : Scramble.sha2Proof(bytes, scramble);
    }

    void send(int sequenceId, byte[] payload) {
        channel.writeInbound(copy(Wire.packet(sequenceId, payload)));
    }

    void query(String sql) {
        channel.writeInbound(copy(Wire.command(CommandCode.COM_QUERY, sql.getBytes(StandardCharsets.UTF_8))));
    }

    /** Returns bytes as a channel reads them: pooled, and owned by the pipeline. */
    ByteBuf copy(ByteBuf bytes) {
        return channel.alloc().buffer(bytes.readableBytes()).writeBytes(bytes);
    }

    List<Wire.Packet> answers() {
        channel.runPendingTasks();
        return Wire.sentPackets(channel);
    }

    @Override
    public void close() {
        channel.finishAndReleaseAll();
    }
}
