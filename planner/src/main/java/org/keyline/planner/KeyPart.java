package org.keyline.planner;

import java.util.List;

/**
 * A literal or placeholder of a statement. Immutable.
 *
 * @param slot index into the statement's literals and placeholders, in text order
 * @param negated whether a minus sign precedes the value
 */
public record KeyPart(int slot, boolean negated) {
    public KeyPart {
        if (slot < 0) {
            throw new IllegalArgumentException("slot: " + slot + " (expected: >= 0)");
        }
    }

    public static KeyPart of(int slot) {
        return new KeyPart(slot, false);
    }

    /** Returns a deep copy. All tuples must have the same number of values. */
    static List<List<KeyPart>> tuples(TableSchema table, List<List<KeyPart>> tuples) {
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
