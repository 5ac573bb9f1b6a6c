package org.keyline.gateway.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;

/** Reads secrets, which may also be in environment variables or in files of their own. */
final class SecretReader {
    private static final String ROOT_PASSWORD = "KEYLINE_ROOT_PASSWORD";

    private final Map<String, String> environment;

    SecretReader(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    /** Returns the value itself, else the environment's. */
    Secret secret(ConfigSection section, ConfigKey<Secret> key) {
        Secret value = section.value(key);
        String variable = environment.get(Objects.requireNonNull(key.variable()));
        if (section.has(key) || variable == null) {
            return value;
        }
        section.fromEnvironment(key, variable);
        return new Secret(variable);
    }

    /**
     * Returns {@code root} with the password of {@code KEYLINE_ROOT_PASSWORD}, for an embedded
     * store without {@code users}; empty if the variable is not set.
     */
    List<GatewayConfig.User> root(GatewayConfig.Store store) {
        String password = environment.getOrDefault(ROOT_PASSWORD, "");
        if (store.isRemote() || password.isEmpty()) {
            return List.of();
        }
        // Every client has this plugin. For caching_sha2_password without TLS, Connector/J needs a
        // property, and MariaDB's client of Debian 12 sends the password in clear text.
        // The hash is stored nowhere, and equal after a reload.
        Credential credential =
                Credential.ofPassword(AuthPlugin.NATIVE_PASSWORD, password, new Random(password.hashCode()));
        return List.of(new GatewayConfig.User("root", credential, null, new Secret(""), false));
    }

    /** Returns the password itself, else the file's, else the environment's. */
    Secret password(ConfigSection section, ConfigKey<Secret> key, ConfigKey<Path> fileKey) {
        Secret password = secret(section, key);
        Path file = section.optional(fileKey);
        if (section.has(key)) {
            if (file != null) {
                section.problem(fileKey, file.toString(), "either " + key.path() + " or " + fileKey.path());
            }
            return password;
        }
        if (file == null) {
            return password;
        }
        try {
            return new Secret(Files.readString(file, StandardCharsets.UTF_8).stripTrailing());
        } catch (IOException e) {
            // The message names the file only: the exception's text may be what could not be
            // decoded.
            section.problem(fileKey, file.toString(), "a readable file of UTF-8 text");
            return password;
        }
    }
}
