package org.keyline.planner;

import java.util.List;

/**
 * A conjunct of a WHERE clause that only the store can evaluate, whose result depends on nothing but the row, the values in it, and what
 * the session's character set and escapes make of these. Immutable.
 *
 * @param texts what stands before, between and behind the values, in one spelling; columns as the table names them, in backquotes
 * @param values by slot, in order
 * @param columns ordinals of the columns that it reads
 */
public record OpaqueCondition(List<String> texts, List<Value> values, List<Integer> columns) {
    /**
     * A value in it.
     *
     * @param text whether it has to be a text; a whole number otherwise
     */
    public record Value(int slot, boolean text) {}

    public OpaqueCondition {
        texts = List.copyOf(texts);
        values = List.copyOf(values);
        columns = List.copyOf(columns);
        if (texts.size() != values.size() + 1) {
            throw new IllegalArgumentException("texts: " + texts + " (expected: one more than " + values + ")");
        }
    }
}
