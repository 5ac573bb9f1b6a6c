package org.keyline.stores.duckdb.translate;

import java.util.ArrayList;
import java.util.List;
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

    public static final String SEQUENCE_COLUMN = "function_column.sequence_col";

    private DuckDdl() {}

    /** Returns the CREATE TABLE with all constraints. The schema must exist. */
    public static String createTable(TableDefinition table) {
        refuseUnsupported(table);
        List<String> lines = new ArrayList<>();
        for (DeclaredColumn column : table.columns()) {
            lines.add(column(column.schema()));
        }
        if (table.model() == TableModel.UNIQUE) {
            boolean nullable = table.keyColumns().stream()
                    .anyMatch(ordinal -> table.columns().get(ordinal).schema().nullable());
            lines.add((nullable ? "UNIQUE (" : "PRIMARY KEY (") + names(table, table.keyColumns()) + ")");
        }
        for (TableIndex index : table.indexes()) {
            if (index.unique()) {
                lines.add("UNIQUE ("
                        + String.join(
                                ", ",
                                index.columns().stream()
                                        .map(c -> quoted(real(table, c)))
                                        .toList()) + ")");
            }
        }
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
        String value = column.defaultSql() == null || column.defaultSql().startsWith("CURRENT_TIMESTAMP")
                ? ""
                : " DEFAULT " + defaultValue(column);
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

    private static String names(TableDefinition table, List<Integer> ordinals) {
        return String.join(
                ", ",
                ordinals.stream()
                        .map(i -> quoted(table.columns().get(i).name()))
                        .toList());
    }
}
