package org.keyline.protocol.auth;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cache of SHA256(SHA256(password)) for accounts with a recent full authentication.
 * {@code caching_sha2_password} checks the next login of such an account with this digest instead
 * of a crypt. Evicts the least recently used entry. Thread-safe.
 *
 * The key is the stored credential, salt included, so that a changed password has no entry.
 */
final class FastPathCache {
    private final Map<Credential, byte[]> digests;

    FastPathCache(int maxEntries) {
        if (maxEntries < 1) {
            throw new IllegalArgumentException("maxEntries: " + maxEntries + " (expected: >= 1)");
        }
        this.digests = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Credential, byte[]> eldest) {
                return size() > maxEntries;
            }
        };
    }

    synchronized byte @Nullable [] digest(Credential credential) {
        return digests.get(credential);
    }

    synchronized void put(Credential credential, byte[] doubleSha256) {
        digests.put(credential, doubleSha256);
    }

    synchronized int size() {
        return digests.size();
    }
}
