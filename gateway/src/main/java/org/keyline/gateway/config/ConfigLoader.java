package org.keyline.gateway.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;

/**
 * Reads the configuration: a YAML file, then single settings that override it, then the checks that
 * concern several keys. {@link ConfigKeys} decides what a single key may be. Nothing is corrected
 * silently. Confined to one thread.
 */
public final class ConfigLoader {
    /** Sections besides users that grant access; a reload must not remove all of one. */
    private static final List<String> GUARDS = List.of("access", "tls");

    private static final String OR_FORCE = "what it has now, or KEYLINE RELOAD FORCE";

    private static final int MAX_FILE_BYTES = 4 << 20;
    private static final Pattern NO_NAME = Pattern.compile("[^A-Za-z0-9.].*", Pattern.DOTALL);

    private final SecretReader secrets;
    private final ConfigSection.Reading reading;
    private final Map<String, Source> assigned = new HashMap<>();
    private boolean fileIsEmpty;
    private final ObjectNode tree;

    /**
     * The resolved value of a key.
     *
     * @param value printable
     * @param source the origin of the value
     */
    public record Setting(String path, String value, Source source) {
        /** Returns whether it was configured. */
        public boolean given() {
            return source != Source.DEFAULT;
        }
    }

    /** The origins of values. */
    public enum Source {
        DEFAULT,
        FILE,
        ENVIRONMENT,
        /** An option of the command line. */
        OPTION,
        /** A statement at run time. */
        SET
    }

    public ConfigLoader(Map<String, String> environment) {
        this(environment, Runtime.getRuntime().maxMemory(), Runtime.getRuntime().availableProcessors());
    }

    ConfigLoader(Map<String, String> environment, long heapBytes, int processors) {
        secrets = new SecretReader(environment);
        tree = JsonNodeFactory.instance.objectNode();
        reading = ConfigSection.Reading.of(new ValueType.Machine(heapBytes, processors), List.of(), Map.of());
    }

    private ConfigLoader(ConfigLoader other) {
        secrets = other.secrets;
        tree = other.tree.deepCopy();
        reading = ConfigSection.Reading.of(other.reading.machine(), other.reading.problems(), other.reading.places());
        assigned.putAll(other.assigned);
        fileIsEmpty = other.fileIsEmpty;
    }

    /** Returns another loader with the same input; this one must not have been loaded. */
    ConfigLoader copy() {
        return new ConfigLoader(this);
    }

    /** Returns the configuration if nothing is configured. */
    public static GatewayConfig defaults() {
        try {
            return new ConfigLoader(Map.of()).load();
        } catch (ConfigException e) {
            throw new IllegalStateException("the defaults contradict each other", e);
        }
    }

    /** Reads a file of settings. Call before {@link #set}. */
    public ConfigLoader file(Path file) {
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                problem("", file.toString(), "a file of at most 4 MiB");
                return this;
            }
            return yaml(Files.readString(file, StandardCharsets.UTF_8), file.toString());
        } catch (NoSuchFileException e) {
            problem("", file + ": no such file", "a readable YAML file");
            return this;
        } catch (AccessDeniedException e) {
            problem("", file + ": permission denied", "a readable YAML file");
            return this;
        } catch (IOException e) {
            problem("", file + ": " + e.getMessage(), "a readable YAML file");
            return this;
        }
    }

    ConfigLoader yaml(String text, String source) {
        fileIsEmpty = true;
        try {
            Map<String, String> places = new HashMap<>();
            JsonNode root = YamlText.parse(text, places);
            places.forEach((path, place) -> reading.places().put(path, source + " " + place));
            if (root instanceof ObjectNode settings) {
                tree.setAll(settings);
                fileIsEmpty = settings.isEmpty();
            } else if (root != null && !root.isNull()) {
                problem("", source, "a mapping of keys");
            }
        } catch (YamlText.Malformed e) {
            problem("", source + " " + e.getMessage(), "YAML that has each key once");
        }
        return this;
    }

    /** Overrides a setting, written {@code path=value}. */
    public ConfigLoader set(String assignment) {
        int equals = ConfigPath.equalsSign(assignment);
        if (equals < 0) {
            // The text after a name may be a secret behind the wrong sign.
            problem("--set", NO_NAME.matcher(assignment).replaceFirst("..."), "KEY=VALUE");
            return this;
        }
        return set(assignment.substring(0, equals), assignment.substring(equals + 1));
    }

    /** Overrides the parts of {@code listen} that are not null. */
    public ConfigLoader listen(@Nullable String host, @Nullable String port) {
        if (host == null && port == null) {
            return this;
        }
        String before = tree.path(ConfigKeys.LISTEN.name()).asText(String.valueOf(ConfigKeys.LISTEN.fallback()));
        int colon = before.lastIndexOf(':');
        String bare = host == null || host.indexOf(':') < 0 || host.startsWith("[") ? host : "[" + host + "]";
        return set(
                ConfigKeys.LISTEN.path(),
                (bare == null ? before.substring(0, Math.max(0, colon)) : bare) + ":"
                        + (port == null ? before.substring(colon + 1) : port));
    }

    public ConfigLoader set(String path, String value) {
        return set(path, value, Source.OPTION);
    }

    ConfigLoader set(String path, String value, Source source) {
        List<String> names;
        try {
            names = ConfigPath.parse(path);
        } catch (IllegalArgumentException e) {
            problem("--set", path, "names joined by dots, odd ones in backticks");
            return this;
        }
        String quoted = names.stream().map(ConfigPath::quote).collect(Collectors.joining("."));
        assigned.put(quoted, source);
        reading.places().remove(quoted);
        ObjectNode at = tree;
        for (String name : names.subList(0, names.size() - 1)) {
            at = at.get(name) instanceof ObjectNode inner ? inner : at.putObject(name);
        }
        at.put(names.get(names.size() - 1), value);
        return this;
    }

    /**
     * Returns the resolved value of every key, once the configuration has been loaded. Secrets are
     * masked.
     */
    public List<Setting> settings() {
        return reading.settings().stream()
                .map(setting -> setting.source() == Source.FILE
                        ? new Setting(
                                setting.path(), setting.value(), assigned.getOrDefault(setting.path(), Source.FILE))
                        : setting)
                .toList();
    }

    /** Returns the unmasked values of those keys, for comparison. */
    Map<String, Secret> values() {
        return Map.copyOf(reading.values());
    }

    /**
     * Fails if the next configuration lacks a whole section that protects this gateway, or has no
     * key at all.
     */
    void refuseLosses(ConfigLoader next) throws ConfigException {
        List<ConfigException.Problem> losses = new ArrayList<>();
        if (!fileIsEmpty && next.fileIsEmpty) {
            losses.add(new ConfigException.Problem("", "a file without any key", OR_FORCE));
        }
        for (String guard : GUARDS) {
            if (tree.path(guard).size() > 0 && next.tree.path(guard).size() == 0) {
                losses.add(new ConfigException.Problem(guard, "none", OR_FORCE));
            }
        }
        if (!losses.isEmpty()) {
            throw new ConfigException(losses);
        }
    }

    /** Returns the checked configuration. Call once. */
    public GatewayConfig load() throws ConfigException {
        ConfigSection root = new ConfigSection(tree, reading);
        int processors = reading.machine().processors();
        boolean demo = root.value(ConfigKeys.DEMO);
        List<ConfigSection> listed = root.list("users");
        GatewayConfig.Store store = store(root.section("store"), !listed.isEmpty());
        GatewayConfig.Cache cache = cache(root.section("cache"), store.isRemote());
        GatewayConfig.Filter filter = filter(root.section("filter"), cache);
        List<GatewayConfig.User> users = listed.isEmpty() ? secrets.root(store) : ClientSections.users(listed, store);
        GatewayConfig.Tier tier = tier(root.section("tier"), store);
        GatewayConfig config = new GatewayConfig(
                root.value(ConfigKeys.LISTEN),
                root.value(ConfigKeys.HTTP).orElse(null),
                root.value(ConfigKeys.PROXIES),
                demo,
                store,
                ClientSections.tls(root.section("tls"), demo),
                users,
                access(root.section("access"), store.user()),
                log(root.section("log")),
                cache,
                filter,
                tables(root.section("tables"), cache, filter, tier),
                tier,
                root.value(ConfigKeys.PRIVILEGE_TTL),
                limits(root.section("limits")),
                root.value(ConfigKeys.EVENT_LOOPS, eventLoops(store, processors), Object::toString),
                root.value(ConfigKeys.TRANSPORT),
                root.value(ConfigKeys.REUSE_PORT),
                root.value(ConfigKeys.LOAD_CONNECTIONS, 4 * processors, Object::toString),
                root.value(ConfigKeys.DRAIN_DELAY),
                root.value(ConfigKeys.DRAIN_TIMEOUT));
        root.end();
        new ConfigChecks(reading).check(config);
        if (!reading.problems().isEmpty()) {
            throw new ConfigException(reading.problems());
        }
        return config;
    }

    /** A store on this machine, and most likely its clients, need processors as well. */
    private static int eventLoops(GatewayConfig.Store store, int processors) {
        return store.isOnLoopback() ? Math.max(1, processors / 2) : processors;
    }

    private GatewayConfig.Store store(ConfigSection section, boolean users) {
        String url = section.value(ConfigKeys.STORE_URL);
        boolean remote = url.startsWith(GatewayConfig.Store.MYSQL);
        GatewayConfig.LoginMode login = section.value(
                ConfigKeys.STORE_LOGIN,
                remote && !users ? GatewayConfig.LoginMode.RELAY : GatewayConfig.LoginMode.LOCAL,
                ValueType::nameOf);
        if (login == GatewayConfig.LoginMode.RELAY && !remote) {
            section.problem(ConfigKeys.STORE_LOGIN, "relay", "local, where the store is embedded");
        }
        boolean proxied = section.value(ConfigKeys.STORE_PROXY_PROTOCOL);
        if (proxied && login != GatewayConfig.LoginMode.RELAY) {
            section.problem(ConfigKeys.STORE_PROXY_PROTOCOL, "true", "false, where store.login is local");
        }
        GatewayConfig.Store store = new GatewayConfig.Store(
                url,
                section.value(ConfigKeys.STORE_USER),
                secrets.password(section, ConfigKeys.STORE_PASSWORD, ConfigKeys.STORE_PASSWORD_FILE),
                section.value(ConfigKeys.STORE_TLS),
                section.optional(ConfigKeys.STORE_AUTHORITY),
                login,
                section.value(ConfigKeys.STORE_UNGUARDED_LOGINS),
                proxied,
                section.value(ConfigKeys.STORE_FAILOVER_AFTER),
                section.value(ConfigKeys.STORE_START_TIMEOUT).orElse(null),
                section.value(ConfigKeys.STORE_REFRESH),
                signal(section, remote),
                section.value(ConfigKeys.STORE_IDLE_SESSION),
                embedded(section.section("duckdb")));
        section.end();
        return store;
    }

    /** Returns null if there is none. */
    private GatewayConfig.@Nullable Tier tier(ConfigSection section, GatewayConfig.Store store) {
        String url = section.optional(ConfigKeys.TIER_URL);
        String user = section.value(ConfigKeys.TIER_USER);
        Secret password = secrets.password(section, ConfigKeys.TIER_PASSWORD, ConfigKeys.TIER_PASSWORD_FILE);
        Path authority = section.optional(ConfigKeys.TIER_AUTHORITY);
        String namespace = section.value(ConfigKeys.TIER_NAMESPACE);
        String name = section.optional(ConfigKeys.TIER_NAME);
        GatewayConfig.Members members = section.optional(ConfigKeys.TIER_MEMBERS);
        Duration staleness = section.value(ConfigKeys.TIER_STALENESS);
        boolean strict = section.value(ConfigKeys.TIER_STRICT);
        boolean values = section.value(ConfigKeys.TIER_VALUES);
        Secret valueKey = secrets.password(section, ConfigKeys.TIER_VALUE_KEY, ConfigKeys.TIER_VALUE_KEY_FILE);
        if (!ValueType.isCipherKey(valueKey.value())) {
            section.problem(
                    ConfigKeys.TIER_VALUE_KEY_FILE,
                    "another text",
                    ConfigKeys.TIER_VALUE_KEY.type().expected());
        }
        section.end();
        if (url == null && name == null && members == null) {
            return null;
        }
        if (!store.isRemote()) {
            section.problem(
                    url == null ? ConfigKeys.TIER_MEMBERS : ConfigKeys.TIER_URL,
                    (url == null ? "given" : url) + " with store.url " + store.url(),
                    "none with an embedded store: each gateway has its own");
        }
        if (url == null && values) {
            section.problem(ConfigKeys.TIER_VALUES, "true without tier.url", "false");
        }
        if (name == null) {
            section.problem(
                    ConfigKeys.TIER_NAME, "missing", ConfigKeys.TIER_NAME.type().expected());
        } else if (members == null
                || members.all().size() < 2
                || !members.names().contains(name)) {
            section.problem(
                    ConfigKeys.TIER_MEMBERS,
                    members == null ? "missing" : String.join(",", members.names()),
                    "the names of all gateways, two at least, " + name + " among them");
        } else if (url == null && members.without(name).stream().anyMatch(member -> member.address() == null)) {
            section.problem(
                    ConfigKeys.TIER_URL,
                    "none, and tier.members without addresses",
                    ConfigKeys.TIER_URL.type().expected() + ", or an address for each of tier.members");
        }
        return name == null || members == null
                ? null
                : new GatewayConfig.Tier(
                        url, user, password, authority, namespace, name, members, staleness, strict, values, valueKey);
    }

    private static GatewayConfig.Embedded embedded(ConfigSection section) {
        GatewayConfig.Embedded embedded = new GatewayConfig.Embedded(
                section.value(ConfigKeys.STORE_DUCKDB_MEMORY),
                section.value(ConfigKeys.STORE_DUCKDB_MAX_EXECUTION_TIME));
        section.end();
        return embedded;
    }

    private static GatewayConfig.Signal signal(ConfigSection section, boolean remote) {
        GatewayConfig.SignalMode mode = section.value(ConfigKeys.STORE_SIGNAL);
        if (!remote && (mode == GatewayConfig.SignalMode.BINLOG || mode == GatewayConfig.SignalMode.VERSIONS)) {
            section.problem(
                    ConfigKeys.STORE_SIGNAL,
                    ValueType.nameOf(mode),
                    "none or auto, where the store is embedded: all writes come through the gateway");
        }
        Long serverId = section.optional(ConfigKeys.STORE_SIGNAL_SERVER_ID);
        return new GatewayConfig.Signal(
                mode, section.optional(ConfigKeys.STORE_SIGNAL_PERIOD), serverId == null ? 0 : serverId);
    }

    private GatewayConfig.Access access(ConfigSection section, String owner) {
        GatewayConfig.Access access = new GatewayConfig.Access(
                section.value(ConfigKeys.ACCESS_VIEWS, Set.of(owner), names -> String.join(",", names)),
                section.value(ConfigKeys.ACCESS_CHANGES, Set.of(owner), names -> String.join(",", names)),
                secrets.secret(section, ConfigKeys.ACCESS_HTTP_TOKEN),
                section.value(ConfigKeys.ACCESS_HTTP_HOSTS));
        section.end();
        return access;
    }

    private static GatewayConfig.Log log(ConfigSection section) {
        ConfigSection slow = section.section("slow");
        GatewayConfig.Log log = new GatewayConfig.Log(
                section.value(ConfigKeys.LOG_LEVEL),
                section.value(ConfigKeys.LOG_FORMAT),
                new GatewayConfig.SlowLog(
                        slow.value(ConfigKeys.LOG_SLOW_THRESHOLD).orElse(null),
                        slow.optional(ConfigKeys.LOG_SLOW_FILE),
                        slow.value(ConfigKeys.LOG_SLOW_LINES)));
        slow.end();
        section.end();
        return log;
    }

    private static GatewayConfig.Cache cache(ConfigSection section, boolean remote) {
        Duration ttl = section.value(
                ConfigKeys.CACHE_TTL, remote ? ConfigKeys.TTL : ConfigKeys.TTL_OF_SOLE_WRITER, Units::format);
        GatewayConfig.Cache cache = new GatewayConfig.Cache(
                section.value(ConfigKeys.CACHE_ENABLED),
                section.value(ConfigKeys.CACHE_SIZE),
                ttl,
                signalTtl(section, ConfigKeys.CACHE_SIGNAL_TTL, ttl, section.fallback(ConfigKeys.CACHE_SIGNAL_TTL)),
                section.value(ConfigKeys.CACHE_PREFIX),
                section.value(ConfigKeys.CACHE_AUTO_ROWS),
                section.value(ConfigKeys.CACHE_MAX_ROWS),
                section.value(ConfigKeys.CACHE_MAX_BYTES),
                section.value(ConfigKeys.CACHE_MAX_WAITERS),
                section.value(ConfigKeys.CACHE_LOAD_TIMEOUT),
                section.value(ConfigKeys.CACHE_REFRESH_AHEAD),
                section.value(ConfigKeys.CACHE_AUDIT),
                section.value(ConfigKeys.CACHE_TRANSACTIONS),
                section.value(ConfigKeys.CACHE_WRITE_THROUGH));
        section.end();
        return cache;
    }

    private static GatewayConfig.Filter filter(ConfigSection section, GatewayConfig.Cache cache) {
        long size = section.value(ConfigKeys.FILTER_SIZE, Math.max(1, cache.sizeBytes() / 4), Units::format);
        GatewayConfig.Filter filter = new GatewayConfig.Filter(
                section.value(ConfigKeys.FILTER_ENABLED), size, section.value(ConfigKeys.FILTER_ORDER));
        if (size >= cache.sizeBytes()) {
            section.problem(ConfigKeys.FILTER_SIZE, Units.format(size), "less than cache.size, of which it is a part");
        }
        section.end();
        return filter;
    }

    private static Map<TableName, GatewayConfig.Table> tables(
            ConfigSection section,
            GatewayConfig.Cache cache,
            GatewayConfig.Filter filter,
            GatewayConfig.@Nullable Tier tier) {
        Map<TableName, GatewayConfig.Table> tables = new HashMap<>();
        for (String schema : section.names()) {
            ConfigSection inSchema = section.section(schema, "DB");
            for (String table : inSchema.names()) {
                ConfigSection settings = inSchema.section(table, "TABLE");
                Duration ttl = settings.value(ConfigKeys.TABLE_TTL, cache.ttl(), Units::format);
                tables.put(
                        new TableName(schema, table),
                        new GatewayConfig.Table(
                                settings.value(ConfigKeys.TABLE_PREFIX, cache.prefix(), Granularity::toString),
                                ttl,
                                signalTtl(settings, ConfigKeys.TABLE_SIGNAL_TTL, ttl, cache.signalTtl()),
                                settings.value(ConfigKeys.TABLE_ENABLED) && cache.enabled(),
                                settings.value(ConfigKeys.TABLE_FILTERS, filter.reads(), ValueType::nameOf),
                                tier(settings, tier),
                                settings.value(ConfigKeys.TABLE_MERGE_WRITES)));
                settings.end();
            }
        }
        return tables;
    }

    private static GatewayConfig.TableTier tier(ConfigSection settings, GatewayConfig.@Nullable Tier tier) {
        GatewayConfig.TableTier usual = GatewayConfig.TableTier.of(tier);
        GatewayConfig.TierUse use = settings.value(ConfigKeys.TABLE_TIER_USE, usual.use(), ValueType::nameOf);
        if ((tier == null || tier.url() == null) && use != GatewayConfig.TierUse.LOCAL) {
            settings.problem(ConfigKeys.TABLE_TIER_USE, ValueType.nameOf(use) + " without tier.url", "local");
        }
        return new GatewayConfig.TableTier(
                use,
                settings.value(ConfigKeys.TABLE_TIER_NAMESPACE, usual.namespace(), Object::toString),
                settings.optional(ConfigKeys.TABLE_TIER_TTL));
    }

    /** An unconfigured value is never below the ttl. */
    private static Duration signalTtl(ConfigSection section, ConfigKey<Duration> key, Duration ttl, Duration fallback) {
        return section.value(
                key.within(ValueType.duration(ttl, ConfigKeys.MAX_TTL)),
                fallback.compareTo(ttl) < 0 ? ttl : fallback,
                Units::format);
    }

    private static GatewayConfig.Limits limits(ConfigSection section) {
        GatewayConfig.Limits limits = new GatewayConfig.Limits(
                section.value(ConfigKeys.LIMITS_CONNECTIONS),
                section.value(ConfigKeys.LIMITS_STATEMENTS_PER_SESSION),
                section.value(ConfigKeys.LIMITS_STATEMENTS),
                Math.toIntExact(section.value(ConfigKeys.LIMITS_PACKET)),
                section.value(ConfigKeys.LIMITS_PLANS),
                section.value(ConfigKeys.LIMITS_MEMORY),
                section.value(ConfigKeys.LIMITS_LOGIN_TIMEOUT),
                section.value(ConfigKeys.LIMITS_PEER_TIMEOUT),
                new GatewayConfig.PerUser(
                        section.value(ConfigKeys.LIMITS_CONNECTIONS_PER_USER),
                        section.value(ConfigKeys.LIMITS_FORWARDS_PER_USER)));
        section.end();
        return limits;
    }

    private void problem(String path, String value, String expected) {
        reading.problem(path, value, expected);
    }
}
