package org.keyline.planner;

import static java.util.Objects.requireNonNull;

/**
 * A statement shape with its plan: the value of the plan cache. Immutable. An object lives as long
 * as its plan, so statistics of a shape can use its identity as a key.
 *
 * @param text the normalised text, every literal as {@code ?}; empty if the statement was too long
 * @param slots the number of literals and placeholders
 */
public record PlannedStatement(Plan plan, String text, int slots) {
    public PlannedStatement {
        requireNonNull(plan, "plan is null");
        requireNonNull(text, "text is null");
        if (slots < 0) {
            throw new IllegalArgumentException("slots: " + slots + " (expected: >= 0)");
        }
    }
}
