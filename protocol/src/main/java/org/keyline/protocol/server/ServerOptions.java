package org.keyline.protocol.server;

import io.netty.handler.ssl.SslContext;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;

/**
 * How a server greets its clients, and where its limits are.
 *
 * @param serverVersion what the greeting says, such as {@code 8.0.36-keyline}
 * @param capabilities flags offered; CLIENT_SSL is added where there is a {@code sslContext}
 * @param collation default collation in the greeting
 * @param maxAllowedPacketBytes longest command that is joined, 1 KiB..1 GiB
 * @param handshakeTimeout from accept to the end of login
 * @param idleTimeout silence between commands, or zero for none
 * @param drainTimeout what running commands get when the server stops
 * @param maxConnections accepted at a time; the next one gets error 1040
 * @param eventLoops threads that serve connections
 * @param backlog connections the kernel queues before accept
 * @param sslContext certificate and key for TLS, or null for none
 * @param streamLongCommands whether a command of 16 MiB or more is dispatched with its first wire packet, and its rest
 *     handed on as it comes ({@link Reply#clientPackets}); else it is joined, up to {@code maxAllowedPacketBytes}
 */
public record ServerOptions(
        String serverVersion,
        int capabilities,
        int collation,
        int maxAllowedPacketBytes,
        Duration handshakeTimeout,
        Duration idleTimeout,
        Duration drainTimeout,
        int maxConnections,
        int eventLoops,
        int backlog,
        @Nullable SslContext sslContext,
        boolean streamLongCommands) {
    /**
     * What this library can do as a server. CLIENT_QUERY_ATTRIBUTES is understood but not offered: a statement that
     * carries attributes cannot go unchanged to a store that did not agree to them. CLIENT_SESSION_TRACK and
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

    public ServerOptions {
        Objects.requireNonNull(serverVersion, "serverVersion is null");
        if (serverVersion.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("serverVersion holds a NUL");
        }
        check("maxAllowedPacketBytes", maxAllowedPacketBytes, MIN_ALLOWED_PACKET_BYTES, MAX_ALLOWED_PACKET_BYTES);
        check("maxConnections", maxConnections, 1, 1_000_000);
        check("eventLoops", eventLoops, 1, 1024);
        check("backlog", backlog, 1, 65_535);
        if (handshakeTimeout.isZero() || handshakeTimeout.isNegative()) {
            throw new IllegalArgumentException("handshakeTimeout: " + handshakeTimeout + " (expected: > 0)");
        }
        if (idleTimeout.isNegative()) {
            throw new IllegalArgumentException("idleTimeout: " + idleTimeout + " (expected: >= 0)");
        }
        if (drainTimeout.isNegative()) {
            throw new IllegalArgumentException("drainTimeout: " + drainTimeout + " (expected: >= 0)");
        }
    }

    /** Options that join long commands. */
    public ServerOptions(
            String serverVersion,
            int capabilities,
            int collation,
            int maxAllowedPacketBytes,
            Duration handshakeTimeout,
            Duration idleTimeout,
            Duration drainTimeout,
            int maxConnections,
            int eventLoops,
            int backlog,
            @Nullable SslContext sslContext) {
        this(
                serverVersion,
                capabilities,
                collation,
                maxAllowedPacketBytes,
                handshakeTimeout,
                idleTimeout,
                drainTimeout,
                maxConnections,
                eventLoops,
                backlog,
                sslContext,
                false);
    }

    /** Options for a server of this version text: 64 MiB packets, 10 s to log in, 10,000 connections, no TLS. */
    public static ServerOptions of(String serverVersion) {
        return new ServerOptions(
                serverVersion,
                DEFAULT_CAPABILITIES,
                Collation.UTF8MB4_GENERAL_CI,
                64 << 20,
                Duration.ofSeconds(10),
                Duration.ZERO,
                Duration.ofSeconds(10),
                10_000,
                Runtime.getRuntime().availableProcessors(),
                1024,
                null);
    }

    /** These options with another set of flags. */
    public ServerOptions withCapabilities(int flags) {
        return new ServerOptions(
                serverVersion,
                flags,
                collation,
                maxAllowedPacketBytes,
                handshakeTimeout,
                idleTimeout,
                drainTimeout,
                maxConnections,
                eventLoops,
                backlog,
                sslContext,
                streamLongCommands);
    }

    /** These options with the compressed protocol offered, or not. */
    public ServerOptions withCompression(boolean offered) {
        return withCapabilities(
                offered ? capabilities | Capabilities.CLIENT_COMPRESS : capabilities & ~Capabilities.CLIENT_COMPRESS);
    }

    /** These options with TLS. */
    public ServerOptions withSslContext(@Nullable SslContext context) {
        return new ServerOptions(
                serverVersion,
                capabilities,
                collation,
                maxAllowedPacketBytes,
                handshakeTimeout,
                idleTimeout,
                drainTimeout,
                maxConnections,
                eventLoops,
                backlog,
                context,
                streamLongCommands);
    }

    /** These options with other limits. */
    public ServerOptions withLimits(int packetBytes, Duration login, Duration idle, Duration drain, int connections) {
        return new ServerOptions(
                serverVersion,
                capabilities,
                collation,
                packetBytes,
                login,
                idle,
                drain,
                connections,
                eventLoops,
                backlog,
                sslContext,
                streamLongCommands);
    }

    /** These options with another number of threads. */
    public ServerOptions withEventLoops(int threads) {
        return new ServerOptions(
                serverVersion,
                capabilities,
                collation,
                maxAllowedPacketBytes,
                handshakeTimeout,
                idleTimeout,
                drainTimeout,
                maxConnections,
                threads,
                backlog,
                sslContext,
                streamLongCommands);
    }

    /** These options with long commands streamed, or joined. */
    public ServerOptions withStreamLongCommands(boolean stream) {
        return new ServerOptions(
                serverVersion,
                capabilities,
                collation,
                maxAllowedPacketBytes,
                handshakeTimeout,
                idleTimeout,
                drainTimeout,
                maxConnections,
                eventLoops,
                backlog,
                sslContext,
                stream);
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
