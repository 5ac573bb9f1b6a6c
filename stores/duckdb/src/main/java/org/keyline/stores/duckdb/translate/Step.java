package org.keyline.stores.duckdb.translate;

import java.util.List;

/**
 * A statement of DuckDB.
 *
 * @param sql the text, with {@code ?} for each parameter
 * @param parameters the parameters in the order of the {@code ?}
 * @param role how the outcome is used
 */
public record Step(String sql, List<Parameter> parameters, Role role) {

    public Step {
        parameters = List.copyOf(parameters);
    }

    /** How a step's outcome is used. */
    public enum Role {
        /** The result of the statement, or its number of affected rows. */
        RESULT,
        /** A write that runs before the statement; its count is not reported. */
        PREPARATION,
        /** Like PREPARATION, but needed only if one of its parameters is NULL. */
        PREPARATION_IF_NULL,
        /** A query that runs before the statement and counts the rows that it will insert. */
        ROWS,
        /** A query that runs before the statement; its result is added to the affected rows. */
        EXTRA_AFFECTED,
        /** A write that runs before the statement; its count is added to the affected rows. */
        AFFECTED
    }
}
