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
 * What the store answered to the PREPARE of a point read, so that the gateway can answer the next one itself. Kept as long
 * as the store's consent to a statement counts, and bounded by weight. Thread-safe.
 */
public final class KnownShapes {
    private static final int ENTRY_BYTES = 256;

    private final Cache<Key, Shape> shapes;

    /**
     * Everything the reply depends on.
     *
     * @param status flags that the reply shows, 0 where it has none
     * @param definition retires the reply with any DDL of its table
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

    /** A table as the catalog answers it: the same object as long as all that was learned of the table holds. */
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
     * @param packets whole, with sequence ids from 1; the statement id in it is to be replaced
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

    /** Other bounds, which hold for what is kept, too. */
    public void bounds(long maxBytes, Duration ttl) {
        shapes.policy().eviction().ifPresent(eviction -> eviction.setMaximum(maxBytes));
        shapes.policy().expireAfterWrite().ifPresent(expiry -> expiry.setExpiresAfter(ttl));
    }

    /** The reply that was learned; null if there is none. */
    public @Nullable Shape find(Key key) {
        return shapes.getIfPresent(key);
    }

    /** Forgets all replies. */
    public void clear() {
        shapes.invalidateAll();
    }

    /** The store has answered a PREPARE. */
    public void learn(Key key, Shape shape) {
        shapes.put(key, shape);
    }
}
