package org.keyline.planner;

import java.util.List;

/** The rules of a list of bound key prefixes. */
final class KeyTuples {
    private KeyTuples() {}

    /** A deep copy of tuples that bind equally many leading key columns of the table. */
    static List<List<KeyPart>> copy(TableSchema table, List<List<KeyPart>> tuples) {
        List<List<KeyPart>> copy = tuples.stream().map(List::copyOf).toList();
        if (copy.isEmpty()) {
            throw new IllegalArgumentException("tuples: none (expected: at least one)");
        }
        int bound = copy.get(0).size();
        int keyColumns = table.keyColumns().size();
        if (bound < 1 || bound > keyColumns) {
            throw new IllegalArgumentException("bound columns: " + bound + " (expected: 1.." + keyColumns + ")");
        }
        for (List<KeyPart> tuple : copy) {
            if (tuple.size() != bound) {
                throw new IllegalArgumentException("tuple: " + tuple + " (expected: " + bound + " parts)");
            }
        }
        return copy;
    }
}
