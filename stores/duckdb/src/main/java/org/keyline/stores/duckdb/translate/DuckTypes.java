package org.keyline.stores.duckdb.translate;

import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;

/** Maps the types of columns to DuckDB's types. */
public final class DuckTypes {

    private static final int MAX_DECIMAL = 38;

    private DuckTypes() {}

    /** Returns DuckDB's type of a column. Throws error 1235 if DuckDB has none. */
    public static String of(ColumnType type) {
        boolean unsigned = type.unsigned();
        return switch (type.kind()) {
            case BOOLEAN -> "BOOLEAN";
            case TINYINT -> unsigned ? "UTINYINT" : "TINYINT";
            case SMALLINT -> unsigned ? "USMALLINT" : "SMALLINT";
            case MEDIUMINT, INT -> unsigned ? "UINTEGER" : "INTEGER";
            case BIGINT -> unsigned ? "UBIGINT" : "BIGINT";
            case LARGEINT -> "HUGEINT";
            case YEAR -> "SMALLINT";
            case BIT -> "UBIGINT";
            case FLOAT -> "FLOAT";
            case DOUBLE -> "DOUBLE";
            case DECIMAL -> decimal(type);
            case DATE -> "DATE";
            case DATETIME, TIMESTAMP -> "TIMESTAMP";
            case TIME -> "TIME";
            case CHAR, VARCHAR, TEXT, IPV4, IPV6, ARRAY -> "VARCHAR";
            case BINARY, VARBINARY, BLOB -> "BLOB";
            case JSON -> "JSON";
            case ENUM, SET, MAP, STRUCT, VARIANT, GEOMETRY, OTHER ->
                throw StatementRefusedException.unsupported("columns of such a type");
        };
    }

    private static String decimal(ColumnType type) {
        if (type.length() > MAX_DECIMAL) {
            throw StatementRefusedException.unsupported("decimals of more than " + MAX_DECIMAL + " digits");
        }
        return "DECIMAL(" + type.length() + "," + type.scale() + ")";
    }
}
