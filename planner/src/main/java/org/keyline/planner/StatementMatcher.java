package org.keyline.planner;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Shape;

/** A strategy to plan a statement. Thread-safe; the planner calls its matchers in order. */
public interface StatementMatcher {
    /**
     * Returns the plan of a statement; null passes it to the next matcher.
     *
     * @param shape the normalised text, in which every literal is {@code ?}
     * @param currentSchema the session's database; empty if none is selected
     */
    @Nullable
    Plan match(Shape shape, String currentSchema, Catalog catalog);

    /**
     * Returns the plan of a statement that {@link #match} has planned, for values with which every
     * BETWEEN is an equality; null without one.
     */
    default @Nullable EqualEnds equalEnds(Shape shape, int slots, String currentSchema, Catalog catalog) {
        return null;
    }
}
