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
 * A login to a server with somebody else's credentials: the packets of the connection phase come and go as payloads, so
 * that whoever holds the password answers the server's challenge. Of {@link ClientOptions} it uses the address, TLS, and
 * the limits. Confined to the event loop it connects on, where the listener is called too.
 */
public final class UpstreamLogin extends ConnectionPhase {
    /** Hears the server. After {@link #accepted}, {@link #refused} or {@link #failed} nothing more comes. */
    public interface Listener {
        /** The greeting's payload, borrowed. */
        void greeted(ByteBuf payload);

        /** A payload of the exchange that is neither OK nor ERR, borrowed. */
        void exchanged(ByteBuf payload);

        /** The server said OK: the connection is the listener's now; {@code ok} is borrowed. */
        void accepted(ClientConnection connection, ByteBuf ok);

        /** The server said ERR, perhaps in place of a greeting; borrowed. */
        void refused(ByteBuf error);

        /** The server cannot be reached, is too slow, left, or does not speak the protocol or TLS as required. */
        void failed(Throwable cause);
    }

    /** A name that no account has; what the server's log shows of a client that left. */
    private static final String NOBODY = "keyline-client-left";

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
     * Connects; the listener hears of the greeting, an error, or a failure, never before this returns.
     *
     * @param client for whom, which the server is told where the options say so; null if unknown
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

    /** Whether the server sees this connection come from its own host, over loopback. */
    public boolean isFromLoopback() {
        return localAddress() instanceof InetSocketAddress from
                && from.getAddress().isLoopbackAddress();
    }

    /** Whether the connection to the server is or will be under TLS; known from the greeting on. */
    public boolean isTls() {
        HandshakeV10 from = requireNonNull(greeting, "no greeting yet");
        return usesTls(Capabilities.has(from.capabilities(), Capabilities.CLIENT_SSL));
    }

    /**
     * Answers the greeting, after the TLS handshake where there is one.
     *
     * @param response payload of a handshake response, borrowed; its flags are replaced
     * @param flags what to agree on; CLIENT_SSL is set as this connection has it, CLIENT_COMPRESS too where the options
     *     ask for it
     * @param extended MariaDB's flags, left out for a client that does not know them
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
        // On the heap, and so nobody's to release, however the TLS handshake ends.
        ByteBuf patched = Unpooled.copiedBuffer(response);
        HandshakeResponse41.setCapabilities(patched, capabilities, extendedCapabilities);
        if (tls) {
            // The server takes the flags from this packet, not from the one under TLS: they must be the client's.
            startTls(patched.slice(0, HandshakeResponse41.FIXED_BYTES), () -> send(patched));
        } else {
            send(patched);
        }
    }

    /** Sends a packet of the exchange; borrowed. False if the server does not take what it is sent. */
    public boolean answer(ByteBuf payload) {
        if (!isDone()) {
            asked = false;
            send(payload);
            return isWritable();
        }
        return false;
    }

    /** Gives up at once; the listener hears nothing more. */
    public void close() {
        abandon();
    }

    /**
     * Gives up in an orderly way: the listener hears nothing more, and the server is answered until it has decided, by nobody. A server
     * counts a handshake that is cut off against the host it comes from, and refuses that host after some; a login that it denies does
     * not count. Ends with the server's word, or when the time for connecting is over.
     *
     * @param gone runs once, when the connection is of no more use
     */
    public void leave(Runnable gone) {
        if (isDone() || !connecting) {
            abandon();
            gone.run();
            return;
        }
        listener = new Leaving(gone);
        if (asked) {
            answerAsNobody();
        }
    }

    private void answerAsNobody() {
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
                        NOBODY,
                        new byte[0],
                        null,
                        from.authPlugin(),
                        Map.of())
                .encode(response);
        respond(response, flags, 0);
    }

    /** What is left of a login that nobody waits for. */
    private final class Leaving implements Listener {
        private final Runnable gone;

        Leaving(Runnable gone) {
            this.gone = gone;
        }

        @Override
        public void greeted(ByteBuf payload) {
            answerAsNobody();
        }

        @Override
        public void exchanged(ByteBuf payload) {
            answerAsNobody();
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
