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
import org.keyline.stores.duckdb.translate.Relations.Relation;

/**
 * The tables of {@code information_schema}, {@code performance_schema} and {@code mysql} that clients ask for, with MySQL's
 * columns. Those that hold a session's own state live in temporary tables of its connection, filled before they are read.
 */
public final class SystemViews {
    /** Where DuckDB has the tables that all sessions share. */
    static final String SHARED_SCHEMA = "__keyline_info";

    /** Where DuckDB has the tables of one session. */
    private static final String SESSION_SCHEMA = "temp";

    private static final List<String> SCHEMAS = List.of("information_schema", "performance_schema", "mysql", "sys");

    /*
     * One line a table: name, then columns. The letter after the colon is the type: v = varchar(64), w = varchar(256),
     * t = longtext, b = bigint unsigned, i = int, d = datetime; ! is NOT NULL. Tables after the arrow are a session's own.
     */
    private static final String SHARED = """
            SCHEMATA CATALOG_NAME:v! SCHEMA_NAME:v! DEFAULT_CHARACTER_SET_NAME:v! DEFAULT_COLLATION_NAME:v! SQL_PATH:v DEFAULT_ENCRYPTION:v!
            TABLES TABLE_CATALOG:v! TABLE_SCHEMA:v! TABLE_NAME:v! TABLE_TYPE:v! ENGINE:v VERSION:i ROW_FORMAT:v TABLE_ROWS:b AVG_ROW_LENGTH:b DATA_LENGTH:b MAX_DATA_LENGTH:b INDEX_LENGTH:b DATA_FREE:b AUTO_INCREMENT:b CREATE_TIME:d! UPDATE_TIME:d CHECK_TIME:d TABLE_COLLATION:v CHECKSUM:b CREATE_OPTIONS:w TABLE_COMMENT:t
            COLUMNS TABLE_CATALOG:v! TABLE_SCHEMA:v! TABLE_NAME:v! COLUMN_NAME:v ORDINAL_POSITION:b! COLUMN_DEFAULT:t IS_NULLABLE:v! DATA_TYPE:t CHARACTER_MAXIMUM_LENGTH:b CHARACTER_OCTET_LENGTH:b NUMERIC_PRECISION:b NUMERIC_SCALE:b DATETIME_PRECISION:b CHARACTER_SET_NAME:v COLLATION_NAME:v COLUMN_TYPE:t! COLUMN_KEY:v! EXTRA:w PRIVILEGES:w COLUMN_COMMENT:t! GENERATION_EXPRESSION:t! SRS_ID:b
            STATISTICS TABLE_CATALOG:v! TABLE_SCHEMA:v! TABLE_NAME:v! NON_UNIQUE:i! INDEX_SCHEMA:v! INDEX_NAME:v SEQ_IN_INDEX:b! COLUMN_NAME:v COLLATION:v CARDINALITY:b SUB_PART:b PACKED:v NULLABLE:v! INDEX_TYPE:v! COMMENT:v! INDEX_COMMENT:t! IS_VISIBLE:v! EXPRESSION:t
            KEY_COLUMN_USAGE CONSTRAINT_CATALOG:v! CONSTRAINT_SCHEMA:v! CONSTRAINT_NAME:v TABLE_CATALOG:v! TABLE_SCHEMA:v! TABLE_NAME:v! COLUMN_NAME:v ORDINAL_POSITION:b! POSITION_IN_UNIQUE_CONSTRAINT:b REFERENCED_TABLE_SCHEMA:v REFERENCED_TABLE_NAME:v REFERENCED_COLUMN_NAME:v
            TABLE_CONSTRAINTS CONSTRAINT_CATALOG:v! CONSTRAINT_SCHEMA:v! CONSTRAINT_NAME:v TABLE_SCHEMA:v! TABLE_NAME:v! CONSTRAINT_TYPE:v! ENFORCED:v!
            REFERENTIAL_CONSTRAINTS CONSTRAINT_CATALOG:v! CONSTRAINT_SCHEMA:v! CONSTRAINT_NAME:v UNIQUE_CONSTRAINT_CATALOG:v! UNIQUE_CONSTRAINT_SCHEMA:v! UNIQUE_CONSTRAINT_NAME:v MATCH_OPTION:v! UPDATE_RULE:v! DELETE_RULE:v! TABLE_NAME:v! REFERENCED_TABLE_NAME:v!
            CHECK_CONSTRAINTS CONSTRAINT_CATALOG:v! CONSTRAINT_SCHEMA:v! CONSTRAINT_NAME:v! CHECK_CLAUSE:t!
            PARTITIONS TABLE_CATALOG:v! TABLE_SCHEMA:v! TABLE_NAME:v! PARTITION_NAME:v SUBPARTITION_NAME:v PARTITION_ORDINAL_POSITION:b SUBPARTITION_ORDINAL_POSITION:b PARTITION_METHOD:v SUBPARTITION_METHOD:v PARTITION_EXPRESSION:t SUBPARTITION_EXPRESSION:t PARTITION_DESCRIPTION:t TABLE_ROWS:b AVG_ROW_LENGTH:b DATA_LENGTH:b MAX_DATA_LENGTH:b INDEX_LENGTH:b DATA_FREE:b CREATE_TIME:d! UPDATE_TIME:d CHECK_TIME:d CHECKSUM:b PARTITION_COMMENT:t! NODEGROUP:v TABLESPACE_NAME:v
            TABLE_OPTIONS TABLE_CATALOG:v TABLE_SCHEMA:v TABLE_NAME:v TABLE_MODEL:t TABLE_MODEL_KEY:t DISTRIBUTE_KEY:t DISTRIBUTE_TYPE:t BUCKETS_NUM:i PARTITION_NUM:i
            ROUTINES SPECIFIC_NAME:v! ROUTINE_CATALOG:v! ROUTINE_SCHEMA:v! ROUTINE_NAME:v! ROUTINE_TYPE:v! DATA_TYPE:t CHARACTER_MAXIMUM_LENGTH:b CHARACTER_OCTET_LENGTH:b NUMERIC_PRECISION:b NUMERIC_SCALE:b DATETIME_PRECISION:b CHARACTER_SET_NAME:v COLLATION_NAME:v DTD_IDENTIFIER:t ROUTINE_BODY:v! ROUTINE_DEFINITION:t EXTERNAL_NAME:v EXTERNAL_LANGUAGE:v! PARAMETER_STYLE:v! IS_DETERMINISTIC:v! SQL_DATA_ACCESS:v! SQL_PATH:v SECURITY_TYPE:v! CREATED:d! LAST_ALTERED:d! SQL_MODE:t! ROUTINE_COMMENT:t! DEFINER:w! CHARACTER_SET_CLIENT:v! COLLATION_CONNECTION:v! DATABASE_COLLATION:v!
            PARAMETERS SPECIFIC_CATALOG:v! SPECIFIC_SCHEMA:v! SPECIFIC_NAME:v! ORDINAL_POSITION:b! PARAMETER_MODE:v PARAMETER_NAME:v DATA_TYPE:t CHARACTER_MAXIMUM_LENGTH:b CHARACTER_OCTET_LENGTH:b NUMERIC_PRECISION:b NUMERIC_SCALE:b DATETIME_PRECISION:b CHARACTER_SET_NAME:v COLLATION_NAME:v DTD_IDENTIFIER:t! ROUTINE_TYPE:v!
            VIEWS TABLE_CATALOG:v! TABLE_SCHEMA:v! TABLE_NAME:v! VIEW_DEFINITION:t CHECK_OPTION:v IS_UPDATABLE:v DEFINER:w SECURITY_TYPE:v CHARACTER_SET_CLIENT:v! COLLATION_CONNECTION:v!
            TRIGGERS TRIGGER_CATALOG:v! TRIGGER_SCHEMA:v! TRIGGER_NAME:v! EVENT_MANIPULATION:v! EVENT_OBJECT_CATALOG:v! EVENT_OBJECT_SCHEMA:v! EVENT_OBJECT_TABLE:v! ACTION_ORDER:b! ACTION_CONDITION:t ACTION_STATEMENT:t! ACTION_ORIENTATION:v! ACTION_TIMING:v! CREATED:d! SQL_MODE:t! DEFINER:w! CHARACTER_SET_CLIENT:v! COLLATION_CONNECTION:v! DATABASE_COLLATION:v!
            EVENTS EVENT_CATALOG:v! EVENT_SCHEMA:v! EVENT_NAME:v! DEFINER:w! TIME_ZONE:v! EVENT_BODY:v! EVENT_DEFINITION:t! EVENT_TYPE:v! EXECUTE_AT:d INTERVAL_VALUE:w INTERVAL_FIELD:v SQL_MODE:t! STARTS:d ENDS:d STATUS:v! ON_COMPLETION:v! CREATED:d! LAST_ALTERED:d! LAST_EXECUTED:d EVENT_COMMENT:t! ORIGINATOR:b! CHARACTER_SET_CLIENT:v! COLLATION_CONNECTION:v! DATABASE_COLLATION:v!
            CHARACTER_SETS CHARACTER_SET_NAME:v! DEFAULT_COLLATE_NAME:v! DESCRIPTION:w! MAXLEN:b!
            COLLATIONS COLLATION_NAME:v! CHARACTER_SET_NAME:v! ID:b! IS_DEFAULT:v! IS_COMPILED:v! SORTLEN:b! PAD_ATTRIBUTE:v!
            COLLATION_CHARACTER_SET_APPLICABILITY COLLATION_NAME:v! CHARACTER_SET_NAME:v!
            ENGINES ENGINE:v! SUPPORT:v! COMMENT:w! TRANSACTIONS:v XA:v SAVEPOINTS:v
            PLUGINS PLUGIN_NAME:v! PLUGIN_VERSION:v! PLUGIN_STATUS:v! PLUGIN_TYPE:v! PLUGIN_TYPE_VERSION:v! PLUGIN_LIBRARY:v PLUGIN_LIBRARY_VERSION:v PLUGIN_AUTHOR:v PLUGIN_DESCRIPTION:t PLUGIN_LICENSE:v LOAD_OPTION:v!
            KEYWORDS WORD:v RESERVED:i
            USER_PRIVILEGES GRANTEE:w! TABLE_CATALOG:v! PRIVILEGE_TYPE:v! IS_GRANTABLE:v!
            SCHEMA_PRIVILEGES GRANTEE:w! TABLE_CATALOG:v! TABLE_SCHEMA:v! PRIVILEGE_TYPE:v! IS_GRANTABLE:v!
            TABLE_PRIVILEGES GRANTEE:w! TABLE_CATALOG:v! TABLE_SCHEMA:v! TABLE_NAME:v! PRIVILEGE_TYPE:v! IS_GRANTABLE:v!
            COLUMN_PRIVILEGES GRANTEE:w! TABLE_CATALOG:v! TABLE_SCHEMA:v! TABLE_NAME:v! COLUMN_NAME:v! PRIVILEGE_TYPE:v! IS_GRANTABLE:v!
            """;

    private static final String OF_SESSION = """
            PROCESSLIST ID:b! USER:v! HOST:w! DB:v COMMAND:v! TIME:i! STATE:v INFO:t
            SESSION_VARIABLES VARIABLE_NAME:v! VARIABLE_VALUE:t
            GLOBAL_VARIABLES VARIABLE_NAME:v! VARIABLE_VALUE:t
            SESSION_STATUS VARIABLE_NAME:v! VARIABLE_VALUE:t
            GLOBAL_STATUS VARIABLE_NAME:v! VARIABLE_VALUE:t
            KEYLINE_DIAGNOSTICS ORDINAL:b! LEVEL:v! CODE:i! MESSAGE:t!
            """;

    private static final Map<String, Relation> VIEWS = views();

    private SystemViews() {}

    private static Map<String, Relation> views() {
        Map<String, Relation> views = new LinkedHashMap<>();
        SHARED.lines().forEach(line -> add(views, line, SHARED_SCHEMA));
        OF_SESSION.lines().forEach(line -> add(views, line, SESSION_SCHEMA));
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

    /** Whether a database is one of the server's own. */
    public static boolean isSystem(String schema) {
        return systemName(schema) != null;
    }

    /** A database of the server's own as MySQL spells it; null for any other. */
    @Nullable
    static String systemName(String schema) {
        for (String system : SCHEMAS) {
            if (system.equalsIgnoreCase(schema)) {
                return system;
            }
        }
        return null;
    }

    /** The databases of the server's own, which SHOW DATABASES lists. */
    static List<String> schemas() {
        return SCHEMAS;
    }

    /** The table of this name in a database of the server's own; null if there is none. */
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

    /** Whether DuckDB has this table in the session's own connection. */
    public static boolean isOfSession(Relation relation) {
        return relation.duckSchema().equals(SESSION_SCHEMA);
    }

    /** All tables, those of sessions included. */
    static List<Relation> all() {
        return List.copyOf(VIEWS.values());
    }

    /** Makes the tables of one session in its connection, empty. */
    public static List<String> sessionTables() {
        List<String> statements = new ArrayList<>();
        for (Relation view : VIEWS.values()) {
            if (isOfSession(view)) {
                statements.add("CREATE OR REPLACE TEMP TABLE " + columns(view));
            }
        }
        return statements;
    }

    /** Appends rows of a session's own table, in its connection. */
    public static void append(Relation view, List<List<@Nullable Object>> rows, EngineConnection connection)
            throws SQLException {
        connection.append(SESSION_SCHEMA, "main", view.duckTable(), converted(view, rows));
    }

    /** Numbers as the columns have them, whichever they were given as. */
    private static List<List<@Nullable Object>> converted(Relation view, List<List<@Nullable Object>> rows) {
        List<List<@Nullable Object>> converted = new ArrayList<>(rows.size());
        for (List<@Nullable Object> row : rows) {
            List<@Nullable Object> cells = new ArrayList<>(row);
            for (int i = 0; i < cells.size(); i++) {
                if (cells.get(i) instanceof Number number) {
                    boolean isLong = view.columns().get(i).type().kind() == Kind.BIGINT;
                    cells.set(i, isLong ? (Object) number.longValue() : (Object) number.intValue());
                }
            }
            converted.add(cells);
        }
        return converted;
    }

    /** {@code name (column type, …)} for DuckDB. */
    static String columns(Relation view) {
        List<String> columns = new ArrayList<>();
        for (ColumnSchema column : view.columns()) {
            columns.add(
                    DuckDdl.quoted(column.name()) + " " + duckType(column.type().kind()));
        }
        return DuckDdl.quoted(view.duckTable()) + " (" + String.join(", ", columns) + ")";
    }

    /**
     * Returns the statement that creates a view which all sessions share.
     *
     * @param select its columns in order; null for a view without rows
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
            casts.add(
                    "CAST(" + cell + " AS " + duckType(column.type().kind()) + ") AS " + DuckDdl.quoted(column.name()));
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

    private static String duckType(Kind kind) {
        return switch (kind) {
            case BIGINT -> "UBIGINT";
            case INT -> "INTEGER";
            case DATETIME -> "TIMESTAMP";
            default -> "VARCHAR";
        };
    }
}
