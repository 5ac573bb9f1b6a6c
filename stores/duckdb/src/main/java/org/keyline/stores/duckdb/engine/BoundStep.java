package org.keyline.stores.duckdb.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A DuckDB statement with its values.
 *
 * @param values in the order of the placeholders
 * @param queries whether it is a query of one number, which is added to the affected rows
 */
public record BoundStep(String sql, List<@Nullable Object> values, boolean queries) {
    public BoundStep {
        values = Collections.unmodifiableList(new ArrayList<>(values));
    }
}
