package org.keyline.rowcache;

/** The partitions of a table's lines, which change independently. Thread-safe. */
public interface Partitions {
    /** The partition of a line whose partition is unknown. It may have rows of any partition. */
    long NONE = Long.MIN_VALUE;

    /** Returns {@link #NONE} if the partition of these keys is unknown. */
    long of(byte[] key, int from, int to);
}
