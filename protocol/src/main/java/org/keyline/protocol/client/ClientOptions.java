package org.keyline.protocol.client;

import static java.util.Objects.requireNonNull;

import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.transport.VanishedPeers;

/**
 * A client's server address, login, and limits.
 *
 * @param address the server's address
 * @param capabilities flags to request if the server offers them. CLIENT_CONNECT_WITH_DB and
 *     CLIENT_SSL follow from the other options. CLIENT_COMPRESS compresses both directions
 * @param collation the connection's collation; ids above 255 do not fit the handshake
 * @param sslContext the TLS context. If it is {@code null}, the connection trusts every certificate
 * or, with {@link TlsMode#VERIFY}, the platform's certificate authorities
 * @param retrievePublicKey whether to request the server's RSA key if the password must be
 * encrypted
 * @param connectTimeout maximum time until the server's OK, TLS and authentication included
 * @param peerTimeout time without a response after which the server counts as lost, 8 s or more
 * @param proxyHeader whether to send the client's address to the server by the PROXY protocol
 * @param maxInFlight maximum number of sent commands without a complete reply
 * @param maxPacketBytes longest payload that a {@link ResultListener} receives; a longer payload
 *     closes the connection
 * @param traits the server's differences from MySQL
 */
public record ClientOptions(
        SocketAddress address,
        String user,
        String password,
        @Nullable String database,
        int capabilities,
        int collation,
        Map<String, String> attributes,
        TlsMode tls,
        @Nullable SslContext sslContext,
        boolean retrievePublicKey,
        Duration connectTimeout,
        Duration peerTimeout,
        boolean proxyHeader,
        int maxInFlight,
        int maxPacketBytes,
        ServerTraits traits) {
    /** The capabilities that a client requests by default, without CLIENT_LOCAL_FILES. */
    public static final int DEFAULT_CAPABILITIES = Capabilities.CLIENT_LONG_PASSWORD
            | Capabilities.CLIENT_LONG_FLAG
            | Capabilities.CLIENT_PROTOCOL_41
            | Capabilities.CLIENT_TRANSACTIONS
            | Capabilities.CLIENT_SECURE_CONNECTION
            | Capabilities.CLIENT_MULTI_STATEMENTS
            | Capabilities.CLIENT_MULTI_RESULTS
            | Capabilities.CLIENT_PS_MULTI_RESULTS
            | Capabilities.CLIENT_PLUGIN_AUTH
            | Capabilities.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA
            | Capabilities.CLIENT_CONNECT_ATTRS
            | Capabilities.CLIENT_DEPRECATE_EOF;

    /** Flags that change packets in ways that {@link ReplyScanner} does not support. */
    private static final int UNSUPPORTED = Capabilities.CLIENT_ZSTD_COMPRESSION_ALGORITHM
            | Capabilities.CLIENT_OPTIONAL_RESULTSET_METADATA
            | Capabilities.MULTI_FACTOR_AUTHENTICATION
            | Capabilities.CLIENT_CAPABILITY_EXTENSION;

    public ClientOptions {
        requireNonNull(address, "address is null");
        requireNonNull(user, "user is null");
        requireNonNull(password, "password is null");
        requireNonNull(tls, "tls is null");
        requireNonNull(traits, "traits is null");
        attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
        if ((capabilities & UNSUPPORTED) != 0) {
            throw new IllegalArgumentException(
                    "capabilities: 0x" + Integer.toHexString(capabilities & UNSUPPORTED) + " are not supported");
        }
        if (collation < 1 || collation > 0xFF) {
            throw new IllegalArgumentException("collation: " + collation + " (expected: 1..255)");
        }
        if (connectTimeout.isNegative() || connectTimeout.isZero()) {
            throw new IllegalArgumentException("connectTimeout: " + connectTimeout + " (expected: > 0)");
        }
        if (peerTimeout.compareTo(VanishedPeers.LEAST) < 0) {
            throw new IllegalArgumentException(
                    "peerTimeout: " + peerTimeout + " (expected: >= " + VanishedPeers.LEAST + ")");
        }
        requirePositive("maxInFlight", maxInFlight);
        requirePositive("maxPacketBytes", maxPacketBytes);
    }

    /** Returns a builder with defaults: TLS off, 10 s to connect, 256 commands, 64 MiB payloads. */
    public static Builder of(SocketAddress address, String user) {
        return new Builder(address, user);
    }

    /** Returns a builder for a TCP address; resolves {@code host}. */
    public static Builder of(String host, int port, String user) {
        return of(new InetSocketAddress(host, port), user);
    }

    public Builder toBuilder() {
        Builder builder = new Builder(address, user);
        builder.password = password;
        builder.database = database;
        builder.capabilities = capabilities;
        builder.collation = collation;
        builder.attributes = attributes;
        builder.tls = tls;
        builder.sslContext = sslContext;
        builder.retrievePublicKey = retrievePublicKey;
        builder.connectTimeout = connectTimeout;
        builder.peerTimeout = peerTimeout;
        builder.proxyHeader = proxyHeader;
        builder.maxInFlight = maxInFlight;
        builder.maxPacketBytes = maxPacketBytes;
        builder.traits = traits;
        return builder;
    }

    /** Returns a text without the password. */
    @Override
    public String toString() {
        return "ClientOptions[" + user + "@" + address + ", tls " + tls + "]";
    }

    private static void requirePositive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: >= 1)");
        }
    }

    public static final class Builder {
        private SocketAddress address;
        private String user;
        private String password = "";
        private @Nullable String database;
        private int capabilities = DEFAULT_CAPABILITIES;
        private int collation = Collation.UTF8MB4_GENERAL_CI;
        private Map<String, String> attributes = Map.of();
        private TlsMode tls = TlsMode.OFF;
        private @Nullable SslContext sslContext;
        private boolean retrievePublicKey;
        private Duration connectTimeout = Duration.ofSeconds(10);
        private Duration peerTimeout = Duration.ofMinutes(1);
        private boolean proxyHeader;
        private int maxInFlight = 256;
        private int maxPacketBytes = 64 << 20;
        private ServerTraits traits = ServerTraits.MYSQL;

        private Builder(SocketAddress address, String user) {
            this.address = address;
            this.user = user;
        }

        public Builder address(SocketAddress value) {
            address = value;
            return this;
        }

        public Builder user(String value) {
            user = value;
            return this;
        }

        public Builder password(String value) {
            password = value;
            return this;
        }

        public Builder database(@Nullable String value) {
            database = value;
            return this;
        }

        public Builder capabilities(int value) {
            capabilities = value;
            return this;
        }

        public Builder collation(int value) {
            collation = value;
            return this;
        }

        public Builder attributes(Map<String, String> value) {
            attributes = value;
            return this;
        }

        public Builder tls(TlsMode mode, @Nullable SslContext context) {
            tls = mode;
            sslContext = context;
            return this;
        }

        public Builder retrievePublicKey(boolean value) {
            retrievePublicKey = value;
            return this;
        }

        public Builder connectTimeout(Duration value) {
            connectTimeout = value;
            return this;
        }

        public Builder peerTimeout(Duration value) {
            peerTimeout = value;
            return this;
        }

        public Builder proxyHeader(boolean value) {
            proxyHeader = value;
            return this;
        }

        public Builder maxInFlight(int value) {
            maxInFlight = value;
            return this;
        }

        public Builder maxPacketBytes(int value) {
            maxPacketBytes = value;
            return this;
        }

        public Builder traits(ServerTraits value) {
            traits = value;
            return this;
        }

        public ClientOptions build() {
            return new ClientOptions(
                    address,
                    user,
                    password,
                    database,
                    capabilities,
                    collation,
                    attributes,
                    tls,
                    sslContext,
                    retrievePublicKey,
                    connectTimeout,
                    peerTimeout,
                    proxyHeader,
                    maxInFlight,
                    maxPacketBytes,
                    traits);
        }
    }
}
