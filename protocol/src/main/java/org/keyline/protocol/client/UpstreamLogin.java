package org.keyline.protocol.client;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.codec.Packets;

/**
 * A login to a server with a client's credentials. Only the client knows the password, so the
 * client itself answers the server's challenge. Confined to the event loop on which it connects,
 * which also calls the listener.
 */
public final class UpstreamLogin extends ConnectionPhase {
    /** No call follows {@link #accepted}, {@link #refused} or {@link #failed}. */
    public interface Listener {
        void greeted(ByteBuf payload);

        /** Receives a payload of the exchange that is neither OK nor ERR, borrowed. */
        void exchanged(ByteBuf payload);

        /**
         * Called when the login succeeded. The listener owns the connection; {@code ok} is
         * borrowed.
         */
        void accepted(ClientConnection connection, ByteBuf ok);

        /** Receives the server's ERR, possibly instead of a greeting; borrowed. */
        void refused(ByteBuf error);

        /**
         * Called when the server is unreachable or too slow, or breaches the protocol or TLS
         * options.
         */
        void failed(Throwable cause);
    }

    /** The user name of a client that left during its login, for the server's log. */
    private static final String UNKNOWN_USER = "keyline-client-left";

    private Listener listener;
    private boolean connecting;
    private boolean asked;
    private @Nullable HandshakeV10 greeting;
    private int capabilities;
    private int extendedCapabilities;

    private UpstreamLogin(ClientOptions options, @Nullable InetSocketAddress client, Listener listener) {
        super(options, options.proxyHeader() ? client : null);
        this.listener = listener;
    }

    /**
     * Connects. After this method returns, the listener receives the greeting, an error, or a
     * failure.
     *
     * @param client the client's address for the PROXY header, if enabled; null if the address is
     *     unknown
     */
    public static UpstreamLogin connect(
            ClientOptions options, @Nullable InetSocketAddress client, EventLoop loop, Listener listener) {
        UpstreamLogin login = new UpstreamLogin(options, client, listener);
        loop.execute(() -> login.connectUnlessAbandoned(loop));
        return login;
    }

    private void connectUnlessAbandoned(EventLoop loop) {
        if (!isDone()) {
            connecting = true;
            connect(loop);
        }
    }

    @Override
    void packet(ByteBuf payload, int first) {
        if (first == ErrPacket.HEADER) {
            abandon();
            listener.refused(payload);
        } else if (greeting == null) {
            HandshakeV10 decoded = HandshakeV10.decode(payload.duplicate());
            requireProtocol41(decoded.capabilities());
            boolean unused = usesTls(Capabilities.has(decoded.capabilities(), Capabilities.CLIENT_SSL));
            greeting = decoded;
            asked = true;
            listener.greeted(payload);
        } else if (first == OkPacket.HEADER) {
            int status = OkPacket.decode(payload.duplicate()).status();
            ByteBuf ok = payload.retain();
            try {
                listener.accepted(succeed(greeting, capabilities, extendedCapabilities, status), ok);
            } finally {
                ok.release();
            }
        } else {
            asked = true;
            listener.exchanged(payload);
        }
    }

    @Override
    void failed(Throwable cause) {
        listener.failed(cause);
    }

    public boolean isFromLoopback() {
        return localAddress() instanceof InetSocketAddress from
                && from.getAddress().isLoopbackAddress();
    }

    /** Returns whether this connection uses or will use TLS. Call after the greeting. */
    public boolean isTls() {
        HandshakeV10 from = requireNonNull(greeting, "no greeting yet");
        return usesTls(Capabilities.has(from.capabilities(), Capabilities.CLIENT_SSL));
    }

    /**
     * Answers the greeting, after the TLS handshake if the connection uses TLS.
     *
     * @param response payload of a handshake response, borrowed; its flags are replaced
     * @param flags flags to negotiate. CLIENT_SSL depends only on whether this connection uses TLS;
     *     the options can add CLIENT_COMPRESS
     * @param extended MariaDB's flags; ignored if {@code flags} has CLIENT_LONG_PASSWORD
     */
    public void respond(ByteBuf response, int flags, int extended) {
        asked = false;
        boolean tls = isTls();
        int offered = requireNonNull(greeting, "no greeting yet").capabilities();
        int compression = (options.capabilities() | flags) & offered & Capabilities.CLIENT_COMPRESS;
        int own = (tls ? Capabilities.CLIENT_SSL : 0) | compression;
        capabilities = (flags & ~(Capabilities.CLIENT_SSL | Capabilities.CLIENT_COMPRESS)) | own;
        boolean mariaDb = !Capabilities.has(capabilities, Capabilities.CLIENT_LONG_PASSWORD);
        extendedCapabilities = mariaDb ? extended : 0;
        // This copy is on the heap, so that it needs no release, however the TLS handshake ends.
        ByteBuf patched = Unpooled.copiedBuffer(response);
        HandshakeResponse41.setCapabilities(patched, capabilities, extendedCapabilities);
        if (tls) {
            // The server reads the flags from this packet, not from the handshake response under
            // TLS, so this packet must already contain the client's flags.
            startTls(patched.slice(0, HandshakeResponse41.FIXED_BYTES), () -> send(patched));
        } else {
            send(patched);
        }
    }

    /**
     * Sends a packet of the client; {@code payload} is borrowed. Returns false if the server does
     * not read its input.
     */
    public boolean answer(ByteBuf payload) {
        if (!isDone()) {
            asked = false;
            send(payload);
            return isWritable();
        }
        return false;
    }

    public void close() {
        abandon();
    }

    /**
     * Abandons the login, but completes its exchange as an unknown user, until the server decides
     * or the connect timeout passes. Servers count interrupted handshakes per host and finally
     * block the host, but do not count denied logins. The listener is not notified any more.
     *
     * @param gone runs once, when the connection is closed
     */
    public void leave(Runnable gone) {
        if (isDone() || !connecting) {
            abandon();
            gone.run();
            return;
        }
        listener = new Leaving(gone);
        if (asked) {
            answerAsUnknownUser();
        }
    }

    private void answerAsUnknownUser() {
        HandshakeV10 from = requireNonNull(greeting, "no greeting yet");
        if (capabilities != 0) {
            answer(Unpooled.EMPTY_BUFFER);
            return;
        }
        int flags = Capabilities.CLIENT_PROTOCOL_41
                | Capabilities.CLIENT_SECURE_CONNECTION
                | (from.capabilities() & Capabilities.CLIENT_PLUGIN_AUTH);
        ByteBuf response = Unpooled.buffer();
        new HandshakeResponse41(
                        flags,
                        Packets.MAX_PAYLOAD_BYTES,
                        Collation.UTF8MB4_GENERAL_CI,
                        UNKNOWN_USER,
                        new byte[0],
                        null,
                        from.authPlugin(),
                        Map.of())
                .encode(response);
        respond(response, flags, 0);
    }

    private final class Leaving implements Listener {
        private final Runnable gone;

        Leaving(Runnable gone) {
            this.gone = gone;
        }

        @Override
        public void greeted(ByteBuf payload) {
            answerAsUnknownUser();
        }

        @Override
        public void exchanged(ByteBuf payload) {
            answerAsUnknownUser();
        }

        @Override
        public void accepted(ClientConnection connection, ByteBuf ok) {
            connection.close();
            gone.run();
        }

        @Override
        public void refused(ByteBuf error) {
            gone.run();
        }

        @Override
        public void failed(Throwable cause) {
            gone.run();
        }
    }
}
