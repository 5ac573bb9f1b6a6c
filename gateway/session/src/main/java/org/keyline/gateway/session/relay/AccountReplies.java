package org.keyline.gateway.session.relay;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Shares the store's OK packets among sessions of an account. Confined to one event loop. */
public final class AccountReplies {
    /*
     * A program that opens a connection for each request ends only one transaction per connection.
     * Without this class, its sessions would never use the replies that they learn.
     *
     * An OK packet depends on the capabilities of the connection, on whether the session reports
     * its variables, and on completion_type. A session that tracks session state uses shared
     * replies only after its own SET autocommit has shown whether the store reports the variable.
     */

    private static final int MAX_ACCOUNTS = 256;

    /**
     * @param account the user and the role, as the store reports them
     * @param reports whether the store reports a change of autocommit
     */
    record Key(String account, int capabilities, boolean reports) {}

    private final Map<Key, KnownReplies> accounts = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, KnownReplies> eldest) {
            return size() > MAX_ACCOUNTS;
        }
    };

    private final Supplier<BooleanSupplier> moment;

    /** @param moment returns a condition that holds until schemas or rights change */
    public AccountReplies(Supplier<BooleanSupplier> moment) {
        this.moment = moment;
    }

    /** Returns a condition that holds until schemas or rights change after this call. */
    BooleanSupplier moment() {
        return moment.get();
    }

    KnownReplies of(Key key) {
        return accounts.computeIfAbsent(key, added -> new KnownReplies());
    }
}
