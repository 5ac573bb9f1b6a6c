package org.keyline.rowcache;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A cache of lines with one row each, by the number of their key. Thread-safe. */
abstract class LineStore {
    private static final int SHARDS = 64;

    /** The state of each thread. Confined to one thread. */
    static final class Session {
        final KeyEncoder key = new KeyEncoder();
        final HashedKey question = new HashedKey();
        final LineProbe probe = new LineProbe(Workload.table(Workload.cache()));
    }

    /** Returns a cache with lines 0..lines - 1, each a row of this many bytes. */
    static LineStore filled(ThreadsBenchmark.Kind kind, int lines, int rowBytes) {
        LineStore store = switch (kind) {
            case GLOBAL_LOCK -> new Lrus(1, rowBytes);
            case SHARDED -> new Lrus(SHARDS, rowBytes);
            case CAFFEINE -> new PlainCaffeine(lines, rowBytes);
            case KEYLINE -> new Keyline(rowBytes);
        };
        Session session = new Session();
        for (int line = 0; line < lines; line++) {
            store.write(session, line);
        }
        return store;
    }

    /** Returns the line, or null. */
    abstract @Nullable Object find(Session session, int line);

    /** Replaces a line after a write to the store. */
    abstract void write(Session session, int line);

    /** Returns the key for caches other than this project's: the same bytes and the same hash. */
    private static HashedKey key(Session session, int line) {
        session.key.reset().int64(line);
        return session.question.aim(session.key.buffer(), session.key.length());
    }

    /**
     * A key's bytes, and their hash by this cache's function. Reused for lookups; copied to be
     * stored.
     */
    private static final class HashedKey {
        private static final Hasher64 HASHER = Hashing.xxh3_64(1);

        private byte[] bytes = Bytes.NONE;
        private int length;
        private int hash;

        HashedKey aim(byte[] bytes, int length) {
            this.bytes = bytes;
            this.length = length;
            hash = Long.hashCode(HASHER.hashBytesToLong(bytes, 0, length));
            return this;
        }

        HashedKey copy() {
            HashedKey copy = new HashedKey();
            copy.bytes = Arrays.copyOf(bytes, length);
            copy.length = length;
            copy.hash = hash;
            return copy;
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof HashedKey that
                    && hash == that.hash
                    && Arrays.equals(bytes, 0, length, that.bytes, 0, that.length);
        }
    }

    /** LRU maps, each behind a lock. */
    private static final class Lrus extends LineStore {
        private final Map<HashedKey, byte[]>[] maps;
        private final ReentrantLock[] locks;
        private final int rowBytes;

        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of maps
        Lrus(int count, int rowBytes) {
            this.rowBytes = rowBytes;
            maps = new Map[count];
            locks = new ReentrantLock[count];
            for (int i = 0; i < count; i++) {
                maps[i] = new LinkedHashMap<>(16, 0.75f, true);
                locks[i] = new ReentrantLock();
            }
        }

        @Override
        byte @Nullable [] find(Session session, int line) {
            HashedKey key = key(session, line);
            int shard = shard(key);
            locks[shard].lock();
            try {
                return maps[shard].get(key);
            } finally {
                locks[shard].unlock();
            }
        }

        @Override
        void write(Session session, int line) {
            HashedKey key = key(session, line).copy();
            int shard = shard(key);
            locks[shard].lock();
            try {
                maps[shard].put(key, new byte[rowBytes]);
            } finally {
                locks[shard].unlock();
            }
        }

        private int shard(HashedKey key) {
            return (key.hashCode() >>> 16) & (maps.length - 1);
        }
    }

    /** A plain Caffeine cache. */
    private static final class PlainCaffeine extends LineStore {
        private final Cache<HashedKey, byte[]> cache;
        private final int rowBytes;

        PlainCaffeine(int lines, int rowBytes) {
            this.rowBytes = rowBytes;
            cache = Caffeine.newBuilder()
                    .maximumSize(2L * lines)
                    .executor(Runnable::run)
                    .build();
        }

        @Override
        byte @Nullable [] find(Session session, int line) {
            return cache.getIfPresent(key(session, line));
        }

        @Override
        void write(Session session, int line) {
            cache.put(key(session, line).copy(), new byte[rowBytes]);
        }
    }

    /** A write closes and opens a fence, and the line is loaded again. */
    private static final class Keyline extends LineStore {
        private final RowCache cache = Workload.cache();
        private final LineTable table = Workload.table(cache);
        private final byte[] row;

        Keyline(int rowBytes) {
            row = new byte[rowBytes];
        }

        @Override
        @Nullable
        Object find(Session session, int line) {
            return table.find(session.probe.aim(table, 0, session.key.reset().int64(line)), 0);
        }

        @Override
        void write(Session session, int line) {
            session.key.reset().int64(line);
            Fence fence = cache.fence();
            fence.close(table, session.key);
            fence.open();
            table.load(session.probe.aim(table, 0, session.key), Workload.load(line, 1, row), Refill.INSTANCE);
        }

        /** Another writer's fence may prevent the load for a moment. */
        private enum Refill implements LoadListener {
            INSTANCE;

            @Override
            public void loaded(Line line) {}

            @Override
            public void failed(Throwable cause) {
                throw new IllegalStateException(cause);
            }

            @Override
            public void declined(Decline reason) {}
        }
    }
}
