package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * The plan of a statement for values with which each BETWEEN is an equality. Immutable.
 *
 * @param planned a point read of at most one row
 * @param ends the ends of each BETWEEN, the lower one first
 */
public record EqualEnds(PlannedStatement planned, List<KeyPart> ends) {
    public EqualEnds {
        requireNonNull(planned, "planned is null");
        ends = List.copyOf(ends);
        if (ends.isEmpty() || ends.size() % 2 != 0) {
            throw new IllegalArgumentException("ends: " + ends.size() + " (expected: two of each BETWEEN)");
        }
    }
}
