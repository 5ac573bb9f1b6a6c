package org.keyline.stores.duckdb.calcite;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Relations;
import org.keyline.stores.duckdb.translate.SqlType;

/**
 * One table, view or subquery of a FROM clause.
 *
 * @param alias how columns are qualified in the statement
 * @param duckAlias how columns are qualified in DuckDB's text
 * @param relation the table or view; null for a subquery
 * @param columns in order
 * @param qualifiedOnly whether its columns are found only with the alias before them
 */
record Source(
        String alias,
        String duckAlias,
        Relations.@Nullable Relation relation,
        List<Column> columns,
        boolean qualifiedOnly) {

    Source {
        columns = List.copyOf(columns);
    }

    Source(String alias, Relations.@Nullable Relation relation, List<Column> columns) {
        this(alias, alias, relation, columns, false);
    }

    /** One column of a source. */
    record Column(String name, SqlType type, boolean nullable, OutputColumn.@Nullable Origin origin) {

        Column madeNullable() {
            return new Column(name, type, true, origin);
        }
    }

    @Nullable
    Column column(String name) {
        for (Column column : columns) {
            if (column.name().equalsIgnoreCase(name)) {
                return column;
            }
        }
        return null;
    }

    Source madeNullable() {
        return new Source(
                alias,
                duckAlias,
                relation,
                columns.stream().map(Column::madeNullable).toList(),
                qualifiedOnly);
    }
}
