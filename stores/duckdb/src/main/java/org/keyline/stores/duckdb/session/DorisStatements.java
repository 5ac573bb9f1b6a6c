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
            return end(new DorisNode(session).frontends());
        }
        if (words.take("BACKENDS")) {
            return end(new DorisNode(session).backends());
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
        items.add("'" + DorisNode.ID + "' AS BackendId");
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
            case "/frontends" -> new DorisNode(session).frontends();
            case "/backends" -> new DorisNode(session).backends();
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

    /**
     * The SELECT of one row.
     *
     * @param cells names and values in turn
     */
    static String one(@Nullable String... cells) {
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
}
