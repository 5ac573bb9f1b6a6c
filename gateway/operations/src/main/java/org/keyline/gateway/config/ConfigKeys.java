package org.keyline.gateway.config;

import static org.keyline.gateway.config.ValueType.bytes;
import static org.keyline.gateway.config.ValueType.choice;
import static org.keyline.gateway.config.ValueType.duration;
import static org.keyline.gateway.config.ValueType.either;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.units.Units;
import org.keyline.planner.FilterReads;
import org.keyline.protocol.client.TlsMode;
import org.keyline.protocol.transport.Networks;
import org.keyline.protocol.transport.Transport;
import org.keyline.protocol.transport.VanishedPeers;

/**
 * Declares each key of the configuration. Parsing, messages, help, {@code check-config}, changes at
 * run time, the view of settings and the reference page use only these declarations, in their
 * order.
 */
public final class ConfigKeys {
    static final String MAX_TTL = "24h";

    private static final Pattern LOOPBACK = Pattern.compile("localhost|::1|127(\\.\\d{1,3}){3}");

    private static final String KEYLINE_SET = "`KEYLINE SET`";
    private static final String KEYLINE_RELOAD = "`KEYLINE RELOAD`";

    private static final List<ConfigKey<?>> DECLARED = new ArrayList<>();

    public static final ConfigKey<HostPort> LISTEN = key("listen", ValueType.address(), "127.0.0.1:9030")
            .option("--listen")
            .sentence("Address of the MySQL protocol for clients; port 0 means any free port.");
    public static final ConfigKey<Optional<HostPort>> HTTP = key(
                    "http", ValueType.orOff(ValueType.address(), "HOST:PORT or off"), "127.0.0.1:9031")
            .option("--http")
            .sentence("Address of the operators' page, /metrics, /live, /ready and /health.");
    public static final ConfigKey<Networks> PROXIES = key("proxies", ValueType.networks(), "none")
            .sentence(
                    "Addresses of load balancers. Each connection from them must begin with a header of the PROXY protocol (1 or 2), which has the client's address.");
    public static final ConfigKey<Boolean> DEMO = key("demo", flag(), "false")
            .option("--demo")
            .sentence("Fills an embedded store with sample data, and offers TLS with a certificate made at start.");
    public static final ConfigKey<Integer> EVENT_LOOPS = computed(
                    "eventLoops",
                    integer(1, 1024),
                    "one per processor; half as many in front of a store on loopback",
                    ConfigKeys::eventLoops)
            .sentence("Threads that serve clients.");
    public static final ConfigKey<Transport> TRANSPORT = key("transport", ValueType.transport(), "auto")
            .sentence(
                    "Socket implementation. `auto` is io_uring on Linux 6.0 and later if it is allowed, else epoll if it works, else NIO. With a socket of the service manager it is epoll.");
    public static final ConfigKey<Boolean> REUSE_PORT = key("reusePort", flag(), "false")
            .sentence(
                    "Whether another process may listen on the same addresses (`SO_REUSEPORT`), so that the next one can start before this one stops.");
    public static final ConfigKey<Integer> LOAD_CONNECTIONS = computed(
                    "loadConnections",
                    integer(1, 1024),
                    "four a processor",
                    reading -> Integer.toString(4 * reading.machine().processors()))
            .sentence("Connections to the store of the gateway's own account, which load lines.");
    public static final ConfigKey<Duration> PRIVILEGE_TTL = live("privilegeTtl", duration("100ms", "24h"), "60s")
            .sentence("How long one success of a statement at the store allows hits to its user.");
    public static final ConfigKey<Duration> DRAIN_DELAY = live("drainDelay", duration("0s", "1h"), "0s")
            .sentence(
                    "How long the gateway accepts connections after SIGTERM, while `/ready` returns 503. Must be longer than the interval of the load balancer's checks.");
    public static final ConfigKey<Duration> DRAIN_TIMEOUT = live("drainTimeout", duration("0s", "1h"), "10s")
            .sentence(
                    "How long running statements and transactions may take to complete after SIGTERM and `drainDelay`.");

    public static final ConfigKey<String> STORE_URL = key("store.url", ValueType.storeUrl(), "duckdb:memory")
            .option("--store")
            .sentence("URL of the store.");
    public static final ConfigKey<String> STORE_USER = key("store.user", text(), "root")
            .option("--store-user")
            .sentence("The gateway's own account at the store; it reads the catalog and loads lines.");
    public static final ConfigKey<Secret> STORE_PASSWORD = key("store.password", secret(), "")
            .option("--store-password")
            .variable("KEYLINE_STORE_PASSWORD")
            .sentence(
                    "Password of `store.user`. Prefer `store.passwordFile` or the variable, which process lists do not show.");
    public static final ConfigKey<Path> STORE_PASSWORD_FILE = absent("store.passwordFile", readableFile("file"), "none")
            .holds(STORE_PASSWORD)
            .sentence("File with the password of `store.user`, instead of `store.password`.");
    public static final ConfigKey<TlsMode> STORE_TLS = key("store.tls", choice(TlsMode.class), "off")
            .sentence("Encryption between gateway and store; only `verify` checks the store's certificate.");
    public static final ConfigKey<Path> STORE_AUTHORITY = absent(
                    "store.authority", readableFile("PEM file"), "those of the platform")
            .sentence("Authorities that `store.tls: verify` trusts.");
    public static final ConfigKey<Boolean> RELAYS_LOGINS = computed(
                    "store.login",
                    either("relay", "local"),
                    "`relay` for `mysql://` without `users`, else `local`",
                    reading -> GatewayConfig.isRemote(reading) && !reading.listsUsers() ? "relay" : "local")
            .sentence("Who checks the passwords of clients: the store, or the gateway by its `users`.");
    public static final ConfigKey<Boolean> REFUSES_UNGUARDED_LOGINS = key(
                    "store.unguardedLogins", either("refuse", "allow"), "refuse")
            .sentence(
                    "Whether to relay logins of accounts that Doris accepts with any password because the gateway runs on its host.");
    public static final ConfigKey<Boolean> STORE_PROXY_PROTOCOL = key("store.proxyProtocol", flag(), "false")
            .sentence(
                    "Whether relayed logins send the client's address to the store by the PROXY protocol, for accounts by host. The store must accept this header from the gateway (MariaDB: `proxy_protocol_networks`).");
    public static final ConfigKey<Duration> STORE_FAILOVER_AFTER = key(
                    "store.failoverAfter", duration("100ms", "1h"), "5s")
            .sentence(
                    "If `store.url` names several servers: how long the server in use may be silent before Keyline uses another.");
    public static final ConfigKey<Optional<Duration>> STORE_START_TIMEOUT = key(
                    "store.startTimeout", ValueType.durationOrOff("1s", "24h"), "off")
            .sentence(
                    "How long a start waits for an unreachable store before the process exits with status 1. Meanwhile logins get error 1429, and `/ready` returns 503. `off` waits forever.");
    public static final ConfigKey<Duration> STORE_REFRESH = key("store.refresh", duration("100ms", "1h"), "5s")
            .sentence("How often the store is asked for changed definitions.");
    public static final ConfigKey<GatewayConfig.SignalMode> STORE_SIGNAL = key(
                    "store.signal", choice(GatewayConfig.SignalMode.class), "auto")
            .sentence(
                    "How Keyline detects writes that bypass it: by the binary log of MySQL and MariaDB, or the partition versions of Doris and StarRocks. `auto` chooses by the store; other stores have no signal.");
    public static final ConfigKey<Duration> STORE_SIGNAL_PERIOD = absent(
                    "store.signalPeriod", duration("10ms", "1m"), "`500ms`; `900ms` in front of Doris and StarRocks")
            .sentence("How often Keyline asks the store for the position of its changes; set it below `cache.ttl`.");
    public static final ConfigKey<Duration> STORE_IDLE_SESSION = key("store.idleSession", duration("0s", "24h"), "5s")
            .sentence(
                    "Keyline closes a store session that its client has not used for this long; `0s` turns this off. The next statement that needs the store opens another session. For `store.login: local` in front of MySQL and MariaDB.");
    public static final ConfigKey<Long> STORE_DUCKDB_MEMORY = key(
                    "store.duckdb.memory", ValueType.engineMemory(), "auto")
            .sentence(
                    "Memory of the embedded engine; `auto` is half of the memory of the machine or container without the heap.");
    public static final ConfigKey<Duration> STORE_DUCKDB_MAX_EXECUTION_TIME = key(
                    "store.duckdb.maxExecutionTime", duration("0s", "24h"), "5m")
            .live("`KEYLINE SET`; for the SELECTs of a session `SET max_execution_time`")
            .sentence(
                    "How long a statement may run on the embedded engine before error 3024 stops it; `0s` means no limit.");

    public static final ConfigKey<GatewayConfig.TlsMode> TLS_MODE = computed(
                    "tls.mode",
                    choice(GatewayConfig.TlsMode.class),
                    "`offered` with a certificate or `demo`, else `off`",
                    ConfigKeys::tlsMode)
            .sentence(
                    "Whether clients may or must encrypt. Without `tls.certificate`, the gateway creates a certificate at start.");
    public static final ConfigKey<Boolean> ALLOWS_TLS_1_2 = key("tls.minVersion", either("1.2", "1.3"), "1.2")
            .sentence("The lowest version of TLS that clients, metrics and health may use.");
    public static final ConfigKey<Path> TLS_CERTIFICATE = absent("tls.certificate", readableFile("PEM file"), "none")
            .live(KEYLINE_SET)
            .sentence("Certificate chain for clients.");
    public static final ConfigKey<Path> TLS_KEY = absent("tls.key", readableFile("PEM file"), "none")
            .live(KEYLINE_SET)
            .sentence("Private key of `tls.certificate` (PKCS#8), not encrypted.");
    public static final ConfigKey<Boolean> TLS_HTTP = key("tls.http", flag(), "false")
            .sentence(
                    "Whether the address of metrics and health (`http`) accepts TLS only, with the same certificate.");

    public static final ConfigKey<String> USER_NAME =
            absent("users[].name", text(), "required").live(KEYLINE_RELOAD).sentence("The name a client logs in with.");
    static final ConfigKey<GatewayConfig.LoginPlugin> USER_PLUGIN = key(
                    "users[].plugin", choice(GatewayConfig.LoginPlugin.class), "caching_sha2_password")
            .live(KEYLINE_RELOAD)
            .sentence("How the user's password is checked; `none` is a user without a password.");
    public static final ConfigKey<Secret> USER_HASH = key("users[].hash", secret(), "")
            .live(KEYLINE_RELOAD)
            .sentence("Hash of the password for the plugin, in the format of MySQL's `mysql.user`.");
    public static final ConfigKey<String> USER_STORE_USER = absent("users[].storeUser", text(), "none")
            .live(KEYLINE_RELOAD)
            .sentence("The user's account at the store; required with `mysql://`.");
    public static final ConfigKey<Secret> USER_STORE_PASSWORD =
            key("users[].storePassword", secret(), "").live(KEYLINE_RELOAD).sentence("The password of `storeUser`.");

    public static final ConfigKey<Set<String>> ACCESS_VIEWS = like(STORE_USER, "access.views", ValueType.accounts())
            .live(KEYLINE_SET)
            .sentence("Users who may read the views of the schema `keyline`, by login name.");
    public static final ConfigKey<Set<String>> ACCESS_CHANGES = like(STORE_USER, "access.changes", ValueType.accounts())
            .live(KEYLINE_SET)
            .sentence(
                    "Users who may use `KEYLINE FLUSH` and other statements that change the gateway; they may read the views, too.");
    public static final ConfigKey<Secret> ACCESS_HTTP_TOKEN = live("access.httpToken", secret(), "")
            .variable("KEYLINE_HTTP_TOKEN")
            .sentence(
                    "The token that the page and /metrics require, as a bearer token or the password of basic authentication; empty: none.");
    public static final ConfigKey<Set<String>> ACCESS_HTTP_HOSTS = live("access.httpHosts", ValueType.hosts(), "")
            .sentence(
                    "Allowed hosts of HTTP requests besides `localhost` and loopback addresses; a request for another host gets status 421. Empty: no other host if `http` listens on loopback only, and any host if not. `*`: any host.");

    public static final ConfigKey<GatewayConfig.LogLevel> LOG_LEVEL = live(
                    "log.level", choice(GatewayConfig.LogLevel.class), "info")
            .sentence("The lowest level of messages that are logged to standard error.");
    public static final ConfigKey<Boolean> LOGS_TEXT = live("log.format", either("text", "json"), "text")
            .sentence("Whether messages are lines for people, or JSON objects, one per line.");
    public static final ConfigKey<Optional<Duration>> LOG_SLOW_THRESHOLD = live(
                    "log.slow.threshold", ValueType.durationOrOff("0s", "1h"), "1s")
            .sentence(
                    "The view `keyline.slow` and `log.slow.file` record statements that take this long or longer, except those that lines answer without a load.");
    public static final ConfigKey<Path> LOG_SLOW_FILE = absent("log.slow.file", writtenFile(), "none")
            .sentence("File for these statements, one JSON object per line; reopened after it was moved or removed.");

    public static final ConfigKey<Boolean> CACHE_ENABLED =
            live("cache.enabled", flag(), "true").option("--cache").sentence("Off sends every statement to the store.");
    public static final ConfigKey<Long> CACHE_SIZE =
            live("cache.size", heapShare("1 MiB"), "20%").sentence("Budget of all lines together.");
    public static final ConfigKey<Duration> CACHE_TTL = computed(
                    "cache.ttl",
                    duration("0s", MAX_TTL),
                    "`1s`; `1m` on the embedded store, where no write bypasses the gateway",
                    reading -> GatewayConfig.isRemote(reading) ? "1s" : "1m")
            .option("--ttl")
            .live("`KEYLINE SET`; `SET keyline_max_staleness`, less for a session")
            .sentence(
                    "Age at which a line expires: the maximum time for which a write that bypasses the gateway may be invisible.");
    public static final ConfigKey<Duration> CACHE_SIGNAL_TTL = computed(
                    "cache.signalTtl", duration("0s", MAX_TTL), "`1m`", reading -> later("1m", reading.text(CACHE_TTL)))
            .live(KEYLINE_SET)
            .sentence("How long a line lives while a change signal (`store.signal`) is live; at least `cache.ttl`.");
    public static final ConfigKey<Granularity> CACHE_PREFIX = live("cache.prefix", granularity(), "auto")
            .sentence(
                    "Load granularity: how many leading key columns one load binds; `auto` takes as few as the statements bind, and measures which number costs least. With `0`, lines are ranges of keys that grow as they are read, for scans such as `WHERE k >= ? ORDER BY k LIMIT ?`.");
    public static final ConfigKey<Integer> CACHE_AUTO_ROWS = live("cache.autoRows", integer(1, 10_000_000), "1000")
            .sentence("Maximum average rows of a line if `prefix` is `auto`.");
    public static final ConfigKey<Integer> CACHE_MAX_ROWS =
            live("cache.maxRowsPerLine", integer(1, 10_000_000), "10000").sentence("Maximum rows of a cached line.");
    public static final ConfigKey<Integer> CACHE_MAX_BYTES =
            live("cache.maxBytesPerLine", bytes("1 KiB", "1 GiB"), "4 MiB").sentence("Maximum bytes of a cached line.");
    public static final ConfigKey<Duration> CACHE_LOAD_TIMEOUT = live(
                    "cache.loadTimeout", duration("10ms", "1h"), "10s")
            .sentence("How long a load may take before it fails.");
    public static final ConfigKey<Boolean> CACHE_REFRESH_AHEAD = live("cache.refreshAhead", flag(), "true")
            .sentence(
                    "Loads a line again if it is read in the last fifth of its ttl. One statement loads many single rows; longer lines load one by one, if they are read often. Adds at most a quarter to the number of loads.");
    public static final ConfigKey<Integer> CACHE_AUDIT = live("cache.auditOneIn", integer(0, 1_000_000_000), "100000")
            .sentence("Compares one in this many hits with the store in the background; 0 is none.");
    public static final ConfigKey<Boolean> TRUSTS_TRANSACTIONS = key(
                    "cache.transactions", either("trust", "never"), "trust")
            .sentence(
                    "Which transactions at isolation level REPEATABLE READ may be answered from lines. `trust`: those that begin like earlier transactions that read only one line. `never`: none.");

    public static final ConfigKey<FilterReads> FILTER_ENABLED = key("filter.enabled", filterReads(), "equal")
            .sentence(
                    "Whether to cache results of reads whose conditions bind no key prefix. A result answers the same reads and narrower ones. `equal`: reads with a condition `=` or IN, and without ranges or conditions that only the store evaluates. `true`: all. `false`: none.");
    public static final ConfigKey<Long> FILTER_SIZE = computed(
                    "filter.size",
                    heapShare("1 KiB"),
                    "a quarter of `cache.size`",
                    reading -> Units.format(Math.max(1, reading.get(CACHE_SIZE) / 4)))
            .live(KEYLINE_SET)
            .sentence("The part of `cache.size` for such results.");
    public static final ConfigKey<Boolean> EXACT_ORDER = key("filter.order", either("exact", "any"), "exact")
            .sentence(
                    "What happens to a read of several rows without ORDER BY. `exact` forwards the read, `any` returns the rows in the order of the key.");

    public static final ConfigKey<Boolean> TABLE_ENABLED =
            live("tables.DB.TABLE.enabled", flag(), "true").sentence("Off sends every read of the table to the store.");
    public static final ConfigKey<Granularity> TABLE_PREFIX = like(
                    CACHE_PREFIX, "tables.DB.TABLE.prefix", granularity())
            .live(KEYLINE_SET)
            .sentence("Load granularity of the table.");
    public static final ConfigKey<Duration> TABLE_TTL = like(CACHE_TTL, "tables.DB.TABLE.ttl", duration("0s", MAX_TTL))
            .live(KEYLINE_SET)
            .sentence("The same as `cache.ttl`, for the table.");
    public static final ConfigKey<Duration> TABLE_SIGNAL_TTL = computed(
                    "tables.DB.TABLE.signalTtl",
                    duration("0s", MAX_TTL),
                    "`cache.signalTtl`",
                    reading -> later(reading.text(CACHE_SIGNAL_TTL), reading.text(TABLE_TTL)))
            .live(KEYLINE_SET)
            .sentence("The same as `cache.signalTtl`, for the table; at least its `ttl`.");
    public static final ConfigKey<Boolean> TABLE_SIGNAL = live("tables.DB.TABLE.signal", flag(), "true")
            .sentence(
                    "If off, the table's lines live for its `ttl`, whatever the change signal reports. Useful for tables with constant writes.");
    public static final ConfigKey<FilterReads> TABLE_FILTERS = like(
                    FILTER_ENABLED, "tables.DB.TABLE.filters", filterReads())
            .sentence("The same as `filter.enabled`, for the table.");
    public static final ConfigKey<Boolean> TABLE_SHARES_LINES = computed(
                    "tables.DB.TABLE.tierUse",
                    either("both", "local"),
                    "`both` with `tier.values`, else `local`",
                    reading -> reading.get(ConfigKeys.TIER_VALUES) && reading.find(ConfigKeys.TIER_URL) != null
                            ? "both"
                            : "local")
            .sentence("Whether the table's lines are in the tier, too, or in the memory of their gateway only.");
    public static final ConfigKey<Boolean> TABLE_MERGE_WRITES = key("tables.DB.TABLE.mergeWrites", flag(), "false")
            .sentence(
                    "Sends single-row INSERTs of several clients that arrive together as one statement. In front of MariaDB only.");

    public static final ConfigKey<String> TIER_URL = absent("tier.url", ValueType.tierUrl(), "none")
            .sentence(
                    "Redis or Valkey servers for lines that gateways share (`tier.values`); one of them, or one cluster, is used at a time. A loss of the servers costs speed only.");
    public static final ConfigKey<String> TIER_USER = key("tier.user", text(), "")
            .sentence("The gateway's account at the server; empty: the server's default user.");
    public static final ConfigKey<Secret> TIER_PASSWORD = key("tier.password", secret(), "")
            .variable("KEYLINE_TIER_PASSWORD")
            .sentence("Password of `tier.user`. Prefer `tier.passwordFile` or the variable. Empty: none.");
    public static final ConfigKey<Path> TIER_PASSWORD_FILE = absent("tier.passwordFile", readableFile("file"), "none")
            .holds(TIER_PASSWORD)
            .sentence("File with the password of `tier.user`, instead of `tier.password`.");
    public static final ConfigKey<Path> TIER_AUTHORITY = absent(
                    "tier.authority", readableFile("PEM file"), "those of the platform")
            .sentence(
                    "Authorities that `rediss://` trusts. With `rediss://` or this key, connections to other gateways use TLS only, and one of these authorities must have issued the gateways' certificates.");
    public static final ConfigKey<String> TIER_NAMESPACE = key("tier.namespace", ValueType.name(), "keyline")
            .sentence(
                    "The prefix of all keys at that server; the same for all gateways in front of one store, a different one for each store.");
    public static final ConfigKey<String> TIER_NAME = absent(
                    "tier.name", ValueType.name(), "required with `tier.members`")
            .sentence("The name of this gateway among the others.");
    public static final ConfigKey<List<GatewayConfig.Member>> TIER_MEMBERS = absent(
                    "tier.members", ValueType.members(), "required with `tier.url`")
            .sentence(
                    "All gateways, this one included, each with the address at which the others reach its client port. They report writes to each other at these addresses. While one of them is silent, lines answer for `tier.staleness` only.");
    public static final ConfigKey<Duration> TIER_STALENESS = key("tier.staleness", duration("50ms", "1m"), "200ms")
            .sentence(
                    "How long another gateway's acknowledged write may be invisible here; the same for all gateways.");
    public static final ConfigKey<Boolean> TIER_STRICT = key("tier.strict", flag(), "false")
            .sentence(
                    "Whether a write is acknowledged only after all other gateways have dropped the lines of its rows, or after `tier.staleness`. Must be the same for all gateways.");
    public static final ConfigKey<Boolean> TIER_VALUES = key("tier.values", flag(), "false")
            .sentence("Whether gateways with the same `store.url` and `store.user` share lines through the tier.");
    public static final ConfigKey<Secret> TIER_VALUE_KEY = key("tier.valueKey", ValueType.cipherKey(), "")
            .variable("KEYLINE_TIER_VALUE_KEY")
            .sentence(
                    "AES-GCM key of lines in the tier, the same for all gateways. Prefer `tier.valueKeyFile` or the variable. Empty: lines are not encrypted.");
    public static final ConfigKey<Path> TIER_VALUE_KEY_FILE = absent("tier.valueKeyFile", readableFile("file"), "none")
            .holds(TIER_VALUE_KEY)
            .sentence("File with that key, instead of `tier.valueKey`.");

    public static final ConfigKey<Integer> LIMITS_CONNECTIONS = live(
                    "limits.connections", integer(1, 1_000_000), "10000")
            .sentence("Maximum clients; further ones get error 1040.");
    public static final ConfigKey<Integer> LIMITS_CONNECTIONS_PER_USER = live(
                    "limits.connectionsPerUser", integer(0, 1_000_000), "0")
            .sentence("Maximum clients of a user, by login name; further ones get error 1203; 0 is no limit.");
    public static final ConfigKey<Integer> LIMITS_FORWARDS_PER_USER = live(
                    "limits.forwardsPerUser", integer(0, 1_000_000), "0")
            .sentence(
                    "Maximum statements of a user that run at the store at a time; 0 is no limit. Further ones get error 1226, except in an open transaction.");
    public static final ConfigKey<Integer> LIMITS_STATEMENTS_PER_SESSION = live(
                    "limits.preparedStatementsPerSession", integer(0, 1_000_000), "4096")
            .sentence("Prepared statements of one session; a further one gets error 1461.");
    public static final ConfigKey<Integer> LIMITS_STATEMENTS = live(
                    "limits.preparedStatements", integer(0, 10_000_000), "100000")
            .sentence("Prepared statements of all sessions; a further one gets error 1461.");
    public static final ConfigKey<Integer> LIMITS_PACKET =
            live("limits.maxAllowedPacket", bytes("1 KiB", "1 GiB"), "64 MiB").sentence("Largest command of a client.");
    public static final ConfigKey<Long> LIMITS_PLANS =
            live("limits.planCache", heapShare("1 MiB"), "2%").sentence("Maximum memory of statement plans.");
    public static final ConfigKey<Long> LIMITS_MEMORY = live("limits.memory", heapShare("16 MiB"), "30%")
            .sentence("Memory that all clients together may use in the gateway, on the heap or beside it.");
    public static final ConfigKey<Duration> LIMITS_LOGIN_TIMEOUT = live(
                    "limits.loginTimeout", duration("100ms", "10m"), "10s")
            .sentence("How long a client may take to log in.");
    public static final ConfigKey<Duration> LIMITS_PEER_TIMEOUT = live(
                    "limits.peerTimeout", duration(Units.format(VanishedPeers.LEAST), "24h"), "1m")
            .sentence(
                    "How long the connection of a vanished client or store stays open; idle connections are unaffected.");

    /** All keys, in the order of the reference page. */
    public static final List<ConfigKey<?>> ALL = List.copyOf(DECLARED);

    private ConfigKeys() {}

    private static <T> ConfigKey<T> computed(
            String path, ValueType<T> type, String words, @Nullable Function<ConfigSection, String> fallback) {
        ConfigKey<T> key = new ConfigKey<>(path, type, words, fallback);
        DECLARED.add(key);
        return key;
    }

    private static <T> ConfigKey<T> key(String path, ValueType<T> type, String fallback) {
        return computed(path, type, fallback, reading -> fallback).constant();
    }

    private static <T> ConfigKey<T> live(String path, ValueType<T> type, String fallback) {
        return key(path, type, fallback).live(KEYLINE_SET);
    }

    private static <T> ConfigKey<T> like(ConfigKey<?> other, String path, ValueType<T> type) {
        return computed(path, type, "`" + other.path() + "`", reading -> reading.text(other));
    }

    private static <T> ConfigKey<T> absent(String path, ValueType<T> type, String words) {
        return computed(path, type, words, null);
    }

    /** Returns the default, which leaves half of the processors to a local store and to clients. */
    private static String eventLoops(ConfigSection reading) {
        int processors = reading.machine().processors();
        boolean shared = GatewayConfig.isRemote(reading)
                && GatewayConfig.addresses(reading.get(STORE_URL)).stream()
                        .allMatch(address -> LOOPBACK.matcher(address.host()).matches());
        return Integer.toString(shared ? Math.max(1, processors / 2) : processors);
    }

    private static String tlsMode(ConfigSection reading) {
        return reading.find(TLS_CERTIFICATE) != null || reading.get(DEMO) ? "offered" : "off";
    }

    private static String later(String one, String other) {
        return Units.duration(one).compareTo(Units.duration(other)) < 0 ? other : one;
    }

    /** Returns the key with this path; null if none has it. Keys of list entries are not found. */
    static @Nullable ConfigKey<?> at(List<String> names) {
        return names.size() == 4 && names.get(0).equals("tables")
                ? of(ConfigKey.TABLE + "." + names.get(3))
                : of(String.join(".", names));
    }

    private static @Nullable ConfigKey<?> of(String path) {
        return ALL.stream().filter(key -> key.path().equals(path)).findFirst().orElse(null);
    }

    /** Returns whether a component of a declared path stands for any name. */
    static boolean isAnyName(String name) {
        return name.equals("DB") || name.equals("TABLE");
    }

    /** Returns whether any key or section has this name. Messages print no other names. */
    static boolean knows(String name) {
        return ALL.stream()
                .anyMatch(key -> Arrays.asList(key.path().split("[.\\[\\]]+")).contains(name));
    }

    /** Returns the sorted names in a section, with [] after lists. Empty if it is unknown. */
    static List<String> namesIn(String section) {
        String prefix = section.isEmpty() ? "" : section + ".";
        return ALL.stream()
                .filter(key -> key.path().startsWith(prefix))
                .map(key -> key.path().substring(prefix.length()).split("\\.", 2)[0])
                .distinct()
                .sorted()
                .toList();
    }
}
