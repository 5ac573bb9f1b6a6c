package org.keyline.stores.duckdb.translate;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;

/**
 * A column of a result or of a table in FROM.
 *
 * @param name the column's name in the statement and in the reply
 * @param type the type of its values
 * @param nullable whether a value can be NULL
 * @param origin the table column whose values it shows unchanged; null for an expression
 */
public record OutputColumn(
        String name,
        SqlType type,
        boolean nullable,
        @Nullable Origin origin) {

    /** Returns this column as that of an outer join that can have no row. */
    public OutputColumn madeNullable() {
        return new OutputColumn(name, type, true, origin);
    }

    /**
     * A table column whose values a result column shows.
     *
     * @param relation the table or view
     * @param alias the table's name in the statement
     * @param column the definition of the column
     */
    public record Origin(Relations.Relation relation, String alias, ColumnSchema column) {}
}
