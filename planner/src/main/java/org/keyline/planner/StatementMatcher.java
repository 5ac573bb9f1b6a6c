package org.keyline.planner;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Shape;

/** A step of the {@link Planner}, which asks its matchers in order. Thread-safe. */
public interface StatementMatcher {
    /**
     * Returns the plan of a statement; null to leave it to the next matcher.
     *
     * @param shape the normalised text, in which every literal is {@code ?}
     * @param currentSchema the session's database; empty if none is selected
     */
    @Nullable
    Plan match(Shape shape, String currentSchema, Catalog catalog);

    /** Returns the plan for equal ends of each BETWEEN; null if there is no such plan. */
    default @Nullable EqualEnds equalEnds(Shape shape, int slots, String currentSchema, Catalog catalog) {
        return null;
    }
}
