package org.keyline.planner;

import java.util.List;

/**
 * A contiguous range of keys: the first key columns equal a tuple, and bounds may limit the next
 * key column. Immutable.
 *
 * @param tuple the values of the first key columns
 * @param bounds the bounds on columns of the tuple or on the next key column. A key must satisfy
 *     all of them; they may contradict each other
 */
public record KeyRange(List<KeyPart> tuple, List<KeyBound> bounds) {
    public KeyRange {
        tuple = List.copyOf(tuple);
        bounds = List.copyOf(bounds);
        for (KeyBound bound : bounds) {
            if (bound.position() > tuple.size()) {
                throw new IllegalArgumentException(
                        "bound: " + bound + " (expected: on one of the first " + (tuple.size() + 1) + " key columns)");
            }
        }
    }

    public static KeyRange of(List<KeyPart> tuple) {
        return new KeyRange(tuple, List.of());
    }

    public static final KeyRange EVERYTHING = of(List.of());

    boolean isEverything() {
        return tuple.isEmpty() && bounds.isEmpty();
    }

    /** Returns a deep copy. {@link #EVERYTHING} must be alone; other ranges must bind a column. */
    static List<KeyRange> copyOf(TableSchema table, List<KeyRange> ranges) {
        List<KeyRange> copy = List.copyOf(ranges);
        if (copy.isEmpty()) {
            throw new IllegalArgumentException("ranges: none (expected: at least one)");
        }
        int keyColumns = table.keyColumns().size();
        for (KeyRange range : copy) {
            int bound = range.tuple.size();
            boolean all = copy.size() == 1 && range.isEverything();
            if ((bound < 1 && range.bounds.isEmpty() && !all) || bound > keyColumns) {
                throw new IllegalArgumentException("bound columns: " + bound + " (expected: 1.." + keyColumns + ")");
            }
            for (KeyBound on : range.bounds) {
                if (on.position() >= keyColumns) {
                    throw new IllegalArgumentException("bound: " + on + " (expected: on a key column)");
                }
            }
        }
        return copy;
    }
}
