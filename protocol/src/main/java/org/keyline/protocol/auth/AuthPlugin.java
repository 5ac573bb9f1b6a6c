package org.keyline.protocol.auth;

import org.jspecify.annotations.Nullable;

/** An authentication plugin that Keyline speaks, on either side. */
public enum AuthPlugin {
    /** SHA-1 challenge and response. */
    NATIVE_PASSWORD("mysql_native_password"),
    /** SHA-256 challenge and response while the server remembers a digest, else the password itself, encrypted. */
    CACHING_SHA2_PASSWORD("caching_sha2_password"),
    /** The password itself; only under TLS. */
    CLEAR_PASSWORD("mysql_clear_password");

    private final String wireName;

    AuthPlugin(String wireName) {
        this.wireName = wireName;
    }

    /** The name that handshake and auth switch packets carry. */
    public String wireName() {
        return wireName;
    }

    /** The plugin of that wire name, or {@code null} if Keyline does not speak it. */
    public static @Nullable AuthPlugin of(String wireName) {
        for (AuthPlugin plugin : values()) {
            if (plugin.wireName.equals(wireName)) {
                return plugin;
            }
        }
        return null;
    }
}
