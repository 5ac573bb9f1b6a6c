package org.keyline.protocol.auth;

import static java.util.Objects.requireNonNull;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;

/**
 * A key and its self-signed certificate, for TLS without a configured certificate. Immutable.
 *
 * This class encodes the certificate itself, because the JDK creates certificates only by internal
 * classes or by {@code keytool}. Netty's generator needs these classes or Bouncy Castle. The key is
 * a P-256 key, because it is generated in a millisecond. An RSA key takes some hundred.
 *
 * @param key an EC key
 * @param certificate a certificate for {@code localhost} and both loopback addresses
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5280">RFC 5280, X.509 certificates</a>
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5758">RFC 5758, ecdsa-with-SHA256</a>
 */
public record SelfSigned(PrivateKey key, X509Certificate certificate) {
    private static final Duration CLOCK_SKEW = Duration.ofDays(1);

    public SelfSigned {
        requireNonNull(key, "key is null");
        requireNonNull(certificate, "certificate is null");
    }

    /**
     * Creates a certificate. Its validity begins a day before {@code now}, for clients whose clock
     * is behind.
     */
    public static SelfSigned create(String commonName, Instant now, Duration validity, SecureRandom random) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), random);
            KeyPair pair = generator.generateKeyPair();
            byte[] algorithm = Der.sequence(Der.oid(1, 2, 840, 10045, 4, 3, 2));
            byte[] body = body(commonName, pair, algorithm, now, validity, new BigInteger(120, random));
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(pair.getPrivate(), random);
            signature.update(body);
            byte[] der = Der.sequence(body, algorithm, Der.bits(signature.sign()));
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            X509Certificate certificate = (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der));
            return new SelfSigned(pair.getPrivate(), certificate);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime of Keyline has P-256 and X.509", e);
        }
    }

    private static byte[] body(
            String commonName, KeyPair pair, byte[] algorithm, Instant now, Duration validity, BigInteger random) {
        byte[] name = Der.sequence(Der.set(Der.sequence(Der.oid(2, 5, 4, 3), Der.utf8(commonName))));
        byte[] version3 = Der.tagged(0xA0, Der.integer(BigInteger.TWO));
        byte[] serial = Der.integer(random.add(BigInteger.ONE));
        byte[] period = Der.sequence(Der.time(now.minus(CLOCK_SKEW)), Der.time(now.plus(validity)));
        byte[] authority =
                Der.sequence(Der.oid(2, 5, 29, 19), Der.bool(true), Der.octets(Der.sequence(Der.bool(true))));
        byte[] alternatives = Der.sequence(
                Der.oid(2, 5, 29, 17),
                Der.octets(Der.sequence(
                        Der.tagged(0x82, "localhost".getBytes(StandardCharsets.US_ASCII)),
                        Der.tagged(0x87, new byte[] {127, 0, 0, 1}),
                        Der.tagged(0x87, ipv6Loopback()))));
        byte[] extensions = Der.tagged(0xA3, Der.sequence(authority, alternatives));
        byte[] publicKey = pair.getPublic().getEncoded();
        return Der.sequence(version3, serial, algorithm, name, period, name, publicKey, extensions);
    }

    private static byte[] ipv6Loopback() {
        byte[] address = new byte[16];
        address[15] = 1;
        return address;
    }
}
