package org.keyline.stores.mysql;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whom the gateway's local users are at the store. Immutable. */
public final class WireAccounts {
    /** A user of the store and its password. */
    public record Account(String user, String password) {
        /** Tells no password. */
        @Override
        public String toString() {
            return "Account[" + user + "]";
        }
    }

    private final Map<String, Account> accounts;

    /** @param accounts by name of the local user */
    public WireAccounts(Map<String, Account> accounts) {
        this.accounts = Map.copyOf(accounts);
    }

    @Nullable
    Account of(String user) {
        return accounts.get(user);
    }
}
