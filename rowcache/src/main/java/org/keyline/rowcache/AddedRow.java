package org.keyline.rowcache;

/** A row that a write adds, while it changes no other, or an image of one that it changes: which filter lines it may be in. Thread-safe. */
public interface AddedRow {
    /**
     * Whether it may be in the line of a name; true where that is not certain.
     *
     * @param key has the name as its first cells, {@code key[from..to)}
     */
    boolean mayBeIn(byte[] key, int from, int to);
}
