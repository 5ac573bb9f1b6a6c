package org.keyline.gateway.store.duckdb.engine;

import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;

/**
 * A statement that changes rows and commits by itself.
 *
 * @param steps run in order in one transaction
 * @param catalogVersion the catalog it was translated under
 * @param small it touches few rows, so that it may share its transaction with others
 * @param done hears the outcome once, after the commit, on the writer's thread; must not block
 */
public record Write(List<BoundStep> steps, long catalogVersion, boolean small, Consumer<WriteOutcome> done) {
    public Write {
        steps = List.copyOf(steps);
    }

    /** Runs the steps; answers the affected rows. The caller commits. */
    long apply(EngineConnection connection) throws SQLException {
        return apply(steps, connection);
    }

    /** Runs steps in the caller's transaction; answers the affected rows. */
    public static long apply(List<BoundStep> steps, EngineConnection connection) throws SQLException {
        long affected = 0;
        for (BoundStep step : steps) {
            switch (step.use()) {
                case PREPARATION -> connection.update(step.sql(), step.values());
                case AFFECTED -> affected += connection.update(step.sql(), step.values());
                case EXTRA_AFFECTED -> {
                    String number =
                            connection.texts(step.sql(), step.values()).get(0).get(0);
                    affected += number == null ? 0 : Long.parseLong(number);
                }
            }
        }
        return affected;
    }
}
