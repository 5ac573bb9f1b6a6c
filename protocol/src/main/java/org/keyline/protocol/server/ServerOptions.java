package org.keyline.protocol.server;

import io.netty.handler.ssl.SslContext;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.memory.MemoryBudget;
import org.keyline.protocol.transport.Networks;
import org.keyline.protocol.transport.Transport;
import org.keyline.protocol.transport.VanishedPeers;

/** How a server greets its clients, and where its limits are. Immutable: each {@code with} gives other options. */
public final class ServerOptions {
    /**
     * What this library can do as a server. CLIENT_QUERY_ATTRIBUTES is offered by relayed logins
     * only: a statement that carries attributes cannot go unchanged to a store that did not agree to them. CLIENT_SESSION_TRACK and
     * CLIENT_LOCAL_FILES are not offered, compression where {@link #withCompression} says so.
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
    private int collation = Collation.UTF8MB4_GENERAL_CI;
    private int maxAllowedPacketBytes = 64 << 20;
    private Duration handshakeTimeout = Duration.ofSeconds(10);
    private Duration idleTimeout = Duration.ZERO;
    private Duration drainTimeout = Duration.ofSeconds(10);
    private Duration peerTimeout = Duration.ofMinutes(1);
    private int maxConnections = 10_000;
    private int eventLoops = Runtime.getRuntime().availableProcessors();
    private Transport transport = Transport.AUTO;
    private Networks proxies = Networks.NONE;
    private int backlog = 1024;
    private int passedSocket = -1;
    private boolean reusePort;
    private @Nullable SslContext sslContext;
    private boolean streamLongCommands;
    private MemoryBudget memory = MemoryBudget.unlimited();

    private ServerOptions(String serverVersion) {
        this.serverVersion = serverVersion;
    }

    private ServerOptions(ServerOptions that) {
        serverVersion = that.serverVersion;
        capabilities = that.capabilities;
        collation = that.collation;
        maxAllowedPacketBytes = that.maxAllowedPacketBytes;
        handshakeTimeout = that.handshakeTimeout;
        idleTimeout = that.idleTimeout;
        drainTimeout = that.drainTimeout;
        peerTimeout = that.peerTimeout;
        maxConnections = that.maxConnections;
        eventLoops = that.eventLoops;
        transport = that.transport;
        proxies = that.proxies;
        backlog = that.backlog;
        passedSocket = that.passedSocket;
        reusePort = that.reusePort;
        sslContext = that.sslContext;
        streamLongCommands = that.streamLongCommands;
        memory = that.memory;
    }

    /**
     * Options for a server of this version text, such as {@code 8.0.36-keyline}: 64 MiB packets, 10 s to log in, 10,000 connections, a thread
     * per processor, no TLS.
     */
    public static ServerOptions of(String serverVersion) {
        Objects.requireNonNull(serverVersion, "serverVersion is null");
        if (serverVersion.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("serverVersion holds a NUL");
        }
        return new ServerOptions(serverVersion);
    }

    /** These options with another set of flags. */
    public ServerOptions withCapabilities(int flags) {
        ServerOptions options = new ServerOptions(this);
        options.capabilities = flags;
        return options;
    }

    /** These options with the compressed protocol offered, or not. */
    public ServerOptions withCompression(boolean offered) {
        return withCapabilities(
                offered ? capabilities | Capabilities.CLIENT_COMPRESS : capabilities & ~Capabilities.CLIENT_COMPRESS);
    }

    /** These options with TLS. */
    public ServerOptions withSslContext(@Nullable SslContext context) {
        ServerOptions options = new ServerOptions(this);
        options.sslContext = context;
        return options;
    }

    /**
     * These options with other limits.
     *
     * @param packetBytes longest command that is joined, 1 KiB..1 GiB
     * @param login from accept to the end of login
     * @param idle silence between commands, or zero for none
     * @param drain what running commands get when the server stops
     * @param connections accepted at a time; the next one gets error 1040
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
        ServerOptions options = new ServerOptions(this);
        options.maxAllowedPacketBytes = packetBytes;
        options.handshakeTimeout = login;
        options.idleTimeout = idle;
        options.drainTimeout = drain;
        options.maxConnections = connections;
        return options;
    }

    /** These options with another time after which a client is given up that has vanished without a word, 8 s or more. */
    public ServerOptions withPeerTimeout(Duration silence) {
        if (silence.compareTo(VanishedPeers.LEAST) < 0) {
            throw new IllegalArgumentException(
                    "peerTimeout: " + silence + " (expected: >= " + VanishedPeers.LEAST + ")");
        }
        ServerOptions options = new ServerOptions(this);
        options.peerTimeout = silence;
        return options;
    }

    /** These options with another number of threads that serve connections, 1..1024. */
    public ServerOptions withEventLoops(int threads) {
        check("eventLoops", threads, 1, 1024);
        ServerOptions options = new ServerOptions(this);
        options.eventLoops = threads;
        return options;
    }

    /** These options with another way to the sockets. */
    public ServerOptions withTransport(Transport other) {
        ServerOptions options = new ServerOptions(this);
        options.transport = other;
        return options;
    }

    /** These options with the addresses of those who pass connections on, each of which must begin with a header of the PROXY protocol. */
    public ServerOptions withProxies(Networks addresses) {
        ServerOptions options = new ServerOptions(this);
        options.proxies = addresses;
        return options;
    }

    /** These options with the file descriptor of a socket that listens already, for {@link Transport#EPOLL} only; -1: none. */
    public ServerOptions withPassedSocket(int descriptor) {
        ServerOptions options = new ServerOptions(this);
        options.passedSocket = descriptor;
        return options;
    }

    /** Returns these options with {@code SO_REUSEPORT} set on the listening socket, or not. */
    public ServerOptions withReusePort(boolean reuse) {
        ServerOptions options = new ServerOptions(this);
        options.reusePort = reuse;
        return options;
    }

    /**
     * These options with long commands streamed, or joined.
     *
     * @param stream whether a command of 16 MiB or more is dispatched with its first wire packet, and its rest handed on as it comes
     *     ({@link Reply#clientPackets}); else it is joined, up to {@link #maxAllowedPacketBytes}
     */
    public ServerOptions withStreamLongCommands(boolean stream) {
        ServerOptions options = new ServerOptions(this);
        options.streamLongCommands = stream;
        return options;
    }

    /** These options with bounds of what clients make this program keep; without, there are none. */
    public ServerOptions withMemory(MemoryBudget budget) {
        ServerOptions options = new ServerOptions(this);
        options.memory = budget;
        return options;
    }

    /** From whom a connection must begin with a header of the PROXY protocol; from all others it is not taken for one. */
    public Networks proxies() {
        return proxies;
    }

    /** What the greeting says. */
    public String serverVersion() {
        return serverVersion;
    }

    /** Flags offered; CLIENT_SSL is added where there is an {@link #sslContext}. */
    public int capabilities() {
        return capabilities;
    }

    /** Default collation in the greeting. */
    public int collation() {
        return collation;
    }

    /** Longest command that is joined. */
    public int maxAllowedPacketBytes() {
        return maxAllowedPacketBytes;
    }

    /** From accept to the end of login. */
    public Duration handshakeTimeout() {
        return handshakeTimeout;
    }

    /** Silence between commands that ends a connection; zero for none. */
    public Duration idleTimeout() {
        return idleTimeout;
    }

    /** What running commands get when the server stops. */
    public Duration drainTimeout() {
        return drainTimeout;
    }

    /** When a client is given up that has vanished without a word. */
    public Duration peerTimeout() {
        return peerTimeout;
    }

    /** Accepted at a time. */
    public int maxConnections() {
        return maxConnections;
    }

    /** Threads that serve connections. */
    public int eventLoops() {
        return eventLoops;
    }

    /** The way to the sockets. */
    public Transport transport() {
        return transport;
    }

    /** Connections the kernel queues before accept. */
    public int backlog() {
        return backlog;
    }

    /** The file descriptor of a socket that listens already and is used instead of a new one; -1: none. */
    public int passedSocket() {
        return passedSocket;
    }

    /** Returns whether other processes may listen on the same address. */
    public boolean reusePort() {
        return reusePort;
    }

    /** Certificate and key for TLS, or null for none. */
    public @Nullable SslContext sslContext() {
        return sslContext;
    }

    /** Whether a long command is handed on as it comes. */
    public boolean streamLongCommands() {
        return streamLongCommands;
    }

    /** What clients may make this program keep. */
    public MemoryBudget memory() {
        return memory;
    }

    /** Flags that the greeting offers. */
    public int offered() {
        return sslContext == null ? capabilities & ~Capabilities.CLIENT_SSL : capabilities | Capabilities.CLIENT_SSL;
    }

    private static void check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + ".." + max + ")");
        }
    }
}
