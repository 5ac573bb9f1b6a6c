package org.keyline.planner;

import static java.util.Objects.requireNonNull;

/**
 * A lower or upper bound of a key column. NULL satisfies no bound. Immutable.
 *
 * @param position the column's position in the key
 * @param lower true for a lower bound, false for an upper bound
 * @param inclusive whether the value itself satisfies the bound
 */
public record KeyBound(int position, boolean lower, boolean inclusive, KeyPart value) {
    public KeyBound {
        requireNonNull(value, "value is null");
        if (position < 0) {
            throw new IllegalArgumentException("position: " + position + " (expected: >= 0)");
        }
    }
}
