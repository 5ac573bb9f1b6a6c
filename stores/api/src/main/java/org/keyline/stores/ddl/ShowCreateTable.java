package org.keyline.stores.ddl;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableModel;
import org.keyline.stores.ddl.TableDefinition.Flavour;

/** Prints a definition as Doris or MySQL does. {@link DdlReader} can parse the text. */
public final class ShowCreateTable {

    private final StringBuilder text = new StringBuilder();
    private final TableDefinition table;

    private ShowCreateTable(TableDefinition table) {
        this.table = table;
    }

    /** Returns the statement as the stores print it, with a final semicolon only for Doris. */
    public static String of(TableDefinition table) {
        ShowCreateTable printer = new ShowCreateTable(table);
        return table.flavour() == Flavour.DORIS ? printer.doris() : printer.mysql();
    }

    private String doris() {
        text.append("CREATE TABLE ").append(SqlText.name(table.name().table())).append(" (\n");
        List<String> lines = new ArrayList<>();
        table.columns().forEach(column -> lines.add("  " + dorisColumn(column)));
        table.indexes().forEach(index -> lines.add("  " + dorisIndex(index)));
        text.append(String.join(",\n", lines)).append("\n) ENGINE=OLAP\n");
        if (!table.keyColumns().isEmpty()) {
            text.append(table.model())
                    .append(" KEY(")
                    .append(names(table.keyColumns()))
                    .append(")\n");
        }
        if (!table.clusterBy().isEmpty()) {
            text.append("CLUSTER BY(").append(names(table.clusterBy())).append(")\n");
        }
        if (!table.comment().isEmpty()) {
            text.append("COMMENT ").append(SqlText.quoted(table.comment())).append('\n');
        }
        Partitioning partitioning = table.partitioning();
        if (partitioning != null) {
            text.append(partitioning.text()).append('\n');
        }
        if (table.randomDistribution()) {
            text.append("DISTRIBUTED BY RANDOM").append(buckets()).append('\n');
        } else if (!table.bucketColumns().isEmpty()) {
            text.append("DISTRIBUTED BY HASH(")
                    .append(names(table.bucketColumns()))
                    .append(')');
            text.append(buckets()).append('\n');
        }
        text.append("PROPERTIES (\n");
        List<String> properties = new ArrayList<>();
        table.properties()
                .forEach((key, value) ->
                        properties.add(SqlText.doubleQuoted(key) + " = " + SqlText.doubleQuoted(value)));
        return text.append(String.join(",\n", properties))
                .append(properties.isEmpty() ? ");" : "\n);")
                .toString();
    }

    private String buckets() {
        return table.buckets() == null ? " BUCKETS 10" : " BUCKETS " + table.buckets();
    }

    private static String dorisColumn(DeclaredColumn column) {
        StringBuilder line = new StringBuilder(SqlText.name(column.name()))
                .append(' ')
                .append(column.type().text());
        if (column.aggregation() != null) {
            line.append(' ').append(column.aggregation());
        }
        line.append(column.schema().nullable() ? " NULL" : " NOT NULL");
        if (column.schema().autoIncrement()) {
            line.append(" AUTO_INCREMENT(1)");
        }
        return withDefault(line, column, null, SqlText::doubleQuoted);
    }

    /** Appends DEFAULT, ON UPDATE and COMMENT. The default is {@code none} if not declared. */
    private static String withDefault(
            StringBuilder line, DeclaredColumn column, @Nullable String none, UnaryOperator<String> quotes) {
        String value = column.schema().defaultSql();
        boolean bare = value == null || value.equals("NULL") || value.startsWith("CURRENT_TIMESTAMP");
        String text = value == null ? none : bare ? value : quotes.apply(SqlText.plain(value));
        if (text != null) {
            line.append(" DEFAULT ").append(text);
        }
        if (column.onUpdate() != null) {
            line.append(" ON UPDATE ").append(column.onUpdate());
        }
        if (!column.schema().comment().isEmpty()) {
            line.append(" COMMENT ").append(quotes.apply(column.schema().comment()));
        }
        return line.toString();
    }

    private static String dorisIndex(TableIndex index) {
        StringBuilder line =
                new StringBuilder("INDEX ").append(SqlText.name(index.name())).append(" (");
        line.append(String.join(
                        ", ", index.columns().stream().map(SqlText::name).toList()))
                .append(')');
        if (index.using() != null) {
            line.append(" USING ").append(index.using());
        }
        if (!index.properties().isEmpty()) {
            line.append(" PROPERTIES(");
            String separator = "";
            for (Map.Entry<String, String> property : index.properties().entrySet()) {
                line.append(separator)
                        .append(SqlText.doubleQuoted(property.getKey()))
                        .append(" = ");
                line.append(SqlText.doubleQuoted(property.getValue()));
                separator = ", ";
            }
            line.append(')');
        }
        if (!index.comment().isEmpty()) {
            line.append(" COMMENT ").append(SqlText.quoted(index.comment()));
        }
        return line.toString();
    }

    private String mysql() {
        text.append("CREATE TABLE ").append(SqlText.name(table.name().table())).append(" (\n");
        List<String> lines = new ArrayList<>();
        table.columns().forEach(column -> lines.add("  " + mysqlColumn(column)));
        if (table.model() == TableModel.UNIQUE) {
            lines.add("  PRIMARY KEY (" + names(table.keyColumns()).replace(", ", ",") + ")");
        }
        for (TableIndex index : table.indexes()) {
            String kind = index.unique() ? "UNIQUE KEY " : "FULLTEXT".equals(index.using()) ? "FULLTEXT KEY " : "KEY ";
            lines.add("  " + kind + SqlText.name(index.name()) + " ("
                    + String.join(
                            ",", index.columns().stream().map(SqlText::name).toList()) + ")"
                    + (index.comment().isEmpty() ? "" : " COMMENT " + SqlText.quoted(index.comment())));
        }
        text.append(String.join(",\n", lines)).append("\n)");
        text.append(" ENGINE=").append(option("ENGINE", "InnoDB"));
        if (table.properties().containsKey("AUTO_INCREMENT")) {
            text.append(" AUTO_INCREMENT=").append(option("AUTO_INCREMENT", "1"));
        }
        text.append(" DEFAULT CHARSET=").append(option("CHARSET", "utf8mb4"));
        String collation = table.properties().get("COLLATE");
        if (collation != null) {
            text.append(" COLLATE=").append(collation);
        }
        if (!table.comment().isEmpty()) {
            text.append(" COMMENT=").append(SqlText.quoted(table.comment()));
        }
        return text.toString();
    }

    private String option(String key, String otherwise) {
        @Nullable String value = table.properties().get(key);
        return value == null || !value.chars().allMatch(c -> c == '_' || Character.isLetterOrDigit(c))
                ? otherwise
                : value;
    }

    private static String mysqlColumn(DeclaredColumn column) {
        StringBuilder line = new StringBuilder(SqlText.name(column.name()))
                .append(' ')
                .append(column.type().text());
        String collation = column.schema().type().collation();
        if (collation != null) {
            line.append(" COLLATE ").append(collation.toLowerCase(Locale.ROOT));
        }
        if (!column.schema().nullable()) {
            line.append(" NOT NULL");
        }
        if (column.schema().autoIncrement()) {
            line.append(" AUTO_INCREMENT");
        }
        boolean isNull = column.schema().nullable() && !column.schema().autoIncrement() && takesDefault(column);
        return withDefault(line, column, isNull ? "NULL" : null, SqlText::quoted);
    }

    /**
     * Returns whether DEFAULT NULL is printed. MySQL prints it for all columns except text, blob,
     * json and geometry.
     */
    private static boolean takesDefault(DeclaredColumn column) {
        return switch (column.schema().type().kind()) {
            case TEXT, BLOB, JSON, GEOMETRY -> false;
            default -> true;
        };
    }

    private String names(List<Integer> ordinals) {
        return String.join(
                ", ",
                ordinals.stream()
                        .map(ordinal ->
                                SqlText.name(table.columns().get(ordinal).name()))
                        .toList());
    }
}
