package org.keyline.stores.duckdb.translate;

import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;

/**
 * Restricts a column to the values of its MySQL type if DuckDB's type accepts more. The restriction
 * is a constraint of the table, so that it applies to expressions and to loaded files too.
 */
final class ColumnLimits {
    private static final int UNBOUNDED = Integer.MAX_VALUE;

    private ColumnLimits() {}

    /** Returns {@code CHECK (…)}, or an empty text if DuckDB's type has the same values. */
    static String check(ColumnSchema column) {
        String condition = condition(column.type(), DuckDdl.quoted(column.name()));
        if (condition.isEmpty()) {
            return "";
        }
        String error = "keyline " + error(column.type().kind()) + " '" + column.name() + "' at row 1";
        return " CHECK (CASE WHEN coalesce(" + condition + ", TRUE) THEN TRUE ELSE error('" + error.replace("'", "''")
                + "') END)";
    }

    private static String error(ColumnType.Kind kind) {
        return switch (kind) {
            case TEXT, BINARY, VARBINARY, BLOB, BIT -> "1406 22001 Data too long for column";
            case JSON -> "3140 22032 Invalid JSON text in value for column";
            case TIMESTAMP -> "1292 22007 Incorrect datetime value for column";
            default -> "1264 22003 Out of range value for column";
        };
    }

    private static String condition(ColumnType type, String name) {
        int length = type.length();
        return switch (type.kind()) {
            case MEDIUMINT -> type.unsigned() ? name + " <= 16777215" : name + " BETWEEN -8388608 AND 8388607";
            case BIT -> length < 64 ? name + " < " + (1L << length) : "";
            case FLOAT, DOUBLE -> "isfinite(" + name + ")" + (type.unsigned() ? " AND " + name + " >= 0" : "");
            case DECIMAL -> type.unsigned() ? name + " >= 0" : "";
            case TIMESTAMP ->
                name + " BETWEEN TIMESTAMP '1970-01-01 00:00:01' AND TIMESTAMP '2038-01-19 03:14:07.999999'";
            case TEXT -> length == UNBOUNDED ? "" : "strlen(" + name + ") <= " + length;
            case BINARY -> "octet_length(" + name + ") = " + length;
            case VARBINARY, BLOB -> length == UNBOUNDED ? "" : "octet_length(" + name + ") <= " + length;
            case JSON ->
                "NOT regexp_matches(regexp_replace(CAST(" + name
                        + " AS VARCHAR), '\"([^\"\\\\]|\\\\.)*\"', '\"\"', 'gs'), '(?is),\\s*[\\]}]|nan|inf')";
            default -> "";
        };
    }
}
