package org.keyline.stores.duckdb.rewrite;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnType;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.Relations;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/**
 * A table, view or subquery of a FROM clause.
 *
 * @param alias the qualifier of its columns in the statement
 * @param duckAlias the qualifier of its columns in DuckDB's text
 * @param relation the table or view; null for a subquery
 * @param columns the columns in order
 * @param qualifiedOnly whether a statement must write the alias before a column
 */
record Source(
        String alias,
        String duckAlias,
        Relations.@Nullable Relation relation,
        List<OutputColumn> columns,
        boolean qualifiedOnly) {

    /** A length in characters, greater than that of any declared text. */
    private static final int LONG_TEXT = 1 << 24;

    Source {
        columns = List.copyOf(columns);
    }

    Source(String alias, Relations.@Nullable Relation relation, List<OutputColumn> columns) {
        this(alias, alias, relation, columns, false);
    }

    /** Returns a table or view under an alias. */
    static Source of(Relations.Relation relation, String alias) {
        List<OutputColumn> columns = relation.columns().stream()
                .map(column -> new OutputColumn(
                        column.name(),
                        typeOf(column.type()),
                        column.nullable(),
                        new OutputColumn.Origin(relation, alias, column)))
                .toList();
        return new Source(alias, relation, columns);
    }

    static SqlType typeOf(ColumnType type) {
        boolean unsigned = type.unsigned();
        return switch (type.kind()) {
            case BOOLEAN -> SqlType.BOOLEAN;
            case TINYINT -> new SqlType(Family.INTEGER, 3, 0, unsigned);
            case SMALLINT -> new SqlType(Family.INTEGER, 5, 0, unsigned);
            case MEDIUMINT -> new SqlType(Family.INTEGER, 7, 0, unsigned);
            case INT -> new SqlType(Family.INTEGER, 10, 0, unsigned);
            case BIGINT -> new SqlType(Family.INTEGER, unsigned ? 20 : 19, 0, unsigned);
            case LARGEINT -> new SqlType(Family.INTEGER, 39, 0, false);
            case BIT -> SqlType.UNSIGNED;
            case FLOAT, DOUBLE -> SqlType.DOUBLE;
            case DECIMAL -> new SqlType(Family.DECIMAL, type.length(), type.scale(), unsigned);
            case DATE -> SqlType.DATE;
            case DATETIME, TIMESTAMP -> SqlType.datetime(type.scale());
            case ARRAY -> new SqlType(Family.STRING, LONG_TEXT, 0, false);
            case BINARY, VARBINARY, BLOB -> SqlType.BYTES;
            case JSON -> SqlType.JSON;
            default -> new SqlType(Family.STRING, type.length(), 0, false);
        };
    }

    @Nullable
    OutputColumn column(String name) {
        for (OutputColumn column : columns) {
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
                columns.stream().map(OutputColumn::madeNullable).toList(),
                qualifiedOnly);
    }
}
