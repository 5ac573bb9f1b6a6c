package org.keyline.gateway.config;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.FilterReads;
import org.keyline.planner.TableName;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;

/** The checked values of all {@link ConfigKeys}. Immutable. */
public final class GatewayConfig implements ConfigValues {
    public static final String MYSQL = "mysql://";

    static final String REDISS = "rediss://";

    private static final int MYSQL_PORT = 3306;
    private static final int REDIS_PORT = 6379;
    private static final String EVERYBODY = "*";

    private final Settings settings;
    private final List<Settings> userSettings;
    private final List<User> users;
    private final Settings anyTable;
    private final Map<TableName, Settings> tables;

    /**
     * @param settings the values of all keys except those of users and tables
     * @param userSettings the values of the keys of each user
     * @param users the same users as objects
     * @param anyTable the settings of tables that have no section of their own
     * @param tables the settings of tables with their own section
     */
    GatewayConfig(
            Settings settings,
            List<Settings> userSettings,
            List<User> users,
            Settings anyTable,
            Map<TableName, Settings> tables) {
        this.settings = settings;
        this.userSettings = List.copyOf(userSettings);
        this.users = List.copyOf(users);
        this.anyTable = anyTable;
        this.tables = Map.copyOf(tables);
    }

    /** Returns a copy with the values of {@code next} for all keys that can change at run time. */
    GatewayConfig changedTo(GatewayConfig next) {
        Settings all = settings.changedTo(next.settings, null);
        Settings other = anyTable.changedTo(next.anyTable, all);
        Map<TableName, Settings> changed = new HashMap<>();
        Stream.concat(tables.keySet().stream(), next.tables.keySet().stream())
                .distinct()
                .forEach(name -> changed.put(
                        name, tables.getOrDefault(name, Settings.NONE).changedTo(next.tables.get(name), other)));
        return new GatewayConfig(all, next.userSettings, next.users, other, changed);
    }

    @Override
    public <T> @Nullable T find(ConfigKey<T> key) {
        return settings.find(key);
    }

    Settings settings() {
        return settings;
    }

    /** Returns the settings ordered by path. */
    public List<Settings.Setting> all() {
        return List.copyOf(byPath().values());
    }

    Map<String, Settings.Setting> byPath() {
        return Stream.of(Stream.of(settings), userSettings.stream(), tables.values().stream())
                .flatMap(sections -> sections)
                .flatMap(section -> section.own().stream())
                .collect(Collectors.toMap(Settings.Setting::path, each -> each, (one, other) -> other, TreeMap::new));
    }

    /** Returns the local users. If empty, an embedded store admits {@code root} from loopback. */
    public List<User> users() {
        return users;
    }

    /** Returns the settings of a table, which override those of {@code cache}. */
    public Settings table(TableName name) {
        return tables.getOrDefault(name, anyTable);
    }

    public Map<TableName, Settings> tables() {
        return tables;
    }

    public boolean isRemote() {
        return isRemote(settings);
    }

    static boolean isRemote(ConfigValues values) {
        return values.get(ConfigKeys.STORE_URL).startsWith(MYSQL);
    }

    /** Returns the servers in order of preference. */
    public List<HostPort> storeAddresses() {
        return addresses(get(ConfigKeys.STORE_URL));
    }

    static List<HostPort> addresses(String url) {
        int usualPort = url.startsWith(MYSQL) ? MYSQL_PORT : REDIS_PORT;
        return Arrays.stream(url.substring(url.indexOf("//") + 2).split(",", -1))
                .map(address -> HostPort.parse(address, usualPort))
                .toList();
    }

    public boolean mayView(String user) {
        return allows(ConfigKeys.ACCESS_VIEWS, user) || mayChange(user);
    }

    public boolean mayChange(String user) {
        return allows(ConfigKeys.ACCESS_CHANGES, user);
    }

    private boolean allows(ConfigKey<Set<String>> key, String user) {
        Set<String> users = get(key);
        return users.contains(EVERYBODY) || users.contains(user);
    }

    public boolean filters() {
        return anySection().anyMatch(section -> section.get(ConfigKeys.TABLE_FILTERS) != FilterReads.OFF);
    }

    public boolean merges() {
        return anySection().anyMatch(section -> section.get(ConfigKeys.TABLE_MERGE_WRITES));
    }

    public boolean sharesLines() {
        return anySection().anyMatch(section -> section.get(ConfigKeys.TABLE_SHARES_LINES));
    }

    private Stream<Settings> anySection() {
        return Stream.concat(Stream.of(anyTable), tables.values().stream());
    }

    /** Returns whether this gateway reports its writes to others. */
    public boolean isMember() {
        return find(ConfigKeys.TIER_NAME) != null && find(ConfigKeys.TIER_MEMBERS) != null;
    }

    /** Returns the other gateways; requires {@link #isMember}. */
    public List<Member> otherMembers() {
        String name = get(ConfigKeys.TIER_NAME);
        return get(ConfigKeys.TIER_MEMBERS).stream()
                .filter(member -> !member.name().equals(name))
                .toList();
    }

    public boolean encryptsTier() {
        String url = find(ConfigKeys.TIER_URL);
        return url != null && url.startsWith(REDISS);
    }

    /** Returns whether connections to other gateways require TLS with trusted certificates. */
    public boolean verifiesMembers() {
        return encryptsTier() || find(ConfigKeys.TIER_AUTHORITY) != null;
    }

    /** Returns the servers for shared lines, of which one is in use; empty if none exist. */
    public List<HostPort> tierAddresses() {
        String url = find(ConfigKeys.TIER_URL);
        return url == null ? List.of() : addresses(url);
    }

    @Override
    public String toString() {
        return all().toString();
    }

    /**
     * A gateway in front of the same store.
     *
     * @param address the gateway's address for clients, which the other gateways use as well
     */
    public record Member(String name, HostPort address) {}

    /**
     * A local user. {@link #toString} shows no secrets.
     *
     * @param storeUser the account at a remote store; null on an embedded store
     */
    public record User(
            String name, Credential credential, @Nullable String storeUser, Secret storePassword) {}

    public enum SignalMode {
        /** No signal, so lines live for their ttl. */
        NONE,
        /** The row binary log (MySQL, MariaDB). */
        BINLOG,
        /** The versions of partitions (Doris, StarRocks). */
        VERSIONS,
        /** The kind of store decides. */
        AUTO
    }

    public enum TlsMode {
        OFF,
        OFFERED,
        REQUIRED
    }

    public enum LogLevel {
        ERROR,
        WARN,
        INFO,
        DEBUG
    }

    enum LoginPlugin {
        MYSQL_NATIVE_PASSWORD(AuthPlugin.NATIVE_PASSWORD, "* and 40 hexadecimal digits, as PASSWORD() gives"),
        CACHING_SHA2_PASSWORD(AuthPlugin.CACHING_SHA2_PASSWORD, "$A$ rounds $ salt and digest, as mysql.user has it"),
        NONE(AuthPlugin.NATIVE_PASSWORD, "no hash with plugin none");

        final AuthPlugin protocol;
        final String expectedHash;

        LoginPlugin(AuthPlugin protocol, String expectedHash) {
            this.protocol = protocol;
            this.expectedHash = expectedHash;
        }
    }
}
