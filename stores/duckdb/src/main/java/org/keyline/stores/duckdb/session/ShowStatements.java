package org.keyline.stores.duckdb.session;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.meta.StoredView;
import org.keyline.stores.duckdb.translate.Relations;

/**
 * SHOW and DESCRIBE as SELECT on {@code information_schema}, so that LIKE, WHERE, prepared statements and result metadata need
 * no rules of their own.
 */
final class ShowStatements {
    /** What stands behind EXPLAIN for one of Doris's plans, and what may follow. */
    private static final Set<String> PLANS = Set.of(
            "ALL",
            "ANALYZED",
            "DISTRIBUTED",
            "DUMP",
            "GRAPH",
            "LOGICAL",
            "MEMO",
            "OPTIMIZED",
            "PARSED",
            "PHYSICAL",
            "PLAN",
            "REWRITTEN",
            "SHAPE",
            "TREE");

    private static final Set<String> EXPLAINED = Set.of(
            "DELETE", "DUMP", "GRAPH", "INSERT", "PLAN", "PROCESS", "SELECT", "TREE", "UPDATE", "VALUES", "VERBOSE",
            "WITH");

    private final Words words;
    private final DuckDbState session;

    ShowStatements(Words words, DuckDbState session) {
        this.words = words;
        this.session = session;
    }

    /** The SELECT that answers a SHOW; the word SHOW is taken. */
    String select() {
        boolean full = words.take("FULL");
        words.take("EXTENDED");
        boolean global = words.take("GLOBAL");
        if (!global && !words.take("SESSION")) {
            words.take("LOCAL");
        }
        if (words.take("DATABASES") || words.take("SCHEMAS")) {
            if (words.take("FROM") && !words.name().equalsIgnoreCase("internal")) {
                throw StatementRefusedException.unsupported("catalogs other than internal");
            }
            return filtered(
                    "SELECT SCHEMA_NAME AS `Database` FROM information_schema.SCHEMATA", "Database", "`Database`");
        }
        if (words.take("TABLES")) {
            return tables(full, "");
        }
        if (words.take("VIEWS")) {
            return tables(full, " AND TABLE_TYPE LIKE '%VIEW'");
        }
        if (words.take("COLUMNS") || words.take("FIELDS")) {
            return columns(full, tableName());
        }
        if (words.take("VARIABLES")) {
            return variables(global ? "GLOBAL_VARIABLES" : "SESSION_VARIABLES");
        }
        if (words.take("STATUS")) {
            return variables(global ? "GLOBAL_STATUS" : "SESSION_STATUS");
        }
        if (words.take("WARNINGS")) {
            return diagnostics("");
        }
        if (words.take("ERRORS")) {
            return diagnostics(" WHERE LEVEL = 'Error'");
        }
        if (words.take("PROCESSLIST")) {
            return end(
                    "SELECT ID AS Id, USER AS User, HOST AS Host, DB AS db, COMMAND AS Command, TIME AS Time, STATE AS"
                            + " State, " + (full ? "INFO" : "LEFT(INFO, 100)")
                            + " AS Info FROM information_schema.PROCESSLIST ORDER BY ID");
        }
        if (words.take("ENGINES") || words.takeAll("STORAGE", "ENGINES")) {
            return end(
                    "SELECT ENGINE AS Engine, SUPPORT AS Support, COMMENT AS Comment, TRANSACTIONS AS Transactions, XA,"
                            + " SAVEPOINTS AS Savepoints FROM information_schema.ENGINES");
        }
        return more();
    }

    private String more() {
        if (words.is("INDEX") && words.token(1).is("STATS")) {
            throw refused();
        }
        if (words.is("ALTER")
                && List.of("COLUMN", "ROLLUP", "MATERIALIZED").stream().anyMatch(words.token(2)::is)) {
            // Changes of a table are done when their statement is answered.
            return "SELECT '' AS JobId, '' AS TableName, '' AS CreateTime, '' AS FinishTime, '' AS IndexName, '' AS IndexId,"
                    + " '' AS OriginIndexId, '' AS SchemaVersion, '' AS TransactionId, '' AS State, '' AS Msg, '' AS Progress,"
                    + " '' AS Timeout FROM information_schema.TABLES WHERE FALSE";
        }
        if (words.take("COLLATION")) {
            return filtered(
                    "SELECT COLLATION_NAME AS `Collation`, CHARACTER_SET_NAME AS `Charset`, ID AS Id, IS_DEFAULT AS `Default`,"
                            + " IS_COMPILED AS Compiled, SORTLEN AS Sortlen, PAD_ATTRIBUTE AS Pad_attribute"
                            + " FROM information_schema.COLLATIONS",
                    "Collation",
                    "`Collation`");
        }
        if (words.takeAll("CHARACTER", "SET") || words.takeAll("CHAR", "SET") || words.take("CHARSET")) {
            return filtered(
                    "SELECT CHARACTER_SET_NAME AS `Charset`, DESCRIPTION AS Description, DEFAULT_COLLATE_NAME AS"
                            + " `Default collation`, MAXLEN AS Maxlen FROM information_schema.CHARACTER_SETS",
                    "Charset",
                    "`Charset`");
        }
        if (words.take("INDEX") || words.take("INDEXES") || words.take("KEYS") || words.take("KEY")) {
            return indexes(tableName());
        }
        if (words.takeAll("TABLE", "STATUS")) {
            return tableStatus();
        }
        if (words.take("PLUGINS")) {
            return "SELECT PLUGIN_NAME AS Name, PLUGIN_STATUS AS Status, PLUGIN_TYPE AS Type, PLUGIN_LIBRARY AS Library,"
                    + " PLUGIN_LICENSE AS License FROM information_schema.PLUGINS";
        }
        if (words.takeAll("PROCEDURE", "STATUS") || words.takeAll("FUNCTION", "STATUS")) {
            return filtered(
                    "SELECT ROUTINE_SCHEMA AS Db, ROUTINE_NAME AS Name, ROUTINE_TYPE AS Type, DEFINER AS Definer, LAST_ALTERED"
                            + " AS Modified, CREATED AS Created, SECURITY_TYPE AS Security_type, ROUTINE_COMMENT AS Comment,"
                            + " CHARACTER_SET_CLIENT AS character_set_client, COLLATION_CONNECTION AS collation_connection,"
                            + " DATABASE_COLLATION AS `Database Collation` FROM information_schema.ROUTINES",
                    "Name",
                    "Name");
        }
        if (words.take("TRIGGERS")) {
            String schema = schema();
            return filtered(
                    "SELECT TRIGGER_NAME AS `Trigger`, EVENT_MANIPULATION AS Event, EVENT_OBJECT_TABLE AS `Table`,"
                            + " ACTION_STATEMENT AS Statement, ACTION_TIMING AS Timing, CREATED AS Created, SQL_MODE AS sql_mode,"
                            + " DEFINER AS Definer, CHARACTER_SET_CLIENT AS character_set_client, COLLATION_CONNECTION AS"
                            + " collation_connection, DATABASE_COLLATION AS `Database Collation` FROM"
                            + " information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = " + SqlText.quoted(schema),
                    "Table",
                    "`Trigger`");
        }
        if (words.take("EVENTS")) {
            String schema = schema();
            return filtered(
                    "SELECT EVENT_SCHEMA AS Db, EVENT_NAME AS Name, DEFINER AS Definer, TIME_ZONE AS `Time zone`, EVENT_TYPE AS"
                            + " Type, STATUS AS Status FROM information_schema.EVENTS WHERE EVENT_SCHEMA = "
                            + SqlText.quoted(schema),
                    "Name",
                    "Name");
        }
        if (words.take("PARTITIONS")) {
            TableName table = known(tableName());
            String like = pattern();
            return "SELECT * FROM (SELECT PARTITION_ORDINAL_POSITION AS PartitionId, PARTITION_NAME AS PartitionName,"
                    + " PARTITION_METHOD AS Method, PARTITION_EXPRESSION AS PartitionKey FROM information_schema.PARTITIONS"
                    + " WHERE " + where(table) + (like == null ? "" : " AND " + like("PARTITION_NAME", like))
                    + " ORDER BY PARTITION_ORDINAL_POSITION) AS shown " + tail();
        }
        if (words.takeAll("OPEN", "TABLES")) {
            return "SELECT TABLE_SCHEMA AS `Database`, TABLE_NAME AS `Table`, 0 AS In_use, 0 AS Name_locked FROM"
                    + " information_schema.TABLES WHERE FALSE";
        }
        if (words.take("PRIVILEGES")) {
            return "SELECT DISTINCT PRIVILEGE_TYPE AS Privilege, 'Server Admin' AS Context, '' AS Comment FROM"
                    + " information_schema.USER_PRIVILEGES";
        }
        if (words.take("MASTER")
                || words.take("BINARY")
                || words.take("SLAVE")
                || words.take("REPLICA")
                || words.take("REPLICAS")) {
            throw StatementRefusedException.unsupported("replication: it writes no binary log");
        }
        throw words.token().type() == TokenType.WORD ? refused() : words.error("what is to be shown");
    }

    /** The error for a SHOW that this store does not answer, such as those about a cluster of Doris. */
    private StatementRefusedException refused() {
        Token next = words.token(1);
        String second = next.type() == TokenType.WORD ? " " + next.text() : "";
        return StatementRefusedException.unsupported(
                ("SHOW " + words.token().text() + second).toUpperCase(Locale.ROOT));
    }

    /** Returns what an EXPLAIN or DESCRIBE of Doris asks for that is not shown here, such as a stage of its planner; else null. */
    static @Nullable String explained(Words words) {
        Token kind = words.token();
        Token next = words.token(1);
        if ((kind.is("FUNCTION") || kind.is("DICTIONARY")) && next.type().isName()) {
            return "DESCRIBE " + kind.text().toUpperCase(Locale.ROOT);
        }
        boolean shown = next.isSymbol("(") || EXPLAINED.contains(next.text().toUpperCase(Locale.ROOT));
        return shown && PLANS.contains(kind.text().toUpperCase(Locale.ROOT))
                ? "EXPLAIN " + kind.text().toUpperCase(Locale.ROOT)
                : null;
    }

    private String end(String select) {
        words.expectEnd();
        return select;
    }

    /** What Doris takes behind some of its SHOW: conditions, order and limit, over the columns shown. */
    private String tail() {
        if (!words.atEnd() && !words.is("WHERE") && !words.is("ORDER") && !words.is("LIMIT")) {
            throw words.error("LIMIT");
        }
        return words.rest();
    }

    private String tables(boolean full, String condition) {
        String schema = schema();
        String like = pattern();
        String name = "Tables_in_" + schema + (like == null ? "" : " (" + like + ")");
        String column = SqlText.name(name);
        String select = "SELECT TABLE_NAME AS " + column + (full ? ", TABLE_TYPE AS Table_type" : "")
                + " FROM information_schema.TABLES WHERE TABLE_SCHEMA = " + SqlText.quoted(schema) + condition;
        if (like != null) {
            return select + " AND " + like("TABLE_NAME", like) + " ORDER BY TABLE_NAME";
        }
        return where(select, "TABLE_NAME");
    }

    /** DESCRIBE table [column or pattern]; the word is taken. */
    String describe() {
        TableName table = name();
        boolean partitions = words.is("PARTITION") || words.is("PARTITIONS") || words.is("TEMPORARY");
        if (words.is("ALL") || (partitions && words.token(1).type() != TokenType.END)) {
            throw StatementRefusedException.unsupported(
                    "DESCRIBE " + words.token().text().toUpperCase(Locale.ROOT));
        }
        return columns(false, table);
    }

    private String columns(boolean full, TableName named) {
        TableName table = known(named);
        String select = "SELECT COLUMN_NAME AS Field, COLUMN_TYPE AS Type, "
                + (full ? "COLLATION_NAME AS `Collation`, " : "")
                + "IS_NULLABLE AS `Null`, COLUMN_KEY AS `Key`, COLUMN_DEFAULT AS `Default`, EXTRA AS Extra"
                + (full ? ", PRIVILEGES AS Privileges, COLUMN_COMMENT AS Comment" : "")
                + " FROM information_schema.COLUMNS WHERE " + where(table);
        String like = pattern();
        if (like == null
                && ((words.token().type().isName() && !words.is("WHERE"))
                        || words.token().type() == TokenType.STRING)) {
            like = words.nameOrString();
        }
        if (like != null) {
            words.expectEnd();
            return select + " AND " + like("COLUMN_NAME", like) + " ORDER BY ORDINAL_POSITION";
        }
        return where(select, "ORDINAL_POSITION");
    }

    private String indexes(TableName named) {
        TableName table = known(named);
        return where(
                "SELECT TABLE_NAME AS `Table`, NON_UNIQUE AS Non_unique, INDEX_NAME AS Key_name, SEQ_IN_INDEX AS Seq_in_index,"
                        + " COLUMN_NAME AS Column_name, COLLATION AS `Collation`, CARDINALITY AS Cardinality, SUB_PART AS"
                        + " Sub_part, PACKED AS Packed, NULLABLE AS `Null`, INDEX_TYPE AS Index_type, COMMENT AS Comment,"
                        + " INDEX_COMMENT AS Index_comment, IS_VISIBLE AS Visible, EXPRESSION AS Expression FROM"
                        + " information_schema.STATISTICS WHERE " + where(table),
                "INDEX_NAME, SEQ_IN_INDEX");
    }

    private String tableStatus() {
        String schema = schema();
        String select =
                "SELECT TABLE_NAME AS Name, ENGINE AS Engine, VERSION AS Version, ROW_FORMAT AS Row_format, TABLE_ROWS AS"
                        + " `Rows`, AVG_ROW_LENGTH AS Avg_row_length, DATA_LENGTH AS Data_length, MAX_DATA_LENGTH AS Max_data_length,"
                        + " INDEX_LENGTH AS Index_length, DATA_FREE AS Data_free, AUTO_INCREMENT AS Auto_increment, CREATE_TIME AS"
                        + " Create_time, UPDATE_TIME AS Update_time, CHECK_TIME AS Check_time, TABLE_COLLATION AS `Collation`, CHECKSUM"
                        + " AS `Checksum`, CREATE_OPTIONS AS Create_options, TABLE_COMMENT AS Comment FROM information_schema.TABLES"
                        + " WHERE TABLE_SCHEMA = " + SqlText.quoted(schema);
        String like = pattern();
        if (like != null) {
            return select + " AND " + like("TABLE_NAME", like) + " ORDER BY TABLE_NAME";
        }
        return where(select, "TABLE_NAME");
    }

    private String variables(String view) {
        return filtered(
                "SELECT VARIABLE_NAME AS Variable_name, VARIABLE_VALUE AS Value FROM information_schema." + view,
                "Variable_name",
                "Variable_name");
    }

    private String diagnostics(String condition) {
        String limit = words.rest();
        return "SELECT LEVEL AS Level, CODE AS Code, MESSAGE AS Message FROM information_schema.KEYLINE_DIAGNOSTICS"
                + condition + " ORDER BY ORDINAL " + limit;
    }

    /** LIKE 'pattern'; null where there is none. */
    @Nullable
    private String pattern() {
        return words.take("LIKE") ? words.string() : null;
    }

    private String filtered(String select, String likeColumn, String order) {
        String like = pattern();
        if (like != null) {
            words.expectEnd();
            return "SELECT * FROM (" + select + ") AS shown WHERE " + like(SqlText.name(likeColumn), like)
                    + " ORDER BY " + order;
        }
        if (words.take("WHERE")) {
            return "SELECT * FROM (" + select + ") AS shown WHERE " + words.rest() + " ORDER BY " + order;
        }
        words.expectEnd();
        return select + " ORDER BY " + order;
    }

    /** A SELECT whose WHERE, if any, is over the columns shown; rows stay in the order of the view. */
    private String where(String select, String order) {
        if (words.take("WHERE")) {
            return "SELECT * FROM (" + select + " ORDER BY " + order + ") AS shown WHERE " + words.rest();
        }
        words.expectEnd();
        return select + " ORDER BY " + order;
    }

    private static String where(TableName table) {
        return "TABLE_SCHEMA = " + SqlText.quoted(table.schema()) + " AND TABLE_NAME = "
                + SqlText.quoted(table.table());
    }

    /** [FROM | IN database], else the current one. */
    private String schema() {
        if (words.take("FROM") || words.take("IN")) {
            String name = words.database();
            String found = session.services().catalog().database(name);
            if (found == null) {
                throw Errors.error(1049, "42000", "Unknown database '" + name + "'");
            }
            return found;
        }
        return current();
    }

    private String current() {
        String schema = session.database();
        if (schema == null) {
            throw Errors.error(1046, "3D000", "No database selected");
        }
        return schema;
    }

    /** FROM | IN table [FROM | IN database]. */
    private TableName tableName() {
        if (!words.take("FROM") && !words.take("IN")) {
            throw words.error("FROM");
        }
        TableName name = name();
        return words.take("FROM") || words.take("IN") ? new TableName(words.database(), name.table()) : name;
    }

    /** [[internal .] database .] table. */
    TableName name() {
        String first = words.name();
        if (!words.takeSymbol(".")) {
            return new TableName(current(), first);
        }
        String second = words.name();
        if (!words.takeSymbol(".")) {
            return new TableName(first, second);
        }
        Words.requireInternal(first);
        return new TableName(second, words.name());
    }

    /** The table as the catalog spells it; 1146 where there is none. */
    private TableName known(TableName name) {
        Relations.Relation relation = session.services().catalog().relation(name);
        if (relation == null) {
            throw Errors.error(1146, "42S02", "Table '" + name + "' doesn't exist");
        }
        StoredView view = session.services().catalog().view(name);
        if (view != null && view.columns() == null && relation.view() != null) {
            throw relation.view().invalid();
        }
        return relation.name();
    }

    /** Names are compared without regard to letter case. */
    private static String like(String column, String pattern) {
        return "LOWER(" + column + ") LIKE " + SqlText.quoted(pattern.toLowerCase(Locale.ROOT));
    }

    /** Columns of what statements of MySQL's administration answer. */
    static List<String> maintenanceColumns() {
        return List.of("Table", "Op", "Msg_type", "Msg_text");
    }
}
