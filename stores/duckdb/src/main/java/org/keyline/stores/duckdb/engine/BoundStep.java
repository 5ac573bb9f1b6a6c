package org.keyline.stores.duckdb.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A DuckDB statement with its values.
 *
 * @param values in the order of the placeholders
 * @param use the use of its count
 */
public record BoundStep(String sql, List<@Nullable Object> values, Use use) {
    /** The use of the row count of a step. */
    public enum Use {
        /** The changed rows are the statement's affected rows. */
        AFFECTED,
        /** The step runs for its effect only. */
        PREPARATION,
        /** The step is a query of one number that is added to the affected rows. */
        EXTRA_AFFECTED
    }

    public BoundStep {
        values = Collections.unmodifiableList(new ArrayList<>(values));
    }
}
