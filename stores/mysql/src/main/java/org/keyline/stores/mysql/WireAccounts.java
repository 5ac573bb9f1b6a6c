package org.keyline.stores.mysql;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Whom the gateway's local users are at the store. Thread-safe. */
public final class WireAccounts {
    /** A user of the store and its password. */
    public record Account(String user, String password) {
        /** Tells no password. */
        @Override
        public String toString() {
            return "Account[" + user + "]";
        }
    }

    private final Function<String, Optional<Account>> accounts;

    /** @param accounts by name of the local user */
    public WireAccounts(Map<String, Account> accounts) {
        Map<String, Account> fixed = Map.copyOf(accounts);
        this.accounts = user -> Optional.ofNullable(fixed.get(user));
    }

    /** @param accounts of the moment, by name of the local user; asked on any thread */
    public WireAccounts(Function<String, Optional<Account>> accounts) {
        this.accounts = accounts;
    }

    @Nullable
    Account of(String user) {
        return accounts.apply(user).orElse(null);
    }
}
