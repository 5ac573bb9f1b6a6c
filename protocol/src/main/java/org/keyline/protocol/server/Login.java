package org.keyline.protocol.server;

import java.net.InetAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.client.ClientConnection;

/**
 * An authenticated user and its session's parameters.
 *
 * @param connectionId the id in the greeting; for a relayed login, the upstream server's id
 * @param authenticatedAs the value of CURRENT_USER(), such as {@code root@127.0.0.1}. For a relayed
 * login, this is the user name, because only the upstream server knows the account
 * @param database schema that the client requests, or null
 * @param capabilities negotiated flags; for a relayed login, the flags of client and upstream
 * server without CLIENT_SSL and CLIENT_COMPRESS, which each side negotiates separately
 * @param collation the client's collation id as sent; 0 or an unknown id means the server's default
 * @param attributes connection attributes, in the client's order
 * @param upstream the connection to the upstream server, logged in as this user and owned by the
 * session; null if the gateway decided the login
 * @param translation translates the passwords of later COM_CHANGE_USERs if only one of client and
 * upstream server is under TLS; null if the passwords pass unchanged
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
