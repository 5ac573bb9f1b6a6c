package org.keyline.gateway.config;

import org.keyline.protocol.auth.AuthPlugin;

/** An authentication method of a local user, as named in the configuration. */
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
