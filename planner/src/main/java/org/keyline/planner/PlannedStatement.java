package org.keyline.planner;

import static java.util.Objects.requireNonNull;

/**
 * A statement shape with its plan: the value of the plan cache. Immutable. Its identity is valid as
 * long as the plan, so that statistics of a shape can use it as a key.
 *
 * @param text the normalised text, every literal as {@code ?}; empty if the statement was too long
 * @param slots number of lifted literals and placeholders
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
