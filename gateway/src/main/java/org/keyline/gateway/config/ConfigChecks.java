package org.keyline.gateway.config;

/** Checks that concern several keys of a configuration. */
final class ConfigChecks {
    private final ConfigSection.Reading reading;

    /** @param reading receives the problems */
    ConfigChecks(ConfigSection.Reading reading) {
        this.reading = reading;
    }

    void check(GatewayConfig config) {
        GatewayConfig.Store store = config.store();
        boolean local = store.login() == GatewayConfig.LoginMode.LOCAL;
        members(config);
        if (local && store.isRemote() && config.users().isEmpty()) {
            problem("users", "none", "users with their accounts at the store, or store.login: relay");
        }
        if (!local && !config.users().isEmpty()) {
            problem("users", config.users().size() + " with store.login: relay", "no users of the gateway's own");
        }
        if (config.demo() && store.isRemote()) {
            problem("demo", "true with store.url " + store.url(), "an embedded store");
        }
    }

    /** Other gateways log in with the account that this one has at the store. */
    private void members(GatewayConfig config) {
        GatewayConfig.Store store = config.store();
        boolean linked = config.tier() != null && !config.tier().linked().isEmpty();
        boolean local = store.login() == GatewayConfig.LoginMode.LOCAL;
        if (linked
                && local
                && config.users().stream().noneMatch(user -> user.name().equals(store.user()))) {
            problem(
                    ConfigKeys.TIER_MEMBERS.path(),
                    "addresses, without " + store.user() + " among users",
                    "store.user among users with store.password, as whom other gateways log in, or names without addresses");
        }
    }

    private void problem(String path, String value, String expected) {
        reading.problem(path, value, expected);
    }
}
