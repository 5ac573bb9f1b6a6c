package org.keyline.stores.duckdb.translate;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;

/**
 * One column of a result.
 *
 * @param label what the client reads as the column's name
 * @param type of the value
 * @param nullable whether it may be NULL
 * @param origin where a plain column comes from; null for an expression
 */
public record OutputColumn(
        String label,
        SqlType type,
        boolean nullable,
        @Nullable Origin origin) {

    /**
     * A plain column of a table.
     *
     * @param relation the table or view
     * @param alias how the statement names the table
     * @param column its definition
     */
    public record Origin(Relations.Relation relation, String alias, ColumnSchema column) {}
}
