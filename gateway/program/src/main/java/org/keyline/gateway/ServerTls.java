package org.keyline.gateway;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigException;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.protocol.auth.SelfSigned;

/** TLS for connections to the gateway. New connections use the current certificate. Thread-safe. */
final class ServerTls {
    private static final Duration CERTIFICATE_VALIDITY = Duration.ofDays(365);
    private static final char[] NO_PASSWORD = {};

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
            return new ServerTls(
                    config, new Current(config.get(ConfigKeys.ALLOWS_TLS_1_2), Current.read(config, random)));
        } catch (GeneralSecurityException | IOException e) {
            throw new StartException("TLS cannot be set up: " + e.getMessage(), e);
        }
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
            throw refused("none", "a certificate; without one, restart the gateway, which then creates its own");
        }
        try {
            SSLContext made = Current.read(next, random);
            return () -> used.now = made;
        } catch (GeneralSecurityException | IOException e) {
            throw refused(certificate + " (" + e.getMessage() + ")", "a certificate that matches tls.key");
        }
    }

    private static ConfigException refused(String value, String expected) {
        return new ConfigException(List.of(new ConfigException.Problem("tls.certificate", value, expected)));
    }

    /**
     * Creates each connection's engine with the current certificate. Netty's own builder takes half
     * a second at the start, because it encrypts the key into PKCS12 key stores and reads the JDK's
     * trusted certificates. A server that asks for no certificate does not need these.
     */
    private static final class Current extends SslContext {
        private final String[] versions;
        private volatile SSLContext now;

        Current(boolean allows12, SSLContext first) {
            versions = allows12 ? new String[] {"TLSv1.3", "TLSv1.2"} : new String[] {"TLSv1.3"};
            now = first;
        }

        /** Reads the configured certificate and its key; without these, creates both. */
        static SSLContext read(GatewayConfig config, SecureRandom random) throws GeneralSecurityException, IOException {
            Path certificate = config.find(ConfigKeys.TLS_CERTIFICATE);
            Path key = config.find(ConfigKeys.TLS_KEY);
            if (certificate != null && key != null) {
                return context(privateKey(key.toFile()), toX509Certificates(certificate.toFile()), random);
            }
            SelfSigned made = SelfSigned.create("keyline", Instant.now(), CERTIFICATE_VALIDITY, random);
            return context(made.key(), new X509Certificate[] {made.certificate()}, random);
        }

        private static PrivateKey privateKey(File file) throws GeneralSecurityException, IOException {
            PrivateKey key = toPrivateKey(file, null);
            if (key == null) {
                throw new IOException(file + " contains no private key");
            }
            return key;
        }

        private static SSLContext context(PrivateKey key, X509Certificate[] chain, SecureRandom random)
                throws GeneralSecurityException, IOException {
            KeyStore keys = KeyStore.getInstance("JKS");
            keys.load(null, null);
            keys.setKeyEntry("keyline", key, NO_PASSWORD, chain);
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, NO_PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), new TrustManager[0], random);
            return context;
        }

        @Override
        public boolean isClient() {
            return false;
        }

        @Override
        public List<String> cipherSuites() {
            return List.of(now.getDefaultSSLParameters().getCipherSuites());
        }

        @Override
        @SuppressWarnings("deprecation") // abstract in the superclass
        public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
            return Collections::emptyList;
        }

        @Override
        public SSLEngine newEngine(ByteBufAllocator alloc) {
            SSLEngine engine = now.createSSLEngine();
            engine.setUseClientMode(false);
            engine.setEnabledProtocols(versions);
            return engine;
        }

        @Override
        public SSLEngine newEngine(ByteBufAllocator alloc, String peerHost, int peerPort) {
            return newEngine(alloc);
        }

        @Override
        public SSLSessionContext sessionContext() {
            return now.getServerSessionContext();
        }
    }
}
