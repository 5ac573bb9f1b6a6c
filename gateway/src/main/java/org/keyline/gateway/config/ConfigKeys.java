package org.keyline.gateway.config;

import static org.keyline.gateway.config.ConfigKey.computed;
import static org.keyline.gateway.config.ConfigKey.key;
import static org.keyline.gateway.config.ValueType.bytes;
import static org.keyline.gateway.config.ValueType.choice;
import static org.keyline.gateway.config.ValueType.duration;
import static org.keyline.gateway.config.ValueType.filterReads;
import static org.keyline.gateway.config.ValueType.flag;
import static org.keyline.gateway.config.ValueType.granularity;
import static org.keyline.gateway.config.ValueType.heapShare;
import static org.keyline.gateway.config.ValueType.integer;
import static org.keyline.gateway.config.ValueType.readableFile;
import static org.keyline.gateway.config.ValueType.secret;
import static org.keyline.gateway.config.ValueType.text;
import static org.keyline.gateway.config.ValueType.writtenFile;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.keyline.planner.FilterReads;
import org.keyline.protocol.transport.Networks;
import org.keyline.protocol.transport.Transport;
import org.keyline.protocol.transport.VanishedPeers;

/**
 * All keys of the configuration, each declared once. Parsing, error messages, the help of the
 * command line, {@code check-config} and the reference page are made from this table. The file has
 * as many entries as keys: look one up, do not read it from the beginning.
 */
public final class ConfigKeys {
    private static final Duration DAY = Duration.ofHours(24);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    static final Duration MAX_TTL = DAY;

    /** Default of {@link #CACHE_TTL} if others may write to the store. */
    static final Duration TTL = Duration.ofSeconds(1);

    /** Default of {@link #CACHE_TTL} if nobody writes past the gateway. */
    static final Duration TTL_OF_SOLE_WRITER = Duration.ofMinutes(1);

    private static final String KEYLINE_SET = "`KEYLINE SET`";
    private static final String KEYLINE_RELOAD = "`KEYLINE RELOAD`";

    static final ConfigKey<HostPort> LISTEN = key(
                    "listen",
                    ValueType.address(),
                    "127.0.0.1:9030",
                    "Address of the MySQL protocol for clients; port 0 means any free port.")
            .option("--listen");
    static final ConfigKey<Optional<HostPort>> HTTP = key(
                    "http",
                    ValueType.addressOrOff(),
                    "127.0.0.1:9031",
                    "Address of the operators' page, /metrics, /live, /ready and /health.")
            .option("--http");
    static final ConfigKey<Networks> PROXIES = key(
            "proxies",
            ValueType.networks(),
            "none",
            "Addresses of load balancers: each connection from there must begin with a header of the PROXY protocol (1 or 2), "
                    + "which has the client's address.");
    static final ConfigKey<Boolean> DEMO = key(
                    "demo",
                    flag(),
                    "false",
                    "Fills an embedded store with sample data, and offers TLS with a certificate made at start.")
            .option("--demo");
    static final ConfigKey<Integer> EVENT_LOOPS = computed(
            "eventLoops",
            integer(1, 1024),
            "one per processor; half as many in front of a store on loopback",
            "Threads that serve clients.");
    static final ConfigKey<Transport> TRANSPORT = key(
            "transport",
            ValueType.transport(),
            "auto",
            "Socket implementation; `auto` is io_uring on Linux 6.0 and later if it is allowed, else epoll if it works, else NIO; with a socket of the service manager it is epoll.");
    static final ConfigKey<Boolean> REUSE_PORT = key(
            "reusePort",
            flag(),
            "false",
            "Whether another process may listen on the same addresses (`SO_REUSEPORT`), so that the next one can start before this"
                    + " one stops.");
    static final ConfigKey<Integer> LOAD_CONNECTIONS = computed(
            "loadConnections",
            integer(1, 1024),
            "four a processor",
            "Connections to the store of the gateway's own account, which load lines.");
    static final ConfigKey<Duration> PRIVILEGE_TTL = key(
                    "privilegeTtl",
                    duration(Duration.ofMillis(100), DAY),
                    "60s",
                    "How long one success of a statement at the store allows hits to its user.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Duration> DRAIN_DELAY = key(
                    "drainDelay",
                    duration(Duration.ZERO, HOUR),
                    "0s",
                    "How long the gateway accepts connections after SIGTERM, while `/ready` returns 503. Set it longer than the interval of the load balancer's checks.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Duration> DRAIN_TIMEOUT = key(
                    "drainTimeout",
                    duration(Duration.ZERO, HOUR),
                    "10s",
                    "How long running statements and transactions may take to complete after SIGTERM and `drainDelay`.")
            .atRunTime(KEYLINE_SET);

    static final ConfigKey<String> STORE_URL = key(
                    "store.url", ValueType.storeUrl(), "duckdb:memory", "The store of the rows.")
            .option("--store");
    static final ConfigKey<String> STORE_USER = key(
                    "store.user",
                    text(),
                    "root",
                    "The gateway's own account at the store; it reads the catalog and loads lines.")
            .option("--store-user");
    static final ConfigKey<Secret> STORE_PASSWORD = key(
                    "store.password",
                    secret(),
                    "",
                    "Its password. Prefer `store.passwordFile` or the variable, which process lists do not show.")
            .asSecret()
            .option("--store-password")
            .variable("KEYLINE_STORE_PASSWORD");
    static final ConfigKey<Path> STORE_PASSWORD_FILE = computed(
            "store.passwordFile",
            readableFile("file"),
            "none",
            "File with that password, instead of `store.password`.");
    static final ConfigKey<GatewayConfig.StoreTls> STORE_TLS = key(
            "store.tls",
            choice(GatewayConfig.StoreTls.class),
            "off",
            "Encryption between gateway and store; only `verify` checks the store's certificate.");
    static final ConfigKey<Path> STORE_AUTHORITY = computed(
            "store.authority",
            readableFile("PEM file"),
            "those of the platform",
            "Authorities that `store.tls: verify` trusts.");
    static final ConfigKey<GatewayConfig.LoginMode> STORE_LOGIN = computed(
            "store.login",
            choice(GatewayConfig.LoginMode.class),
            "`relay` for `mysql://` without `users`, else `local`",
            "Who checks the passwords of clients: the store, or the gateway by its `users`.");
    static final ConfigKey<GatewayConfig.UnguardedLogins> STORE_UNGUARDED_LOGINS = key(
            "store.unguardedLogins",
            choice(GatewayConfig.UnguardedLogins.class),
            "refuse",
            "Whether to relay logins of accounts that Doris accepts with any password because the gateway runs on its host.");
    static final ConfigKey<Boolean> STORE_PROXY_PROTOCOL = key(
            "store.proxyProtocol",
            flag(),
            "false",
            "Whether relayed logins send the client's address to the store by the PROXY protocol, for accounts by host; the store must accept it from the gateway (MariaDB: `proxy_protocol_networks`).");
    static final ConfigKey<Duration> STORE_FAILOVER_AFTER = key(
            "store.failoverAfter",
            duration(Duration.ofMillis(100), HOUR),
            "5s",
            "How long the server in use may be silent before Keyline uses another one of `store.url`, if that names several.");
    static final ConfigKey<Optional<Duration>> STORE_START_TIMEOUT = key(
            "store.startTimeout",
            ValueType.durationOrOff(Duration.ofSeconds(1), DAY),
            "off",
            "How long a start waits for an unreachable store before the process exits with status 1; meanwhile logins get error 1429, and `/ready` returns 503. `off` waits forever.");
    static final ConfigKey<Duration> STORE_REFRESH = key(
            "store.refresh",
            duration(Duration.ofMillis(100), HOUR),
            "5s",
            "How often the store is asked for changed definitions.");
    static final ConfigKey<GatewayConfig.SignalMode> STORE_SIGNAL = key(
            "store.signal",
            choice(GatewayConfig.SignalMode.class),
            "auto",
            "How Keyline detects writes that bypass it: by the binary log of MySQL and MariaDB, or the partition versions of Doris and StarRocks. `auto` chooses by the store; other stores have no signal.");
    static final ConfigKey<Duration> STORE_SIGNAL_PERIOD = computed(
            "store.signalPeriod",
            duration(Duration.ofMillis(10), MINUTE),
            "`200ms`; `900ms` in front of Doris and StarRocks",
            "How often Keyline asks the store for the position of its changes; set it below `cache.ttl`.");
    static final ConfigKey<Long> STORE_SIGNAL_SERVER_ID = computed(
            "store.signalServerId",
            ValueType.serverId(),
            "random at start",
            "The gateway's id among the store's replicas; each needs a different one.");
    static final ConfigKey<Duration> STORE_IDLE_SESSION = key(
            "store.idleSession",
            duration(Duration.ZERO, DAY),
            "5s",
            "How long a client may not use its store session before Keyline closes that session; the next statement that needs"
                    + " the store opens another one. For `store.login: local` in front of MySQL and MariaDB; `0s` is never.");
    static final ConfigKey<Long> STORE_DUCKDB_MEMORY = key(
            "store.duckdb.memory",
            ValueType.engineMemory(),
            "auto",
            "Memory of the embedded engine; `auto` is half of the memory of the machine or container besides the heap.");
    static final ConfigKey<Duration> STORE_DUCKDB_MAX_EXECUTION_TIME = key(
                    "store.duckdb.maxExecutionTime",
                    duration(Duration.ZERO, DAY),
                    "5m",
                    "How long a statement may run on the embedded engine before error 3024 stops it; `0s` is no limit.")
            .atRunTime("`KEYLINE SET`; for the SELECTs of a session `SET max_execution_time`");

    static final ConfigKey<GatewayConfig.TlsMode> TLS_MODE = computed(
            "tls.mode",
            choice(GatewayConfig.TlsMode.class),
            "`offered` with a certificate or `demo`, else `off`",
            "Whether clients may or must encrypt. Without `tls.certificate`, the gateway creates a certificate at start.");
    static final ConfigKey<Path> TLS_CERTIFICATE = computed(
                    "tls.certificate", readableFile("PEM file"), "none", "Certificate chain for clients.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Path> TLS_KEY = computed(
                    "tls.key", readableFile("PEM file"), "none", "Its private key (PKCS#8), not encrypted.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Boolean> TLS_HTTP = key(
            "tls.http",
            flag(),
            "false",
            "Whether the address of metrics and health (`http`) accepts TLS only, with the same certificate.");

    static final ConfigKey<String> USER_NAME = computed(
                    "users[].name", text(), "required", "The name a client logs in with.")
            .atRunTime(KEYLINE_RELOAD);
    static final ConfigKey<LoginPlugin> USER_PLUGIN = key(
                    "users[].plugin",
                    choice(LoginPlugin.class),
                    "caching_sha2_password",
                    "How the user's password is checked; `none` is a user without a password.")
            .atRunTime(KEYLINE_RELOAD);
    static final ConfigKey<String> USER_HASH = key(
                    "users[].hash",
                    text(),
                    "",
                    "Hash of the password for the plugin, in the format of MySQL's `mysql.user`.")
            .asSecret()
            .atRunTime(KEYLINE_RELOAD);
    static final ConfigKey<String> USER_STORE_USER = computed(
                    "users[].storeUser", text(), "none", "The user's account at the store; required with `mysql://`.")
            .atRunTime(KEYLINE_RELOAD);
    static final ConfigKey<Secret> USER_STORE_PASSWORD = key(
                    "users[].storePassword", secret(), "", "The password of that account.")
            .asSecret()
            .atRunTime(KEYLINE_RELOAD);

    static final ConfigKey<Boolean> USER_READ_ONLY = key(
            "users[].readOnly",
            flag(),
            "false",
            "Whether the user may only read. For the embedded store; other stores have privileges.");

    static final ConfigKey<Set<String>> ACCESS_VIEWS = computed(
                    "access.views",
                    ValueType.accounts(),
                    "`store.user`",
                    "Users who may read the views of the schema `keyline`, by login name.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Set<String>> ACCESS_CHANGES = computed(
                    "access.changes",
                    ValueType.accounts(),
                    "`store.user`",
                    "Users who may use `KEYLINE FLUSH` and other statements that change the gateway; they may read the views, too.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Secret> ACCESS_HTTP_TOKEN = key(
                    "access.httpToken",
                    secret(),
                    "",
                    "The token that the page and /metrics require, as a bearer token or the password of basic authentication; empty: none.")
            .asSecret()
            .variable("KEYLINE_HTTP_TOKEN")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Set<String>> ACCESS_HTTP_HOSTS = key(
                    "access.httpHosts",
                    ValueType.hosts(),
                    "",
                    "Allowed hosts of HTTP requests besides `localhost` and loopback addresses; a request for another host gets status 421. Empty: none if `http` listens on loopback only, else any; `*`: any.")
            .atRunTime(KEYLINE_SET);

    static final ConfigKey<GatewayConfig.LogLevel> LOG_LEVEL = key(
                    "log.level",
                    choice(GatewayConfig.LogLevel.class),
                    "info",
                    "The lowest level of messages that are logged to standard error.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<GatewayConfig.LogFormat> LOG_FORMAT = key(
                    "log.format",
                    choice(GatewayConfig.LogFormat.class),
                    "text",
                    "Whether messages are lines for people, or JSON objects, one per line.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Optional<Duration>> LOG_SLOW_THRESHOLD = key(
                    "log.slow.threshold",
                    ValueType.durationOrOff(Duration.ZERO, HOUR),
                    "1s",
                    "The view `keyline.slow` and `log.slow.file` record statements that take as long, except those that lines "
                            + "answer without a load.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Path> LOG_SLOW_FILE = computed(
            "log.slow.file",
            writtenFile(),
            "none",
            "File for these statements, one JSON object per line; reopened when another file, or none, has the name.");
    static final ConfigKey<Integer> LOG_SLOW_LINES = key(
                    "log.slow.linesPerSecond",
                    integer(1, 10_000),
                    "20",
                    "Maximum lines of that file per second; further ones are omitted, and the next line has their number.")
            .atRunTime(KEYLINE_SET);

    static final ConfigKey<Boolean> CACHE_ENABLED = key(
                    "cache.enabled", flag(), "true", "Off sends every statement to the store.")
            .option("--cache")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Long> CACHE_SIZE = key(
                    "cache.size", heapShare(1 << 20), "20%", "Budget of all lines together.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Duration> CACHE_TTL = computed(
                    "cache.ttl",
                    duration(Duration.ZERO, MAX_TTL),
                    "`1s`; `1m` on the embedded store, where no write bypasses the gateway",
                    "Age at which a line expires: the maximum time for which a write that bypasses the gateway may be invisible.")
            .option("--ttl")
            .atRunTime("`KEYLINE SET`; `SET keyline_max_staleness`, less for a session");
    static final ConfigKey<Duration> CACHE_SIGNAL_TTL = key(
                    "cache.signalTtl",
                    duration(Duration.ZERO, MAX_TTL),
                    "1m",
                    "The same while a change signal (`store.signal`) is live; at least `cache.ttl`.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Granularity> CACHE_PREFIX = key(
                    "cache.prefix",
                    granularity(),
                    "auto",
                    "Load granularity: how many leading key columns one load binds; `auto` takes as few as the statements bind, and measures which number costs least. With `0`, lines are ranges of keys that grow as they are read, for scans "
                            + "such as `WHERE k >= ? ORDER BY k LIMIT ?`.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Integer> CACHE_AUTO_ROWS = key(
                    "cache.autoRows",
                    integer(1, 10_000_000),
                    "1000",
                    "Maximum average rows of a line if `prefix` is `auto`.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Integer> CACHE_MAX_ROWS = key(
                    "cache.maxRowsPerLine", integer(1, 10_000_000), "10000", "Rows beyond which a line is not cached.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Long> CACHE_MAX_BYTES = key(
                    "cache.maxBytesPerLine",
                    bytes(1 << 10, 1 << 30),
                    "4 MiB",
                    "Bytes beyond which a line is not cached.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Integer> CACHE_MAX_WAITERS = key(
                    "cache.maxWaitersPerLoad",
                    integer(0, 1_000_000),
                    "1000",
                    "Reads that may wait for one load; further ones go to the store.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Duration> CACHE_LOAD_TIMEOUT = key(
                    "cache.loadTimeout", duration(Duration.ofMillis(10), HOUR), "10s", "Age at which a load fails.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Boolean> CACHE_REFRESH_AHEAD = key(
                    "cache.refreshAhead",
                    flag(),
                    "true",
                    "Loads lines again that are read in the last fifth of their ttl: many single rows by one statement, other lines one by one if they are read often. Adds at most a quarter to the number of loads.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Integer> CACHE_AUDIT = key(
                    "cache.auditOneIn",
                    integer(0, 1_000_000_000),
                    "100000",
                    "Compares one in this many hits with the store in the background; 0 is none.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<GatewayConfig.TransactionMode> CACHE_TRANSACTIONS = key(
            "cache.transactions",
            choice(GatewayConfig.TransactionMode.class),
            "trust",
            "Which transactions at REPEATABLE READ lines may answer: those that began like others that ended without the store, or none.");

    static final ConfigKey<GatewayConfig.WriteThroughMode> CACHE_WRITE_THROUGH = key(
            "cache.writeThrough",
            choice(GatewayConfig.WriteThroughMode.class),
            "off",
            "`exact`: an UPDATE of one row by its key changes the row in its line, where the new row is exactly known, instead of dropping "
                    + "the line. For MySQL, MariaDB and the embedded store.");

    static final ConfigKey<FilterReads> FILTER_ENABLED = key(
            "filter.enabled",
            filterReads(),
            "equal",
            "Which results of reads by conditions that bind no key prefix are cached, to answer the same reads and narrower ones: "
                    + "`equal` those with a condition `=` or IN, none by a range, and none that only the store evaluates, "
                    + "`true` all, `false` none.");
    static final ConfigKey<Long> FILTER_SIZE = computed(
                    "filter.size",
                    heapShare(1 << 10),
                    "a quarter of `cache.size`",
                    "The part of `cache.size` for such results.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<GatewayConfig.FilterOrder> FILTER_ORDER = key(
            "filter.order",
            choice(GatewayConfig.FilterOrder.class),
            "exact",
            "Treatment of several rows without ORDER BY: `exact` forwards the read, `any` returns them in the order of the key.");

    static final ConfigKey<FilterReads> TABLE_FILTERS = computed(
            "tables.DB.TABLE.filters",
            filterReads(),
            "`filter.enabled`",
            "The same as `filter.enabled`, for the table.");
    static final ConfigKey<GatewayConfig.TierUse> TABLE_TIER_USE = computed(
            "tables.DB.TABLE.tierUse",
            choice(GatewayConfig.TierUse.class),
            "`both` with `tier.values`, else `local`",
            "The place of the table's lines: the memory of the gateways that read them, the tier, or both.");
    static final ConfigKey<String> TABLE_TIER_NAMESPACE = computed(
            "tables.DB.TABLE.tierNamespace",
            ValueType.name(),
            "`tier.namespace`",
            "Prefix of the names of the table's lines in the tier; the same for all gateways.");
    static final ConfigKey<Duration> TABLE_TIER_TTL = computed(
            "tables.DB.TABLE.tierTtl",
            duration(Duration.ofMillis(1), MAX_TTL),
            "as long as a line may answer",
            "Maximum time of a line in the tier.");
    static final ConfigKey<Boolean> TABLE_MERGE_WRITES = key(
            "tables.DB.TABLE.mergeWrites",
            flag(),
            "false",
            "Sends single-row INSERTs of several clients that arrive together as one statement. In front of MariaDB only.");
    static final ConfigKey<Boolean> TABLE_ENABLED = key(
                    "tables.DB.TABLE.enabled", flag(), "true", "Off sends every read of the table to the store.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Granularity> TABLE_PREFIX = computed(
                    "tables.DB.TABLE.prefix", granularity(), "`cache.prefix`", "Load granularity of the table.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Duration> TABLE_TTL = computed(
                    "tables.DB.TABLE.ttl",
                    duration(Duration.ZERO, MAX_TTL),
                    "`cache.ttl`",
                    "The same as `cache.ttl`, for the table.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Duration> TABLE_SIGNAL_TTL = computed(
                    "tables.DB.TABLE.signalTtl",
                    duration(Duration.ZERO, MAX_TTL),
                    "`cache.signalTtl`",
                    "The same as `cache.signalTtl`, for the table; at least its `ttl`.")
            .atRunTime(KEYLINE_SET);

    static final ConfigKey<String> TIER_URL = computed(
            "tier.url",
            ValueType.tierUrl(),
            "none",
            "Redis or Valkey servers through which gateways in front of the same store report writes to each other; one of them is"
                    + " used at a time. None is needed where all `tier.members` have addresses.");
    static final ConfigKey<String> TIER_USER =
            key("tier.user", text(), "", "The gateway's account at the server; empty: the server's default user.");
    static final ConfigKey<Secret> TIER_PASSWORD = key(
                    "tier.password",
                    secret(),
                    "",
                    "Its password. Prefer `tier.passwordFile` or the variable. Empty: none.")
            .asSecret()
            .variable("KEYLINE_TIER_PASSWORD");
    static final ConfigKey<Path> TIER_PASSWORD_FILE = computed(
            "tier.passwordFile", readableFile("file"), "none", "File with that password, instead of `tier.password`.");
    static final ConfigKey<Path> TIER_AUTHORITY = computed(
            "tier.authority",
            readableFile("PEM file"),
            "those of the platform",
            "Authorities that `rediss://` trusts. With either, connections to other gateways use TLS only, and one of these must have issued their certificates.");
    static final ConfigKey<String> TIER_NAMESPACE = key(
            "tier.namespace",
            ValueType.name(),
            "keyline",
            "The prefix of all keys at that server; the same for all gateways in front of one store, another one for each store.");
    static final ConfigKey<String> TIER_NAME = computed(
            "tier.name",
            ValueType.name(),
            "required with `tier.members`",
            "The name of this gateway among the others.");
    static final ConfigKey<GatewayConfig.Members> TIER_MEMBERS = computed(
            "tier.members",
            ValueType.members(),
            "required with `tier.url`",
            "All gateways, this one included. The others also notify a gateway directly if it has an address, its client port."
                    + " While one of them is silent, lines answer for `tier.staleness` only.");
    static final ConfigKey<Duration> TIER_STALENESS = key(
            "tier.staleness",
            duration(Duration.ofMillis(50), MINUTE),
            "200ms",
            "How long another gateway's acknowledged write may be invisible here; the same for all gateways.");
    static final ConfigKey<Boolean> TIER_STRICT = key(
            "tier.strict",
            flag(),
            "false",
            "Whether a write is acknowledged only when all other gateways have dropped the lines of its rows, or `tier.staleness` later;"
                    + " the same for all gateways.");
    static final ConfigKey<Boolean> TIER_VALUES = key(
            "tier.values",
            flag(),
            "false",
            "Whether gateways with the same `store.url` and `store.user` share lines through the tier.");

    static final ConfigKey<Secret> TIER_VALUE_KEY = key(
                    "tier.valueKey",
                    ValueType.cipherKey(),
                    "",
                    "AES-GCM key of lines in the tier, the same for all gateways. Prefer `tier.valueKeyFile` or the variable. Empty: lines are not encrypted.")
            .asSecret()
            .variable("KEYLINE_TIER_VALUE_KEY");
    static final ConfigKey<Path> TIER_VALUE_KEY_FILE = computed(
            "tier.valueKeyFile", readableFile("file"), "none", "File with that key, instead of `tier.valueKey`.");

    static final ConfigKey<Integer> LIMITS_CONNECTIONS = key(
                    "limits.connections",
                    integer(1, 1_000_000),
                    "10000",
                    "Maximum clients; further ones get error 1040.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Integer> LIMITS_CONNECTIONS_PER_USER = key(
                    "limits.connectionsPerUser",
                    integer(0, 1_000_000),
                    "0",
                    "Maximum clients of a user, by login name; further ones get error 1203; 0 is no limit.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Integer> LIMITS_FORWARDS_PER_USER = key(
                    "limits.forwardsPerUser",
                    integer(0, 1_000_000),
                    "0",
                    "Maximum statements of a user that run at the store; further ones get error 1226, except in an open transaction; 0 is no limit.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Integer> LIMITS_STATEMENTS_PER_SESSION = key(
                    "limits.preparedStatementsPerSession",
                    integer(0, 1_000_000),
                    "4096",
                    "Prepared statements of one session; a further one gets error 1461.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Integer> LIMITS_STATEMENTS = key(
                    "limits.preparedStatements",
                    integer(0, 10_000_000),
                    "100000",
                    "Prepared statements of all sessions; a further one gets error 1461.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Long> LIMITS_PACKET = key(
                    "limits.maxAllowedPacket", bytes(1 << 10, 1 << 30), "64 MiB", "Largest command of a client.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Long> LIMITS_PLANS = key(
                    "limits.planCache", heapShare(1 << 20), "2%", "Maximum memory of statement plans.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Long> LIMITS_MEMORY = key(
                    "limits.memory",
                    heapShare(16 << 20),
                    "30%",
                    "Memory that all clients together may use in the gateway, on the heap or beside it.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Duration> LIMITS_LOGIN_TIMEOUT = key(
                    "limits.loginTimeout",
                    duration(Duration.ofMillis(100), Duration.ofMinutes(10)),
                    "10s",
                    "How long a client may take to log in.")
            .atRunTime(KEYLINE_SET);
    static final ConfigKey<Duration> LIMITS_PEER_TIMEOUT = key(
                    "limits.peerTimeout",
                    duration(VanishedPeers.LEAST, DAY),
                    "1m",
                    "How long a client or store that vanished keeps its connection; silence alone closes none.")
            .atRunTime(KEYLINE_SET);

    /** All keys, in the order of the reference page. */
    public static final List<ConfigKey<?>> ALL = List.of(
            LISTEN,
            HTTP,
            PROXIES,
            DEMO,
            EVENT_LOOPS,
            TRANSPORT,
            REUSE_PORT,
            LOAD_CONNECTIONS,
            PRIVILEGE_TTL,
            DRAIN_DELAY,
            DRAIN_TIMEOUT,
            STORE_URL,
            STORE_USER,
            STORE_PASSWORD,
            STORE_PASSWORD_FILE,
            STORE_TLS,
            STORE_AUTHORITY,
            STORE_LOGIN,
            STORE_UNGUARDED_LOGINS,
            STORE_PROXY_PROTOCOL,
            STORE_FAILOVER_AFTER,
            STORE_START_TIMEOUT,
            STORE_REFRESH,
            STORE_SIGNAL,
            STORE_SIGNAL_PERIOD,
            STORE_SIGNAL_SERVER_ID,
            STORE_IDLE_SESSION,
            STORE_DUCKDB_MEMORY,
            STORE_DUCKDB_MAX_EXECUTION_TIME,
            TLS_MODE,
            TLS_CERTIFICATE,
            TLS_KEY,
            TLS_HTTP,
            USER_NAME,
            USER_PLUGIN,
            USER_HASH,
            USER_STORE_USER,
            USER_STORE_PASSWORD,
            USER_READ_ONLY,
            ACCESS_VIEWS,
            ACCESS_CHANGES,
            ACCESS_HTTP_TOKEN,
            ACCESS_HTTP_HOSTS,
            LOG_LEVEL,
            LOG_FORMAT,
            LOG_SLOW_THRESHOLD,
            LOG_SLOW_FILE,
            LOG_SLOW_LINES,
            CACHE_ENABLED,
            CACHE_SIZE,
            CACHE_TTL,
            CACHE_SIGNAL_TTL,
            CACHE_PREFIX,
            CACHE_AUTO_ROWS,
            CACHE_MAX_ROWS,
            CACHE_MAX_BYTES,
            CACHE_MAX_WAITERS,
            CACHE_LOAD_TIMEOUT,
            CACHE_REFRESH_AHEAD,
            CACHE_AUDIT,
            CACHE_TRANSACTIONS,
            CACHE_WRITE_THROUGH,
            FILTER_ENABLED,
            FILTER_SIZE,
            FILTER_ORDER,
            TABLE_ENABLED,
            TABLE_PREFIX,
            TABLE_TTL,
            TABLE_SIGNAL_TTL,
            TABLE_FILTERS,
            TABLE_TIER_USE,
            TABLE_TIER_NAMESPACE,
            TABLE_TIER_TTL,
            TABLE_MERGE_WRITES,
            TIER_URL,
            TIER_USER,
            TIER_PASSWORD,
            TIER_PASSWORD_FILE,
            TIER_AUTHORITY,
            TIER_NAMESPACE,
            TIER_NAME,
            TIER_MEMBERS,
            TIER_STALENESS,
            TIER_STRICT,
            TIER_VALUES,
            TIER_VALUE_KEY,
            TIER_VALUE_KEY_FILE,
            LIMITS_CONNECTIONS,
            LIMITS_CONNECTIONS_PER_USER,
            LIMITS_FORWARDS_PER_USER,
            LIMITS_STATEMENTS_PER_SESSION,
            LIMITS_STATEMENTS,
            LIMITS_PACKET,
            LIMITS_PLANS,
            LIMITS_MEMORY,
            LIMITS_LOGIN_TIMEOUT,
            LIMITS_PEER_TIMEOUT);

    private static final Set<String> CHANGING = ALL.stream()
            .filter(key -> key.atRunTime() != null)
            .map(ConfigKey::path)
            .collect(Collectors.toUnmodifiableSet());

    /** Placeholders for any name in a path. */
    private static final Set<String> ANY_NAME = Set.of("DB", "TABLE");

    private ConfigKeys() {}

    /** Returns whether the value at a path can change at run time, for all users. */
    static boolean changesAtRunTime(String path) {
        if (path.startsWith("tables.")) {
            return Stream.of(TABLE_FILTERS, TABLE_TIER_USE, TABLE_TIER_NAMESPACE, TABLE_TIER_TTL, TABLE_MERGE_WRITES)
                    .noneMatch(fixed -> path.endsWith("." + fixed.name()));
        }
        return path.startsWith("users[") || CHANGING.contains(path);
    }

    /** Returns whether these names are the path of a key; entries of lists have none. */
    static boolean isKey(List<String> names) {
        return ALL.stream().map(key -> key.path().split("\\.")).anyMatch(path -> matches(path, names));
    }

    private static boolean matches(String[] path, List<String> names) {
        boolean matches = path.length == names.size();
        for (int i = 0; matches && i < path.length; i++) {
            matches = ANY_NAME.contains(path[i]) || path[i].equals(names.get(i));
        }
        return matches;
    }

    /** Returns whether a name is that of a key or a section, so that it may be printed. */
    static boolean knows(String name) {
        return ALL.stream()
                .anyMatch(key -> List.of(key.path().split("[.\\[\\]]+")).contains(name));
    }

    /** Returns the names in a section, sorted. */
    static List<String> namesIn(String section) {
        String prefix = section.isEmpty() ? "" : section + ".";
        TreeSet<String> names = new TreeSet<>();
        for (ConfigKey<?> key : ALL) {
            if (key.path().startsWith(prefix)) {
                names.add(key.path().substring(prefix.length()).split("[.\\[]", 2)[0]);
            }
        }
        return List.copyOf(names);
    }
}
