package org.keyline.gateway.config;

import java.time.Duration;
import java.util.List;
import org.keyline.gateway.units.Units;

/** Checks the relations between several keys of a configuration. */
final class ConfigChecks {
    private final ConfigSection.Reading reading;

    ConfigChecks(ConfigSection.Reading reading) {
        this.reading = reading;
    }

    void check(GatewayConfig config) {
        store(config);
        users(config);
        tls(config);
        tier(config);
        members(config);
        signalTtl(config.settings(), ConfigKeys.CACHE_TTL, ConfigKeys.CACHE_SIGNAL_TTL);
        long filters = config.get(ConfigKeys.FILTER_SIZE);
        if (filters >= config.get(ConfigKeys.CACHE_SIZE)) {
            problem(ConfigKeys.FILTER_SIZE, Units.format(filters), "less than cache.size, of which it is a part");
        }
        config.tables().values().forEach(table -> {
            signalTtl(table, ConfigKeys.TABLE_TTL, ConfigKeys.TABLE_SIGNAL_TTL);
            if (table.get(ConfigKeys.TABLE_SHARES_LINES) && config.find(ConfigKeys.TIER_URL) == null) {
                reading.problem(table.path(ConfigKeys.TABLE_SHARES_LINES), "both without tier.url", "local");
            }
        });
    }

    private void signalTtl(Settings settings, ConfigKey<Duration> ttlKey, ConfigKey<Duration> key) {
        Duration ttl = settings.get(ttlKey);
        if (settings.get(key).compareTo(ttl) < 0) {
            reading.problem(
                    settings.path(key),
                    settings.of(key).value(),
                    ValueType.duration(Units.format(ttl), ConfigKeys.MAX_TTL).expected());
        }
    }

    private void store(GatewayConfig config) {
        boolean relays = config.get(ConfigKeys.RELAYS_LOGINS);
        if (relays && !config.isRemote()) {
            problem(ConfigKeys.RELAYS_LOGINS, "relay", "local, where the store is embedded");
        }
        if (config.get(ConfigKeys.STORE_PROXY_PROTOCOL) && !relays) {
            problem(ConfigKeys.STORE_PROXY_PROTOCOL, "true", "false, where store.login is local");
        }
        GatewayConfig.SignalMode mode = config.get(ConfigKeys.STORE_SIGNAL);
        if (!config.isRemote()
                && (mode == GatewayConfig.SignalMode.BINLOG || mode == GatewayConfig.SignalMode.VERSIONS)) {
            problem(
                    ConfigKeys.STORE_SIGNAL,
                    ValueType.nameOf(mode),
                    "none or auto, where the store is embedded: all writes come through the gateway");
        }
        if (config.get(ConfigKeys.DEMO) && config.isRemote()) {
            problem(ConfigKeys.DEMO, "true with store.url " + config.get(ConfigKeys.STORE_URL), "an embedded store");
        }
    }

    private void users(GatewayConfig config) {
        boolean local = !config.get(ConfigKeys.RELAYS_LOGINS);
        if (local && config.isRemote() && config.users().isEmpty()) {
            reading.problem("users", "none", "users with their accounts at the store, or store.login: relay");
        }
        if (!local && !config.users().isEmpty()) {
            reading.problem(
                    "users",
                    config.users().size() + " with store.login: relay",
                    "no users: the store authenticates clients");
        }
    }

    private void tls(GatewayConfig config) {
        boolean certificate = config.find(ConfigKeys.TLS_CERTIFICATE) != null;
        if (config.get(ConfigKeys.TLS_HTTP) && !certificate && !config.get(ConfigKeys.DEMO)) {
            problem(
                    ConfigKeys.TLS_HTTP,
                    "true without a certificate",
                    "false, or a certificate in tls.certificate and tls.key");
        }
        if (given(config, ConfigKeys.TLS_CERTIFICATE) != given(config, ConfigKeys.TLS_KEY)) {
            problem(
                    ConfigKeys.TLS_CERTIFICATE,
                    "one without the other",
                    "both tls.certificate and tls.key, or neither");
        }
    }

    private static boolean given(GatewayConfig config, ConfigKey<?> key) {
        return config.settings().of(key).given();
    }

    private void tier(GatewayConfig config) {
        String url = config.find(ConfigKeys.TIER_URL);
        String name = config.find(ConfigKeys.TIER_NAME);
        List<GatewayConfig.Member> members = config.find(ConfigKeys.TIER_MEMBERS);
        List<String> names = members == null
                ? List.of("missing")
                : members.stream().map(GatewayConfig.Member::name).toList();
        if (url == null && name == null && members == null) {
            return;
        }
        if (!config.isRemote()) {
            problem(
                    url == null ? ConfigKeys.TIER_MEMBERS : ConfigKeys.TIER_URL,
                    (url == null ? "given" : url) + " with store.url " + config.get(ConfigKeys.STORE_URL),
                    "none with an embedded store: each gateway has its own");
        }
        if (url == null && config.get(ConfigKeys.TIER_VALUES)) {
            problem(ConfigKeys.TIER_VALUES, "true without tier.url", "false");
        }
        if (url != null && !config.sharesLines()) {
            problem(
                    ConfigKeys.TIER_URL,
                    url + " without shared lines",
                    "tier.values: true or tierUse of a table; messages travel between tier.members, not by a server");
        }
        if (name == null) {
            problem(ConfigKeys.TIER_NAME, "missing", ConfigKeys.TIER_NAME.type().expected());
        } else if (members == null
                ? !given(config, ConfigKeys.TIER_MEMBERS)
                : members.size() < 2 || !names.contains(name)) {
            problem(
                    ConfigKeys.TIER_MEMBERS,
                    String.join(",", names),
                    "all gateways, two at least, " + name + " among them: "
                            + ConfigKeys.TIER_MEMBERS.type().expected());
        }
    }

    /** Checks that {@code users} has {@code store.user}, which other gateways use to log in. */
    private void members(GatewayConfig config) {
        String user = config.get(ConfigKeys.STORE_USER);
        if (config.isMember()
                && !config.get(ConfigKeys.RELAYS_LOGINS)
                && config.users().stream().noneMatch(each -> each.name().equals(user))) {
            problem(
                    ConfigKeys.TIER_MEMBERS,
                    "given, without " + user + " among users",
                    "store.user among users with store.password: other gateways log in with this account");
        }
    }

    private void problem(ConfigKey<?> key, String value, String expected) {
        reading.problem(key.path(), value, expected);
    }
}
