package org.keyline.planner;

import java.util.List;

/**
 * A conjunct of a WHERE clause that only the store can evaluate. Its result depends only on the
 * row, the conjunct's values, and the session's character set and backslash escapes. Immutable.
 *
 * @param texts the SQL before, between and after the values, in canonical spelling. Columns have
 * backquotes and the letter case of the table's definition
 * @param values the literals and placeholders, in text order
 * @param columns ordinals of the columns that the conjunct reads
 */
public record OpaqueCondition(List<String> texts, List<Value> values, List<Integer> columns) {
    /** A value of the condition: a string if {@code text}, an integer if not. */
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
