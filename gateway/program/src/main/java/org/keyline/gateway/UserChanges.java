package org.keyline.gateway;

import java.util.List;
import java.util.Set;
import org.keyline.gateway.config.ConfigException;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.session.ConfiguredAccounts;
import org.keyline.gateway.views.Clients;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies changes of users, and closes the sessions of removed or changed users. Thread-safe. */
final class UserChanges implements LiveConfig.Preparation {
    private static final Logger LOG = LoggerFactory.getLogger(UserChanges.class);

    private final LiveConfig live;
    private final Clients clients;

    UserChanges(LiveConfig live, Clients clients) {
        this.live = live;
        this.clients = clients;
    }

    @Override
    public Runnable prepare(GatewayConfig next) throws ConfigException {
        List<GatewayConfig.User> before = live.config().users();
        List<GatewayConfig.User> after = next.users();
        if (before.equals(after)) {
            return () -> {};
        }
        if (before.isEmpty() || after.isEmpty()) {
            throw new ConfigException(List.of(new ConfigException.Problem(
                    "users",
                    after.isEmpty() ? "none" : after.size() + ", previously none",
                    after.isEmpty()
                            ? "at least one user; restart Keyline to remove the last one"
                            : "no user; restart Keyline to add the first one")));
        }
        Set<String> ended = ConfiguredAccounts.changed(before, after);
        return () -> {
            LOG.info("The configured users changed; closing the sessions of: {}", ended);
            clients.end(login -> ended.contains(login.user()));
        };
    }
}
