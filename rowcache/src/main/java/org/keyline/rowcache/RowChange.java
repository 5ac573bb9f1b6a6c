package org.keyline.rowcache;

import org.jspecify.annotations.Nullable;

/** What a write made of a row. */
@FunctionalInterface
public interface RowChange {
    /**
     * The row as it is now, in the row format of the line it is in.
     *
     * @param kind that format
     * @param bytes has the row as it was in {@code bytes[from..from+length)}; to be read only
     * @return an array of its own; null where it is not certain
     */
    byte @Nullable [] changed(int kind, byte[] bytes, int from, int length);
}
