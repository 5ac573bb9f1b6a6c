package org.keyline.gateway.config;

/** What several keys of one configuration have to agree in. */
final class ConfigChecks {
    private final ConfigSection.Reading reading;

    /** @param reading hears of what does not fit */
    ConfigChecks(ConfigSection.Reading reading) {
        this.reading = reading;
    }

    void check(GatewayConfig config) {
        GatewayConfig.Store store = config.store();
        boolean local = store.login() == GatewayConfig.LoginMode.LOCAL;
        lineShares(config);
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

    /** Other gateways log in by the account that this one has at the store. */
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

    /** With room for a few of the longest lines, a user's own lines do not push each other out as soon as they are there. */
    private void lineShares(GatewayConfig config) {
        GatewayConfig.PerUser user = config.limits().perUser();
        long bytes = config.cache().maxBytesPerLine();
        int rows = config.cache().maxRowsPerLine();
        String longest = "cache";
        if (config.filters()) {
            bytes = Math.max(bytes, config.filter().maxBytesPerLine());
            rows = Math.max(rows, config.filter().maxRowsPerLine());
            longest = "cache and filter";
        }
        if (user.lineBytes() > 0 && user.lineBytes() < 2 * bytes) {
            problem(
                    ConfigKeys.LIMITS_LINE_BYTES_PER_USER.path(),
                    Units.format(user.lineBytes()),
                    "off, or at least twice maxBytesPerLine of " + longest + ": " + Units.format(2 * bytes));
        }
        if (user.lineRows() > 0 && user.lineRows() < 2L * rows) {
            problem(
                    ConfigKeys.LIMITS_LINE_ROWS_PER_USER.path(),
                    Integer.toString(user.lineRows()),
                    "0, or at least twice maxRowsPerLine of " + longest + ": " + 2L * rows);
        }
    }

    private void problem(String path, String value, String expected) {
        reading.problem(path, value, expected);
    }
}
