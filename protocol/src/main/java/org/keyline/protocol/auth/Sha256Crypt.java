package org.keyline.protocol.auth;

import java.security.MessageDigest;

/**
 * The SHA-256 variant of crypt(3), as MySQL uses it for {@code caching_sha2_password}. MySQL uses
 * salts of 20 bytes, which crypt(3) truncates to 16.
 *
 * @see <a href="https://www.akkadia.org/drepper/SHA-crypt.txt">Unix crypt using SHA-256 and
 * SHA-512</a>
 */
final class Sha256Crypt {
    private static final int BLOCK = 32;
    private static final String ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    private Sha256Crypt() {}

    /**
     * Returns the crypt of a password, without the salt: 43 ASCII bytes.
     *
     * @param password a password whose length the caller must limit, because it determines the work
     */
    static byte[] digest(byte[] password, byte[] salt, int rounds) {
        MessageDigest sha = Scramble.sha256();
        sha.update(password);
        sha.update(salt);
        byte[] alternate = sha.digest(password);

        sha.update(password);
        sha.update(salt);
        updateRepeated(sha, alternate, password.length);
        for (int bits = password.length; bits > 0; bits >>= 1) {
            sha.update((bits & 1) != 0 ? alternate : password);
        }
        byte[] state = sha.digest();

        for (int i = 0; i < password.length; i++) {
            sha.update(password);
        }
        byte[] p = repeated(sha.digest(), password.length);
        for (int i = 0; i < 16 + (state[0] & 0xFF); i++) {
            sha.update(salt);
        }
        byte[] s = repeated(sha.digest(), salt.length);

        for (int round = 0; round < rounds; round++) {
            boolean odd = (round & 1) != 0;
            sha.update(odd ? p : state);
            if (round % 3 != 0) {
                sha.update(s);
            }
            if (round % 7 != 0) {
                sha.update(p);
            }
            sha.update(odd ? state : p);
            state = sha.digest();
        }
        return encode(state);
    }

    private static void updateRepeated(MessageDigest sha, byte[] block, int length) {
        for (int left = length; left > 0; left -= BLOCK) {
            sha.update(block, 0, Math.min(left, BLOCK));
        }
    }

    private static byte[] repeated(byte[] block, int length) {
        byte[] result = new byte[length];
        for (int i = 0; i < length; i++) {
            result[i] = block[i % BLOCK];
        }
        return result;
    }

    /** Encodes a digest. Three bytes, ten apart and in rotating order, become four characters. */
    private static byte[] encode(byte[] state) {
        byte[] text = new byte[43];
        int at = 0;
        int a = 0;
        int b = 10;
        int c = 20;
        for (int group = 0; group < 10; group++) {
            at = digits(text, at, 4, (state[a] & 0xFF) << 16 | (state[b] & 0xFF) << 8 | (state[c] & 0xFF));
            int last = c;
            c = b + 1;
            b = a + 1;
            a = last + 1;
        }
        digits(text, at, 3, (state[31] & 0xFF) << 8 | (state[30] & 0xFF));
        return text;
    }

    private static int digits(byte[] text, int at, int count, int bits) {
        int rest = bits;
        for (int i = 0; i < count; i++) {
            text[at + i] = (byte) ALPHABET.charAt(rest & 0x3F);
            rest >>= 6;
        }
        return at + count;
    }
}
