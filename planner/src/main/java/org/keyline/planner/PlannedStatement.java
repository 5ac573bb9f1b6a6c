package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * A statement shape with its plan: the value of the plan cache. Immutable. An object lives as long
 * as its plan, so statistics of a shape use its identity as a key.
 *
 * @param text the normalised text, every literal as {@code ?}; empty if the statement was too long
 * @param slots the number of literals and placeholders
 * @param equalEnds the plan for values with which every BETWEEN is an equality; null without one
 */
public record PlannedStatement(
        Plan plan, String text, int slots, @Nullable EqualEnds equalEnds) {
    public PlannedStatement {
        requireNonNull(plan, "plan is null");
        requireNonNull(text, "text is null");
        if (slots < 0) {
            throw new IllegalArgumentException("slots: " + slots + " (expected: >= 0)");
        }
    }

    public PlannedStatement(Plan plan, String text, int slots) {
        this(plan, text, slots, null);
    }

    /**
     * Returns the point read for some values; null if the statement is a point read for no values.
     */
    @Nullable
    PointRead anyRead() {
        PlannedStatement of = equalEnds != null ? equalEnds.planned() : this;
        return of.plan instanceof PointRead read ? read : null;
    }
}
