package org.keyline.stores.mysql.catalog;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.client.ServerTraits;
import org.keyline.stores.ReadVariable;
import org.keyline.stores.ResetScope;
import org.keyline.stores.StoreSession;
import org.keyline.stores.TransactionRules;

/** What kind of store answers behind the MySQL protocol. */
public enum Dialect {
    DORIS,
    STARROCKS,
    MYSQL,
    MARIADB,
    /** Any other server: of each property it has the most careful value. */
    OTHER;

    /** How changes that bypass the gateway can be heard of. */
    public enum Signal {
        BINLOG,
        VERSIONS,
        NONE
    }

    /** What MySQL and its builds say of themselves. */
    private static final Pattern MYSQL_COMMENT = Pattern.compile(
            "mysql .*|percona .*|source distribution.*|homebrew.*|\\((ubuntu|debian|raspbian|google|gentoo)\\b.*");

    /** Servers that give out a version of MySQL, or its name, for their own. */
    private static final Pattern NOT_MYSQL =
            Pattern.compile("tidb|vitess|dolt|oceanbase|singlestore|memsql|polardb-x|matrixone|proxysql|compatible");

    private static final String WAIT_TIMEOUT = "wait_timeout";

    private static final String UTF8 = "utf8mb4_";

    /** A collation that no store has: text is stored in UTF-8, and how it compares is not known. */
    static final String UNKNOWN_COLLATION = UTF8 + "unknown";

    /** Tells the roles of a session. */
    static final String ROLE = "CURRENT_ROLE()";

    /** Users of Doris that {@link #localTrust} is about. */
    static final Set<String> UNGUARDED = Set.of("root", "admin");

    /*
     * What the gateway does differently from store to store is asked here, and nowhere else is a store compared with a constant.
     */

    /** Whether it is told what the store is. */
    public boolean isKnown() {
        return switch (this) {
            case DORIS, STARROCKS, MYSQL, MARIADB -> true;
            case OTHER -> false;
        };
    }

    /** How reads of one transaction hang together. */
    public TransactionRules transactions(boolean oldMySql) {
        return switch (this) {
            case DORIS, STARROCKS -> TransactionRules.VIEWLESS;
            case MARIADB -> TransactionRules.byLevel("tx_isolation", "tx_read_only");
            case MYSQL ->
                oldMySql
                        ? TransactionRules.byLevel("tx_isolation", "tx_read_only")
                        : TransactionRules.byLevel("transaction_isolation", "transaction_read_only");
            case OTHER -> TransactionRules.CAREFUL;
        };
    }

    /** Functions of other stores and releases, and words of clauses, which may be a stored function's name here. */
    private static final Set<String> NOT_IN_MYSQL = Set.of("""
        APPROX_COUNT_DISTINCT ARRAY ARRAY_AGG ARRAY_CONTAINS ARRAY_JOIN ARRAY_SIZE BITMAP_COUNT
        BITMAP_UNION BITMAP_UNION_COUNT CHR COLUMN_ADD COLUMN_CHECK COLUMN_CREATE COLUMN_DELETE
        COLUMN_EXISTS COLUMN_GET COLUMN_JSON COLUMN_LIST COUNT_IF CRC32C DATE_TRUNC DECODE
        DECODE_ORACLE DES_DECRYPT DES_ENCRYPT ENCODE ENCRYPT ENDS_WITH HLL_CARDINALITY HOURS_ADD
        JSON_ARRAY_INTERSECT JSON_COMPACT JSON_DETAILED JSON_EQUALS JSON_EXISTS JSON_LOOSE
        JSON_NORMALIZE JSON_QUERY LASTVAL LENGTHB MASTER_GTID_WAIT MAX_BY MD5 MEDIAN MIN_BY
        NATURAL_SORT_KEY NDV NEXTVAL NVL NVL2 OLD_PASSWORD PERCENTILE_APPROX PERCENTILE_CONT
        PERCENTILE_DISC RANDOM SETVAL SFORMAT SHA SHA1 SPLIT_PART STARTS_WITH ST_POINT SYS_GUID
        TO_BITMAP TO_CHAR TO_DATE UNNEST VEC_DISTANCE WSREP_LAST_SEEN_GTID
        WSREP_LAST_WRITTEN_GTID
        """.strip().split("\\s+"));

    private static final Set<String> NOT_IN_MARIADB = Set.of("""
        AGAINST ANY_VALUE APPROX_COUNT_DISTINCT ARRAY ARRAY_AGG ARRAY_CONTAINS ARRAY_JOIN
        ARRAY_SIZE BIN_TO_UUID BITMAP_COUNT BITMAP_UNION BITMAP_UNION_COUNT COLUMNS COUNT_IF
        CUBE DATE_TRUNC ENDS_WITH FILTER FORMAT_BYTES FORMAT_PICO_TIME GEOMCOLLECTION
        GEOMETRYCOLLECTION GROUPING GTID_SUBSET GTID_SUBTRACT HLL_CARDINALITY HOURS_ADD
        ICU_VERSION IS_UUID JSON_ARRAY_INTERSECT JSON_SCHEMA_VALID JSON_SCHEMA_VALIDATION_REPORT
        JSON_STORAGE_FREE JSON_STORAGE_SIZE JSON_TABLE LAST LINESTRING MAX_BY MBRCOVEREDBY
        MBRCOVERS MEMBER MIN_BY MULTILINESTRING MULTIPOINT MULTIPOLYGON NDV NESTED
        PERCENTILE_APPROX POINT POLYGON PS_CURRENT_THREAD_ID PS_THREAD_ID RANDOM REGEXP_LIKE
        ROLES_GRAPHML ROLLUP SETS SPLIT_PART STARTS_WITH STATEMENT_DIGEST STATEMENT_DIGEST_TEXT
        ST_GEOHASH ST_ISVALID ST_LATITUDE ST_LONGITUDE ST_POINT TO_BITMAP TO_DATE UNNEST
        UUID_TO_BIN VALIDATE_PASSWORD_STRENGTH VEC_DISTANCE WAIT_FOR_EXECUTED_GTID_SET
        """.strip().split("\\s+"));

    /** Whether a function, in upper case, that some store has built in is built into this one. */
    public boolean isBuiltIn(String function) {
        return switch (this) {
            case MYSQL -> !NOT_IN_MYSQL.contains(function);
            case MARIADB -> !NOT_IN_MARIADB.contains(function);
            // Their functions write nothing.
            case DORIS, STARROCKS -> true;
            case OTHER -> !NOT_IN_MYSQL.contains(function) && !NOT_IN_MARIADB.contains(function);
        };
    }

    /**
     * What sessions are asked beside the variables that all stores have. Doris is asked for variables only, by SHOW: it has no roles to
     * switch, and nothing but the client's own statements changes its schema.
     */
    List<String> sessionQuestions(String version) {
        return switch (this) {
            case DORIS -> List.of(WAIT_TIMEOUT);
            case STARROCKS -> List.of("DATABASE()", "CURRENT_USER()", WAIT_TIMEOUT);
            case OTHER -> List.of("DATABASE()", "CURRENT_USER()", ROLE, WAIT_TIMEOUT);
            case MARIADB ->
                List.of(
                        "DATABASE()",
                        "CURRENT_USER()",
                        StoreSession.GLOBAL_RIGHTS,
                        ROLE,
                        "init_connect",
                        WAIT_TIMEOUT,
                        "idle_transaction_timeout",
                        "idle_readonly_transaction_timeout",
                        "idle_write_transaction_timeout");
            case MYSQL ->
                isOldMySql(version)
                        ? List.of(
                                "DATABASE()",
                                "CURRENT_USER()",
                                StoreSession.GLOBAL_RIGHTS,
                                "init_connect",
                                WAIT_TIMEOUT)
                        : List.of(
                                "DATABASE()",
                                "CURRENT_USER()",
                                StoreSession.GLOBAL_RIGHTS,
                                ROLE,
                                "init_connect",
                                WAIT_TIMEOUT);
        };
    }

    /** Its own variables that decide what a read has. */
    List<ReadVariable> readVariables() {
        return switch (this) {
            case DORIS -> ReadVariables.DORIS;
            case STARROCKS -> ReadVariables.STARROCKS;
            case MYSQL -> ReadVariables.MYSQL;
            case MARIADB -> ReadVariables.MARIADB;
            case OTHER -> List.of();
        };
    }

    /** Status variables of a session that count the statements which set variables or make tables, within stored code as well. */
    public List<String> settingCounts() {
        return switch (this) {
            case MARIADB ->
                List.of("com_set_option", "com_create_table", "com_create_temporary_table", "com_create_sequence");
            case MYSQL -> List.of("com_set_option", "com_create_table");
            case DORIS, STARROCKS, OTHER -> List.of();
        };
    }

    /** Before 8.0, where there are no roles. */
    private static boolean isOldMySql(String version) {
        return version.startsWith("5.");
    }

    /** The function that errors for unknown prepared statements name, whatever the command: MySQL has looked them up in one place since 8.0. */
    public @Nullable String statementCheck(String version) {
        return switch (this) {
            case MYSQL -> isOldMySql(version) ? null : "mysql_stmt_precheck";
            case DORIS, STARROCKS, MARIADB, OTHER -> null;
        };
    }

    /** A hint that takes a read past the short circuit, which answers nothing where it can't reach a row; else empty. */
    public String certainty() {
        return switch (this) {
            case DORIS -> "/*+ SET_VAR(enable_short_circuit_query=false) */";
            case STARROCKS -> "/*+ SET_VAR(enable_short_circuit=false) */";
            case MYSQL, MARIADB, OTHER -> "";
        };
    }

    /**
     * Session variables on which it depends what an INSERT of values does; empty where INSERTs of several sessions may not go as one. MySQL has
     * no statement that waits for no lock of a row, Doris and StarRocks take back nothing.
     */
    public List<String> insertSettings() {
        return switch (this) {
            case MARIADB ->
                List.of(
                        "foreign_key_checks",
                        "unique_checks",
                        "check_constraint_checks",
                        "explicit_defaults_for_timestamp",
                        "tx_read_only",
                        "sql_log_bin",
                        "binlog_format",
                        "binlog_row_image",
                        "sql_notes",
                        "old_mode",
                        "max_statement_time",
                        "max_allowed_packet");
            case MYSQL, DORIS, STARROCKS, OTHER -> List.of();
        };
    }

    /** Whether FOUND_ROWS() tells of an UPDATE of one table as of a SELECT of the rows that it finds, and of a DO as well. */
    public boolean countsWritesAsFound() {
        return switch (this) {
            case MYSQL -> true;
            case MARIADB, DORIS, STARROCKS, OTHER -> false;
        };
    }

    /** Whether one SELECT of several rows by their full keys costs less than a SELECT for each. */
    public boolean prefersManyKeys() {
        return switch (this) {
            case DORIS, OTHER -> false;
            case STARROCKS, MYSQL, MARIADB -> true;
        };
    }

    /**
     * Whether all who may read a table see the same rows of it. Doris and StarRocks have policies that hide rows, and frontends that lag
     * behind.
     */
    public boolean showsAllTheSame() {
        return switch (this) {
            case MYSQL, MARIADB -> true;
            case DORIS, STARROCKS, OTHER -> false;
        };
    }

    /** Whether column definitions show the character set of results. Doris and StarRocks show utf8mb3 for all text. */
    public boolean showsResultCharacterSet() {
        return switch (this) {
            case MYSQL, MARIADB -> true;
            case DORIS, STARROCKS, OTHER -> false;
        };
    }

    /** Whether two dashes without white space behind them are two minus signs. Doris begins a comment with them. */
    public boolean dashesAreSigns() {
        return switch (this) {
            case MYSQL, MARIADB -> true;
            case DORIS, STARROCKS, OTHER -> false;
        };
    }

    /** Whether an INSERT whose key is there already fails; to Doris and StarRocks it is an update. */
    public boolean insertsOnlyAdd() {
        return switch (this) {
            case MYSQL, MARIADB -> true;
            case DORIS, STARROCKS, OTHER -> false;
        };
    }

    /** Whether its prepared statements follow changes of definitions, and of names, by themselves. */
    public boolean preparesAnew() {
        return switch (this) {
            case DORIS, STARROCKS, OTHER -> false;
            case MYSQL, MARIADB -> true;
        };
    }

    /** Whether a prepared statement by the short circuit keeps the table that it found when it was first executed, and no other keeps any. */
    public boolean plansAtExecution() {
        return switch (this) {
            case DORIS -> true;
            case STARROCKS, MYSQL, MARIADB, OTHER -> false;
        };
    }

    /** Whether a prepared statement goes on reading a parameter by the type that an earlier execution gave it. */
    public boolean keepsParameterTypes() {
        return switch (this) {
            case MYSQL, OTHER -> true;
            case DORIS, STARROCKS, MARIADB -> false;
        };
    }

    /** Whether it takes a text for several statements though its client has not asked for that. */
    public boolean splitsTexts() {
        return switch (this) {
            case DORIS, STARROCKS, OTHER -> true;
            case MYSQL, MARIADB -> false;
        };
    }

    /** What COM_RESET_CONNECTION takes from a session. */
    public ResetScope resetScope() {
        return switch (this) {
            case DORIS -> ResetScope.SCHEMA;
            case STARROCKS, OTHER -> ResetScope.UNKNOWN;
            case MYSQL, MARIADB -> ResetScope.SETTINGS_AND_STATEMENTS;
        };
    }

    /** Whether COM_CHANGE_USER leaves a session's variables, and commands about unknown statements have answers of their own. */
    public boolean keepsItsOwnSessions() {
        return switch (this) {
            case DORIS, STARROCKS, OTHER -> true;
            case MYSQL, MARIADB -> false;
        };
    }

    /**
     * Whether functions about the session are asked for by a SELECT each: StarRocks gives those that stand in one SELECT the value of the
     * last one.
     */
    public boolean asksFunctionsApart() {
        return switch (this) {
            case STARROCKS -> true;
            case DORIS, MYSQL, MARIADB, OTHER -> false;
        };
    }

    /** Whether a SELECT of variables wants a live backend, so that SHOW has to tell them. */
    public boolean showsVariables() {
        return switch (this) {
            case DORIS -> true;
            case STARROCKS, MYSQL, MARIADB, OTHER -> false;
        };
    }

    /** The catalog that has the store's own tables, where sessions may be in another one; null where there are no others. */
    public @Nullable String ownCatalog() {
        return switch (this) {
            case DORIS -> "internal";
            case STARROCKS -> "default_catalog";
            case MYSQL, MARIADB, OTHER -> null;
        };
    }

    /** Asks which catalog a session is in; empty where there is one only. */
    public String catalogQuestion() {
        return switch (this) {
            case DORIS -> "SHOW CATALOGS";
            case STARROCKS -> "SHOW VARIABLES LIKE 'catalog'";
            case MYSQL, MARIADB, OTHER -> "";
        };
    }

    /** Puts a session into {@link #ownCatalog}, whatever its user begins in; null where there is one catalog only. */
    public @Nullable String useOwnCatalog() {
        return switch (this) {
            case DORIS -> "SWITCH `internal`";
            case STARROCKS -> "SET CATALOG `default_catalog`";
            case MYSQL, MARIADB, OTHER -> null;
        };
    }

    /** Whether there is a level of isolation that shows what is not committed. */
    public boolean hasIsolationLevels() {
        return switch (this) {
            case DORIS, STARROCKS -> false;
            case MYSQL, MARIADB, OTHER -> true;
        };
    }

    /** How it tells of changes that bypass the gateway. */
    public Signal signal() {
        return switch (this) {
            case MYSQL, MARIADB -> Signal.BINLOG;
            case DORIS, STARROCKS -> Signal.VERSIONS;
            case OTHER -> Signal.NONE;
        };
    }

    /** The variable that has the global ids of all transactions in its binary log. */
    public String loggedGtids() {
        return switch (this) {
            case MARIADB -> "gtid_binlog_pos";
            case DORIS, STARROCKS, MYSQL, OTHER -> "gtid_executed";
        };
    }

    /** Whether global transaction ids ascend within a domain, so that the last stands for all before it; otherwise they are a set. */
    public boolean hasGtidDomains() {
        return switch (this) {
            case MARIADB -> true;
            case DORIS, STARROCKS, MYSQL, OTHER -> false;
        };
    }

    /** Whether transactions have global ids with {@code gtid_mode=ON} only. */
    public boolean mayLackGtids() {
        return switch (this) {
            case DORIS, STARROCKS, MYSQL, OTHER -> true;
            case MARIADB -> false;
        };
    }

    /** Whether {@code gtid_slave_pos} tells, being empty, that it replicates from nobody. */
    public boolean tellsReplication() {
        return switch (this) {
            case MARIADB -> true;
            case DORIS, STARROCKS, MYSQL, OTHER -> false;
        };
    }

    /** The statement after which a server shows all that any server of the store has acknowledged; null: there is none. */
    public @Nullable String catchUp() {
        return switch (this) {
            case DORIS, STARROCKS -> "SYNC";
            case MYSQL, MARIADB, OTHER -> null;
        };
    }

    /** The variables of which one is on at a server that only repeats what another one, the primary, has done. */
    public List<String> replicaVariables() {
        return switch (this) {
            case MYSQL -> List.of("read_only", "innodb_read_only");
            case MARIADB -> List.of("read_only");
            case DORIS, STARROCKS, OTHER -> List.of();
        };
    }

    /** Whether {@code information_schema} may have the words of its grammar. */
    boolean listsKeywords() {
        return switch (this) {
            case MYSQL, MARIADB -> true;
            case DORIS, STARROCKS, OTHER -> false;
        };
    }

    /** Whether it counts the statements that define something, so that it can be asked whether there was one. */
    boolean countsDefinitions() {
        return switch (this) {
            case MYSQL, MARIADB -> true;
            case DORIS, STARROCKS, OTHER -> false;
        };
    }

    /** Whether {@code CONVERT_TZ} and {@code @@system_time_zone} tell which time zones are the same. */
    boolean comparesTimeZones() {
        return switch (this) {
            case MYSQL, MARIADB -> true;
            case DORIS, STARROCKS, OTHER -> false;
        };
    }

    /** The variable, one for all sessions of a server, by which it may answer versions that are that many milliseconds old; null: there is none. */
    @Nullable
    String versionAge() {
        return switch (this) {
            case DORIS -> "cloud_partition_version_cache_ttl_ms";
            case STARROCKS, MYSQL, MARIADB, OTHER -> null;
        };
    }

    /** The frontend's setting that may leave rights to another system, which then may filter rows; null: there is none. */
    @Nullable
    String accessSetting() {
        return switch (this) {
            case DORIS -> "access_controller_type";
            case STARROCKS -> "access_control";
            case MYSQL, MARIADB, OTHER -> null;
        };
    }

    /** Whether it has row policies of its own, told by SHOW ROW POLICY. */
    boolean showsRowPolicies() {
        return switch (this) {
            case DORIS -> true;
            case STARROCKS, MYSQL, MARIADB, OTHER -> false;
        };
    }

    /** Lists the databases that there are, also to an account that sees none of their tables; null: there is no such list. */
    @Nullable
    String databasesQuestion() {
        return switch (this) {
            case STARROCKS -> "SHOW PROC '/dbs'";
            case DORIS, MYSQL, MARIADB, OTHER -> null;
        };
    }

    /** Whether one SELECT lists the partitions of all tables with their versions, where there are versions. */
    public boolean listsPartitions() {
        return switch (this) {
            case STARROCKS -> true;
            case DORIS, MYSQL, MARIADB, OTHER -> false;
        };
    }

    /** Makes a frontend answer SHOW from what it knows itself, and not ask the one that writes; null where none asks another. */
    @Nullable
    String answersAlone() {
        return switch (this) {
            case DORIS -> "SET forward_to_master = false";
            case STARROCKS -> "SET forward_to_leader = false";
            case MYSQL, MARIADB, OTHER -> null;
        };
    }

    /** Gives an account the right to see which row policies there are, and what SHOW PROC shows. */
    public String grantOfPolicies(String account) {
        return switch (this) {
            case STARROCKS -> "GRANT OPERATE ON SYSTEM TO USER " + account;
            case DORIS, MYSQL, MARIADB, OTHER -> "GRANT ADMIN_PRIV ON *.*.* TO " + account;
        };
    }

    /** Gives an account the right to read all tables. */
    String grantOfRows(String account) {
        return switch (this) {
            case DORIS -> "GRANT SELECT_PRIV ON internal.*.* TO " + account;
            case STARROCKS -> "GRANT SELECT ON ALL TABLES IN ALL DATABASES TO USER " + account;
            case MYSQL, MARIADB, OTHER -> "GRANT SELECT ON *.* TO " + account;
        };
    }

    /** What ends the later statements of a session that take longer; null: nothing. */
    @Nullable
    String limit(Duration statement) {
        return switch (this) {
            case MARIADB -> "SET SESSION max_statement_time = " + statement.toMillis() / 1000.0;
            case MYSQL -> "SET SESSION max_execution_time = " + statement.toMillis();
            case DORIS, STARROCKS, OTHER -> null;
        };
    }

    /**
     * The collation of MySQL that compares as the one that the store calls so; {@link #UNKNOWN_COLLATION} or null where it is not known how that
     * compares.
     */
    @Nullable
    String collation(@Nullable String name) {
        return switch (this) {
            // MySQL has it without padding; MariaDB, which took over the name, pads.
            case MARIADB -> "utf8mb4_0900_bin".equals(name) ? "utf8mb4_bin" : name;
            case DORIS, STARROCKS, MYSQL -> name;
            case OTHER -> name != null && name.startsWith(UTF8) ? UNKNOWN_COLLATION : null;
        };
    }

    /** Whether the defaults of columns are told as SQL; otherwise as values without quotes. */
    boolean tellsDefaultsAsSql() {
        return switch (this) {
            case MARIADB -> true;
            case DORIS, STARROCKS, MYSQL, OTHER -> false;
        };
    }

    /** The setting by which users named {@link #UNGUARDED} need no password from the store's own host; null: there is none. */
    public @Nullable String localTrust() {
        return switch (this) {
            case DORIS -> "skip_localhost_auth_check";
            case STARROCKS, MYSQL, MARIADB, OTHER -> null;
        };
    }

    /** In what it departs from MySQL on the wire, but for whom it lets in. */
    public ServerTraits traits() {
        return switch (this) {
            case DORIS, STARROCKS -> new ServerTraits(true, Capabilities.CLIENT_MULTI_STATEMENTS, Set.of());
            case MYSQL, MARIADB, OTHER -> ServerTraits.MYSQL;
        };
    }

    /** Its own variables that change neither rows nor metadata of a read by key. */
    public Set<String> harmlessVariables() {
        return switch (this) {
            case DORIS -> DorisVariables.HARMLESS;
            // Which path a read takes.
            case STARROCKS -> Set.of("enable_short_circuit");
            case MYSQL, MARIADB, OTHER -> Set.of();
        };
    }

    /** A variable that no other kind has, by which it is known whatever its builds say of themselves; null: it is known by that. */
    @Nullable
    String ownVariable() {
        return switch (this) {
            case DORIS -> "enable_short_circuit_query";
            case STARROCKS -> "new_planner_optimize_timeout";
            case MYSQL, MARIADB, OTHER -> null;
        };
    }

    /**
     * Tells stores apart by what they say of themselves.
     *
     * @param version the variable {@code version}; Doris and StarRocks show one of MySQL there
     * @param comment the variable {@code version_comment}
     */
    static Dialect of(String version, String comment) {
        String said = comment.toLowerCase(Locale.ROOT);
        if (said.startsWith("doris") || said.contains("doris version")) {
            return DORIS;
        }
        if (said.startsWith("starrocks") || said.contains("starrocks version")) {
            return STARROCKS;
        }
        String both = (version + " " + said).toLowerCase(Locale.ROOT);
        if (both.contains("mariadb")) {
            return MARIADB;
        }
        boolean mySql = MYSQL_COMMENT.matcher(said).matches()
                && !NOT_MYSQL.matcher(both).find();
        return mySql ? MYSQL : OTHER;
    }
}
