package org.keyline.rowcache;

/**
 * The assignment of lines to partitions of their table, whose rows change independently of each
 * other. Immutable; thread-safe.
 */
public interface Partitions {
    /** An unknown partition. A line with it may have rows of any partition. */
    long NONE = Long.MIN_VALUE;

    /**
     * Returns the partition that contains every row whose key begins with the cells
     * {@code key[from..to)}; {@link #NONE} if unknown.
     */
    long of(byte[] key, int from, int to);
}
