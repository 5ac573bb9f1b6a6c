package org.keyline.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KeysTest {
    private static final RsaKey KEY = RsaKey.generate(new SecureRandom());

    @Test
    void selfSigned_certificate_verifiesWithItsOwnKeyAndNamesLoopback() throws Exception {
        Instant now = Instant.parse("2026-11-01T12:00:00Z");
        SelfSigned made = SelfSigned.create("keyline demo", now, Duration.ofDays(365), new SecureRandom());
        X509Certificate certificate = made.certificate();
        certificate.verify(certificate.getPublicKey());
        certificate.checkValidity(Date.from(now));
        assertThat(certificate.getVersion()).isEqualTo(3);
        assertThat(certificate.getSubjectX500Principal().getName()).isEqualTo("CN=keyline demo");
        assertThat(certificate.getBasicConstraints()).isEqualTo(Integer.MAX_VALUE);
        assertThat(certificate.getNotAfter()).isEqualTo(Date.from(now.plus(Duration.ofDays(365))));
        assertThat(certificate.getSubjectAlternativeNames())
                .containsExactlyInAnyOrder(
                        List.of(2, "localhost"), List.of(7, "127.0.0.1"), List.of(7, "0:0:0:0:0:0:0:1"));
    }

    @Test
    void selfSigned_validBeyond2049_hasItsDates() {
        Instant now = Instant.parse("2049-12-31T00:00:00Z");
        SelfSigned made = SelfSigned.create("x", now, Duration.ofDays(30), new SecureRandom());
        assertThat(made.certificate().getNotBefore()).isEqualTo(Date.from(now.minus(Duration.ofDays(1))));
        assertThat(made.certificate().getNotAfter()).isEqualTo(Date.from(now.plus(Duration.ofDays(30))));
    }

    @Test
    void rsaKey_encryptedWithItsPublicPem_isDecrypted() {
        byte[] clear = "secret\0".getBytes(StandardCharsets.US_ASCII);
        byte[] encrypted =
                RsaKey.encrypt(clear, RsaKey.publicKey(new String(KEY.publicPem(), StandardCharsets.US_ASCII)));
        assertThat(encrypted).hasSize(256);
        assertThat(KEY.decrypt(encrypted)).isEqualTo(clear);
        assertThat(KEY.decrypt(new byte[256])).isNull();
        assertThat(KEY.decrypt(new byte[3])).isNull();
    }

    @Test
    void rsaKey_publicPem_hasTheShapeThatClientsParse() {
        String pem = new String(KEY.publicPem(), StandardCharsets.US_ASCII);
        assertThat(pem).startsWith("-----BEGIN PUBLIC KEY-----\n").endsWith("\n-----END PUBLIC KEY-----\n");
        assertThat(pem.lines()).allMatch(line -> line.length() <= 64);
    }

    @Test
    void pem_somethingElse_isRefused() {
        assertThatThrownBy(() -> RsaKey.publicKey("nothing")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RsaKey.publicKey("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void fastPathCache_full_forgetsTheLeastRecentlyUsed() {
        FastPathCache cache = new FastPathCache(2);
        Credential a = Credential.parse("*" + "A".repeat(40));
        Credential b = Credential.parse("*" + "B".repeat(40));
        Credential c = Credential.parse("*" + "C".repeat(40));
        cache.put(a, new byte[32]);
        cache.put(b, new byte[32]);
        cache.digest(a);
        cache.put(c, new byte[32]);
        assertThat(cache.size()).isEqualTo(2);
        assertThat(cache.digest(a)).isNotNull();
        assertThat(cache.digest(b)).isNull();
    }
}
