package org.keyline.gateway.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.transport.Transport;

/**
 * Reads the configuration: a YAML file, then single settings over it, then the checks. Nothing is corrected silently.
 * Confined to one thread.
 */
public final class ConfigLoader {
    /** Names the store password where neither the file nor the command line has one. */
    public static final String PASSWORD_VARIABLE = "KEYLINE_STORE_PASSWORD";

    private static final Duration MAX_TTL = Duration.ofHours(24);
    private static final Duration SIGNAL_TTL = Duration.ofMinutes(1);
    private static final int MAX_FILE_BYTES = 4 << 20;
    private static final long LEAST_ENGINE_BYTES = 64 << 20;

    private static final YAMLMapper YAML = new YAMLMapper(YAMLFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(YAMLParser.Feature.PARSE_BOOLEAN_LIKE_WORDS_AS_STRINGS)
            .build());

    private final Map<String, String> environment;
    private final long heapBytes;
    private final int processors;
    private final List<ConfigException.Problem> problems = new ArrayList<>();
    private final ObjectNode tree = YAML.createObjectNode();

    public ConfigLoader(Map<String, String> environment) {
        this(environment, Runtime.getRuntime().maxMemory(), Runtime.getRuntime().availableProcessors());
    }

    ConfigLoader(Map<String, String> environment, long heapBytes, int processors) {
        this.environment = Map.copyOf(environment);
        this.heapBytes = heapBytes;
        this.processors = processors;
    }

    /** The configuration that holds where nothing is configured. */
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
        } catch (IOException e) {
            problem("", file + ": " + e, "a readable YAML file");
            return this;
        }
    }

    ConfigLoader yaml(String text, String source) {
        try {
            JsonNode root = YAML.readTree(text);
            if (root instanceof ObjectNode settings) {
                tree.setAll(settings);
            } else if (root != null && !root.isMissingNode() && !root.isNull()) {
                problem("", source, "a mapping of keys");
            }
        } catch (JsonProcessingException e) {
            String where =
                    e.getLocation() == null ? "" : " line " + e.getLocation().getLineNr();
            problem("", source + where + ": " + e.getOriginalMessage(), "YAML");
        }
        return this;
    }

    /** One setting over what is there, written {@code path=value}. */
    public ConfigLoader set(String assignment) {
        int equals = ConfigPath.equalsSign(assignment);
        if (equals < 0) {
            problem("--set", assignment, "KEY=VALUE");
            return this;
        }
        return set(assignment.substring(0, equals), assignment.substring(equals + 1));
    }

    public ConfigLoader set(String path, String value) {
        List<String> names;
        try {
            names = ConfigPath.parse(path);
        } catch (IllegalArgumentException e) {
            problem("--set", path, "names joined by dots, odd ones in backticks");
            return this;
        }
        ObjectNode at = tree;
        for (String name : names.subList(0, names.size() - 1)) {
            at = at.get(name) instanceof ObjectNode inner ? inner : at.putObject(name);
        }
        at.put(names.get(names.size() - 1), value);
        return this;
    }

    /** The checked configuration. */
    public GatewayConfig load() throws ConfigException {
        ConfigSection root = new ConfigSection("", tree, problems);
        GatewayConfig.Cache cache = cache(root.section("cache"));
        List<ConfigSection> listed = root.list("users");
        GatewayConfig.Store store = store(root.section("store"), !listed.isEmpty());
        List<GatewayConfig.User> users = users(listed, store);
        GatewayConfig config = new GatewayConfig(
                root.value("listen", new HostPort("127.0.0.1", 9030), "HOST:PORT", HostPort::parse),
                http(root),
                root.flag("demo", false),
                store,
                tls(root.section("tls"), root.flag("demo", false)),
                users,
                cache,
                tables(root.section("tables"), cache),
                root.duration("privilegeTtl", Duration.ofSeconds(60), Duration.ofMillis(100), Duration.ofHours(24)),
                limits(root.section("limits")),
                root.integer("eventLoops", processors, 1, 1024),
                transport(root),
                root.integer("loadConnections", 4 * processors, 1, 1024),
                root.duration("drainTimeout", Duration.ofSeconds(10), Duration.ZERO, Duration.ofHours(1)));
        root.end();
        if (store.login() == GatewayConfig.LoginMode.LOCAL && store.isRemote() && users.isEmpty()) {
            problem("users", "none", "users with their accounts at the store, or store.login: relay");
        }
        if (store.login() == GatewayConfig.LoginMode.RELAY && !users.isEmpty()) {
            problem("users", users.size() + " with store.login: relay", "no users of the gateway's own");
        }
        if (config.demo() && !config.store().url().startsWith("duckdb:")) {
            problem("demo", "true with store.url " + config.store().url(), "an embedded store");
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return config;
    }

    private static @Nullable HostPort http(ConfigSection root) {
        HostPort fallback = new HostPort("127.0.0.1", 9031);
        if (root.value("http", "", "HOST:PORT or off", Function.identity()).equals("off")) {
            return null;
        }
        return root.value("http", fallback, "HOST:PORT or off", HostPort::parse);
    }

    private Transport transport(ConfigSection root) {
        Transport transport = root.choice(
                "transport", Transport.AUTO, Transport.class, m -> m.name().toLowerCase(Locale.ROOT));
        Throwable cause = transport.unavailabilityCause();
        if (cause != null) {
            problem(
                    "transport",
                    transport.name().toLowerCase(Locale.ROOT),
                    "one that works here: " + cause.getMessage());
        }
        return transport;
    }

    private GatewayConfig.Store store(ConfigSection section, boolean users) {
        String url = section.value(
                "url", "duckdb:memory", "duckdb:FILE, duckdb:memory or mysql://HOST:PORT", ConfigLoader::storeUrl);
        String user = section.text("user", "root");
        String password = section.text("password", "");
        Path file = section.optional("passwordFile", "a readable file", ConfigLoader::path);
        GatewayConfig.StoreTls tls = section.choice(
                "tls",
                GatewayConfig.StoreTls.OFF,
                GatewayConfig.StoreTls.class,
                m -> m.name().toLowerCase(Locale.ROOT));
        Path authority = section.optional("authority", "a readable PEM file", ConfigLoader::readable);
        GatewayConfig.LoginMode byDefault = url.startsWith(GatewayConfig.Store.MYSQL) && !users
                ? GatewayConfig.LoginMode.RELAY
                : GatewayConfig.LoginMode.LOCAL;
        GatewayConfig.LoginMode login = section.choice(
                "login", byDefault, GatewayConfig.LoginMode.class, m -> m.name().toLowerCase(Locale.ROOT));
        GatewayConfig.UnguardedLogins unguarded = section.choice(
                "unguardedLogins",
                GatewayConfig.UnguardedLogins.REFUSE,
                GatewayConfig.UnguardedLogins.class,
                m -> m.name().toLowerCase(Locale.ROOT));
        Duration refresh =
                section.duration("refresh", Duration.ofSeconds(5), Duration.ofMillis(100), Duration.ofHours(1));
        GatewayConfig.Signal signal = signal(section, url.startsWith(GatewayConfig.Store.MYSQL));
        GatewayConfig.Embedded embedded = embedded(section.section("duckdb"));
        section.end();
        if (login == GatewayConfig.LoginMode.RELAY && !url.startsWith(GatewayConfig.Store.MYSQL)) {
            problem(section.pathOf("login"), "relay", "local, where the store is embedded");
        }
        if (section.has("password")) {
            if (file != null) {
                problem(section.pathOf("passwordFile"), file.toString(), "either password or passwordFile");
            }
        } else if (file != null) {
            try {
                password = Files.readString(file, StandardCharsets.UTF_8).stripTrailing();
            } catch (IOException e) {
                problem(section.pathOf("passwordFile"), file + ": " + e, "a readable file");
            }
        } else {
            password = environment.getOrDefault(PASSWORD_VARIABLE, "");
        }
        return new GatewayConfig.Store(
                url, user, password, tls, authority, login, unguarded, refresh, signal, embedded);
    }

    private static GatewayConfig.Embedded embedded(ConfigSection section) {
        String expected = "auto, or a size with a unit MiB or GiB, from " + Units.format(LEAST_ENGINE_BYTES);
        long memory = section.value("memory", 0L, expected, text -> {
            long bytes = text.equals("auto") ? 0 : Units.bytes(text);
            if (bytes != 0 && bytes < LEAST_ENGINE_BYTES) {
                throw new IllegalArgumentException(text);
            }
            return bytes;
        });
        Duration limit =
                section.duration("maxExecutionTime", Duration.ofMinutes(5), Duration.ZERO, Duration.ofHours(24));
        section.end();
        return new GatewayConfig.Embedded(memory, limit);
    }

    private GatewayConfig.Signal signal(ConfigSection section, boolean remote) {
        GatewayConfig.SignalMode mode = section.choice(
                "signal",
                GatewayConfig.SignalMode.NONE,
                GatewayConfig.SignalMode.class,
                m -> m.name().toLowerCase(Locale.ROOT));
        Duration period =
                section.duration("signalPeriod", Duration.ofMillis(200), Duration.ofMillis(10), Duration.ofMinutes(1));
        long serverId = section.value("signalServerId", 0L, "a whole number, 1..4294967295", text -> {
            long id = Long.parseLong(text);
            if (id < 1 || id > 0xFFFF_FFFFL) {
                throw new IllegalArgumentException(text);
            }
            return id;
        });
        if (!remote && (mode == GatewayConfig.SignalMode.BINLOG || mode == GatewayConfig.SignalMode.VERSIONS)) {
            problem(
                    section.pathOf("signal"),
                    mode.name().toLowerCase(Locale.ROOT),
                    "none or auto, where the store is embedded: all writes come through the gateway");
        }
        return new GatewayConfig.Signal(mode, period, serverId);
    }

    private static String storeUrl(String text) {
        if (text.startsWith(GatewayConfig.Store.MYSQL)) {
            HostPort.parse(text.substring(GatewayConfig.Store.MYSQL.length()));
        } else if (!text.startsWith("duckdb:") || text.length() == "duckdb:".length()) {
            throw new IllegalArgumentException(text);
        }
        return text;
    }

    private static Path path(String text) {
        try {
            if (text.isEmpty()) {
                throw new IllegalArgumentException("empty path");
            }
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static Path readable(String text) {
        Path path = path(text);
        if (!Files.isReadable(path)) {
            throw new IllegalArgumentException("not readable: " + text);
        }
        return path;
    }

    private GatewayConfig.Tls tls(ConfigSection section, boolean demo) {
        Path certificate = section.optional("certificate", "a readable PEM file", ConfigLoader::readable);
        Path key = section.optional("key", "a readable PEM file", ConfigLoader::readable);
        GatewayConfig.TlsMode fallback =
                certificate != null || demo ? GatewayConfig.TlsMode.OFFERED : GatewayConfig.TlsMode.OFF;
        GatewayConfig.TlsMode mode = section.choice(
                "mode", fallback, GatewayConfig.TlsMode.class, m -> m.name().toLowerCase(Locale.ROOT));
        section.end();
        if (section.has("certificate") != section.has("key")) {
            problem(section.pathOf("certificate"), "one without the other", "both certificate and key, or neither");
        }
        return new GatewayConfig.Tls(mode, certificate, key);
    }

    private List<GatewayConfig.User> users(List<ConfigSection> sections, GatewayConfig.Store store) {
        List<GatewayConfig.User> users = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (ConfigSection section : sections) {
            String name = section.required("name", "the user's name");
            Plugin plugin = section.choice("plugin", Plugin.CACHING_SHA2_PASSWORD, Plugin.class, Plugin::key);
            String hash = section.text("hash", "");
            String storeUser = section.optional("storeUser", "a user of the store", Function.identity());
            String storePassword = section.text("storePassword", "");
            section.end();
            if (store.isRemote() == (storeUser == null)) {
                problem(
                        section.pathOf("storeUser"),
                        storeUser == null ? "missing" : storeUser,
                        store.isRemote() ? "the account at the store that this user has" : "none on an embedded store");
            }
            if (!names.add(name)) {
                problem(section.pathOf("name"), name, "each user once");
            }
            users.add(new GatewayConfig.User(name, credential(section, plugin, hash), storeUser, storePassword));
        }
        return users;
    }

    /** An empty hash is no way to say "no password": that takes the plugin {@code none}. */
    private Credential credential(ConfigSection section, Plugin plugin, String hash) {
        if (hash.isEmpty() == (plugin == Plugin.NONE)) {
            try {
                return Credential.parse(plugin.protocol, hash);
            } catch (IllegalArgumentException e) {
                problem(section.pathOf("hash"), "***", plugin.expectedHash);
            }
        } else {
            problem(section.pathOf("hash"), hash.isEmpty() ? "missing" : "***", plugin.expectedHash);
        }
        return Credential.empty(plugin.protocol);
    }

    /** How a user proves who it is, as the configuration names it. */
    private enum Plugin {
        MYSQL_NATIVE_PASSWORD(AuthPlugin.NATIVE_PASSWORD, "* and 40 hexadecimal digits, as PASSWORD() gives"),
        CACHING_SHA2_PASSWORD(AuthPlugin.CACHING_SHA2_PASSWORD, "$A$ rounds $ salt and digest, as mysql.user has it"),
        NONE(AuthPlugin.NATIVE_PASSWORD, "no hash with plugin none");

        private final AuthPlugin protocol;
        private final String expectedHash;

        Plugin(AuthPlugin protocol, String expectedHash) {
            this.protocol = protocol;
            this.expectedHash = expectedHash;
        }

        String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private GatewayConfig.Cache cache(ConfigSection section) {
        Duration ttl = ttl(section, Duration.ofSeconds(1));
        GatewayConfig.Cache cache = new GatewayConfig.Cache(
                section.flag("enabled", true),
                section.bytesOrShare("size", "20%", heapBytes, 1 << 20),
                ttl,
                signalTtl(section, ttl, SIGNAL_TTL),
                prefix(section, Granularity.FULL),
                section.integer("maxRowsPerLine", 10_000, 1, 10_000_000),
                section.bytes("maxBytesPerLine", 4 << 20, 1 << 10, 1 << 30),
                section.integer("maxWaitersPerLoad", 1_000, 0, 1_000_000),
                section.duration("loadTimeout", Duration.ofSeconds(10), Duration.ofMillis(10), Duration.ofHours(1)),
                section.flag("refreshAhead", true),
                section.integer("auditOneIn", 100_000, 0, 1_000_000_000),
                section.choice(
                        "transactions",
                        GatewayConfig.TransactionMode.EXACT,
                        GatewayConfig.TransactionMode.class,
                        mode -> mode.name().toLowerCase(Locale.ROOT)));
        section.end();
        return cache;
    }

    private Map<TableName, GatewayConfig.Table> tables(ConfigSection section, GatewayConfig.Cache cache) {
        Map<TableName, GatewayConfig.Table> tables = new HashMap<>();
        for (String schema : section.names()) {
            ConfigSection inSchema = section.section(schema);
            for (String table : inSchema.names()) {
                ConfigSection settings = inSchema.section(table);
                Duration ttl = ttl(settings, cache.ttl());
                tables.put(
                        new TableName(schema, table),
                        new GatewayConfig.Table(
                                prefix(settings, cache.prefix()),
                                ttl,
                                signalTtl(settings, ttl, cache.signalTtl()),
                                settings.flag("enabled", true) && cache.enabled()));
                settings.end();
            }
        }
        return tables;
    }

    private static Duration ttl(ConfigSection section, Duration fallback) {
        return section.duration("ttl", fallback, Duration.ZERO, MAX_TTL);
    }

    /** What is not configured is never below the ttl. */
    private static Duration signalTtl(ConfigSection section, Duration ttl, Duration fallback) {
        return section.duration("signalTtl", fallback.compareTo(ttl) < 0 ? ttl : fallback, ttl, MAX_TTL);
    }

    private static Granularity prefix(ConfigSection section, Granularity fallback) {
        return section.value("prefix", fallback, "full, auto or a number of key columns, 1..64", text -> switch (text) {
            case "full" -> Granularity.FULL;
            case "auto" -> Granularity.AUTO;
            default -> {
                int columns = Integer.parseInt(text);
                if (columns > 64) {
                    throw new IllegalArgumentException(text);
                }
                yield Granularity.prefix(columns);
            }
        });
    }

    private GatewayConfig.Limits limits(ConfigSection section) {
        GatewayConfig.Limits limits = new GatewayConfig.Limits(
                section.integer("connections", 10_000, 1, 1_000_000),
                section.integer("preparedStatementsPerSession", 4_096, 0, 1_000_000),
                section.integer("preparedStatements", 100_000, 0, 10_000_000),
                (int) section.bytes("maxAllowedPacket", 64 << 20, 1 << 10, 1 << 30),
                section.bytesOrShare("planCache", "2%", heapBytes, 1 << 20),
                section.bytesOrShare("memory", "30%", heapBytes, 16 << 20),
                section.duration(
                        "loginTimeout", Duration.ofSeconds(10), Duration.ofMillis(100), Duration.ofMinutes(10)));
        section.end();
        return limits;
    }

    private void problem(String path, String value, String expected) {
        problems.add(new ConfigException.Problem(path, value, expected));
    }
}
