package org.keyline.stores.mysql.catalog;

import static org.keyline.stores.StoreTrait.COUNTS_WRITES_AS_FOUND;
import static org.keyline.stores.StoreTrait.DASHES_ARE_SIGNS;
import static org.keyline.stores.StoreTrait.INSERTS_ONLY_ADD;
import static org.keyline.stores.StoreTrait.OWN_SESSION_RULES;
import static org.keyline.stores.StoreTrait.PLANS_AT_EXECUTION;
import static org.keyline.stores.StoreTrait.PLANS_OUTLIVE_NAMES;
import static org.keyline.stores.StoreTrait.PREFERS_MANY_KEYS;
import static org.keyline.stores.StoreTrait.REPLIES_ARE_LOADS;
import static org.keyline.stores.StoreTrait.REPREPARES_STATEMENTS;
import static org.keyline.stores.StoreTrait.REUSES_PARAMETER_TYPES;
import static org.keyline.stores.StoreTrait.SHOWS_RESULT_CHARACTER_SET;
import static org.keyline.stores.StoreTrait.SHOWS_VARIABLES;
import static org.keyline.stores.StoreTrait.SPLITS_TEXTS;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.client.ServerTraits;
import org.keyline.stores.ReadVariable;
import org.keyline.stores.ResetScope;
import org.keyline.stores.StoreTrait;
import org.keyline.stores.TransactionRules;

/** The kind of store behind the MySQL protocol. */
public enum Dialect {
    DORIS(PLANS_OUTLIVE_NAMES, PLANS_AT_EXECUTION, SPLITS_TEXTS, OWN_SESSION_RULES, SHOWS_VARIABLES),
    STARROCKS(PLANS_OUTLIVE_NAMES, SPLITS_TEXTS, OWN_SESSION_RULES, PREFERS_MANY_KEYS),
    MYSQL(
            REUSES_PARAMETER_TYPES,
            COUNTS_WRITES_AS_FOUND,
            DASHES_ARE_SIGNS,
            REPREPARES_STATEMENTS,
            PREFERS_MANY_KEYS,
            REPLIES_ARE_LOADS,
            SHOWS_RESULT_CHARACTER_SET,
            INSERTS_ONLY_ADD),
    MARIADB(
            DASHES_ARE_SIGNS,
            REPREPARES_STATEMENTS,
            PREFERS_MANY_KEYS,
            REPLIES_ARE_LOADS,
            SHOWS_RESULT_CHARACTER_SET,
            INSERTS_ONLY_ADD),
    /** A store that Keyline does not recognise. Every property has its most conservative value. */
    OTHER(PLANS_OUTLIVE_NAMES, REUSES_PARAMETER_TYPES, SPLITS_TEXTS, OWN_SESSION_RULES);

    public enum Signal {
        BINLOG,
        VERSIONS,
        NONE
    }

    private static final Pattern MYSQL_COMMENT = Pattern.compile(
            "mysql .*|percona .*|source distribution.*|homebrew.*|\\((ubuntu|debian|raspbian|google|gentoo)\\b.*");

    /** Matches servers that report a version or the name of MySQL, but are other products. */
    private static final Pattern NOT_MYSQL =
            Pattern.compile("tidb|vitess|dolt|oceanbase|singlestore|memsql|polardb-x|matrixone|proxysql|compatible");

    private static final String UTF8 = "utf8mb4_";

    /** Stands for UTF-8 text whose collation is unknown. No store has a collation of this name. */
    static final String UNKNOWN_COLLATION = UTF8 + "unknown";

    static final String ROLE = "CURRENT_ROLE()";

    /** Users of Doris to whom {@link #localTrust} applies. */
    static final Set<String> UNGUARDED = Set.of("root", "admin");

    /** Built-in functions of other stores. In MySQL, these may be names of stored functions. */
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

    /*
     * All differences between stores are in this class, except how the catalog is read.
     */

    @SuppressWarnings("ImmutableEnumChecker") // never modified
    private final EnumSet<StoreTrait> traits = EnumSet.noneOf(StoreTrait.class);

    Dialect(StoreTrait... traits) {
        this.traits.addAll(List.of(traits));
    }

    public boolean has(StoreTrait trait) {
        return traits.contains(trait);
    }

    public boolean isKnown() {
        return this != OTHER;
    }

    /** Returns whether this is MySQL or MariaDB. Both list their keywords and count definitions. */
    boolean isMySqlOrMariaDb() {
        return this == MYSQL || this == MARIADB;
    }

    private static boolean isOldMySql(String version) {
        return version.startsWith("5.");
    }

    /** Returns the argument for this store; {@code otherwise} if it is not Doris or StarRocks. */
    private <T> T of(T doris, T starRocks, T otherwise) {
        return this == DORIS ? doris : this == STARROCKS ? starRocks : otherwise;
    }

    private @Nullable String orNull(@Nullable String doris, @Nullable String starRocks) {
        return this == DORIS ? doris : this == STARROCKS ? starRocks : null;
    }

    private static List<String> words(String text) {
        return List.of(text.strip().split("\\s+"));
    }

    public TransactionRules transactions(String version) {
        return switch (this) {
            case DORIS, STARROCKS -> TransactionRules.VIEWLESS;
            case MARIADB -> TransactionRules.byLevel("tx_isolation", "tx_read_only", false);
            case MYSQL ->
                isOldMySql(version)
                        ? TransactionRules.byLevel("tx_isolation", "tx_read_only", true)
                        : TransactionRules.byLevel("transaction_isolation", "transaction_read_only", true);
            case OTHER -> TransactionRules.CAREFUL;
        };
    }

    /**
     * Returns whether this kind of store has a built-in function of this name. The name must be in
     * upper case, and at least one kind of store must have the function.
     */
    public boolean isBuiltIn(String function) {
        return switch (this) {
            case MYSQL -> !NOT_IN_MYSQL.contains(function);
            case MARIADB -> !NOT_IN_MARIADB.contains(function);
            // Stored functions of these stores write nothing.
            case DORIS, STARROCKS -> true;
            case OTHER -> !NOT_IN_MYSQL.contains(function) && !NOT_IN_MARIADB.contains(function);
        };
    }

    /**
     * Returns the variables and functions whose values Keyline requests from a session, besides the
     * variables that all stores have. Doris needs no functions. It has no roles to switch, and only
     * the client's own statements change a session's schema.
     */
    List<String> sessionQuestions(String version) {
        return words(
                switch (this) {
                    case DORIS -> "wait_timeout";
                    case STARROCKS -> "DATABASE() CURRENT_USER() wait_timeout";
                    case OTHER -> "DATABASE() CURRENT_USER() CURRENT_ROLE() wait_timeout";
                    case MARIADB -> """
                            DATABASE() CURRENT_USER() GLOBAL_RIGHTS() CURRENT_ROLE() init_connect wait_timeout
                            idle_transaction_timeout idle_readonly_transaction_timeout idle_write_transaction_timeout
                            """;
                    case MYSQL ->
                        isOldMySql(version)
                                ? "DATABASE() CURRENT_USER() GLOBAL_RIGHTS() init_connect wait_timeout"
                                : "DATABASE() CURRENT_USER() GLOBAL_RIGHTS() CURRENT_ROLE() init_connect wait_timeout";
                });
    }

    List<ReadVariable> readVariables() {
        return switch (this) {
            case DORIS -> ReadVariables.DORIS;
            case STARROCKS -> ReadVariables.STARROCKS;
            case MYSQL -> ReadVariables.MYSQL;
            case MARIADB -> ReadVariables.MARIADB;
            case OTHER -> List.of();
        };
    }

    /** Returns status variables that count SETs and CREATE TABLEs, also within stored code. */
    public List<String> settingCounts() {
        return switch (this) {
            case MARIADB -> words("com_set_option com_create_table com_create_temporary_table com_create_sequence");
            case MYSQL -> List.of("com_set_option", "com_create_table");
            case DORIS, STARROCKS, OTHER -> List.of();
        };
    }

    /**
     * Returns the server function that every error about an unknown prepared statement names, as in
     * MySQL since 8.0; null if each command's error names a different function.
     */
    public @Nullable String statementCheck(String version) {
        return this == MYSQL && !isOldMySql(version) ? "mysql_stmt_precheck" : null;
    }

    /**
     * Returns a hint that disables the short circuit, a fast path for reads by key. With the short
     * circuit, an empty reply can also mean that the row is unreachable.
     */
    public String reliableReadHint() {
        return of("/*+ SET_VAR(enable_short_circuit_query=false) */", "/*+ SET_VAR(enable_short_circuit=false) */", "");
    }

    /**
     * Returns the session variables that affect an INSERT of values. Empty if INSERTs must not be
     * merged, because they wait for locks (MySQL) or because the store cannot roll back.
     */
    public List<String> insertSettings() {
        return this != MARIADB ? List.of() : words("""
                foreign_key_checks unique_checks check_constraint_checks explicit_defaults_for_timestamp tx_read_only
                sql_log_bin binlog_format binlog_row_image sql_notes old_mode max_statement_time max_allowed_packet
                """);
    }

    public ResetScope resetScope() {
        return switch (this) {
            case DORIS -> ResetScope.SCHEMA;
            case STARROCKS, OTHER -> ResetScope.UNKNOWN;
            case MYSQL, MARIADB -> ResetScope.SETTINGS_AND_STATEMENTS;
        };
    }

    /**
     * Returns whether functions need separate SELECTs. In one SELECT, StarRocks returns the value
     * of the last function for all functions.
     */
    public boolean needsSeparateSelects() {
        return this == STARROCKS;
    }

    /** Returns the name of the store's own catalog; null if the store has only one catalog. */
    public @Nullable String ownCatalog() {
        return orNull("internal", "default_catalog");
    }

    /** Returns the query for the current catalog; empty if the store has only one catalog. */
    public String catalogQuestion() {
        return of("SHOW CATALOGS", "SHOW VARIABLES LIKE 'catalog'", "");
    }

    /**
     * Returns the setting with which a session does not write executions of prepared statements to
     * the audit log; null if there is none. This is the default in Doris.
     */
    @Nullable
    String unauditedExecutions() {
        return orNull(null, "SET audit_execute_stmt = false");
    }

    /** Returns the statement that selects the store's own catalog; null if no others exist. */
    public @Nullable String useOwnCatalog() {
        return orNull("SWITCH `internal`", "SET CATALOG `default_catalog`");
    }

    /** Returns whether the store has an isolation level that can show uncommitted rows. */
    public boolean hasIsolationLevels() {
        return of(false, false, true);
    }

    public Signal signal() {
        return of(Signal.VERSIONS, Signal.VERSIONS, this == OTHER ? Signal.NONE : Signal.BINLOG);
    }

    /** Returns the variable with the global ids of all transactions in the binary log. */
    public String loggedGtids() {
        return this == MARIADB ? "gtid_binlog_pos" : "gtid_executed";
    }

    /**
     * Returns whether a log position consists of the last global transaction id of each domain, as
     * in MariaDB. In MySQL, a position is a set of ids, and transactions have ids only with
     * {@code gtid_mode=ON}. Only MariaDB has {@code gtid_slave_pos}, which is empty unless the
     * server is a replica.
     */
    public boolean hasGtidDomains() {
        return this == MARIADB;
    }

    /**
     * Returns a statement after which a server shows everything that any server has acknowledged;
     * null if the store has no such statement.
     */
    public @Nullable String catchUp() {
        return orNull("SYNC", "SYNC");
    }

    /** Returns variables of which at least one is on at a replica. */
    public List<String> replicaVariables() {
        return switch (this) {
            case MYSQL -> List.of("read_only", "innodb_read_only");
            case MARIADB -> List.of("read_only");
            case DORIS, STARROCKS, OTHER -> List.of();
        };
    }

    /**
     * Returns the variable with the maximum age, in milliseconds, of the partition versions that
     * the store caches; null if the store has no such variable.
     */
    @Nullable
    String versionAge() {
        return orNull("cloud_partition_version_cache_ttl_ms", null);
    }

    /**
     * Returns the setting that can delegate rights to an external system, which then may filter
     * rows for some users; null if the store has no such setting.
     */
    @Nullable
    String accessSetting() {
        return orNull("access_controller_type", "access_control");
    }

    boolean showsRowPolicies() {
        return this == DORIS;
    }

    /** Returns a statement that lists all databases for any account; null if none exists. */
    @Nullable
    String databasesQuestion() {
        return orNull(null, "SHOW PROC '/dbs'");
    }

    /** Returns whether one SELECT lists the partitions of all tables with their versions. */
    public boolean listsPartitions() {
        return this == STARROCKS;
    }

    /**
     * Returns settings of a session that polls a frontend. With these settings the frontend answers
     * SHOW by itself.
     */
    List<String> pollingSettings() {
        return of(List.of("SET forward_to_master = false"), List.of("SET forward_to_leader = false"), List.of());
    }

    /** Returns the GRANT that lets a user list row policies and use SHOW PROC. */
    public String grantOfPolicies(String user) {
        return (this == STARROCKS ? "GRANT OPERATE ON SYSTEM TO USER " : "GRANT ADMIN_PRIV ON *.*.* TO ")
                + account(user);
    }

    /** Returns the GRANT that lets a user read all tables. */
    String grantOfRows(String user) {
        return of(
                        "GRANT SELECT_PRIV ON internal.*.* TO ",
                        "GRANT SELECT ON ALL TABLES IN ALL DATABASES TO USER ",
                        "GRANT SELECT ON *.* TO ")
                + account(user);
    }

    private static String account(String user) {
        return "'" + user.replace("'", "''") + "'@'%'";
    }

    /**
     * Returns the statement that limits the run time of a session's later statements; null if the
     * store has no such limit.
     */
    @Nullable
    String limit(Duration statement) {
        return switch (this) {
            case MARIADB -> "SET SESSION max_statement_time = " + statement.toMillis() / 1000.0;
            case MYSQL -> "SET SESSION max_execution_time = " + statement.toMillis();
            case DORIS, STARROCKS, OTHER -> null;
        };
    }

    /**
     * Returns the MySQL collation that compares like this collation of the store. If none is known,
     * returns {@link #UNKNOWN_COLLATION} for UTF-8, null for any other text.
     */
    @Nullable
    String collation(@Nullable String name) {
        return switch (this) {
            // MySQL's collation does not pad. MariaDB's collation of the same name does.
            case MARIADB -> "utf8mb4_0900_bin".equals(name) ? "utf8mb4_bin" : name;
            case DORIS, STARROCKS, MYSQL -> name;
            case OTHER -> name != null && name.startsWith(UTF8) ? UNKNOWN_COLLATION : null;
        };
    }

    boolean reportsDefaultsAsSql() {
        return this == MARIADB;
    }

    /**
     * Returns the setting that lets {@link #UNGUARDED} users log in without a password from the
     * server's own host; null if the store has no such setting.
     */
    public @Nullable String localTrust() {
        return orNull("skip_localhost_auth_check", null);
    }

    /**
     * Returns the traits of the store's protocol, without any unguarded users. Since 4.0, StarRocks
     * executes each command of a connection on any thread of a pool.
     */
    public ServerTraits traits() {
        return of(
                new ServerTraits(true, Capabilities.CLIENT_MULTI_STATEMENTS, Set.of(), false),
                new ServerTraits(true, Capabilities.CLIENT_MULTI_STATEMENTS, Set.of(), true),
                this == OTHER ? new ServerTraits(false, 0, Set.of(), true) : ServerTraits.MYSQL);
    }

    /** Returns the variables that change neither rows nor metadata of a read by key. */
    public Set<String> harmlessVariables() {
        // StarRocks's variable affects only the access path of a read.
        return of(DorisVariables.HARMLESS, Set.of("enable_short_circuit"), Set.of());
    }

    /**
     * Returns a variable that only this product has, for builds that report another product name;
     * null if the name is enough.
     */
    @Nullable
    String ownVariable() {
        return orNull("enable_short_circuit_query", "new_planner_optimize_timeout");
    }

    /**
     * Returns the kind of store that reports these variables.
     *
     * @param version the variable {@code version}, in which Doris and StarRocks show a version of
     * MySQL
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
