package org.keyline.gateway.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.keyline.protocol.auth.Credential;

/** Reads the sections on clients' access: {@code tls} and {@code users}. */
final class ClientSections {
    private ClientSections() {}

    static GatewayConfig.Tls tls(ConfigSection section, boolean demo) {
        Path certificate = section.optional(ConfigKeys.TLS_CERTIFICATE);
        Path key = section.optional(ConfigKeys.TLS_KEY);
        GatewayConfig.TlsMode mode = section.value(
                ConfigKeys.TLS_MODE,
                certificate != null || demo ? GatewayConfig.TlsMode.OFFERED : GatewayConfig.TlsMode.OFF,
                ValueType::nameOf);
        boolean http = section.value(ConfigKeys.TLS_HTTP);
        section.end();
        if (http && certificate == null && !demo) {
            section.problem(ConfigKeys.TLS_HTTP, "true", "a certificate in tls.certificate and tls.key");
        }
        if (section.has(ConfigKeys.TLS_CERTIFICATE) != section.has(ConfigKeys.TLS_KEY)) {
            section.problem(
                    ConfigKeys.TLS_CERTIFICATE,
                    "one without the other",
                    "both tls.certificate and tls.key, or neither");
        }
        return new GatewayConfig.Tls(mode, certificate, key, http);
    }

    static List<GatewayConfig.User> users(List<ConfigSection> sections, GatewayConfig.Store store) {
        List<GatewayConfig.User> users = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (ConfigSection section : sections) {
            String name = section.required(ConfigKeys.USER_NAME);
            String storeUser = section.optional(ConfigKeys.USER_STORE_USER);
            GatewayConfig.User user = new GatewayConfig.User(
                    name,
                    credential(section),
                    storeUser,
                    section.value(ConfigKeys.USER_STORE_PASSWORD),
                    section.value(ConfigKeys.USER_READ_ONLY));
            section.end();
            if (store.isRemote() == (storeUser == null)) {
                section.problem(
                        ConfigKeys.USER_STORE_USER,
                        storeUser == null ? "missing" : storeUser,
                        store.isRemote() ? "the account at the store that this user has" : "none on an embedded store");
            }
            if (user.readOnly() && store.isRemote()) {
                section.problem(
                        ConfigKeys.USER_READ_ONLY, "true", "false: the rights of its account at the store count");
            }
            if (!names.add(name)) {
                section.problem(ConfigKeys.USER_NAME, name, "each user once");
            }
            users.add(user);
        }
        return users;
    }

    /** An empty hash does not mean "no password": that needs the plugin {@code none}. */
    private static Credential credential(ConfigSection section) {
        LoginPlugin plugin = section.value(ConfigKeys.USER_PLUGIN);
        String hash = section.value(ConfigKeys.USER_HASH);
        String shown = hash.isEmpty() ? "missing" : Secret.MASK;
        if (hash.isEmpty() == (plugin == LoginPlugin.NONE)) {
            try {
                return Credential.parse(plugin.protocol, hash);
            } catch (IllegalArgumentException e) {
                section.problem(ConfigKeys.USER_HASH, shown, plugin.expectedHash);
            }
        } else {
            section.problem(ConfigKeys.USER_HASH, shown, plugin.expectedHash);
        }
        return Credential.empty(plugin.protocol);
    }
}
