package org.keyline.gateway.session;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.server.Account;
import org.keyline.protocol.server.Accounts;

/** The users of the configuration; where it has none, {@code root} without a password from loopback. Immutable. */
public final class ConfiguredAccounts implements Accounts {
    private static final Account ROOT = new Account("root@localhost", Credential.empty(AuthPlugin.NATIVE_PASSWORD));

    private final Map<String, Account> accounts;

    public ConfiguredAccounts(List<GatewayConfig.User> users) {
        accounts = users.stream()
                .map(user -> new Account(user.name() + "@%", user.credential()))
                .collect(Collectors.toUnmodifiableMap(
                        account -> account.name().substring(0, account.name().length() - 2), Function.identity()));
    }

    @Override
    public @Nullable Account find(String user, InetAddress from) {
        if (accounts.isEmpty()) {
            return user.equals("root") && from.isLoopbackAddress() ? ROOT : null;
        }
        return accounts.get(user);
    }
}
