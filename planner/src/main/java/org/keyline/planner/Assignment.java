package org.keyline.planner;

import static java.util.Objects.requireNonNull;

/**
 * An assignment of a value to a column, as in {@code SET column = value}. Immutable.
 *
 * @param column the ordinal of the column in the table
 */
public record Assignment(int column, KeyPart value) {
    public Assignment {
        requireNonNull(value, "value is null");
        if (column < 0) {
            throw new IllegalArgumentException("column: " + column + " (expected: >= 0)");
        }
    }
}
