package org.keyline.stores.duckdb.translate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableModel;
import org.keyline.planner.ddl.DeclaredColumn;
import org.keyline.planner.ddl.Partitioning;
import org.keyline.planner.ddl.Partitioning.Bound;
import org.keyline.planner.ddl.Partitioning.Partition;
import org.keyline.planner.ddl.SqlText;
import org.keyline.planner.ddl.TableDefinition;
import org.keyline.planner.ddl.TableIndex;

/** Tables as DuckDB's statements. What cannot be honoured is refused by name. */
public final class DuckDdl {

    private static final String SEQUENCE_COLUMN = "function_column.sequence_col";

    private static final Set<String> AGGREGATIONS = Set.of("SUM", "MIN", "MAX", "REPLACE", "REPLACE_IF_NOT_NULL");

    private DuckDdl() {}

    /** CREATE TABLE with its constraints. Its schema must exist. */
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
        @Nullable String check = partitionCheck(table);
        if (check != null) {
            lines.add("CHECK (" + check + ")");
        }
        return "CREATE TABLE " + name(table) + " (" + String.join(", ", lines) + ")";
    }

    /** 1235 naming the column and type, or the clause, that the embedded store does not have. */
    public static void refuseUnsupported(TableDefinition table) {
        for (int i = 0; i < table.columns().size(); i++) {
            DeclaredColumn column = table.columns().get(i);
            refuseUnsupported(column);
            if (column.schema().type().nested() && table.keyColumns().contains(i)) {
                throw new StatementRefusedException(
                        1105,
                        "HY000",
                        "A " + column.schema().type().kind() + " column can't be a key: '" + column.name() + "'");
            }
        }
        for (TableIndex index : table.indexes()) {
            for (String column : index.columns()) {
                real(table, column);
            }
        }
        partitionCheck(table);
        sequenceColumn(table);
    }

    /** 1235 naming the column and its type if the embedded store has no such type. */
    public static void refuseUnsupported(DeclaredColumn column) {
        ColumnType type = column.schema().type();
        boolean none = type.kind() == ColumnType.Kind.OTHER
                || type.kind() == ColumnType.Kind.GEOMETRY
                || type.kind() == ColumnType.Kind.SET;
        if (none || (type.kind() == ColumnType.Kind.DECIMAL && type.length() > 38)) {
            throw StatementRefusedException.unsupported(
                    "the type " + column.type().text() + " (column '" + column.name() + "')");
        }
        if (column.aggregation() != null && !AGGREGATIONS.contains(column.aggregation())) {
            throw StatementRefusedException.unsupported(
                    "the aggregation " + column.aggregation() + " (column '" + column.name() + "')");
        }
    }

    /** {@code "name" type DEFAULT value NOT NULL}, e.g. for ALTER TABLE ADD COLUMN. */
    public static String column(ColumnSchema column) {
        String value = column.defaultSql() == null || column.defaultSql().startsWith("CURRENT_TIMESTAMP")
                ? ""
                : " DEFAULT " + defaultValue(column);
        return quoted(column.name()) + " " + DuckTypes.of(column.type()) + value
                + (column.nullable() ? "" : " NOT NULL");
    }

    /** The value of a column's default as DuckDB's text; NULL without one. CURRENT_TIMESTAMP is not a value: see its callers. */
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

    /** Ordinal of Doris's sequence column; -1 if there is none. */
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

    /** {@code "schema"."table"}. */
    public static String name(TableDefinition table) {
        return quoted(table.name().schema()) + "." + quoted(table.name().table());
    }

    /** A name in DuckDB's quotes. */
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

    /** The condition that a row belongs to some partition; null if every row does. */
    private static @Nullable String partitionCheck(TableDefinition table) {
        Partitioning partitioning = table.partitioning();
        if (partitioning == null || partitioning.automatic() || isDynamic(table.properties())) {
            return null;
        }
        if (partitioning.columns().size() != 1) {
            throw StatementRefusedException.unsupported("PARTITION BY more than one column");
        }
        ColumnSchema column = table.columns()
                .get(ordinal(table, partitioning.columns().get(0)))
                .schema();
        if (partitioning.partitions().isEmpty()) {
            return null;
        }
        List<String> ranges = new ArrayList<>();
        @Nullable Bound before = null;
        for (Partition partition : partitioning.partitions()) {
            if (partitioning.method() == Partitioning.Method.LIST) {
                partition.values().forEach(row -> ranges.add(quoted(column.name()) + equalTo(row.get(0), column)));
                continue;
            }
            List<Bound> lower = partition.lower();
            List<Bound> upper = partition.upper();
            @Nullable Bound from = lower == null ? before : lower.get(0);
            Bound to = upper == null ? new Bound(Bound.Kind.MAXVALUE, null) : upper.get(0);
            ranges.add(range(column, from, to));
            before = to;
        }
        return String.join(" OR ", ranges);
    }

    private static int ordinal(TableDefinition table, String column) {
        int ordinal = table.ordinal(column);
        if (ordinal < 0) {
            throw new StatementRefusedException(
                    1105, "HY000", "Partition column '" + column + "' doesn't exist in table");
        }
        return ordinal;
    }

    private static boolean isDynamic(Map<String, String> properties) {
        return properties
                .getOrDefault("dynamic_partition.enable", "false")
                .toLowerCase(Locale.ROOT)
                .equals("true");
    }

    private static String equalTo(Bound bound, ColumnSchema column) {
        return bound.kind() == Bound.Kind.NULL ? " IS NULL" : " = " + value(bound, column);
    }

    /** NULL belongs to the range that has no lower bound. */
    private static String range(ColumnSchema column, @Nullable Bound from, Bound to) {
        String name = quoted(column.name());
        String upper = to.kind() == Bound.Kind.MAXVALUE ? "TRUE" : name + " < " + value(to, column);
        if (from == null) {
            return "(" + name + " IS NULL OR " + upper + ")";
        }
        return "(" + name + " >= " + value(from, column) + " AND " + upper + ")";
    }

    private static String value(Bound bound, ColumnSchema column) {
        ColumnSchema nullable = new ColumnSchema(column.name(), column.type(), true, null, false, "");
        return DuckLiterals.text(Values.converted(
                bound.text(), Parameter.slot(0, Conversion.STORE).storedIn(nullable)));
    }
}
