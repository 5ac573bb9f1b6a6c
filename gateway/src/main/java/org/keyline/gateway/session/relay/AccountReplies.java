package org.keyline.gateway.session.relay;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the sessions of each account have learned of the store's replies, where their OK packets
 * look alike. Confined to one event loop.
 */
public final class AccountReplies {
    /*
     * A program that connects for each request ends a transaction once per connection. Its session
     * would learn the reply each time, and never use it.
     *
     * An OK packet depends on the capabilities of the connection, on whether the session reports
     * its variables, and on completion_type. A session that has tracking takes part once its own
     * SET autocommit has shown whether the store reports the variable; completion_type and
     * session_track_transaction_info are asked of each session ahead of its first read.
     */

    private static final int MAX_ACCOUNTS = 256;

    /**
     * Sessions whose OK packets look alike.
     *
     * @param account the user and the role by the store's own names
     * @param reports whether the store reports a switched autocommit
     */
    record Key(String account, int capabilities, boolean reports) {}

    private final Map<Key, KnownReplies> accounts = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, KnownReplies> eldest) {
            return size() > MAX_ACCOUNTS;
        }
    };

    KnownReplies of(Key key) {
        return accounts.computeIfAbsent(key, added -> new KnownReplies());
    }
}
