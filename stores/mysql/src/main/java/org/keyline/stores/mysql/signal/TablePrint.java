package org.keyline.stores.mysql.signal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.TreeMap;

/**
 * The partitions of a table with their versions, and its definition, as digests: two that are equal tell of the same rows. Immutable.
 *
 * @param versions of SHA-256, its first 64 bits
 * @param definition likewise
 */
record TablePrint(long versions, long definition) {
    static TablePrint of(Map<Long, Long> versions, String definition) {
        return new TablePrint(digest(new TreeMap<>(versions).toString()), digest(definition));
    }

    private static long digest(String text) {
        try {
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)))
                    .getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
