package org.keyline.stores.duckdb.translate;

import java.util.List;

/**
 * One statement of DuckDB.
 *
 * @param sql text with {@code ?} for each parameter
 * @param parameters in the order of the {@code ?}
 * @param role what its outcome is for
 */
public record Step(String sql, List<Parameter> parameters, Role role) {

    public Step {
        parameters = List.copyOf(parameters);
    }

    /** What the outcome of a step is for. */
    public enum Role {
        /** The result or the count of affected rows of the statement. */
        RESULT,
        /** Runs before; its count is not told. */
        PREPARATION,
        /** As PREPARATION, and needed only if one of its parameters is NULL. */
        PREPARATION_IF_NULL,
        /** A query of one number, run before: the rows that the statement inserts. */
        ROWS,
        /** A query of the key and the entry of each row that INSERT IGNORE will skip. */
        SKIPPED,
        /** As SKIPPED, of a single row: it may run behind the write, if no row was inserted. */
        SKIPPED_ROW,
        /** A query of one number, run before, to be added to the affected rows. */
        EXTRA_AFFECTED,
        /** A write, run before, whose count is to be added to the affected rows. */
        AFFECTED
    }
}
