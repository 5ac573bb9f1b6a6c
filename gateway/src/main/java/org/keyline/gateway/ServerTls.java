package org.keyline.gateway;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.protocol.auth.RsaKey;
import org.keyline.protocol.auth.SelfSigned;

/**
 * What encrypts connections to the gateway, with one certificate for all.
 *
 * @param clients for the client port; null: no client may encrypt
 * @param http for metrics and health; null: plain HTTP
 */
record ServerTls(@Nullable SslContext clients, @Nullable SslContext http) {
    private static final Duration CERTIFICATE_VALIDITY = Duration.ofDays(365);

    /** @throws StartException if the certificate or its key cannot be used */
    static ServerTls of(GatewayConfig.Tls config, SecureRandom random) throws StartException {
        boolean forClients = config.mode() != GatewayConfig.TlsMode.OFF;
        if (!forClients && !config.http()) {
            return new ServerTls(null, null);
        }
        SslContext context = context(config, random);
        return new ServerTls(forClients ? context : null, config.http() ? context : null);
    }

    private static SslContext context(GatewayConfig.Tls config, SecureRandom random) throws StartException {
        try {
            if (config.certificate() != null && config.key() != null) {
                return SslContextBuilder.forServer(
                                config.certificate().toFile(), config.key().toFile())
                        .build();
            }
            SelfSigned made =
                    SelfSigned.create("keyline", RsaKey.generate(random), Instant.now(), CERTIFICATE_VALIDITY, random);
            return SslContextBuilder.forServer(made.key(), made.certificate()).build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new StartException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }
}
