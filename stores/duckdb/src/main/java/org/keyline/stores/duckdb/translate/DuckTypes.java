package org.keyline.stores.duckdb.translate;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnType;

/** Maps the types of columns to DuckDB's types. */
public final class DuckTypes {

    private static final int MAX_DECIMAL = 38;

    private DuckTypes() {}

    /** Returns DuckDB's type for a column type that {@link #exists}. */
    public static String of(ColumnType type) {
        return Objects.requireNonNull(find(type), type.kind()::name);
    }

    /** Returns whether columns of the store can have a type. */
    static boolean exists(ColumnType type) {
        return find(type) != null;
    }

    private static @Nullable String find(ColumnType type) {
        boolean unsigned = type.unsigned();
        return switch (type.kind()) {
            case BOOLEAN -> "BOOLEAN";
            case TINYINT -> unsigned ? "UTINYINT" : "TINYINT";
            case SMALLINT -> unsigned ? "USMALLINT" : "SMALLINT";
            case MEDIUMINT, INT -> unsigned ? "UINTEGER" : "INTEGER";
            case BIGINT -> unsigned ? "UBIGINT" : "BIGINT";
            case LARGEINT -> "HUGEINT";
            case BIT -> "UBIGINT";
            case FLOAT -> "FLOAT";
            case DOUBLE -> "DOUBLE";
            case DECIMAL -> type.length() > MAX_DECIMAL ? null : "DECIMAL(" + type.length() + "," + type.scale() + ")";
            case DATE -> "DATE";
            case DATETIME, TIMESTAMP -> "TIMESTAMP";
            case CHAR, VARCHAR, TEXT -> "VARCHAR";
            case BINARY, VARBINARY, BLOB -> "BLOB";
            case JSON -> "JSON";
            case ARRAY -> isPlain(type) ? "VARCHAR" : null;
            case TIME, YEAR, ENUM, SET, IPV4, IPV6, MAP, STRUCT, VARIANT, GEOMETRY, OTHER -> null;
        };
    }

    /** Returns whether an array has elements that the store prints as Doris does. */
    private static boolean isPlain(ColumnType array) {
        return array.fields().stream().map(ColumnType.Field::type).anyMatch(type -> !type.nested() && exists(type));
    }
}
