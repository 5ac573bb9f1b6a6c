package org.keyline.protocol.auth;

import org.jspecify.annotations.Nullable;

/** An authentication plugin that Keyline implements, as server and as client. */
public enum AuthPlugin {
    /** The client answers the scramble with a SHA-1 proof. */
    NATIVE_PASSWORD("mysql_native_password"),
    /**
     * The client sends a SHA-256 proof. If the server has cached no digest with which to check the
     * proof, the client then sends the password, under TLS or encrypted by RSA.
     */
    CACHING_SHA2_PASSWORD("caching_sha2_password"),
    /** The client sends the password itself in clear text, under TLS only. */
    CLEAR_PASSWORD("mysql_clear_password");

    private final String wireName;

    AuthPlugin(String wireName) {
        this.wireName = wireName;
    }

    public String wireName() {
        return wireName;
    }

    /** Returns the plugin with that wire name, or {@code null} if Keyline does not implement it. */
    public static @Nullable AuthPlugin of(String wireName) {
        for (AuthPlugin plugin : values()) {
            if (plugin.wireName.equals(wireName)) {
                return plugin;
            }
        }
        return null;
    }
}
