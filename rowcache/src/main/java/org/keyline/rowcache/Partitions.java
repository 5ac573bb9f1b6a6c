package org.keyline.rowcache;

/**
 * Assigns lines to the partitions of their table, whose rows change independently of each other.
 * Immutable; thread-safe.
 */
public interface Partitions {
    /** The id of no partition: such a line may have rows of any of them. */
    long NONE = Long.MIN_VALUE;

    /**
     * Returns the id of the partition that contains every row whose key begins with the cells
     * {@code key[from..to)}; {@link #NONE} if that is not known.
     */
    long of(byte[] key, int from, int to);
}
