package org.keyline.gateway.tier;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Encrypts values by AES-GCM, with their names as associated data. Confined to one event loop. */
final class ValueCipher {
    static final int KEY_BYTES = 32;

    private static final byte VERSION = 2;
    private static final int ID_BYTES = 8;
    private static final int SALT_BYTES = 16;
    private static final int HEADER_BYTES = 1 + ID_BYTES + SALT_BYTES + Long.BYTES;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final byte[] ID = "keyline tier key id".getBytes(US_ASCII);

    /** Maximum number of cached keys of other writers. Each event loop of a gateway is a writer. */
    private static final int MAX_KEYS = 256;

    /*
     * A nonce must not occur twice with one key. So each writer derives its own key from the shared
     * key and a random salt, and uses a counter as the nonce.
     */
    private final Mac mac;
    private final Cipher cipher;
    private final byte[] id;
    private final byte[] salt = new byte[SALT_BYTES];
    private final SecretKey own;
    private final Map<ByteBuffer, SecretKey> keys = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, SecretKey> eldest) {
            return size() > MAX_KEYS;
        }
    };
    private long count;

    ValueCipher(byte[] key, SecureRandom random) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("key bytes: " + key.length + " (expected: " + KEY_BYTES + ")");
        }
        try {
            mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HMAC and AES-GCM", e);
        }
        id = Arrays.copyOf(mac.doFinal(ID), ID_BYTES);
        random.nextBytes(salt);
        own = derived(salt);
    }

    private SecretKey derived(byte[] of) {
        return new SecretKeySpec(mac.doFinal(of), "AES");
    }

    byte[] seal(byte[] name, byte[] value) {
        count++;
        ByteBuffer sealed = ByteBuffer.allocate(HEADER_BYTES + value.length + TAG_BITS / Byte.SIZE)
                .put(VERSION)
                .put(id)
                .put(salt)
                .putLong(count);
        try {
            begin(Cipher.ENCRYPT_MODE, own, count, name, sealed.array());
            cipher.doFinal(value, 0, value.length, sealed.array(), HEADER_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a value was not encrypted", e);
        }
        return sealed.array();
    }

    /**
     * Decrypts the value of a name.
     *
     * @throws ValueCodec.Unfit if the value was encrypted with another key or for another name
     */
    byte[] open(byte[] name, byte[] sealed) throws ValueCodec.Unfit {
        if (sealed.length < HEADER_BYTES + TAG_BITS / Byte.SIZE || sealed[0] != VERSION) {
            throw new ValueCodec.Unfit(true);
        }
        if (!Arrays.equals(sealed, 1, 1 + ID_BYTES, id, 0, ID_BYTES)) {
            throw new ValueCodec.Unfit(false);
        }
        byte[] of = Arrays.copyOfRange(sealed, 1 + ID_BYTES, 1 + ID_BYTES + SALT_BYTES);
        SecretKey key = keys.computeIfAbsent(ByteBuffer.wrap(of), salted -> derived(of));
        long number = ByteBuffer.wrap(sealed).getLong(1 + ID_BYTES + SALT_BYTES);
        try {
            begin(Cipher.DECRYPT_MODE, key, number, name, sealed);
            return cipher.doFinal(sealed, HEADER_BYTES, sealed.length - HEADER_BYTES);
        } catch (AEADBadTagException e) {
            throw new ValueCodec.Unfit(true);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a value was not decrypted", e);
        }
    }

    private void begin(int mode, SecretKey key, long number, byte[] name, byte[] header)
            throws GeneralSecurityException {
        byte[] nonce = ByteBuffer.allocate(NONCE_BYTES).putLong(number).array();
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(name);
        cipher.updateAAD(header, 0, HEADER_BYTES);
    }
}
