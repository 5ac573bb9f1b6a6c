package org.keyline.stores.duckdb.translate;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.TableDefinition;

/**
 * A MySQL statement as statements of DuckDB. Immutable; holds no value that is not named by {@code pinned}.
 *
 * @param kind SELECT, INSERT, UPDATE or DELETE
 * @param steps to be run in order in one transaction; exactly one has the role RESULT, and it is the last
 * @param columns of the result of a SELECT, in order; else empty
 * @param target what is written; null for a SELECT
 * @param autoIncrement ordinal of the target's AUTO_INCREMENT column if rows get their value from a parameter of the source
 *     AUTO_INCREMENT; else -1
 * @param reads tables and views that the statement names, without the target
 * @param pinned slots whose values are part of the text: the translation holds only for statements that are equal there
 * @param reusable whether it holds for another statement of the same shape at all
 * @param plain the rows of an INSERT whose cells are all parameters; null for other statements
 */
public record Translated(
        Kind kind,
        List<Step> steps,
        List<OutputColumn> columns,
        @Nullable TableDefinition target,
        int autoIncrement,
        List<TableName> reads,
        List<Integer> pinned,
        boolean reusable,
        @Nullable PlainRows plain) {

    /**
     * Rows of values, as which an INSERT can be written together with others of its kind. The parameters of the result are the
     * values of the rows, one after the other.
     *
     * @param columns ordinals of the columns of a row, in order
     * @param replaces whether a row takes the place of the one that has its key, as a whole; else it fails there
     */
    public record PlainRows(List<Integer> columns, boolean replaces) {
        public PlainRows {
            columns = List.copyOf(columns);
        }
    }

    public Translated {
        steps = List.copyOf(steps);
        columns = List.copyOf(columns);
        reads = List.copyOf(reads);
        pinned = List.copyOf(pinned);
    }

    /** What a statement does. */
    public enum Kind {
        SELECT,
        INSERT,
        UPDATE,
        DELETE
    }

    /** The step that gives the result. */
    public Step result() {
        return steps.get(steps.size() - 1);
    }
}
