package org.keyline.protocol.server;

import io.netty.handler.ssl.SslContext;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.memory.MemoryBudget;
import org.keyline.protocol.transport.Networks;
import org.keyline.protocol.transport.Transport;
import org.keyline.protocol.transport.VanishedPeers;

/** A server's greeting and limits. Immutable: each {@code with} method returns a changed copy. */
public final class ServerOptions implements Cloneable {
    /**
     * Flags that this library supports as a server. It offers CLIENT_QUERY_ATTRIBUTES only if it
     * relays the login. A statement with attributes can be forwarded unchanged only if the store
     * negotiated this flag as well. CLIENT_SESSION_TRACK and CLIENT_LOCAL_FILES are not offered;
     * compression is offered if {@link #withCompression} enables it.
     */
    public static final int DEFAULT_CAPABILITIES = Capabilities.CLIENT_LONG_PASSWORD
            | Capabilities.CLIENT_FOUND_ROWS
            | Capabilities.CLIENT_LONG_FLAG
            | Capabilities.CLIENT_CONNECT_WITH_DB
            | Capabilities.CLIENT_NO_SCHEMA
            | Capabilities.CLIENT_ODBC
            | Capabilities.CLIENT_IGNORE_SPACE
            | Capabilities.CLIENT_PROTOCOL_41
            | Capabilities.CLIENT_INTERACTIVE
            | Capabilities.CLIENT_IGNORE_SIGPIPE
            | Capabilities.CLIENT_TRANSACTIONS
            | Capabilities.CLIENT_RESERVED
            | Capabilities.CLIENT_SECURE_CONNECTION
            | Capabilities.CLIENT_MULTI_STATEMENTS
            | Capabilities.CLIENT_MULTI_RESULTS
            | Capabilities.CLIENT_PS_MULTI_RESULTS
            | Capabilities.CLIENT_PLUGIN_AUTH
            | Capabilities.CLIENT_CONNECT_ATTRS
            | Capabilities.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA
            | Capabilities.CLIENT_DEPRECATE_EOF;

    private static final int MIN_ALLOWED_PACKET_BYTES = 1024;
    private static final int MAX_ALLOWED_PACKET_BYTES = 1 << 30;

    private final String serverVersion;
    private int capabilities = DEFAULT_CAPABILITIES;
    private int maxAllowedPacketBytes = 64 << 20;
    private Duration handshakeTimeout = Duration.ofSeconds(10);
    private Duration idleTimeout = Duration.ZERO;
    private Duration drainTimeout = Duration.ofSeconds(10);
    private Duration peerTimeout = Duration.ofMinutes(1);
    private int maxConnections = 10_000;
    private int eventLoops = Runtime.getRuntime().availableProcessors();
    private Transport transport = Transport.AUTO;
    private Networks proxies = Networks.NONE;
    private int passedSocket = -1;
    private boolean reusePort;
    private @Nullable SslContext sslContext;
    private boolean streamLongCommands;
    private MemoryBudget memory = MemoryBudget.unlimited();

    private ServerOptions(String serverVersion) {
        this.serverVersion = serverVersion;
    }

    private ServerOptions with(Consumer<ServerOptions> change) {
        try {
            ServerOptions changed = (ServerOptions) clone();
            change.accept(changed);
            return changed;
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Returns options with this version text, such as {@code 8.0.36-keyline}. The defaults are
     * commands of up to 64 MiB, 10 s to log in, 10,000 connections, an event loop per processor,
     * and no TLS.
     */
    public static ServerOptions of(String serverVersion) {
        Objects.requireNonNull(serverVersion, "serverVersion is null");
        if (serverVersion.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("serverVersion contains a NUL");
        }
        return new ServerOptions(serverVersion);
    }

    public ServerOptions withCapabilities(int flags) {
        return with(options -> options.capabilities = flags);
    }

    public ServerOptions withCompression(boolean offered) {
        return withCapabilities(
                offered ? capabilities | Capabilities.CLIENT_COMPRESS : capabilities & ~Capabilities.CLIENT_COMPRESS);
    }

    public ServerOptions withSslContext(@Nullable SslContext context) {
        return with(options -> options.sslContext = context);
    }

    /**
     * Returns these options with other limits.
     *
     * @param packetBytes the maximum length of a command, all packets together, 1 KiB..1 GiB
     * @param login maximum time from accept to the end of the login
     * @param idle silence between commands after which a connection is closed; zero for no limit
     * @param drain maximum time for which a stopping server waits for commands and transactions
     * @param connections maximum number of open connections; a further client gets error 1040
     */
    public ServerOptions withLimits(int packetBytes, Duration login, Duration idle, Duration drain, int connections) {
        check("maxAllowedPacketBytes", packetBytes, MIN_ALLOWED_PACKET_BYTES, MAX_ALLOWED_PACKET_BYTES);
        check("maxConnections", connections, 1, 1_000_000);
        if (login.isZero() || login.isNegative()) {
            throw new IllegalArgumentException("handshakeTimeout: " + login + " (expected: > 0)");
        }
        if (idle.isNegative()) {
            throw new IllegalArgumentException("idleTimeout: " + idle + " (expected: >= 0)");
        }
        if (drain.isNegative()) {
            throw new IllegalArgumentException("drainTimeout: " + drain + " (expected: >= 0)");
        }
        return with(options -> {
            options.maxAllowedPacketBytes = packetBytes;
            options.handshakeTimeout = login;
            options.idleTimeout = idle;
            options.drainTimeout = drain;
            options.maxConnections = connections;
        });
    }

    /** Sets the time without a response after which a client counts as lost; 8 s or more. */
    public ServerOptions withPeerTimeout(Duration silence) {
        if (silence.compareTo(VanishedPeers.LEAST) < 0) {
            throw new IllegalArgumentException(
                    "peerTimeout: " + silence + " (expected: >= " + VanishedPeers.LEAST + ")");
        }
        return with(options -> options.peerTimeout = silence);
    }

    /** Sets the number of event loops, 1 to 1024. */
    public ServerOptions withEventLoops(int threads) {
        check("eventLoops", threads, 1, 1024);
        return with(options -> options.eventLoops = threads);
    }

    public ServerOptions withTransport(Transport other) {
        return with(options -> options.transport = other);
    }

    /** Sets addresses whose connections must each begin with a header of the PROXY protocol. */
    public ServerOptions withProxies(Networks addresses) {
        return with(options -> options.proxies = addresses);
    }

    /** Sets the descriptor of an inherited listening socket, for EPOLL only; -1 for no socket. */
    public ServerOptions withPassedSocket(int descriptor) {
        return with(options -> options.passedSocket = descriptor);
    }

    public ServerOptions withReusePort(boolean reuse) {
        return with(options -> options.reusePort = reuse);
    }

    /**
     * Sets whether a command of 16 MiB or more is dispatched when its first packet has arrived. If
     * not, its packets are joined, up to {@link #maxAllowedPacketBytes}.
     */
    public ServerOptions withStreamLongCommands(boolean stream) {
        return with(options -> options.streamLongCommands = stream);
    }

    /** Sets the memory budget. The default is unlimited. */
    public ServerOptions withMemory(MemoryBudget budget) {
        return with(options -> options.memory = budget);
    }

    public Networks proxies() {
        return proxies;
    }

    public String serverVersion() {
        return serverVersion;
    }

    /** Returns the configured flags. {@link #offered} also considers {@link #sslContext}. */
    public int capabilities() {
        return capabilities;
    }

    /** Returns the maximum length of a command whose packets are joined. */
    public int maxAllowedPacketBytes() {
        return maxAllowedPacketBytes;
    }

    /** Returns the maximum time from accept to the end of login. */
    public Duration handshakeTimeout() {
        return handshakeTimeout;
    }

    /** Returns the silence after which a connection is closed; zero means no limit. */
    public Duration idleTimeout() {
        return idleTimeout;
    }

    public Duration drainTimeout() {
        return drainTimeout;
    }

    public Duration peerTimeout() {
        return peerTimeout;
    }

    public int maxConnections() {
        return maxConnections;
    }

    public int eventLoops() {
        return eventLoops;
    }

    public Transport transport() {
        return transport;
    }

    /** Returns the descriptor of an inherited listening socket; -1 for no socket. */
    public int passedSocket() {
        return passedSocket;
    }

    public boolean reusePort() {
        return reusePort;
    }

    /** Returns the TLS context; null without TLS. */
    public @Nullable SslContext sslContext() {
        return sslContext;
    }

    public boolean streamLongCommands() {
        return streamLongCommands;
    }

    public MemoryBudget memory() {
        return memory;
    }

    public int offered() {
        return sslContext == null ? capabilities & ~Capabilities.CLIENT_SSL : capabilities | Capabilities.CLIENT_SSL;
    }

    private static void check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + ".." + max + ")");
        }
    }
}
