package org.keyline.gateway.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;

/** Creates the local users of a configuration and checks them. */
final class UserSections {
    private static final String ROOT_PASSWORD = "KEYLINE_ROOT_PASSWORD";

    private final ConfigSection.Reading reading;

    UserSections(ConfigSection.Reading reading) {
        this.reading = reading;
    }

    /** Returns the users; without sections, {@code root} if the environment has its password. */
    List<GatewayConfig.User> users(Settings settings, List<Settings> sections) {
        boolean remote = GatewayConfig.isRemote(settings);
        List<GatewayConfig.User> users = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Settings section : sections) {
            String name = section.find(ConfigKeys.USER_NAME);
            String storeUser = section.find(ConfigKeys.USER_STORE_USER);
            Secret password = section.get(ConfigKeys.USER_STORE_PASSWORD);
            Credential credential = credential(section);
            if (name == null || name.isEmpty()) {
                name = "";
                problem(section, ConfigKeys.USER_NAME, "missing", ConfigKeys.USER_NAME.sentence());
            }
            if (remote == (storeUser == null)) {
                problem(
                        section,
                        ConfigKeys.USER_STORE_USER,
                        storeUser == null ? "missing" : storeUser,
                        remote ? "the account at the store that this user has" : "none on an embedded store");
            }
            if (!names.add(name)) {
                problem(section, ConfigKeys.USER_NAME, name, "each user once");
            }
            users.add(new GatewayConfig.User(name, credential, storeUser, password));
        }
        String ofRoot = reading.environment().getOrDefault(ROOT_PASSWORD, "");
        if (users.isEmpty() && !remote && !ofRoot.isEmpty()) {
            users.add(root(ofRoot));
        }
        return users;
    }

    private static GatewayConfig.User root(String password) {
        // Every client supports this plugin. With caching_sha2_password and without TLS,
        // Connector/J needs a property, and MariaDB's client of Debian 12 sends the password in
        // clear text. The seed is fixed, because a new hash would count as a new user; the hash is
        // not stored.
        Credential credential =
                Credential.ofPassword(AuthPlugin.NATIVE_PASSWORD, password, new Random(password.hashCode()));
        return new GatewayConfig.User("root", credential, null, new Secret(""));
    }

    /** Returns a user's credential. Without a hash, the plugin must be {@code none}. */
    private Credential credential(Settings section) {
        GatewayConfig.LoginPlugin plugin = section.get(ConfigKeys.USER_PLUGIN);
        String hash = section.get(ConfigKeys.USER_HASH).value();
        if (hash.isEmpty() == (plugin == GatewayConfig.LoginPlugin.NONE)) {
            try {
                return Credential.parse(plugin.protocol, hash);
            } catch (IllegalArgumentException e) {
                // The problem below names the expected format.
            }
        }
        problem(section, ConfigKeys.USER_HASH, hash.isEmpty() ? "missing" : Secret.MASK, plugin.expectedHash);
        return Credential.empty(plugin.protocol);
    }

    private void problem(Settings section, ConfigKey<?> key, String value, String expected) {
        reading.problem(section.path(key), value, expected);
    }
}
