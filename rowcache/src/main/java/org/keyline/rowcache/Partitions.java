package org.keyline.rowcache;

/**
 * The assignment of lines to partitions of their table, whose rows change independently of each
 * other. Immutable; thread-safe.
 */
public interface Partitions {
    /** A line of an unknown partition may have rows of any partition. */
    long NONE = Long.MIN_VALUE;

    /**
     * Returns the partition of every row whose key begins with these cells; {@link #NONE} if
     * unknown.
     */
    long of(byte[] key, int from, int to);
}
