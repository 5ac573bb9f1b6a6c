package org.keyline.planner;

import static java.util.Objects.requireNonNull;

/**
 * A comparison of a key column with a value, other than equality. NULL satisfies no bound.
 * Immutable.
 *
 * @param position of the column within the key
 * @param lower whether this is a lower bound; otherwise it is an upper bound
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
