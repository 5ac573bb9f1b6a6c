package org.keyline.stores.mysql;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Maps the gateway's local users to accounts of the store. Thread-safe. */
public final class WireAccounts {
    public record Account(String user, String password) {
        /** Returns a text without the password. */
        @Override
        public String toString() {
            return "Account[" + user + "]";
        }
    }

    private final Function<String, Optional<Account>> accounts;

    /** @param accounts the store account of each local user, by the user's name */
    public WireAccounts(Map<String, Account> accounts) {
        Map<String, Account> fixed = Map.copyOf(accounts);
        this.accounts = user -> Optional.ofNullable(fixed.get(user));
    }

    /** @param accounts returns the current account of a local user; called on any thread */
    public WireAccounts(Function<String, Optional<Account>> accounts) {
        this.accounts = accounts;
    }

    @Nullable
    Account of(String user) {
        return accounts.apply(user).orElse(null);
    }
}
