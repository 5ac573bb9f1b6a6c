package org.keyline.stores.duckdb.engine;

import java.sql.SQLException;
import java.util.List;

/** DuckDB statements with their values, which run in order in one transaction. */
public record Steps(List<BoundStep> steps) {
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
