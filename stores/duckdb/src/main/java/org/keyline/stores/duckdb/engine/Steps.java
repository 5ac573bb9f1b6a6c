package org.keyline.stores.duckdb.engine;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** DuckDB statements with their values, which run in order in one transaction. */
public record Steps(List<BoundStep> steps) {
    /**
     * A DuckDB statement with its values.
     *
     * @param values the values of the placeholders, in order
     * @param use how the statement's row count is used
     */
    public record BoundStep(String sql, List<@Nullable Object> values, Use use) {
        /** How the row count of a step is used. */
        public enum Use {
            /** The number of changed rows is added to the client statement's affected rows. */
            AFFECTED,
            /** The row count is ignored; the step runs only for its effect. */
            PREPARATION,
            /** The step is a query that returns one number, which is added to the affected rows. */
            EXTRA_AFFECTED
        }

        public BoundStep {
            values = Collections.unmodifiableList(new ArrayList<>(values));
        }
    }

    public Steps {
        steps = List.copyOf(steps);
    }

    /** Runs the steps in the caller's transaction; returns the number of affected rows. */
    public long apply(EngineConnection connection) throws SQLException {
        long affected = 0;
        for (BoundStep step : steps) {
            switch (step.use()) {
                case PREPARATION -> connection.update(step.sql(), step.values());
                case AFFECTED -> affected += connection.update(step.sql(), step.values());
                case EXTRA_AFFECTED -> affected += connection.number(step.sql(), step.values());
            }
        }
        return affected;
    }
}
