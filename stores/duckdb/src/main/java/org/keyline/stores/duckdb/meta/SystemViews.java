package org.keyline.stores.duckdb.meta;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.ColumnType.Kind;
import org.keyline.planner.TableName;
import org.keyline.stores.duckdb.engine.EngineConnection;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.DuckTypes;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.Resources;

/**
 * The tables of {@code information_schema} and {@code performance_schema} that clients read, with
 * the same columns as in MySQL. A table that shows the state of a session is a temporary table of
 * the session's connection, and is filled before each read.
 */
public final class SystemViews {
    /** DuckDB's schema of the tables that all sessions share. */
    static final String SHARED_SCHEMA = "__keyline_info";

    /** DuckDB's schema of the tables of one session. */
    private static final String SESSION_SCHEMA = "temp";

    private static final List<String> SCHEMAS = List.of("information_schema", "performance_schema", "mysql", "sys");

    private static final Map<String, Relation> VIEWS = views();

    private SystemViews() {}

    private static Map<String, Relation> views() {
        Map<String, Relation> views = new LinkedHashMap<>();
        for (String line : Resources.lines(SystemViews.class, "views.txt")) {
            boolean ofSession = line.startsWith("*");
            add(views, line.substring(ofSession ? 1 : 0), ofSession ? SESSION_SCHEMA : SHARED_SCHEMA);
        }
        return views;
    }

    private static void add(Map<String, Relation> views, String line, String duckSchema) {
        String[] words = line.split(" ", -1);
        List<ColumnSchema> columns = new ArrayList<>();
        for (int i = 1; i < words.length; i++) {
            int colon = words[i].indexOf(':');
            columns.add(ColumnSchema.of(
                    words[i].substring(0, colon), type(words[i].charAt(colon + 1)), !words[i].endsWith("!")));
        }
        TableName name = new TableName("information_schema", words[0]);
        views.put(words[0], Relation.view(name, duckSchema, words[0], columns));
    }

    private static ColumnType type(char letter) {
        return switch (letter) {
            case 'v' -> new ColumnType(Kind.VARCHAR, false, 64, 0, null);
            case 'w' -> new ColumnType(Kind.VARCHAR, false, 256, 0, null);
            case 't' -> new ColumnType(Kind.TEXT, false, Integer.MAX_VALUE, 0, null);
            case 'b' -> new ColumnType(Kind.BIGINT, true, 0, 0, null);
            case 'i' -> ColumnType.of(Kind.INT);
            case 'd' -> ColumnType.of(Kind.DATETIME);
            default -> throw new IllegalStateException("type letter: " + letter);
        };
    }

    /** Returns whether a database is a system database, such as information_schema. */
    public static boolean isSystem(String schema) {
        return systemName(schema) != null;
    }

    /** Returns the name of a system database, as MySQL spells it; null for any other database. */
    @Nullable
    static String systemName(String schema) {
        for (String system : SCHEMAS) {
            if (system.equalsIgnoreCase(schema)) {
                return system;
            }
        }
        return null;
    }

    /** Returns the system databases, which SHOW DATABASES lists. */
    static List<String> schemas() {
        return SCHEMAS;
    }

    /** Returns a table in a system database; null if it does not exist. */
    @Nullable
    static Relation relation(TableName name) {
        String schema = systemName(name.schema());
        String table = name.table().toUpperCase(Locale.ROOT);
        Relation view = VIEWS.get(table);
        if (view == null || schema == null) {
            return null;
        }
        boolean found = switch (schema) {
            case "information_schema" -> true;
            case "performance_schema" ->
                table.endsWith("_VARIABLES")
                        || table.endsWith("_STATUS")
                        || table.equals("PROCESSLIST")
                        || table.equals("KEYWORDS");
            default -> false;
        };
        return found ? view : null;
    }

    /** Returns whether this is a temporary table of each session's connection. */
    public static boolean isOfSession(Relation relation) {
        return relation.duckSchema().equals(SESSION_SCHEMA);
    }

    static List<Relation> all() {
        return List.copyOf(VIEWS.values());
    }

    /** Creates a session's own table with these rows, in its connection. */
    public static void fill(Relation view, List<List<@Nullable Object>> rows, EngineConnection connection)
            throws SQLException {
        connection.execute("CREATE OR REPLACE TEMP TABLE " + columns(view));
        connection.append(SESSION_SCHEMA, "main", view.duckTable(), rows);
    }

    /** Returns {@code name (column type, …)} for DuckDB. */
    static String columns(Relation view) {
        List<String> columns = new ArrayList<>();
        for (ColumnSchema column : view.columns()) {
            columns.add(DuckDdl.quoted(column.name()) + " " + DuckTypes.of(column.type()));
        }
        return DuckDdl.quoted(view.duckTable()) + " (" + String.join(", ", columns) + ")";
    }

    /**
     * Returns the statement that creates a view which all sessions share.
     *
     * @param select a SELECT that returns the view's columns in order; null for a view without rows
     */
    static String create(Relation view, @Nullable String select) {
        String name = SHARED_SCHEMA + "." + DuckDdl.quoted(view.duckTable());
        if (select == null) {
            return "CREATE TABLE " + SHARED_SCHEMA + "." + columns(view);
        }
        List<String> casts = new ArrayList<>();
        List<String> given = new ArrayList<>();
        for (ColumnSchema column : view.columns()) {
            String cell = "c" + given.size();
            given.add(cell);
            casts.add("CAST(" + cell + " AS " + DuckTypes.of(column.type()) + ") AS " + DuckDdl.quoted(column.name()));
        }
        return "CREATE VIEW " + name + " AS SELECT " + String.join(", ", casts) + " FROM (" + select + ") AS v("
                + String.join(", ", given) + ")";
    }

    /** Returns a column's type as MySQL prints it. */
    static String typeText(ColumnType type) {
        return switch (type.kind()) {
            case VARCHAR -> "varchar(" + type.length() + ")";
            case TEXT -> "longtext";
            case BIGINT -> "bigint unsigned";
            case INT -> "int";
            default -> "datetime";
        };
    }
}
