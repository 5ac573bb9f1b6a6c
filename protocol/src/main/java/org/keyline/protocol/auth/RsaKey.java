package org.keyline.protocol.auth;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import javax.crypto.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * The key pair for passwords on a connection without TLS. The client requests the public key, masks
 * the password with the scramble, and encrypts the result by RSA-OAEP with SHA-1. Immutable.
 */
public final class RsaKey {
    private static final String OAEP = "RSA/ECB/OAEPWithSHA-1AndMGF1Padding";
    private static final int BITS = 2048;

    private final KeyPair pair;
    private final byte[] publicPem;

    private RsaKey(KeyPair pair) {
        this.pair = pair;
        this.publicPem = pem("PUBLIC KEY", pair.getPublic().getEncoded()).getBytes(StandardCharsets.US_ASCII);
    }

    /** Generates a key of {@value #BITS} bits, which takes some hundred milliseconds. */
    public static RsaKey generate(SecureRandom random) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(BITS, random);
            return new RsaKey(generator.generateKeyPair());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has RSA", e);
        }
    }

    /** Returns the public key as PEM in ASCII, with a final line break. */
    public byte[] publicPem() {
        return publicPem.clone();
    }

    /** Decrypts data; null if they were encrypted for another key. Takes about a millisecond. */
    byte @Nullable [] decrypt(byte[] encrypted) {
        try {
            Cipher cipher = Cipher.getInstance(OAEP);
            cipher.init(Cipher.DECRYPT_MODE, pair.getPrivate());
            return cipher.doFinal(encrypted);
        } catch (GeneralSecurityException e) {
            return null;
        }
    }

    static byte[] encrypt(byte[] clear, PublicKey key) {
        try {
            Cipher cipher = Cipher.getInstance(OAEP);
            cipher.init(Cipher.ENCRYPT_MODE, key);
            return cipher.doFinal(clear);
        } catch (GeneralSecurityException e) {
            throw new AuthenticationException("the password cannot be encrypted with the server's public key", e);
        }
    }

    /**
     * Reads a server's public key in PEM ({@code BEGIN PUBLIC KEY}).
     *
     * @throws IllegalArgumentException if the text is no such key
     */
    public static PublicKey publicKey(String pem) {
        try {
            return KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(der(pem)));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("not an RSA public key", e);
        }
    }

    static String pem(String label, byte[] der) {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
    }

    private static byte[] der(String pem) {
        requireNonNull(pem, "pem is null");
        String begin = "-----BEGIN PUBLIC KEY-----";
        int from = pem.indexOf(begin);
        int to = pem.indexOf("-----END PUBLIC KEY-----");
        if (from < 0 || to < from) {
            throw new IllegalArgumentException("no PEM block: PUBLIC KEY");
        }
        return Base64.getMimeDecoder().decode(pem.substring(from + begin.length(), to));
    }
}
