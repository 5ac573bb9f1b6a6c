package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * The plan of a statement for executions in which both ends of each BETWEEN are equal. Immutable.
 *
 * @param planned a point read of at most one row, by equality with the lower ends
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
