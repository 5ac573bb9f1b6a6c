package org.keyline.gateway.session.state;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.session.settings.CharacterSets;
import org.keyline.planner.TableSchema;
import org.keyline.planner.digest.SqlMode;

/**
 * The store's replies to PREPAREs of point reads, with which the gateway answers later PREPAREs. A
 * reply is valid for {@code privilegeTtl}, like a user's permission to read from lines. The total
 * size is bounded. Thread-safe.
 */
public final class KnownShapes {
    private static final int ENTRY_BYTES = 256;

    private final Cache<Key, Shape> shapes;

    /**
     * The properties that determine the reply to a PREPARE.
     *
     * @param status the status flags in the reply; 0 if it has none
     * @param definition the table's definition; a DDL on the table invalidates the reply
     */
    public record Key(
            String user,
            String schema,
            long capabilities,
            CharacterSets characterSets,
            SqlMode mode,
            int status,
            Definition definition,
            String sql) {}

    /** Compared by identity. The catalog returns the same object while a definition is valid. */
    record Definition(TableSchema table) {
        @Override
        @SuppressWarnings("ReferenceEquality")
        public boolean equals(@Nullable Object other) {
            return other instanceof Definition definition && definition.table == table;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(table);
        }
    }

    /**
     * The reply to a PREPARE.
     *
     * @param packets whole packets with sequence ids from 1 and the first client's statement id.
     * The caller must replace this id in a copy
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared, and copied into a reply only
    public record Shape(byte[] packets, int parameters) {}

    public KnownShapes(long maxBytes, Duration ttl, Ticker ticker) {
        shapes = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher((Key key, Shape shape) -> ENTRY_BYTES + 2 * key.sql().length() + shape.packets().length)
                .expireAfterWrite(ttl)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /** Changes the limits, which also apply to stored replies. */
    public void bounds(long maxBytes, Duration ttl) {
        shapes.policy().eviction().ifPresent(eviction -> eviction.setMaximum(maxBytes));
        shapes.policy().expireAfterWrite().ifPresent(expiry -> expiry.setExpiresAfter(ttl));
    }

    /** Returns the stored reply; null if no valid reply is stored. */
    public @Nullable Shape find(Key key) {
        return shapes.getIfPresent(key);
    }

    public void clear() {
        shapes.invalidateAll();
    }

    public void learn(Key key, Shape shape) {
        shapes.put(key, shape);
    }
}
