package org.keyline.gateway.session;

import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.server.Account;
import org.keyline.protocol.server.Accounts;

/** The configured users. If there are none, {@code root} may log in from loopback. Thread-safe. */
public final class ConfiguredAccounts implements Accounts {
    private static final Account ROOT = new Account("root@localhost", Credential.empty(AuthPlugin.NATIVE_PASSWORD));

    private final Supplier<List<GatewayConfig.User>> users;

    public ConfiguredAccounts(Supplier<List<GatewayConfig.User>> users) {
        this.users = users;
    }

    /** Returns the users who were removed, or whose credential or store account changed. */
    public static Set<String> changed(List<GatewayConfig.User> before, List<GatewayConfig.User> after) {
        Set<String> names = before.isEmpty() && !after.isEmpty()
                ? new HashSet<>(Set.of("root"))
                : before.stream().map(GatewayConfig.User::name).collect(Collectors.toCollection(HashSet::new));
        after.stream().filter(before::contains).map(GatewayConfig.User::name).forEach(names::remove);
        return names;
    }

    @Override
    public @Nullable Account find(String user, InetAddress from) {
        List<GatewayConfig.User> now = users.get();
        if (now.isEmpty()) {
            return user.equals("root") && from.isLoopbackAddress() ? ROOT : null;
        }
        return now.stream()
                .filter(each -> each.name().equals(user))
                .findFirst()
                .map(each -> new Account(user + "@%", each.credential()))
                .orElse(null);
    }
}
