package org.keyline.planner;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Shape;

/** One way of making a plan. Thread-safe; the planner asks its matchers in turn. */
public interface StatementMatcher {
    /**
     * The plan of a statement, or null if the next matcher is to decide.
     *
     * @param shape the normalised text, in which every literal is {@code ?}
     * @param currentSchema the session's database; empty if none is selected
     */
    @Nullable
    Plan match(Shape shape, String currentSchema, Catalog catalog);
}
