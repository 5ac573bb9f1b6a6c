package org.keyline.rowcache;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a cache entry by table, row format, shape, prefix and, for a range, lower bound.
 * Equality compares the bytes. An entry is its own key, which saves an object per line.
 */
abstract sealed class LineKey permits LineProbe, Line, Ranges {
    /** The shape of a line of a whole prefix, and of the {@link Ranges} of a split prefix. */
    static final byte WHOLE = 0;

    /** The shape of a line with the rows of a prefix from a lower to an upper bound. */
    static final byte RANGE = 1;

    /** Returns a stored hash, because the cache's hash table reads it repeatedly. */
    abstract int hash();

    abstract LineTable table();

    abstract byte kind();

    abstract byte shape();

    abstract byte[] prefixBytes();

    abstract int prefixFrom();

    abstract int prefixTo();

    abstract byte[] lowerBytes();

    abstract int lowerFrom();

    abstract int lowerTo();

    @SuppressWarnings("ReferenceEquality")
    final boolean is(@Nullable LineKey entry) {
        return this == entry;
    }

    @Override
    public final int hashCode() {
        return hash();
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof LineKey that
                        && hash() == that.hash()
                        && table() == that.table()
                        && kind() == that.kind()
                        && shape() == that.shape()
                        && Arrays.equals(
                                prefixBytes(),
                                prefixFrom(),
                                prefixTo(),
                                that.prefixBytes(),
                                that.prefixFrom(),
                                that.prefixTo())
                        && Arrays.equals(
                                lowerBytes(),
                                lowerFrom(),
                                lowerTo(),
                                that.lowerBytes(),
                                that.lowerFrom(),
                                that.lowerTo()));
    }
}
