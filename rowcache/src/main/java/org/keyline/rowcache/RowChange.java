package org.keyline.rowcache;

import org.jspecify.annotations.Nullable;

/** The effect of a write on a row. */
@FunctionalInterface
public interface RowChange {
    /**
     * Returns the new row, in the row format of its line.
     *
     * @param kind the row format
     * @param bytes contains the old row in {@code bytes[from..from+length)}; must not be modified
     * @return a new array; null if the new row is not exactly known
     */
    byte @Nullable [] changed(int kind, byte[] bytes, int from, int length);
}
