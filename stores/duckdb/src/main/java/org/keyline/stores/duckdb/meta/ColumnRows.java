package org.keyline.stores.duckdb.meta;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.ColumnType.Kind;
import org.keyline.planner.TableModel;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableIndex;
import org.keyline.stores.duckdb.translate.Relations.Relation;

/** Rows of {@code information_schema.tables} and {@code information_schema.columns}. */
final class ColumnRows {
    private static final String PRIVILEGES = "select,insert,update,references";
    private static final int BYTES_PER_CHARACTER = 4;

    private ColumnRows() {}

    static List<@Nullable Object> table(StoredTable stored) {
        TableDefinition table = stored.definition();
        boolean doris = table.flavour() == TableDefinition.Flavour.DORIS;
        return InformationSchema.row(
                InformationSchema.CATALOG,
                table.name().schema(),
                table.name().table(),
                "BASE TABLE",
                doris ? "OLAP" : "InnoDB",
                10,
                "Dynamic",
                0,
                0,
                0,
                0,
                0,
                0,
                null,
                stored.created(),
                null,
                null,
                InformationSchema.COLLATION,
                null,
                "",
                table.comment());
    }

    static List<@Nullable Object> systemTable(Relation view) {
        return InformationSchema.row(
                InformationSchema.CATALOG,
                view.name().schema(),
                view.name().table(),
                "SYSTEM VIEW",
                null,
                10,
                null,
                0,
                0,
                0,
                0,
                0,
                0,
                null,
                java.time.LocalDateTime.of(2000, 1, 1, 0, 0),
                null,
                null,
                null,
                null,
                "",
                "");
    }

    static List<List<@Nullable Object>> of(Relation view) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (ColumnSchema column : view.columns()) {
            String type = systemType(column.type());
            rows.add(row(view.name().schema(), view.name().table(), rows.size() + 1, column, type, "", ""));
        }
        return rows;
    }

    static List<List<@Nullable Object>> of(TableDefinition table) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (DeclaredColumn column : table.columns()) {
            rows.add(row(
                    table.name().schema(),
                    table.name().table(),
                    rows.size() + 1,
                    column.schema(),
                    column.type().text(),
                    key(table, rows.size()),
                    extra(column)));
        }
        return rows;
    }

    private static List<@Nullable Object> row(
            String schema, String table, int position, ColumnSchema column, String type, String key, String extra) {
        ColumnType t = column.type();
        Long characters = characters(t);
        boolean text = isText(t.kind());
        // TEXT is declared by its bytes.
        boolean byCharacter = text && t.kind() != Kind.TEXT;
        String declared = column.defaultSql();
        return InformationSchema.row(
                InformationSchema.CATALOG,
                schema,
                table,
                column.name(),
                position,
                declared == null || declared.equalsIgnoreCase("NULL") ? null : SqlText.plain(declared),
                column.nullable() ? "YES" : "NO",
                dataType(type),
                characters,
                characters == null
                        ? null
                        : Math.min(0xFFFFFFFFL, byCharacter ? characters * BYTES_PER_CHARACTER : characters),
                precision(t),
                scale(t),
                temporalDigits(t),
                text ? InformationSchema.CHARSET : null,
                text ? InformationSchema.COLLATION : null,
                type,
                key,
                extra,
                PRIVILEGES,
                column.comment(),
                "",
                null);
    }

    private static String dataType(String type) {
        int end = 0;
        while (end < type.length() && (Character.isLetterOrDigit(type.charAt(end)) || type.charAt(end) == '_')) {
            end++;
        }
        return type.substring(0, end);
    }

    private static String key(TableDefinition table, int ordinal) {
        if (table.model() == TableModel.UNIQUE && table.keyColumns().contains(ordinal)) {
            return "PRI";
        }
        String name = table.columns().get(ordinal).name();
        String key = "";
        for (TableIndex index : table.indexes()) {
            if (index.columns().get(0).equalsIgnoreCase(name)) {
                key = index.unique() && index.columns().size() == 1 ? "UNI" : key.isEmpty() ? "MUL" : key;
            }
        }
        return key;
    }

    private static String extra(DeclaredColumn column) {
        List<String> words = new ArrayList<>();
        if (column.schema().autoIncrement()) {
            words.add("auto_increment");
        }
        String declared = column.schema().defaultSql();
        if (declared != null && declared.toUpperCase(Locale.ROOT).startsWith("CURRENT_TIMESTAMP")) {
            words.add("DEFAULT_GENERATED");
        }
        if (column.onUpdate() != null) {
            words.add("on update " + column.onUpdate());
        }
        return String.join(" ", words);
    }

    private static boolean isText(Kind kind) {
        return switch (kind) {
            case CHAR, VARCHAR, TEXT, ENUM, SET, IPV4, IPV6 -> true;
            default -> false;
        };
    }

    @Nullable
    private static Long characters(ColumnType type) {
        return switch (type.kind()) {
            case CHAR, VARCHAR, BINARY, VARBINARY, TEXT, BLOB, ENUM, SET, IPV4, IPV6 ->
                type.length() == Integer.MAX_VALUE ? 0xFFFFFFFFL : (long) type.length();
            default -> null;
        };
    }

    @Nullable
    private static Integer precision(ColumnType type) {
        boolean unsigned = type.unsigned();
        return switch (type.kind()) {
            case BOOLEAN, TINYINT -> 3;
            case SMALLINT -> 5;
            case MEDIUMINT -> 7;
            case INT -> 10;
            case BIGINT -> unsigned ? 20 : 19;
            case LARGEINT -> 39;
            case DECIMAL, BIT -> type.length();
            case FLOAT -> 12;
            case DOUBLE -> 22;
            default -> null;
        };
    }

    @Nullable
    private static Integer scale(ColumnType type) {
        return switch (type.kind()) {
            case BOOLEAN, TINYINT, SMALLINT, MEDIUMINT, INT, BIGINT, LARGEINT -> 0;
            case DECIMAL -> type.scale();
            default -> null;
        };
    }

    @Nullable
    private static Integer temporalDigits(ColumnType type) {
        return switch (type.kind()) {
            case DATETIME, TIMESTAMP, TIME -> type.scale();
            default -> null;
        };
    }

    private static String systemType(ColumnType type) {
        return switch (type.kind()) {
            case VARCHAR -> "varchar(" + type.length() + ")";
            case TEXT -> "longtext";
            case BIGINT -> "bigint unsigned";
            case INT -> "int";
            default -> "datetime";
        };
    }
}
