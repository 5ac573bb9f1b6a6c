package org.keyline.stores.mysql.catalog;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnType;
import org.keyline.planner.ColumnType.Kind;

/** Parses types of MySQL and MariaDB in {@code information_schema.columns}. */
final class ColumnTypes {
    private static final int TINYINT_OF_BOOLEAN = 1;

    private ColumnTypes() {}

    static ColumnType of(CatalogRows.Row row, Dialect dialect) throws ReadFailure {
        Kind kind = kind(row.required("DATA_TYPE"));
        String declared = row.required("COLUMN_TYPE").toLowerCase(Locale.ROOT);
        boolean unsigned = kind == Kind.YEAR || declared.contains(" unsigned") || declared.contains(" zerofill");
        @Nullable String collation = dialect.collation(row.text("COLLATION_NAME"));
        return switch (kind) {
            case TINYINT ->
                new ColumnType(kind, unsigned, declared.equals("tinyint(1)") ? TINYINT_OF_BOOLEAN : 0, 0, null);
            case SMALLINT, MEDIUMINT, INT, BIGINT, FLOAT, DOUBLE -> new ColumnType(kind, unsigned, 0, 0, null);
            case DECIMAL ->
                new ColumnType(kind, unsigned, row.number("NUMERIC_PRECISION"), row.number("NUMERIC_SCALE"), null);
            case DATETIME, TIMESTAMP, TIME -> new ColumnType(kind, false, 0, row.number("DATETIME_PRECISION"), null);
            case YEAR -> new ColumnType(kind, true, 4, 0, null);
            case BIT -> new ColumnType(kind, true, row.number("NUMERIC_PRECISION"), 0, null);
            case CHAR, VARCHAR, TEXT, BINARY, VARBINARY, BLOB, ENUM, SET, JSON ->
                new ColumnType(kind, false, row.number("CHARACTER_MAXIMUM_LENGTH"), 0, collation);
            case BOOLEAN, LARGEINT, DATE, IPV4, IPV6, GEOMETRY, ARRAY, MAP, STRUCT, VARIANT, OTHER ->
                ColumnType.of(kind);
        };
    }

    private static Kind kind(String type) {
        return switch (type.toLowerCase(Locale.ROOT)) {
            case "tinyint" -> Kind.TINYINT;
            case "smallint" -> Kind.SMALLINT;
            case "mediumint" -> Kind.MEDIUMINT;
            case "int" -> Kind.INT;
            case "bigint" -> Kind.BIGINT;
            case "decimal" -> Kind.DECIMAL;
            case "float" -> Kind.FLOAT;
            case "double" -> Kind.DOUBLE;
            case "bit" -> Kind.BIT;
            case "date" -> Kind.DATE;
            case "datetime" -> Kind.DATETIME;
            case "timestamp" -> Kind.TIMESTAMP;
            case "time" -> Kind.TIME;
            case "year" -> Kind.YEAR;
            case "char" -> Kind.CHAR;
            case "varchar" -> Kind.VARCHAR;
            case "tinytext", "text", "mediumtext", "longtext" -> Kind.TEXT;
            case "binary" -> Kind.BINARY;
            case "varbinary" -> Kind.VARBINARY;
            case "tinyblob", "blob", "mediumblob", "longblob", "vector" -> Kind.BLOB;
            case "enum" -> Kind.ENUM;
            case "set" -> Kind.SET;
            case "json" -> Kind.JSON;
            case "inet4" -> Kind.IPV4;
            case "inet6" -> Kind.IPV6;
            case "geometry",
                    "point",
                    "linestring",
                    "polygon",
                    "multipoint",
                    "multilinestring",
                    "multipolygon",
                    "geometrycollection",
                    "geomcollection" -> Kind.GEOMETRY;
            default -> Kind.OTHER;
        };
    }

    /** Returns the default as SQL. MariaDB reports SQL, MySQL reports the value without quotes. */
    static @Nullable String defaultSql(CatalogRows.Row row, Dialect dialect, ColumnType type) throws ReadFailure {
        String shown = row.text("COLUMN_DEFAULT");
        if (shown == null || dialect.reportsDefaultsAsSql()) {
            return "NULL".equals(shown) ? null : shown;
        }
        boolean expression = row.required("EXTRA").toUpperCase(Locale.ROOT).contains("DEFAULT_GENERATED");
        boolean bare = switch (type.kind()) {
            case TINYINT, SMALLINT, MEDIUMINT, INT, BIGINT, DECIMAL, FLOAT, DOUBLE, BIT, YEAR -> true;
            default -> expression || shown.toUpperCase(Locale.ROOT).startsWith("CURRENT_TIMESTAMP");
        };
        return bare ? shown : "'" + shown.replace("\\", "\\\\").replace("'", "''") + "'";
    }
}
