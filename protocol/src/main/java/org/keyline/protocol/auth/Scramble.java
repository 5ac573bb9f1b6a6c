package org.keyline.protocol.auth;

import static java.util.Objects.requireNonNull;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Random;

/**
 * The challenge of the password plugins, and pure functions that prove and check a password with
 * it.
 *
 * A scramble has {@value #LENGTH} bytes, without the NUL that follows it in packets.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_authentication_methods_native_password_authentication.html">Native
 * authentication</a>
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_caching_sha2_authentication_exchanges.html">caching_sha2_password
 * exchanges</a>
 */
public final class Scramble {
    public static final int LENGTH = 20;

    private Scramble() {}

    /**
     * Creates a scramble of 7-bit bytes without NUL and {@code '$'}, because clients treat a
     * scramble as text.
     */
    public static byte[] create(Random random) {
        requireNonNull(random, "random is null");
        byte[] scramble = new byte[LENGTH];
        random.nextBytes(scramble);
        for (int i = 0; i < LENGTH; i++) {
            int value = scramble[i] & 0x7F;
            scramble[i] = (byte) (value == 0 || value == '$' ? value + 1 : value);
        }
        return scramble;
    }

    /** Returns the scramble in the auth data of a greeting or auth switch request. */
    public static byte[] of(byte[] data) {
        return data.length > LENGTH ? Arrays.copyOf(data, LENGTH) : data.clone();
    }

    /** Returns SHA1(password) XOR SHA1(scramble + SHA1(SHA1(password))), 20 bytes. */
    public static byte[] nativeProof(byte[] password, byte[] scramble) {
        MessageDigest sha1 = sha1();
        byte[] stage1 = sha1.digest(password);
        byte[] stage2 = sha1.digest(stage1);
        sha1.update(scramble);
        return xor(stage1, sha1.digest(stage2));
    }

    /**
     * Returns whether a native proof was made from the password with this SHA1(SHA1(password)).
     *
     * @param proof the client's bytes, of any length
     */
    public static boolean checkNative(byte[] proof, byte[] scramble, byte[] doubleSha1) {
        if (proof.length != 20 || doubleSha1.length != 20) {
            return false;
        }
        MessageDigest sha1 = sha1();
        sha1.update(scramble);
        byte[] stage1 = xor(proof, sha1.digest(doubleSha1));
        return MessageDigest.isEqual(sha1.digest(stage1), doubleSha1);
    }

    /** Returns SHA256(password) XOR SHA256(SHA256(SHA256(password)) + scramble), 32 bytes. */
    public static byte[] sha2Proof(byte[] password, byte[] scramble) {
        MessageDigest sha256 = sha256();
        byte[] stage1 = sha256.digest(password);
        byte[] stage2 = sha256.digest(stage1);
        sha256.update(stage2);
        return xor(stage1, sha256.digest(scramble));
    }

    /**
     * Returns whether a caching_sha2 proof was made from the password with this
     * SHA256(SHA256(password)).
     *
     * @param proof the client's bytes, of any length
     */
    public static boolean checkSha2(byte[] proof, byte[] scramble, byte[] doubleSha256) {
        if (proof.length != 32 || doubleSha256.length != 32) {
            return false;
        }
        MessageDigest sha256 = sha256();
        sha256.update(doubleSha256);
        byte[] stage1 = xor(proof, sha256.digest(scramble));
        return MessageDigest.isEqual(sha256.digest(stage1), doubleSha256);
    }

    /** Masks or unmasks a password, NUL included, by XOR with the repeated scramble. */
    public static byte[] mask(byte[] clear, byte[] scramble) {
        if (scramble.length == 0) {
            throw new IllegalArgumentException("scramble is empty");
        }
        byte[] masked = new byte[clear.length];
        for (int i = 0; i < clear.length; i++) {
            masked[i] = (byte) (clear[i] ^ scramble[i % scramble.length]);
        }
        return masked;
    }

    static MessageDigest sha1() {
        return digest("SHA-1");
    }

    static MessageDigest sha256() {
        return digest("SHA-256");
    }

    private static MessageDigest digest(String algorithm) {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has " + algorithm, e);
        }
    }

    private static byte[] xor(byte[] left, byte[] right) {
        byte[] result = new byte[left.length];
        for (int i = 0; i < left.length; i++) {
            result[i] = (byte) (left[i] ^ right[i]);
        }
        return result;
    }
}
