package org.keyline.planner;

import static java.util.Objects.requireNonNull;

/**
 * A statement shape with its plan: the value of the plan cache. Immutable; identity lasts as long as the plan does, so that what
 * is learned about a shape can be keyed by it.
 *
 * @param text the normalised text, every literal as {@code ?}; empty if the statement was too long
 * @param slots lifted literals and placeholders
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
