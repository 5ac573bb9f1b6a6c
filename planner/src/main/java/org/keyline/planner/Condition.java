package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A conjunct of a WHERE clause that compares one column with values. Immutable.
 *
 * @param column the ordinal of the column in the table
 * @param alternatives lists of comparisons; a row must satisfy all comparisons of one list
 */
public record Condition(int column, List<List<Comparison>> alternatives) {
    /** For a column that is NULL, only the comparison {@link #NULL} is true. */
    public enum Operator {
        EQUAL,
        NOT_EQUAL,
        BELOW,
        AT_MOST,
        ABOVE,
        AT_LEAST,
        NULL,
        NOT_NULL;

        /** Returns whether the operator compares by order, like {@code <}. */
        public boolean byOrder() {
            return this == BELOW || this == AT_MOST || this == ABOVE || this == AT_LEAST;
        }

        public boolean hasValue() {
            return this != NULL && this != NOT_NULL;
        }
    }

    /**
     * A comparison of the condition's column with a value.
     *
     * @param value null if the operator takes none
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

    public boolean byOrder() {
        return alternatives.stream()
                .anyMatch(all -> all.stream()
                        .anyMatch(comparison -> comparison.operator().byOrder()));
    }

    public boolean equates() {
        return alternatives.stream()
                .allMatch(all -> all.stream().anyMatch(comparison -> comparison.operator() == Operator.EQUAL));
    }
}
