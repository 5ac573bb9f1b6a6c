package org.keyline.rowcache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The closed fences over one prefix, and its running loads whose rows can still become a line.
 * Exists only while such a fence or load exists. Read and changed only within the {@code compute}
 * of {@link Slots}.
 */
final class Slot {
    /** The bytes of a prefix, with their hash. Immutable. */
    static final class Prefix {
        private final byte[] bytes;
        private final int hash;

        private Prefix(byte[] bytes, int hash) {
            this.bytes = bytes;
            this.hash = hash;
        }

        static Prefix copyOf(byte[] key, int from, int to, int hash) {
            return new Prefix(Arrays.copyOfRange(key, from, to), hash);
        }

        /** Returns the bytes of the prefix. The caller must not modify them. */
        byte[] bytes() {
            return bytes;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Prefix that && hash == that.hash && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /** Number of closed fences over the whole prefix. */
    int closers;

    /** The number of closed fences for each closed suffix; null if no suffix is closed. */
    private @Nullable NavigableMap<byte[], Integer> keys;

    /** Loads that began after the last close of a fence; at most one per row format and range. */
    final List<Load> loads = new ArrayList<>(1);

    boolean idle() {
        return closers == 0 && keys == null && loads.isEmpty();
    }

    void closeKey(byte[] suffix) {
        NavigableMap<byte[], Integer> closed = keys == null ? new TreeMap<>(Arrays::compareUnsigned) : keys;
        closed.merge(suffix, 1, Integer::sum);
        keys = closed;
    }

    void openKey(byte[] suffix) {
        if (keys == null || !keys.containsKey(suffix)) {
            throw new IllegalStateException("a fence was opened more often than closed");
        }
        keys.computeIfPresent(suffix, (key, closed) -> closed == 1 ? null : closed - 1);
        keys = keys.isEmpty() ? null : keys;
    }

    /** Returns the closed suffixes. Keys that begin with one of them are closed as well. */
    Set<byte[]> closedKeys() {
        return keys == null ? Set.of() : keys.keySet();
    }
}
