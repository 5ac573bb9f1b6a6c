package org.keyline.planner;

import java.util.List;

/**
 * A conjunct of a WHERE clause that only the store can evaluate. Its result depends only on the
 * row, its values, and the session's character set and escapes. Immutable.
 *
 * @param texts the text before, between and after the values, in canonical spelling; columns as the
 * table names them, in backquotes
 * @param values by slot, in order
 * @param columns ordinals of the columns that the conjunct reads
 */
public record OpaqueCondition(List<String> texts, List<Value> values, List<Integer> columns) {
    /** A value of the condition. It must be a text if {@code text}, and a whole number if not. */
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
