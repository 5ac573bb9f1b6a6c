package org.keyline.stores.duckdb.translate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableIndex;

/**
 * Writes table definitions as DuckDB's statements. Refuses features that the store lacks, with an
 * error that names the feature.
 */
public final class DuckDdl {

    public static final String PRIMARY = "PRIMARY";
    public static final String SEQUENCE_COLUMN = "function_column.sequence_col";

    private DuckDdl() {}

    /** Returns the CREATE TABLE with all constraints. The schema must exist. */
    public static String createTable(TableDefinition table) {
        refuseUnsupported(table);
        List<String> lines = new ArrayList<>();
        for (DeclaredColumn column : table.columns()) {
            lines.add(column(column.schema()));
        }
        uniqueKeys(table).forEach((name, columns) -> {
            boolean primary = name.equals(PRIMARY)
                    && table.keyColumns().stream()
                            .noneMatch(ordinal ->
                                    table.columns().get(ordinal).schema().nullable());
            lines.add((primary ? "PRIMARY KEY (" : "UNIQUE (")
                    + String.join(", ", columns.stream().map(DuckDdl::quoted).toList()) + ")");
        });
        @Nullable String check = PartitionConditions.anyOf(table);
        if (check != null) {
            lines.add("CHECK (" + check + ")");
        }
        return "CREATE TABLE " + name(table) + " (" + String.join(", ", lines) + ")";
    }

    /** Refuses columns and clauses that the embedded store does not have. */
    public static void refuseUnsupported(TableDefinition table) {
        if (table.model() == TableModel.AGGREGATE) {
            throw StatementRefusedException.unsupported("AGGREGATE KEY tables");
        }
        for (DeclaredColumn column : table.columns()) {
            refuseUnsupported(column);
        }
        for (int i = 0; i < table.indexes().size(); i++) {
            TableIndex index = table.indexes().get(i);
            if (TableIndex.isNameOfAny(table.indexes().subList(0, i), index.name())) {
                throw new StatementRefusedException(1061, "42000", "Duplicate key name '" + index.name() + "'");
            }
            for (String column : index.columns()) {
                real(table, column);
            }
        }
        PartitionConditions.anyOf(table);
        sequenceColumn(table);
    }

    /** Refuses a column whose type the embedded store does not have. */
    public static void refuseUnsupported(DeclaredColumn column) {
        if (!DuckTypes.exists(column.schema().type())) {
            throw StatementRefusedException.unsupported(
                    "the type " + column.type().text() + " (column '" + column.name() + "')");
        }
    }

    /** Returns {@code "name" type DEFAULT value NOT NULL CHECK (…)}. */
    private static String column(ColumnSchema column) {
        String value =
                column.defaultSql() == null || isNow(column.defaultSql()) ? "" : " DEFAULT " + defaultValue(column);
        return quoted(column.name()) + " " + DuckTypes.of(column.type()) + value
                + (column.nullable() ? "" : " NOT NULL") + ColumnLimits.check(column);
    }

    /**
     * Returns a column's default as a literal of DuckDB; the literal NULL if it has none. Callers
     * handle CURRENT_TIMESTAMP.
     */
    public static String defaultValue(ColumnSchema column) {
        String sql = column.defaultSql();
        if (sql == null || sql.equals("NULL")) {
            return "NULL";
        }
        String plain = SqlText.plain(sql);
        Parameter parameter = Parameter.slot(0, Conversion.STORE).storedIn(column);
        try {
            return DuckLiterals.text(Values.converted(plain, parameter));
        } catch (StatementRefusedException e) {
            throw new StatementRefusedException(1067, "42000", "Invalid default value for '" + column.name() + "'");
        }
    }

    /** Returns whether a default is the time of the statement. */
    public static boolean isNow(@Nullable String defaultSql) {
        return defaultSql != null && defaultSql.startsWith("CURRENT_TIMESTAMP");
    }

    /**
     * Returns the value that existing rows get in an added column, as an expression: the column's
     * default or NULL; for a NOT NULL column without a default, MySQL's implicit default.
     */
    public static String fill(ColumnSchema column) {
        if (isNow(column.defaultSql())) {
            return "CAST(timezone('UTC', now()) AS TIMESTAMP)";
        }
        String value = column.defaultSql() != null || column.nullable()
                ? defaultValue(column)
                : switch (column.type().kind()) {
                    case CHAR, VARCHAR, TEXT, BINARY, VARBINARY, BLOB -> "''";
                    case ARRAY -> "'[]'";
                    case JSON -> "'null'";
                    case DATE -> "'1970-01-01'";
                    case DATETIME, TIMESTAMP -> "'1970-01-01 00:00:00'";
                    case BOOLEAN -> "false";
                    default -> "0";
                };
        return "CAST(" + value + " AS " + DuckTypes.of(column.type()) + ")";
    }

    /** Returns the columns of each unique key of a table by the key's name. */
    public static Map<String, List<String>> uniqueKeys(TableDefinition table) {
        Map<String, List<String>> keys = new LinkedHashMap<>();
        if (table.model() == TableModel.UNIQUE) {
            keys.put(PRIMARY, names(table, table.keyColumns()));
        }
        for (TableIndex index : table.indexes()) {
            if (index.unique()) {
                keys.put(
                        index.name(),
                        index.columns().stream().map(c -> real(table, c)).toList());
            }
        }
        return keys;
    }

    /** Returns the names of columns. */
    public static List<String> names(TableDefinition table, List<Integer> ordinals) {
        return ordinals.stream()
                .map(ordinal -> table.columns().get(ordinal).name())
                .toList();
    }

    /** Returns the ordinal of Doris's sequence column; -1 if the table has none. */
    public static int sequenceColumn(TableDefinition table) {
        @Nullable String name = table.properties().get(SEQUENCE_COLUMN);
        if (name == null) {
            return -1;
        }
        int ordinal = table.ordinal(name);
        if (ordinal < 0) {
            throw new StatementRefusedException(
                    1105,
                    "HY000",
                    "The sequence column '" + name + "' of " + SEQUENCE_COLUMN + " doesn't exist in table");
        }
        return ordinal;
    }

    /** Returns {@code "schema"."table"}. */
    public static String name(TableDefinition table) {
        return quoted(table.name().schema()) + "." + quoted(table.name().table());
    }

    /** Returns a name in DuckDB's quotes. */
    public static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    private static String real(TableDefinition table, String column) {
        int ordinal = table.ordinal(column);
        if (ordinal < 0) {
            throw new StatementRefusedException(1072, "42000", "Key column '" + column + "' doesn't exist in table");
        }
        return table.columns().get(ordinal).name();
    }
}
