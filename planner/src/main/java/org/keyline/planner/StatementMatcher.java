package org.keyline.planner;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Shape;

/** Plans a statement. Thread-safe; the planner calls its matchers in order. */
public interface StatementMatcher {
    /**
     * Returns the plan of a statement; null passes the statement to the next matcher.
     *
     * @param shape the normalised text, in which every literal is {@code ?}
     * @param currentSchema the session's database; empty if none is selected
     */
    @Nullable
    Plan match(Shape shape, String currentSchema, Catalog catalog);

    /**
     * Returns the plan for values with which each BETWEEN is an equality; null if there is none.
     */
    default @Nullable EqualEnds equalEnds(Shape shape, int slots, String currentSchema, Catalog catalog) {
        return null;
    }
}
