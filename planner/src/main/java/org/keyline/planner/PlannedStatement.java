package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * A statement shape with its plan, as cached by {@link PlanCache}. Immutable. Statistics of a shape
 * use the object's identity as their key.
 *
 * @param text the normalised text, with {@code ?} for every literal; empty if it was not digested
 * @param slots the number of literals and placeholders
 * @param equalEnds the plan for executions in which both ends of each BETWEEN are equal; null if
 * there is no such plan
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

    /** Returns the point read for all or some values; null if the statement must be forwarded. */
    @Nullable
    PointRead anyRead() {
        PlannedStatement of = equalEnds != null ? equalEnds.planned() : this;
        return of.plan instanceof PointRead read ? read : null;
    }
}
