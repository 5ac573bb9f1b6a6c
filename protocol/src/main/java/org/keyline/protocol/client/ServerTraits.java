package org.keyline.protocol.client;

import java.util.Set;

/**
 * A server's differences from MySQL's protocol. Immutable.
 *
 * @param skipsSequenceIds whether the first sequence id of a reply can be too high, because the
 *     server counts packets that it does not send
 * @param unofferedFlags flags that the server honours although it does not offer them; a bit set of
 *     {@link org.keyline.protocol.Capabilities}
 * @param unguardedUsers users that the server accepts with any password if they connect from its
 *     own host over loopback
 * @param reordersCommands whether the server can execute pipelined commands in another order
 */
public record ServerTraits(
        boolean skipsSequenceIds, int unofferedFlags, Set<String> unguardedUsers, boolean reordersCommands) {
    public static final ServerTraits MYSQL = new ServerTraits(false, 0, Set.of(), false);

    public ServerTraits {
        unguardedUsers = Set.copyOf(unguardedUsers);
    }

    public ServerTraits guarded() {
        return withUnguarded(Set.of());
    }

    public ServerTraits withUnguarded(Set<String> users) {
        return new ServerTraits(skipsSequenceIds, unofferedFlags, users, reordersCommands);
    }
}
