package org.keyline.protocol.server;

import java.net.InetAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who logged in, and how.
 *
 * @param connectionId the id that the greeting told
 * @param user name the client gave
 * @param authenticatedAs the account that matched, such as {@code root@127.0.0.1}: what CURRENT_USER() says
 * @param database schema the client asks for, or null
 * @param capabilities flags both sides have
 * @param collation the client's collation id as sent; 0 or an unknown id means the server's default
 * @param attributes connection attributes, in the client's order
 * @param remote the client's address
 * @param tls whether the connection is encrypted
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
        boolean tls) {
    public Login {
        attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
    }
}
