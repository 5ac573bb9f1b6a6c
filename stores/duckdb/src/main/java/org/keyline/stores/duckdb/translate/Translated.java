package org.keyline.stores.duckdb.translate;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.TableDefinition;

/**
 * A MySQL statement, translated for DuckDB. Immutable. The translation contains no value of the
 * statement except the values of {@code pinned}.
 *
 * @param kind the kind of statement; REPLACE is an INSERT
 * @param steps the statements, run in order in one transaction; only the last can have the role
 *     RESULT
 * @param columns the columns of a SELECT's result, in order; empty for a write
 * @param target the written table; null for a SELECT
 * @param autoIncrement the ordinal of the target's AUTO_INCREMENT column if rows get generated
 *     values; -1 if they do not
 * @param reads the tables and views that the statement names, without the target
 * @param pinned indexes in {@link StatementText#slots} of values that are part of the steps' text;
 *     the translation is valid only for statements with the same values
 * @param reusable whether the translation is valid for other statements of the same shape
 */
public record Translated(
        Kind kind,
        List<Step> steps,
        List<OutputColumn> columns,
        @Nullable TableDefinition target,
        int autoIncrement,
        List<TableName> reads,
        List<Integer> pinned,
        boolean reusable) {

    public Translated {
        steps = List.copyOf(steps);
        columns = List.copyOf(columns);
        reads = List.copyOf(reads);
        pinned = List.copyOf(pinned);
    }

    public enum Kind {
        SELECT,
        SELECT_FOR_UPDATE,
        INSERT,
        UPDATE,
        DELETE
    }

    public boolean writes() {
        return kind != Kind.SELECT && kind != Kind.SELECT_FOR_UPDATE;
    }

    public Step result() {
        return steps.get(steps.size() - 1);
    }
}
