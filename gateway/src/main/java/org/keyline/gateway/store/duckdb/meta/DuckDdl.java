package org.keyline.gateway.store.duckdb.meta;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.store.duckdb.engine.Database;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.planner.TableName;
import org.keyline.planner.ddl.DeclaredColumn;
import org.keyline.planner.ddl.SqlText;
import org.keyline.planner.ddl.TableDefinition;
import org.keyline.planner.ddl.TableIndex;

/**
 * A table as DuckDB has it: the types that hold every value of the declared ones, the key, and what the declared types
 * forbid as CHECK constraints, whose text {@link ConstraintErrors} reads again.
 */
final class DuckDdl {
    private static final int MAX_DECIMAL_DIGITS = 38;

    private DuckDdl() {}

    /** CREATE TABLE under a name that may differ from the declared one. */
    static String createTable(TableDefinition table, String physicalName) {
        StringJoiner parts = new StringJoiner(",\n  ", "(\n  ", "\n)");
        for (DeclaredColumn column : table.columns()) {
            parts.add(column(column));
        }
        if (table.model() == TableModel.UNIQUE) {
            StringJoiner key = new StringJoiner(", ", "PRIMARY KEY (", ")");
            table.keyColumns()
                    .forEach(
                            ordinal -> key.add(name(table.columns().get(ordinal).name())));
            parts.add(key.toString());
        }
        for (TableIndex index : table.indexes()) {
            if (index.unique()) {
                StringJoiner key = new StringJoiner(", ", "UNIQUE (", ")");
                index.columns().forEach(column -> key.add(name(column)));
                parts.add(key.toString());
            }
        }
        Partitions.check(table).ifPresent(check -> parts.add("CHECK (" + check + ")"));
        return "CREATE TABLE " + qualified(table.name().schema(), physicalName) + " " + parts;
    }

    private static String column(DeclaredColumn column) {
        StringBuilder text = new StringBuilder(name(column.name())).append(' ').append(duckType(column));
        if (!column.schema().nullable()) {
            text.append(" NOT NULL");
        }
        String check = check(column);
        if (check != null) {
            text.append(" CHECK (").append(check).append(')');
        }
        return text.toString();
    }

    /** ALTER TABLE … ADD COLUMN, where DuckDB can add it in place; null where the table must be made anew. */
    @Nullable
    static String addColumn(TableDefinition table, DeclaredColumn column) {
        if (!column.schema().nullable()
                || check(column) != null
                || column.schema().autoIncrement()) {
            return null;
        }
        String value = fill(column);
        return "ALTER TABLE " + qualified(table.name()) + " ADD COLUMN " + name(column.name()) + " " + duckType(column)
                + (value.equals("NULL") ? "" : " DEFAULT " + value);
    }

    /** What rows that exist get in a new column: the default, else NULL or, where that is forbidden, MySQL's implicit default. */
    static String fill(DeclaredColumn column) {
        String declared = column.schema().defaultSql();
        String type = duckType(column);
        if (declared != null && !declared.equalsIgnoreCase("NULL")) {
            String upper = declared.toUpperCase(Locale.ROOT);
            if (upper.startsWith("CURRENT_TIMESTAMP") || upper.startsWith("NOW")) {
                return "CAST(now() AS TIMESTAMP)";
            }
            if (upper.startsWith("CURRENT_DATE") || upper.startsWith("CURDATE")) {
                return "current_date";
            }
            String plain = SqlText.plain(declared);
            return type.equals("BLOB")
                    ? "encode(" + string(plain) + ")"
                    : "CAST(" + string(plain) + " AS " + type + ")";
        }
        if (column.schema().nullable()) {
            return "NULL";
        }
        return switch (column.type().type().kind()) {
            case CHAR, VARCHAR, TEXT, ENUM, SET, OTHER, IPV4, IPV6 -> "''";
            case BINARY, VARBINARY, BLOB, GEOMETRY -> "''::BLOB";
            case JSON -> "'null'::JSON";
            case DATE -> "DATE '1970-01-01'";
            case DATETIME, TIMESTAMP -> "TIMESTAMP '1970-01-01 00:00:00'";
            case TIME -> "TIME '00:00:00'";
            case BOOLEAN -> "false";
            default -> "0";
        };
    }

    /** DuckDB's type of a column; refuses types that it has no equal for. */
    static String duckType(DeclaredColumn column) {
        ColumnType type = column.type().type();
        boolean unsigned = type.unsigned();
        return switch (type.kind()) {
            case BOOLEAN -> "BOOLEAN";
            case TINYINT -> unsigned ? "UTINYINT" : "TINYINT";
            case SMALLINT -> unsigned ? "USMALLINT" : "SMALLINT";
            case MEDIUMINT, INT -> unsigned ? "UINTEGER" : "INTEGER";
            case BIGINT -> unsigned ? "UBIGINT" : "BIGINT";
            case LARGEINT -> "HUGEINT";
            case FLOAT -> "FLOAT";
            case DOUBLE -> "DOUBLE";
            case DECIMAL -> decimal(column);
            case DATE -> "DATE";
            case DATETIME, TIMESTAMP -> "TIMESTAMP";
            case TIME -> "TIME";
            case YEAR -> "SMALLINT";
            case BIT -> "UBIGINT";
            case CHAR, VARCHAR, TEXT, ENUM, SET, IPV4, IPV6 -> "VARCHAR";
            case BINARY, VARBINARY, BLOB -> "BLOB";
            case JSON -> "JSON";
            case GEOMETRY, OTHER ->
                throw StatementRefusedException.unsupported(
                        "the type " + column.type().text() + " of column '" + column.name() + "'");
        };
    }

    private static String decimal(DeclaredColumn column) {
        ColumnType type = column.type().type();
        if (type.length() > MAX_DECIMAL_DIGITS) {
            throw StatementRefusedException.unsupported(
                    "more than 38 digits, which " + column.type().text() + " of column '" + column.name() + "' has");
        }
        return "DECIMAL(" + type.length() + "," + type.scale() + ")";
    }

    @Nullable
    private static String check(DeclaredColumn column) {
        ColumnType type = column.type().type();
        String name = name(column.name());
        return switch (type.kind()) {
            case CHAR, VARCHAR, IPV4, IPV6 -> "length(" + name + ") <= " + type.length();
            case TEXT -> type.length() == Integer.MAX_VALUE ? null : "strlen(" + name + ") <= " + type.length();
            case BINARY, VARBINARY, BLOB ->
                type.length() == Integer.MAX_VALUE ? null : "octet_length(" + name + ") <= " + type.length();
            case MEDIUMINT -> type.unsigned() ? name + " <= 16777215" : name + " BETWEEN -8388608 AND 8388607";
            case BIT -> type.length() >= Long.SIZE ? null : name + " < " + (1L << type.length());
            case YEAR -> name + " = 0 OR " + name + " BETWEEN 1901 AND 2155";
            case ENUM -> name + " IN (" + members(column) + ")";
            default -> null;
        };
    }

    private static String members(DeclaredColumn column) {
        List<String> members = new ArrayList<>();
        members.add("''");
        column.type().members().forEach(member -> members.add(string(member)));
        return String.join(", ", members);
    }

    static String qualified(TableName name) {
        return qualified(name.schema(), name.table());
    }

    static String qualified(String schema, String table) {
        return Database.CATALOG + "." + name(schema) + "." + name(table);
    }

    /** An identifier for DuckDB. */
    static String name(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** A string for DuckDB, which knows no escapes. */
    static String string(String value) {
        return '\'' + value.replace("'", "''") + '\'';
    }
}
