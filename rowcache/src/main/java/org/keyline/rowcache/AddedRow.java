package org.keyline.rowcache;

/**
 * A row that a write adds or changes, while it changes no other, or an image of one. It decides
 * which filter lines may have it. Thread-safe.
 */
public interface AddedRow {
    /**
     * Returns whether it may be in the line of a name; true if unknown.
     *
     * @param key has the name as its first cells, {@code key[from..to)}
     */
    boolean mayBeIn(byte[] key, int from, int to);

    /**
     * Returns whether it may be, or may have been, in a line that was loaded before the write
     * began.
     */
    default boolean mayBeIn(Line line) {
        return mayBeIn(line.prefixBytes(), line.prefixFrom(), line.prefixTo());
    }
}
