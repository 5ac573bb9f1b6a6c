package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a conjunct of a WHERE clause says about one column, to be held against each row. Immutable.
 *
 * @param column ordinal into the table's columns
 * @param alternatives of which one holds: all of its comparisons do
 */
public record Condition(int column, List<List<Comparison>> alternatives) {
    /** How a column is compared. NULL is what only {@link #NULL} finds. */
    public enum Operator {
        EQUAL,
        NOT_EQUAL,
        BELOW,
        AT_MOST,
        ABOVE,
        AT_LEAST,
        NULL,
        NOT_NULL;

        /** Whether it compares by the column's order. */
        public boolean byOrder() {
            return this == BELOW || this == AT_MOST || this == ABOVE || this == AT_LEAST;
        }

        /** Whether it compares with a value. */
        public boolean hasValue() {
            return this != NULL && this != NOT_NULL;
        }
    }

    /**
     * A comparison of the column.
     *
     * @param value null where the operator has none
     */
    public record Comparison(Operator operator, @Nullable KeyPart value) {
        public Comparison {
            requireNonNull(operator, "operator is null");
            if (operator.hasValue() != (value != null)) {
                throw new IllegalArgumentException("value: " + value + " (expected: as " + operator + " has it)");
            }
        }
    }

    public Condition {
        alternatives = alternatives.stream().map(List::copyOf).toList();
        if (column < 0 || alternatives.isEmpty()) {
            throw new IllegalArgumentException("condition: on " + column + ", " + alternatives);
        }
    }

    /** Whether it compares by the column's order. */
    public boolean byOrder() {
        return alternatives.stream()
                .anyMatch(all -> all.stream()
                        .anyMatch(comparison -> comparison.operator().byOrder()));
    }

    /** Whether the column equals a value in each of the alternatives. */
    public boolean equates() {
        return alternatives.stream()
                .allMatch(all -> all.stream().anyMatch(comparison -> comparison.operator() == Operator.EQUAL));
    }
}
