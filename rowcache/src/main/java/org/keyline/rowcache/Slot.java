package org.keyline.rowcache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What goes on at one prefix of a table: fences closed over it and loads that may still be published. There is a slot only
 * while there is one or the other. Guarded by the map of {@link Slots}: read and changed only within its {@code compute}.
 */
final class Slot {
    /** The bytes of a prefix with their hash. Immutable. */
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

        /** To be read only. */
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

    /** Fences closed over this prefix. */
    int closers;

    /** What the write under way may put back, if it is the only one and nothing was dropped here since it began. */
    @Nullable
    Patch patch;

    /** Loads that began after the last fence closed: at most one per row format and range. */
    final List<Load> loads = new ArrayList<>(1);

    boolean idle() {
        return closers == 0 && loads.isEmpty();
    }
}
