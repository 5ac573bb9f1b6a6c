package org.keyline.protocol.server;

import java.net.InetAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.client.ClientConnection;

/**
 * Who logged in, and how.
 *
 * @param connectionId the id that the greeting told; of a relayed login, the other server's
 * @param user name the client gave
 * @param authenticatedAs the account that matched, such as {@code root@127.0.0.1}: what CURRENT_USER() says; of a
 *     relayed login just the name, since only the other server knows
 * @param database schema the client asks for, or null
 * @param capabilities flags both sides have; of a relayed login, client and other server, without CLIENT_SSL and
 *     CLIENT_COMPRESS, which are each side's own
 * @param collation the client's collation id as sent; 0 or an unknown id means the server's default
 * @param attributes connection attributes, in the client's order
 * @param remote the client's address
 * @param tls whether the connection is encrypted
 * @param upstream the connection to the other server, logged in as this user, which the session owns; null where the
 *     login was decided here
 * @param translation of the passwords of later COM_CHANGE_USERs, where only one of client and other server is under TLS; null where they
 *     pass as they are
 * @param beganNanos a moment before the account's rights were read, by {@link System#nanoTime}
 */
public record Login(
        int connectionId,
        String user,
        String authenticatedAs,
        @Nullable String database,
        int capabilities,
        int collation,
        Map<String, String> attributes,
        InetAddress remote,
        boolean tls,
        @Nullable ClientConnection upstream,
        @Nullable RelayedChangeUser translation,
        long beganNanos) {
    public Login {
        attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
    }
}
