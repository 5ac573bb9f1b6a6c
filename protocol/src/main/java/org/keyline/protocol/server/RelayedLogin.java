package org.keyline.protocol.server;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.security.SecureRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.AuthenticationException;
import org.keyline.protocol.auth.RelayedExchange;
import org.keyline.protocol.auth.RsaKey;
import org.keyline.protocol.auth.Scramble;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.Unreachable;
import org.keyline.protocol.client.UpstreamLogin;
import org.keyline.protocol.transport.ProxyProtocol;

/**
 * A login that an upstream server decides. The relay sends the server's challenge to the client,
 * the client's answer to the server, and the server's OK or ERR to the client unchanged. Confined
 * to the event loop, which also serves the connection to that server.
 */
final class RelayedLogin extends ServerLogin implements UpstreamLogin.Listener {
    /*
     * Steps:
     *
     * - greet: connects. The client's input is not read before the server's greeting arrives.
     * - failed: sends a greeting of its own if the client has received none, then the error.
     * Clients that use TLS distrust an error before the greeting.
     * - packet: answers an SSLRequest itself. Sends the response to the server, with the negotiated
     * flags.
     * - accepted: opens the session, then sends the server's OK to the client.
     */

    /** Maximum number of packets of a client between its response and OK; no plugin needs ten. */
    private static final int MAX_EXCHANGE_PACKETS = 64;

    /**
     * Maximum number of logins that are completed at a time after their clients have left ({@link
     * UpstreamLogin#leave}). Each takes several round trips.
     */
    private static final int MAX_LEAVING = 256;

    private final ClientOptions options;
    private final Supplier<RsaKey> key;
    private final SecureRandom random;
    private @Nullable UpstreamLogin upstream;
    private @Nullable HandshakeV10 greeting;
    private int offeredExtended;
    private @Nullable HandshakeResponse41 response;
    private @Nullable RelayedExchange exchange;
    private @Nullable ErrPacket outage;
    private boolean tls;
    private int agreed;
    private int exchangePackets;
    private long beganNanos;
    private ByteBuf ok = Unpooled.EMPTY_BUFFER;

    /** @param key returns the key to decrypt passwords; the first call generates the key */
    RelayedLogin(ServerContext context, ClientOptions options, Supplier<RsaKey> key, SecureRandom random, Wires wires) {
        super(context, wires);
        this.options = options;
        this.key = key;
        this.random = random;
    }

    @Override
    void greet() {
        connection.suspend();
        EventLoop loop = ctx.channel().eventLoop();
        upstream = UpstreamLogin.connect(options, ProxyProtocol.client(ctx.channel()), loop, this);
    }

    @Override
    public void greeted(ByteBuf payload) {
        HandshakeV10 received = HandshakeV10.decode(payload.duplicate());
        greeting = received;
        offeredExtended = RelayedFlags.extended(HandshakeV10.extendedCapabilities(payload));
        reply.connectionId(received.connectionId());
        ByteBuf shown = Unpooled.copiedBuffer(payload);
        int offered = RelayedFlags.offered(received.capabilities(), context.options());
        HandshakeV10.setCapabilities(shown, offered, offeredExtended);
        connection.resume(() -> {
            output.begin(0);
            sendHandshake(shown);
        });
    }

    @Override
    void packet(ByteBuf payload) {
        output.begin(framer.nextSequenceId());
        if (exchange != null) {
            answer(exchange, ByteBufUtil.getBytes(payload));
        } else if (!tls
                && Capabilities.has(context.options().offered(), Capabilities.CLIENT_SSL)
                && HandshakeResponse41.isSslRequest(payload)) {
            tls = true;
            startClientTls();
        } else if (outage != null) {
            response = HandshakeResponse41.decode(payload);
            connection.fail(outage);
        } else {
            respond(requireNonNull(upstream, "no server to log in to"), payload);
        }
    }

    private void respond(UpstreamLogin server, ByteBuf payload) {
        HandshakeResponse41 decoded = HandshakeResponse41.decode(payload.duplicate());
        HandshakeV10 from = requireNonNull(greeting, "greeting is null");
        response = decoded;
        String account = account(decoded.user());
        if (server.isFromLoopback() && options.traits().unguardedUsers().contains(account)) {
            deny(
                    ErrPacket.of(
                            ErrorCode.ER_ACCESS_DENIED_ERROR,
                            "Access denied: the store would let '" + account
                                    + "' in from the gateway's host with any password. Set its"
                                    + " skip_localhost_auth_check to false, or the gateway's store.unguardedLogins to allow"),
                    "the store accepts this user from the gateway's host with any password");
            return;
        }
        agreed = RelayedFlags.agreed(from.capabilities(), options.traits().unofferedFlags(), decoded.capabilities());
        exchange = new RelayedExchange(
                tls,
                server.isTls(),
                decoded.authPlugin() == null ? "" : decoded.authPlugin(),
                from.scramble(),
                options.retrievePublicKey(),
                key);
        beganNanos = System.nanoTime();
        // The client's packets wait until the server answers, possibly after a TLS handshake.
        connection.suspend();
        // A driver can ask the server whether compression is on, so compression must be the same on
        // both sides.
        int passed = RelayedFlags.asked(agreed, from.capabilities());
        int asked = compresses() ? passed | Capabilities.CLIENT_COMPRESS : passed;
        server.respond(payload, asked, offeredExtended & HandshakeResponse41.extendedCapabilities(payload));
    }

    /**
     * Returns the user name up to a {@code #}. Doris does not count the text after a {@code #} as
     * part of the account's name.
     */
    private static String account(String user) {
        int end = user.indexOf('#');
        return end < 0 ? user : user.substring(0, end);
    }

    private void answer(RelayedExchange running, byte[] payload) {
        if (++exchangePackets > MAX_EXCHANGE_PACKETS) {
            throw new ProtocolException(ErrorCode.ER_HANDSHAKE_ERROR, ErrorCode.ER_HANDSHAKE_ERROR.text());
        }
        if (!running.isHeavy()) {
            take(() -> running.fromClient(payload));
            return;
        }
        connection.suspend();
        try {
            context.passwordWork().execute(() -> {
                Supplier<RelayedExchange.Step> outcome = outcome(running, payload);
                ctx.executor()
                        .execute(() -> connection.resume(() -> {
                            connection.awaitHandshake();
                            take(outcome);
                        }));
            });
        } catch (RejectedExecutionException e) {
            deny(ErrPacket.of(ErrorCode.ER_CON_COUNT_ERROR), "too many logins at once; the client must log in again");
        }
    }

    static Supplier<RelayedExchange.Step> outcome(RelayedExchange running, byte[] payload) {
        try {
            RelayedExchange.Step step = running.fromClient(payload);
            return () -> step;
        } catch (RuntimeException e) {
            return () -> {
                throw e;
            };
        }
    }

    private void take(Supplier<RelayedExchange.Step> next) {
        RelayedExchange.Step step;
        try {
            step = next.get();
        } catch (AuthenticationException e) {
            String reason = String.valueOf(e.getMessage());
            deny(ErrPacket.of(ErrorCode.ER_ACCESS_DENIED_ERROR, "Access denied: " + reason), reason);
            return;
        }
        ByteBuf payload = Unpooled.wrappedBuffer(step.payload());
        UpstreamLogin server = upstream;
        if (step.to() == RelayedExchange.To.CLIENT) {
            sendHandshake(payload);
        } else if (server != null && !server.answer(payload)) {
            throw new ProtocolException(ErrorCode.ER_HANDSHAKE_ERROR, ErrorCode.ER_HANDSHAKE_ERROR.text());
        }
    }

    @Override
    public void exchanged(ByteBuf payload) {
        RelayedExchange running = requireNonNull(exchange, "packet before the response");
        byte[] bytes = ByteBufUtil.getBytes(payload);
        connection.resume(() -> take(() -> running.fromServer(bytes)));
    }

    @Override
    public void accepted(ClientConnection server, ByteBuf okPayload) {
        upstream = null;
        HandshakeResponse41 client = requireNonNull(response, "OK before the response");
        RelayedExchange running = requireNonNull(exchange, "OK before the response");
        ok = Unpooled.copiedBuffer(okPayload);
        Login login = new Login(
                server.connectionId(),
                client.user(),
                client.user(),
                client.database(),
                agreed,
                client.collation(),
                client.attributes(),
                LocalLogin.address(ctx.channel()),
                tls,
                server,
                tls == server.isEncrypted() ? null : new RelayedChangeUser(running, context.passwordWork()),
                beganNanos);
        connection.resume(() -> {
            reply.negotiated(agreed);
            open(login);
        });
    }

    @Override
    public void refused(ByteBuf error) {
        upstream = null;
        String reason = ErrPacket.decode(error.duplicate()).message();
        context.listener().denied(reply.connectionId(), user(), reason);
        connection.resume(() -> {
            output.packet(error);
            connection.closeAfterFlush();
        });
    }

    @Override
    public void failed(Throwable cause) {
        upstream = null;
        if (connection.isEnding()) {
            return;
        }
        ErrPacket error = unreachable(Unreachable.reason(cause));
        if (response != null) {
            connection.fail(error);
            return;
        }
        outage = error;
        if (greeting == null) {
            connection.resume(() -> {
                output.begin(0);
                sendHandshake(ownGreeting());
            });
        }
    }

    /** Returns a greeting for a client whose server is unreachable. */
    private ByteBuf ownGreeting() {
        HandshakeV10 own = new HandshakeV10(
                context.options().serverVersion(),
                reply.connectionId(),
                Scramble.create(random),
                RelayedFlags.offered(-1, context.options()),
                Collation.UTF8MB4_GENERAL_CI,
                ServerStatus.SERVER_STATUS_AUTOCOMMIT,
                AuthPlugin.NATIVE_PASSWORD.wireName());
        ByteBuf payload = Unpooled.buffer();
        own.encode(payload);
        return payload;
    }

    @Override
    void expired() {
        if (greeting == null && outage == null) {
            connection.fail(unreachable(Unreachable.NO_ANSWER));
        } else {
            super.expired();
        }
    }

    private ErrPacket unreachable(String reason) {
        context.listener().unreachable(reply.connectionId(), reason);
        return Unreachable.error(options.address(), reason);
    }

    @Override
    void changeUser(ByteBuf payload, int replyId) {
        throw new IllegalStateException("the session handles COM_CHANGE_USER");
    }

    @Override
    boolean passesChangeUser() {
        return true;
    }

    @Override
    String user() {
        return response == null ? "" : response.user();
    }

    @Override
    boolean isBeforeResponse() {
        return response == null;
    }

    @Override
    boolean compresses() {
        int wanted = response == null ? 0 : response.capabilities();
        return Capabilities.has(context.options().offered() & wanted, Capabilities.CLIENT_COMPRESS);
    }

    @Override
    void writeOk(ByteBuf out) {
        out.writeBytes(ok, 0, ok.writerIndex());
    }

    private void leave(UpstreamLogin server) {
        AtomicInteger leaving = context.leaving();
        if (leaving.incrementAndGet() <= MAX_LEAVING) {
            server.leave(leaving::decrementAndGet);
        } else {
            leaving.decrementAndGet();
            server.close();
        }
    }

    @Override
    void abandon() {
        UpstreamLogin server = upstream;
        upstream = null;
        if (server != null) {
            leave(server);
        }
    }
}
