package org.keyline.protocol.client;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.OkPacket;

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

    private final Listener listener;
    private @Nullable HandshakeV10 greeting;
    private int capabilities;
    private int extendedCapabilities;

    private UpstreamLogin(ClientOptions options, Listener listener) {
        super(options);
        this.listener = listener;
    }

    /** Connects; the listener hears of the greeting, an error, or a failure, never before this returns. */
    public static UpstreamLogin connect(ClientOptions options, EventLoop loop, Listener listener) {
        UpstreamLogin login = new UpstreamLogin(options, listener);
        loop.execute(() -> login.connectUnlessAbandoned(loop));
        return login;
    }

    private void connectUnlessAbandoned(EventLoop loop) {
        if (!isDone()) {
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
            listener.exchanged(payload);
        }
    }

    @Override
    void failed(Throwable cause) {
        listener.failed(cause);
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
            send(payload);
            return isWritable();
        }
        return false;
    }

    /** Gives up; the listener hears nothing more. */
    public void close() {
        abandon();
    }
}
