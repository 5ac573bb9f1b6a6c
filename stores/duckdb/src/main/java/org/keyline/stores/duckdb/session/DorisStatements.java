package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.SqlText;

/**
 * What Doris's administrators ask of a cluster, answered for the one node that this is: SHOW FRONTENDS, BACKENDS, PROC, TABLETS
 * and their like. Columns have Doris's names. Each becomes a SELECT, so that prepared statements need no rules of their own.
 */
final class DorisStatements {
    private static final String NODE = "keyline";
    private static final String ID = "1";

    private final Words words;
    private final DuckDbState session;
    private final ShowStatements shows;

    DorisStatements(Words words, DuckDbState session) {
        this.words = words;
        this.session = session;
        this.shows = new ShowStatements(words, session);
    }

    /** The SELECT that answers a SHOW that only Doris has; null if it is none; 1235 for those that have no answer here. */
    @Nullable
    String select() {
        if (words.take("FRONTENDS")) {
            words.take("DISKS");
            return end(frontends());
        }
        if (words.take("BACKENDS")) {
            return end(backends());
        }
        if (words.take("PROC")) {
            return proc(words.string());
        }
        if (words.takeAll("TABLETS", "FROM")) {
            return tablets(shows.known(shows.name()));
        }
        if (words.takeAll("TABLE", "STATS")) {
            if (words.peek().type() == TokenType.INTEGER) {
                throw StatementRefusedException.unsupported("SHOW TABLE STATS of a table's id");
            }
            shows.known(shows.name());
            if (words.at("PARTITION") || words.at("PARTITIONS") || words.atSymbol("(")) {
                throw StatementRefusedException.unsupported("SHOW TABLE STATS of partitions or columns");
            }
            return end(one(
                    "updated_rows",
                    "",
                    "query_times",
                    "",
                    "row_count",
                    "0",
                    "updated_time",
                    "",
                    "columns",
                    "",
                    "trigger",
                    "",
                    "new_partition",
                    "",
                    "user_inject",
                    "",
                    "enable_auto_analyze",
                    "true",
                    "last_analyze_time",
                    ""));
        }
        if (words.take("ANALYZE")) {
            words.rest();
            return none(
                    "job_id",
                    "catalog_name",
                    "db_name",
                    "tbl_name",
                    "col_name",
                    "job_type",
                    "analysis_type",
                    "message",
                    "last_exec_time_in_ms",
                    "state",
                    "progress",
                    "schedule_type",
                    "start_time",
                    "end_time",
                    "priority",
                    "enable_partition");
        }
        return more();
    }

    private @Nullable String more() {
        if (words.take("CATALOGS")) {
            String catalogs = one(
                    "CatalogId",
                    "0",
                    "CatalogName",
                    "internal",
                    "Type",
                    "internal",
                    "IsCurrent",
                    "Yes",
                    "CreateTime",
                    null,
                    "LastUpdateTime",
                    null,
                    "Comment",
                    "The only catalog",
                    "ErrorMsg",
                    "");
            return shows.filtered(catalogs, "CatalogName", "CatalogName");
        }
        if (words.takeAll("ROW", "POLICY")) {
            return none(
                    "PolicyName",
                    "CatalogName",
                    "DbName",
                    "TableName",
                    "Type",
                    "FilterType",
                    "WherePredicate",
                    "User",
                    "Role",
                    "OriginStmt");
        }
        if (words.take("LOAD")) {
            return none(
                    "JobId",
                    "Label",
                    "State",
                    "Progress",
                    "Type",
                    "EtlInfo",
                    "TaskInfo",
                    "ErrorMsg",
                    "CreateTime",
                    "EtlStartTime",
                    "EtlFinishTime",
                    "LoadStartTime",
                    "LoadFinishTime",
                    "URL",
                    "JobDetails",
                    "TransactionId",
                    "ErrorTablets",
                    "User",
                    "Comment",
                    "FirstErrorMsg");
        }
        if (words.takeAll("ALTER", "TABLE") && (words.at("COLUMN") || words.at("ROLLUP") || words.at("MATERIALIZED"))) {
            // Changes of a table are done when their statement is answered.
            return none(
                    "JobId",
                    "TableName",
                    "CreateTime",
                    "FinishTime",
                    "IndexName",
                    "IndexId",
                    "OriginIndexId",
                    "SchemaVersion",
                    "TransactionId",
                    "State",
                    "Msg",
                    "Progress",
                    "Timeout");
        }
        if (words.takeAll("TEMPORARY", "PARTITIONS")) {
            return none(
                    "PartitionId",
                    "PartitionName",
                    "VisibleVersion",
                    "VisibleVersionTime",
                    "State",
                    "PartitionKey",
                    "Range",
                    "DistributionKey",
                    "Buckets");
        }
        if (words.take("FUNCTIONS")) {
            return none("Function Name");
        }
        if (isRefused()) {
            throw StatementRefusedException.unsupported(
                    ("SHOW " + words.next().text() + " " + words.peek().text())
                            .strip()
                            .toUpperCase(Locale.ROOT));
        }
        return null;
    }

    /** Correct statements of Doris about things that this store has not. */
    private boolean isRefused() {
        if (words.at("INDEX") && words.peek(1).is("STATS")) {
            return true;
        }
        for (String word : List.of(
                "ALL",
                "ALTER",
                "AUTHORS",
                "AUTO",
                "BACKEND",
                "BACKUP",
                "BUILD",
                "BRIEF",
                "BROKER",
                "BUILTIN",
                "CACHE",
                "CATALOG",
                "CATALOG_RECYCLE_BIN",
                "CLUSTERS",
                "COLUMN",
                "COMPUTE",
                "CONSTRAINTS",
                "CONVERT_LIGHT_SCHEMA_CHANGE_PROCESS",
                "CONVERT_LSC",
                "COPY",
                "DATA",
                "DATABASE",
                "DELETE",
                "DICTIONARIES",
                "DYNAMIC",
                "ENCRYPTKEYS",
                "EXPORT",
                "FILE",
                "FRONTEND",
                "FULL",
                "INDEXSTATS",
                "INVERTED",
                "JOB",
                "JOBS",
                "LAST",
                "MTMV",
                "PARTITION",
                "POLICY",
                "PROPERTY",
                "QUERY",
                "QUEUED",
                "REPLICA",
                "REPOSITORIES",
                "RESOURCES",
                "RESTORE",
                "ROLES",
                "ROUTINE",
                "SNAPSHOT",
                "SQL_BLOCK_RULE",
                "STAGES",
                "STORAGE",
                "STREAM",
                "SYNC",
                "TABLE",
                "TABLET",
                "TABLETS",
                "TRANSACTION",
                "TRASH",
                "TYPECAST",
                "USER",
                "VIEW",
                "WARM",
                "WHITELIST",
                "WORKLOAD")) {
            if (words.at(word)) {
                return true;
            }
        }
        return false;
    }

    /** What an EXPLAIN or DESCRIBE of Doris asks for that is not shown here, such as the stages of its planner; else null. */
    static @Nullable String explained(Words words) {
        Token kind = words.peek();
        Token next = words.peek(1);
        if ((kind.is("FUNCTION") || kind.is("DICTIONARY")) && next.type().isName()) {
            return "DESCRIBE " + kind.text().toUpperCase(Locale.ROOT);
        }
        boolean shown = next.isSymbol("(") || EXPLAINED.stream().anyMatch(next::is);
        return shown && PLANS.stream().anyMatch(kind::is)
                ? "EXPLAIN " + kind.text().toUpperCase(Locale.ROOT)
                : null;
    }

    /** What stands behind EXPLAIN for one of Doris's plans, and what may follow. */
    private static final List<String> PLANS = List.of(
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

    private static final List<String> EXPLAINED = List.of(
            "DELETE", "DUMP", "GRAPH", "INSERT", "PLAN", "PROCESS", "SELECT", "TREE", "UPDATE", "VALUES", "VERBOSE",
            "WITH");

    private String frontends() {
        String began = session.services().began().toString().replace('T', ' ').substring(0, 19);
        String port = session.variables().get("port");
        return one(
                "Name",
                NODE,
                "Host",
                "127.0.0.1",
                "EditLogPort",
                "-1",
                "HttpPort",
                "-1",
                "QueryPort",
                port,
                "RpcPort",
                "-1",
                "ArrowFlightSqlPort",
                "-1",
                "Role",
                "FOLLOWER",
                "IsMaster",
                "true",
                "ClusterId",
                ID,
                "Join",
                "true",
                "Alive",
                "true",
                "ReplayedJournalId",
                "0",
                "LastStartTime",
                began,
                "LastHeartbeat",
                began,
                "IsHelper",
                "true",
                "ErrMsg",
                "",
                "Version",
                session.services().version(),
                "CurrentConnected",
                "Yes",
                "LiveSince",
                began);
    }

    private String backends() {
        String began = session.services().began().toString().replace('T', ' ').substring(0, 19);
        return one(
                "BackendId",
                ID,
                "Host",
                "127.0.0.1",
                "HeartbeatPort",
                "-1",
                "BePort",
                "-1",
                "HttpPort",
                "-1",
                "BrpcPort",
                "-1",
                "ArrowFlightSqlPort",
                "-1",
                "LastStartTime",
                began,
                "LastHeartbeat",
                began,
                "Alive",
                "true",
                "SystemDecommissioned",
                "false",
                "Tag",
                "{\"location\" : \"default\"}",
                "ErrMsg",
                "",
                "Version",
                session.services().version(),
                "NodeRole",
                "mix",
                "CpuCores",
                Integer.toString(Runtime.getRuntime().availableProcessors()),
                "LiveSince",
                began);
    }

    /**
     * A tablet for each partition, all on the node that SHOW BACKENDS has. What is not known of one is -1, as Doris shows it: versions,
     * sizes, and rows.
     */
    private String tablets(TableName table) {
        String id = "CAST(COALESCE(PARTITION_ORDINAL_POSITION, 1) AS CHAR)";
        List<String> items = new ArrayList<>();
        for (String name : List.of("TabletId", "ReplicaId")) {
            items.add(id + " AS " + name);
        }
        items.add("'" + ID + "' AS BackendId");
        for (String name : List.of(
                "SchemaHash",
                "Version",
                "LstSuccessVersion",
                "LstFailedVersion",
                "LstFailedTime",
                "LocalDataSize",
                "RemoteDataSize",
                "RowCount",
                "State",
                "LstConsistencyCheckTime",
                "CheckVersion",
                "VisibleVersionCount",
                "VersionCount",
                "QueryHits",
                "PathHash",
                "Path",
                "MetaUrl",
                "CompactionStatus",
                "CooldownReplicaId",
                "CooldownMetaId")) {
            items.add((name.equals("State") ? "'NORMAL'" : "'-1'") + " AS " + name);
        }
        if (words.at("PARTITION") || words.at("PARTITIONS") || words.at("TEMPORARY")) {
            throw StatementRefusedException.unsupported("SHOW TABLETS of a partition");
        }
        return "SELECT * FROM (SELECT " + String.join(", ", items) + " FROM information_schema.PARTITIONS WHERE "
                + ShowStatements.where(table) + " ORDER BY COALESCE(PARTITION_ORDINAL_POSITION, 1)) AS shown "
                + shows.tail();
    }

    private String proc(String path) {
        words.expectEnd();
        return switch (path) {
            case "/" -> "SELECT 'backends' AS name UNION ALL SELECT 'dbs' UNION ALL SELECT 'frontends'";
            case "/frontends" -> frontends();
            case "/backends" -> backends();
            case "/dbs" ->
                "SELECT 0 AS DbId, s.SCHEMA_NAME AS DbName, COUNT(t.TABLE_NAME) AS TableNum FROM information_schema.SCHEMATA AS s"
                        + " LEFT JOIN information_schema.TABLES AS t ON t.TABLE_SCHEMA = s.SCHEMA_NAME GROUP BY s.SCHEMA_NAME"
                        + " ORDER BY s.SCHEMA_NAME";
            default -> throw StatementRefusedException.unsupported("SHOW PROC '" + path + "'");
        };
    }

    private String end(String select) {
        words.expectEnd();
        return select;
    }

    /** @param cells names and values in turn */
    private static String one(@Nullable String... cells) {
        List<String> items = new ArrayList<>();
        for (int i = 0; i < cells.length; i += 2) {
            String value = cells[i + 1];
            items.add(
                    (value == null ? "NULL" : SqlText.quoted(value)) + " AS " + SqlText.name(String.valueOf(cells[i])));
        }
        return "SELECT " + String.join(", ", items);
    }

    private static String none(String... names) {
        List<String> items = new ArrayList<>();
        for (String name : names) {
            items.add("'' AS " + SqlText.name(name));
        }
        return "SELECT " + String.join(", ", items) + " FROM information_schema.TABLES WHERE FALSE";
    }

    // ---------------------------------------------------------------- ADMIN

    /** Settings of a frontend that mean something here: name, value. Both are as Doris has them where it is told nothing. */
    private static final List<List<String>> CONFIG = List.of(
            List.of("enable_date_conversion", "true"),
            List.of("enable_decimal_conversion", "true"),
            List.of("lower_case_table_names", "2"),
            List.of("prepared_stmt_start_id", "-1"),
            List.of("skip_localhost_auth_check", "false"));

    /** ADMIN SHOW FRONTEND CONFIG [LIKE 'pattern'], after the word ADMIN; null if it is something else. */
    @Nullable
    String adminShow() {
        if (!words.take("SHOW")) {
            return null;
        }
        if (!words.takeAll("FRONTEND", "CONFIG")) {
            throw StatementRefusedException.unsupported(
                    ("ADMIN SHOW " + words.peek().text()).toUpperCase(Locale.ROOT));
        }
        StringBuilder rows = new StringBuilder();
        for (List<String> config : CONFIG) {
            rows.append(rows.isEmpty() ? "" : " UNION ALL ")
                    .append(one(
                            "Key",
                            config.get(0),
                            "Value",
                            config.get(1),
                            "Type",
                            config.get(1).matches("-?[0-9]+") ? "int" : "boolean",
                            "IsMutable",
                            "false",
                            "MasterOnly",
                            "false",
                            "Comment",
                            ""));
        }
        String like = words.take("LIKE") ? words.string() : "%";
        words.expectEnd();
        return "SELECT * FROM (" + rows + ") AS c WHERE `Key` LIKE " + SqlText.quoted(like);
    }

    /** ADMIN SET FRONTEND CONFIG ("key" = "value"): what it has already is set. */
    void adminSet() {
        words.expect("SET");
        words.take("ALL");
        if (!words.take("FRONTEND") && !words.take("FRONTENDS")) {
            throw StatementRefusedException.unsupported(
                    ("ADMIN SET " + words.peek().text()).toUpperCase(Locale.ROOT));
        }
        words.expect("CONFIG");
        if (words.next().type() != TokenType.LEFT_PARENTHESIS) {
            throw words.unexpected();
        }
        String key = words.nameOrString();
        if (!words.takeSymbol("=")) {
            throw words.unexpected();
        }
        String value = words.peek().type() == TokenType.STRING
                ? words.string()
                : words.next().text();
        for (List<String> config : CONFIG) {
            if (config.get(0).equals(key) && config.get(1).equalsIgnoreCase(value)) {
                return;
            }
        }
        throw StatementRefusedException.unsupported("ADMIN SET FRONTEND CONFIG of " + key + " to " + value);
    }
}
