package org.keyline.gateway;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSessionContext;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigException;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.protocol.auth.SelfSigned;

/** TLS for connections to the gateway. New connections use the current certificate. Thread-safe. */
final class ServerTls {
    private static final Duration CERTIFICATE_VALIDITY = Duration.ofDays(365);
    /** The key store's type. PKCS12, the default, would encrypt the key by 10,000 hash rounds. */
    private static final String KEY_STORE = "JKS";

    private final GatewayConfig first;
    private final @Nullable Current current;

    private ServerTls(GatewayConfig first, @Nullable Current current) {
        this.first = first;
        this.current = current;
    }

    /** @throws StartException if the certificate or its key cannot be used */
    static ServerTls of(GatewayConfig config, SecureRandom random) throws StartException {
        if (config.get(ConfigKeys.TLS_MODE) == GatewayConfig.TlsMode.OFF && !config.get(ConfigKeys.TLS_HTTP)) {
            return new ServerTls(config, null);
        }
        try {
            return new ServerTls(config, new Current(context(config, config.get(ConfigKeys.TLS_MIN_VERSION), random)));
        } catch (SSLException | IllegalArgumentException e) {
            throw new StartException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    private static SslContext context(GatewayConfig config, String minVersion, SecureRandom random)
            throws SSLException {
        String[] versions = minVersion.equals("1.3") ? new String[] {"TLSv1.3"} : new String[] {"TLSv1.3", "TLSv1.2"};
        Path certificate = config.find(ConfigKeys.TLS_CERTIFICATE);
        Path key = config.find(ConfigKeys.TLS_KEY);
        if (certificate != null && key != null) {
            return SslContextBuilder.forServer(certificate.toFile(), key.toFile())
                    .keyStoreType(KEY_STORE)
                    .protocols(versions)
                    .build();
        }
        SelfSigned made = SelfSigned.create("keyline", Instant.now(), CERTIFICATE_VALIDITY, random);
        return SslContextBuilder.forServer(made.key(), made.certificate())
                .keyStoreType(KEY_STORE)
                .protocols(versions)
                .build();
    }

    /** Returns the context for clients; null if TLS is off for clients. */
    @Nullable
    SslContext clients() {
        return first.get(ConfigKeys.TLS_MODE) == GatewayConfig.TlsMode.OFF ? null : current;
    }

    /** Returns the context for HTTP; null for plain HTTP. */
    @Nullable
    SslContext http() {
        return first.get(ConfigKeys.TLS_HTTP) ? current : null;
    }

    /** Reads the certificate of a configuration. Returns a task that puts it into use. */
    Runnable prepare(GatewayConfig next, SecureRandom random) throws ConfigException {
        Current used = current;
        Path certificate = next.find(ConfigKeys.TLS_CERTIFICATE);
        if (used == null || (first.find(ConfigKeys.TLS_CERTIFICATE) == null && certificate == null)) {
            return () -> {};
        }
        if (certificate == null) {
            throw refused("none", "a certificate: the gateway creates its own only at the start");
        }
        try {
            SslContext made = context(next, first.get(ConfigKeys.TLS_MIN_VERSION), random);
            return () -> used.now = made;
        } catch (SSLException | IllegalArgumentException e) {
            throw refused(certificate + " (" + e.getMessage() + ")", "a certificate that matches tls.key");
        }
    }

    private static ConfigException refused(String value, String expected) {
        return new ConfigException(List.of(new ConfigException.Problem("tls.certificate", value, expected)));
    }

    /** Creates each connection's engine with the current certificate. */
    private static final class Current extends SslContext {
        private volatile SslContext now;

        Current(SslContext first) {
            now = first;
        }

        @Override
        public boolean isClient() {
            return false;
        }

        @Override
        public List<String> cipherSuites() {
            return now.cipherSuites();
        }

        @Override
        @SuppressWarnings("deprecation") // abstract in the superclass
        public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
            return now.applicationProtocolNegotiator();
        }

        @Override
        public SSLEngine newEngine(ByteBufAllocator alloc) {
            return now.newEngine(alloc);
        }

        @Override
        public SSLEngine newEngine(ByteBufAllocator alloc, String peerHost, int peerPort) {
            return now.newEngine(alloc, peerHost, peerPort);
        }

        @Override
        public SSLSessionContext sessionContext() {
            return now.sessionContext();
        }
    }
}
