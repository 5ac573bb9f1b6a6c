package org.keyline.gateway.config;

import java.util.Locale;
import org.keyline.protocol.transport.Transport;

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
        handover(config);
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

    /** While two processes serve, each writes unheard by the other: what does not stand that is refused. */
    private void handover(GatewayConfig config) {
        if (config.handover() == null) {
            return;
        }
        String path = ConfigKeys.HANDOVER.path();
        if (!config.store().isRemote()) {
            problem(
                    path,
                    config.handover() + " with store.url " + config.store().url(),
                    "none, where the store is embedded: one process alone can open it");
        }
        if (config.tier() != null) {
            problem(
                    path,
                    config.handover() + " with tier.url",
                    "none, where gateways share a tier: no two may have one name");
        }
        if (config.transport().resolved() != Transport.EPOLL) {
            problem(
                    path,
                    config.handover() + " with transport "
                            + config.transport().resolved().name().toLowerCase(Locale.ROOT),
                    "none, where transport is not epoll, which alone can hand a socket over");
        }
    }

    private void problem(String path, String value, String expected) {
        reading.problem(path, value, expected);
    }
}
