package org.keyline.stores.duckdb.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One DuckDB statement with its values.
 *
 * @param values in the order of the placeholders
 * @param use what its count is for
 */
public record BoundStep(String sql, List<@Nullable Object> values, Use use) {
    /** What the outcome of a step is for. */
    public enum Use {
        /** Its changed rows are the statement's affected rows. */
        AFFECTED,
        /** Runs for its effect only. */
        PREPARATION,
        /** A query of one number that is added to the affected rows. */
        EXTRA_AFFECTED
    }

    public BoundStep {
        values = Collections.unmodifiableList(new ArrayList<>(values));
    }
}
