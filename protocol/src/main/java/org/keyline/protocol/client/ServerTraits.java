package org.keyline.protocol.client;

import java.util.Set;

/**
 * In what a server departs from MySQL on the wire. Immutable.
 *
 * @param skipsSequenceIds whether a reply may begin with a later sequence id than the command calls for, since the server
 *     counted packets that it did not send
 * @param unofferedFlags flags that it honours though it does not offer them; a bit set of
 *     {@link org.keyline.protocol.Capabilities}
 * @param unguardedUsers whom it lets in with any password if they come from its own host over loopback
 */
public record ServerTraits(boolean skipsSequenceIds, int unofferedFlags, Set<String> unguardedUsers) {
    /** A server that departs in nothing. */
    public static final ServerTraits MYSQL = new ServerTraits(false, 0, Set.of());

    public ServerTraits {
        unguardedUsers = Set.copyOf(unguardedUsers);
    }

    /** The same server, of which everybody is taken to need a password. */
    public ServerTraits guarded() {
        return new ServerTraits(skipsSequenceIds, unofferedFlags, Set.of());
    }
}
