package org.keyline.stores.duckdb.meta;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.DuckTypes;

/**
 * Determines the value that existing rows get in an added column. The value is the column's default
 * or NULL; for a NOT NULL column without a default, it is MySQL's implicit default.
 */
final class ColumnFill {
    private ColumnFill() {}

    /** Returns the value as an expression of DuckDB. */
    static String expression(DeclaredColumn column) {
        ColumnSchema schema = column.schema();
        String type = DuckTypes.of(schema.type());
        if (isNow(schema.defaultSql())) {
            return "CAST(timezone('UTC', now()) AS TIMESTAMP)";
        }
        if (schema.defaultSql() != null || schema.nullable()) {
            return "CAST(" + DuckDdl.defaultValue(schema) + " AS " + type + ")";
        }
        String implicit = switch (schema.type().kind()) {
            case CHAR, VARCHAR, TEXT, BINARY, VARBINARY, BLOB -> "''";
            case ARRAY -> "'[]'";
            case JSON -> "'null'";
            case DATE -> "'1970-01-01'";
            case DATETIME, TIMESTAMP -> "'1970-01-01 00:00:00'";
            case BOOLEAN -> "false";
            default -> "0";
        };
        return "CAST(" + implicit + " AS " + type + ")";
    }

    private static boolean isNow(@Nullable String defaultSql) {
        return defaultSql != null && defaultSql.startsWith("CURRENT_TIMESTAMP");
    }
}
