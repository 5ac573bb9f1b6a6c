package org.keyline.planner;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Shape;

/** A way to make a plan. Thread-safe; the planner asks its matchers in turn. */
public interface StatementMatcher {
    /**
     * Returns the plan of a statement, or null to leave it to the next matcher.
     *
     * @param shape the normalised text, in which every literal is {@code ?}
     * @param currentSchema the session's database; empty if none is selected
     */
    @Nullable
    Plan match(Shape shape, String currentSchema, Catalog catalog);
}
