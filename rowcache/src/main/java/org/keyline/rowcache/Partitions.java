package org.keyline.rowcache;

/** The partitions of a table's lines, which change independently. Thread-safe. */
public interface Partitions {
    /** Stands for an unknown partition. Rows of such a line may belong to any partition. */
    long NONE = Long.MIN_VALUE;

    /** Returns the partition of the keys that begin with these bytes; {@link #NONE} if unknown. */
    long of(byte[] key, int from, int to);
}
